//! The description of an execution beyond its events: call stacks, local variables, and the interface to a debugger.

pub mod callstack;
pub mod debug;
pub mod locals;
