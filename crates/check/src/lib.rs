//! # One check of a program, from options to a conclusion
//!
//! Everything between a command line and the terminal that is neither: a search is run, what it finds is collected, made
//! small, run again with everything recorded, resolved to names and lines, and concluded in a verdict with its coverage.
//!
//! * [`Check::run`] is the whole way. [`Options`] say what to look for and how, an [`Observer`] is told how far it is, and a
//!   [`Conclusion`] comes back.
//! * [`prepare`] turns files and compiler flags into a program that can be run.
//! * [`tally`] is what is kept of the executions of a search.
//! * [`after`] is what follows a search: livelocks, the smallest execution of each finding, words for divergence.
//! * [`resolve`] runs one execution again and finds names and places; [`trace`] makes a trace of it.
//! * [`checkpoint`] keeps a search in a file and goes on from there.
//!
//! A check from Rust, with native processes as the engine (`examples/embed.rs` of this crate):
//!
//! ```no_run
#![doc = include_str!("../examples/embed.rs")]
//! ```
//!
//! Deliberately absent: flags, colours, progress bars and output files. Nothing here prints.

pub mod after;
mod check;
pub mod checkpoint;
mod coverage;
mod engine;
mod failure;
mod observer;
mod options;
pub mod prepare;
pub mod resolve;
pub mod sources;
pub mod tally;
mod tell;
pub mod trace;
mod verdict;
pub mod words;

pub use check::{Check, Conclusion};
pub use engine::{Engine, Local, Names, Recorded};
pub use failure::Failure;
pub use observer::Observer;
pub use options::Options;
