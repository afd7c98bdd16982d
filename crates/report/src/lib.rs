//! # From executions to reports
//!
//! This crate takes data and returns bytes. It opens no file, asks no process and writes to no terminal.
//!
//! * [`Recording`] is one execution whose names and source locations were resolved by the engine that ran it.
//! * [`outcome`] classifies an execution for the verdict: fine, a finding, not supported.
//! * [`recognise()`] turns a recording into a [`Finding`](heddle_model::Finding): which thread holds which lock, which
//!   waits for which, and where.
//! * [`steps`] lists the execution step by step. [`causes`] says which steps each step follows from. [`words`] puts
//!   steps into words.
//! * [`suite`] is about the tests of a test program, each checked alone.
//! * [`shown`] makes foreign text safe to look at, in every format.
//! * [`text`], [`json`], [`html`], [`sarif`], [`junit`], [`graph`] and [`witness`] are the formats of reports.

pub mod causes;
pub mod deadlock;
mod fault;
pub mod fingerprint;
pub mod graph;
pub mod html;
pub mod json;
pub mod junit;
pub mod left;
pub mod livelock;
mod misuse;
pub mod names;
pub mod outcome;
pub mod printed;
mod race;
pub mod recognise;
pub mod recording;
pub mod relevance;
pub mod sarif;
pub mod shown;
pub mod state;
pub mod steps;
pub mod suite;
pub mod text;
pub mod values;
pub mod walk;
pub mod witness;
pub mod words;

pub use recognise::recognise;
pub use recording::Recording;
