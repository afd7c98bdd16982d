//! # The algorithms that decide which executions to run
//!
//! A [`Search`] hands [plans](heddle_model::Plan) to an [`Executor`](heddle_model::Executor) and learns from the
//! executions that come back. It never knows how a program is run: a native process, a scripted program of the tests
//! and anything else that returns events will do.
//!
//! | module | algorithm |
//! |---|---|
//! | [`dfs`] | every interleaving, no reduction: what the others are held against |
//! | [`dpor`] | persistent sets with sleep sets and clock vectors, as the baseline |
//! | [`source`] | source sets |
//! | [`optimal`] | one execution for each trace, none abandoned: the default |
//! | [`bound`] | persistent sets that are complete within a bound on preemptions, switches or delays |
//! | [`sampling`] | samples, for programs too big to exhaust |
//! | [`repeat`] | a sample of executions is run twice, to see whether they are the same |
//! | [`minimise`] | from an execution that shows something to the smallest one that does |
//!
//! Deliberately absent: what a mutex is (that is asked of `heddle-model`), and what a finding is (the
//! [`Observer`] recognises those in the executions that it is shown).

mod analysis;
pub mod bound;
pub mod canonical;
mod checkpoint;
pub mod dfs;
pub mod dpor;
mod granules;
pub mod livelock;
pub mod minimise;
mod observer;
pub mod optimal;
mod options;
pub mod repeat;
mod replay;
pub mod sampling;
mod search;
mod sequence;
pub mod source;
mod stack;
mod touches;

pub use checkpoint::CheckpointError;
pub use observer::{Flow, Info, Observer, Progress, Stop, Summary};
pub use options::{Algorithm, Options};
pub use search::Search;
