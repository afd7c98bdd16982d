//! # The algorithms that decide which executions to run
//!
//! A [`Search`] hands [plans](heddle_model::Plan) to an [`Executor`](heddle_model::Executor) and learns from the
//! executions that come back. It never knows how a program is run: a native process, a scripted program of the tests
//! and anything else that returns events will do.
//!
//! | module | subject |
//! |---|---|
//! | `drive` | the loop that all algorithms share, its observer and its summary |
//! | [`algorithm`] | one file for each algorithm |
//! | `traces` | what an execution says: happens-before, pairs of events that can be reversed, canonical forms |
//! | `frontier` | what is known and not explored yet, as a tree and as an ordered agenda |
//! | [`after`] | what is done with an execution that was found: make it small, or prove that it goes round for ever |
//! | [`liveness`] | what can go on for ever, asked of the graph of all states |
//! | [`wrap`] | executors around executors |
//! | `save` | a search written down, to be continued later |
//!
//! Deliberately absent: what a mutex is (that is asked of `heddle-model`), and what a finding is (the
//! [`Observer`] recognises those in the executions that it is shown).

pub mod after;
pub mod algorithm;
mod drive;
mod frontier;
pub mod liveness;
mod options;
mod save;
mod traces;
pub mod wrap;

pub use after::{apart, livelock, minimise};
pub use algorithm::Method;
pub use algorithm::optimal::split::{self, ItemId, Split, Unexplored};
pub use drive::Search;
pub use drive::counts::Counts;
pub use drive::observer::{Flow, Info, Observer, Progress};
pub use drive::over_states::{OverStates, Why};
pub use drive::summary::{DisciplineCounts, StateCounts, Stop, Summary};
pub use frontier::work_item::{self, Commit, WorkItem};
pub use options::{Algorithm, Options, Rules};
pub use save::CheckpointError;
pub use traces::canonical;
pub use wrap::{exact, probe, repeat};
