//! What an execution says about the traces of the program.
//!
//! * [`analysis`]: happens-before by vector clocks, and the pairs of events that can be reversed.
//! * [`touches`] and [`granules`]: footprints and places by number, so that conflicts are looked up.
//! * [`sequence`]: the sequence of events that a reversal asks for.
//! * [`canonical`]: one form for all executions of a trace.

pub(crate) mod analysis;
pub mod canonical;
pub(crate) mod granules;
pub(crate) mod sequence;
pub(crate) mod touches;
