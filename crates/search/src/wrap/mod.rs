//! Executors around executors.
//!
//! * [`exact`]: compares states word for word.
//! * [`repeat`]: runs a sample of executions twice, to see whether they are equal.
//! * [`probe`]: runs two ways to one state with the same continuation, to see whether they go on in the same way.

pub mod exact;
pub mod probe;
pub mod repeat;
