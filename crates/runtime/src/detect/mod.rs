//! Errors that do not stop a program by themselves: data races, memory errors, undefined behaviour, misuse of
//! primitives.

pub mod library_calls;
pub mod memcheck;
pub mod misuse;
pub mod race;
pub mod stacks;
pub mod undefined;
