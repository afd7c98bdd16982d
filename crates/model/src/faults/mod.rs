//! What an execution can do wrong, as data: data races, memory errors, misuse of primitives, circles of waits, and what is
//! left behind at its end.

pub mod circle;
pub mod fault;
mod left;
pub mod misuse;
pub mod race;
