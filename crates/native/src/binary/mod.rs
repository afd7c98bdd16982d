//! Reads executable files, libraries and object files. Nothing here runs them.
//!
//! * [`program`]: whether a file can be checked, and how much of what it does Heddle observes.
//! * [`annotations`]: labels and atomic functions that the program declares through `heddle.h`.
//! * `uninstrumented`: the object files that were linked in without instrumentation.
//! * `assembly`, `assembly_text`: inline assembly that uses memory, which Heddle does not observe.
//! * `sources`: the sources of a file. `overlooked`: what else of instrumented code Heddle does not observe.
//! * `untold`: functions of other libraries that may touch the program's memory where nobody tells of it.
//! * [`framework`]: the test framework that a program was built with.
//! * [`liveness`]: dead bytes of stack frames.
//! * [`symbols`]: functions, source lines, and names of variables for addresses.

pub mod annotations;
pub(crate) mod assembly;
mod assembly_text;
pub mod framework;
pub mod liveness;
pub(crate) mod overlooked;
pub mod program;
pub(crate) mod sources;
pub mod symbols;
pub(crate) mod uninstrumented;
pub(crate) mod untold;
