//! Makes instrumented programs.
//!
//! * [`compile`]: C and C++ files to a program, for `heddle check FILES`.
//! * [`wrapper`]: `heddle cc` and `heddle c++`, the compiler for builds of other people's projects.
//! * [`instrument`]: the flags and headers that both pass to the compiler.
//! * `toolchain`: both ways to a program, as a check wants them.
//! * `library`: the runtime library, which is embedded in this crate, and `place`, the directory where it lies.
//! * [`cache`]: programs that were compiled before.
//! * [`trust`]: what a trace file may ask a compiler for.

pub mod cache;
pub mod compile;
pub mod instrument;
pub(crate) mod library;
pub(crate) mod place;
pub(crate) mod toolchain;
pub mod trust;
pub mod wrapper;
