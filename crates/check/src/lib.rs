//! # One check of a program, from options to a conclusion
//!
//! A check runs a search and collects what it finds. It looks for a smaller execution of each finding, runs that again with
//! everything recorded, resolves names and source lines, and concludes with a verdict and its coverage.
//!
//! * [`Check::run`] does all of this. [`Options`] say how to search, an [`Observer`] receives the progress, and the result is a
//!   [`Conclusion`].
//! * [`prepare`] turns files and compiler flags into a program that can be run.
//! * [`tally`] is what is kept of the executions of a search.
//! * [`after`] is what follows a search: livelocks, the smallest execution of each finding, messages about divergence.
//! * [`resolve`] runs one execution again and resolves names and places; [`trace`] makes a trace of it.
//! * [`fit`] finds the schedule of the program that an order of another engine means.
//! * [`proved`] is the verdict of an engine that proves instead of running the program.
//! * [`internal`] keeps what was found when Heddle itself fails.
//! * [`checkpoint`] saves a search to a file and resumes it.
//!
//! A check from Rust, with native processes as the engine (`examples/embed.rs` of this crate):
//!
//! ```no_run
#![doc = include_str!("../examples/embed.rs")]
//! ```
//!
//! Deliberately absent: flags, colours, progress bars and output files. Nothing here prints.

mod advice;
pub mod after;
mod check;
pub mod checkpoint;
mod coverage;
mod engine;
mod failure;
pub mod fit;
pub mod internal;
mod observer;
mod options;
pub mod prepare;
pub mod proved;
pub mod resolve;
pub mod sources;
pub mod tally;
mod tell;
pub mod trace;
mod unseen;
pub mod values;
mod verdict;
pub mod words;

pub use check::{Check, Conclusion};
pub use engine::{Engine, Local, Names, Recorded};
pub use failure::Failure;
pub use observer::Observer;
pub use options::Options;
pub use verdict::lacks_only_inputs;
