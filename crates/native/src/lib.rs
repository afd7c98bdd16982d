//! # Compiles, launches and drives programs that carry Heddle's runtime
//!
//! The only crate that starts processes and maps shared memory. It leads from files and compiler flags to an
//! [`Executor`](heddle_model::Executor):
//!
//! * [`compile`] finds a compiler and makes an instrumented [`Program`] of C and C++ files. [`instrument`] has the flags and
//!   headers that make the program's accesses to memory visible.
//! * [`cache`] keeps programs that were compiled before.
//! * [`wrapper`] is the compiler wrapper for existing builds.
//! * [`program`] examines an existing program: whether it can be run, and how much of it is observed.
//! * [`NativeExecutor`] starts the program with the runtime loaded into it and runs plans, whatever happens to the
//!   processes. [`NativeExecutor::record`] runs one schedule again and records everything.
//!   [`NativeExecutor::debug`] opens gdb on it.
//! * [`Framework`] is the test framework of a program. [`helper`] runs what is no program under test.
//! * [`liveness`] finds bytes of stack frames that nothing depends on.
//! * [`symbols`] resolves addresses to functions, source lines, and names of variables.
//!
//! Deliberately absent: which executions to run (that is `heddle-search`), what they mean (`heddle-model`), and how to
//! report them (`heddle-report`). Nothing here prints. What it does is logged with `tracing`.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod binary;
mod build;
mod debugger;
mod engine;
mod limits;
mod run;
pub mod suite;
mod temporary;

pub use binary::framework::Framework;
pub use binary::program::{Program, ProgramError};
pub use binary::{annotations, liveness, program, symbols};
pub use build::toolchain::{Built, Toolchain};
pub use build::{cache, compile, instrument, trust, wrapper};
pub use debugger::Debugger;
pub use limits::{STACK, raise_limits};
pub use run::helper;
pub use run::{Hire, NativeExecutor, Options, StartError, signal_name};
pub use temporary::TemporaryDirectory;

/// The file of the runtime library that is loaded into programs.
pub fn runtime_library() -> &'static [u8] {
    build::library::BYTES
}
