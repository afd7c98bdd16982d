//! Executors around executors.
//!
//! * [`repeat`]: runs a sample of executions twice, to see whether they are equal.

pub mod repeat;
