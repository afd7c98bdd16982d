//! # Scripted programs, random programs and oracles
//!
//! What the tests and benches of Heddle share. Nothing here is part of the tool.
//!
//! * [`program`]: scripted programs, threads as lists of instructions.
//! * [`executor`]: runs them, instruction by instruction (`interpret`), through the model's world and follower, as the
//!   runtime runs native programs.
//! * [`generate`]: random programs. [`known`]: programs whose number of traces is known.
//! * [`print_c`]: scripted programs as C, for the native engine.
//! * [`shrink`]: makes programs that show a fault small.
//! * [`bytes`]: damaged files, for whatever reads foreign bytes.
//! * [`environment`]: tools that must be there, seeds, how much to run.
//! * [`oracle`]: everything that a search finds out about a program, compared with brute force.
//! * [`happens`]: happens-before by the letter of the C++ standard.

mod awaits;
pub mod bytes;
pub mod environment;
pub mod executor;
pub mod generate;
pub mod happens;
mod interpret;
pub mod known;
pub mod oracle;
pub mod print_c;
pub mod program;
pub mod shrink;

pub use executor::{FinalState, Scripted};
pub use program::{Instruction, Program, Value};
