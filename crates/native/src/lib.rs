//! # Compiles, launches and drives programs that carry Heddle's runtime
//!
//! The only room that starts processes and maps shared memory. From a command line of files and flags to an
//! [`Executor`](heddle_model::Executor):
//!
//! * [`compile`] finds a compiler and makes an instrumented [`Program`] of C and C++ files; [`instrument`] is what the
//!   compiler is told so that nothing the program does is hidden.
//! * [`wrapper`] is a compiler for other people's builds.
//! * [`program`] looks at a program that exists already: can it be run, and how much of it will be seen?
//! * [`NativeExecutor`] starts the program with the runtime loaded into it and runs plans, whatever happens to the
//!   processes on the way. [`NativeExecutor::record`] runs one schedule again and keeps everything.
//!   [`NativeExecutor::debug`] opens gdb on it.
//! * [`symbols`] turns addresses into functions, lines and names of variables.
//!
//! Deliberately absent: which executions to run (that is `heddle-search`), what they mean (`heddle-model`), how to
//! tell them (`heddle-report`). Nothing here prints.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod binary;
mod build;
mod debugger;
mod engine;
mod run;
mod temporary;

pub use binary::program::{Program, ProgramError};
pub use binary::{annotations, program, symbols};
pub use build::toolchain::{Built, Toolchain};
pub use build::{compile, instrument, wrapper};
pub use debugger::Debugger;
pub use run::{DEFAULT_NONDET, Hire, NativeExecutor, Options, RestartMode, StartError, signal_name};
pub use temporary::TemporaryDirectory;

/// The runtime library, as it is loaded into programs.
pub fn runtime_library() -> &'static [u8] {
    build::library::BYTES
}
