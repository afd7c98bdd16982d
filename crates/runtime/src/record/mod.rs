//! What an execution is described by beyond its events: call stacks, local variables, and what a debugger reads.

pub mod callstack;
pub mod debug;
pub mod locals;
