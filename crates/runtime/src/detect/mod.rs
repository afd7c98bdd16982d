//! What is wrong with the program although it goes on: data races, memory errors, undefined behaviour, misuse of primitives.

pub mod memcheck;
pub mod misuse;
pub mod race;
pub mod undefined;
