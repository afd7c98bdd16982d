//! Makes instrumented programs.
//!
//! * [`compile`]: C and C++ files to a program, for `heddle check FILES`.
//! * [`wrapper`]: `heddle cc` and `heddle c++`, the compiler for builds of other people's projects.
//! * [`instrument`]: the flags and headers that both pass to the compiler.
//! * `library`: the runtime library, which is embedded in this crate.

pub mod compile;
pub mod instrument;
pub(crate) mod library;
pub mod wrapper;
