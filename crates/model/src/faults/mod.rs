//! What can be wrong in an execution, as data: data races, memory errors, misuse of primitives, circles of waits, and
//! resources left at the end.

pub mod circle;
pub mod fault;
mod left;
pub mod misuse;
pub mod race;
