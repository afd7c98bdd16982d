//! What symbolic execution runs: a small intermediate representation, and how it is read from C and C++.
//!
//! * [`types`]: the representation.
//! * [`find`], [`reader`]: compiles a program with clang and reads it in another process.
//! * `llvm`, `decode`, `decode_function`: that process.
//! * [`flow`], [`promote`]: post-dominators and loops; local variables as registers.

mod decode;
mod decode_function;
pub mod find;
pub mod flow;
mod llvm;
pub mod promote;
pub mod reader;
pub mod types;

pub use find::{Places, Toolchain};
pub use reader::{ReadError, Reader, serve};
pub use types::*;
