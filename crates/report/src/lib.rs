//! # From executions to reports
//!
//! Only data in, only bytes out: nothing here opens a file, asks a process or writes to a terminal.
//!
//! * [`Recording`] is one execution with its names and places resolved by whoever ran it.
//! * [`outcome`] says what an execution is to a verdict: fine, a finding, something Heddle cannot do.
//! * [`recognise()`] turns a recording into a [`Finding`](heddle_model::Finding): who holds what, who waits for what, where.
//! * [`steps`] is the execution step by step, [`causes`] what each step follows from, [`words`] how people call it.
//! * [`text`] and [`json`] are the reports.

pub mod causes;
pub mod deadlock;
mod fault;
pub mod graph;
pub mod html;
pub mod json;
pub mod junit;
pub mod left;
mod livelock;
mod misuse;
pub mod names;
pub mod outcome;
mod race;
pub mod recognise;
pub mod recording;
pub mod relevance;
pub mod sarif;
pub mod state;
pub mod steps;
pub mod text;
pub mod walk;
pub mod witness;
pub mod words;

pub use recognise::recognise;
pub use recording::Recording;
