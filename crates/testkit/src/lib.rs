//! # Scripted programs, random programs and oracles
//!
//! What the tests and benchmarks of Heddle share. Nothing here is part of the tool.
//!
//! * [`program`]: scripted programs, whose threads are lists of instructions.
//! * [`executor`]: runs them, instruction by instruction (`interpret`), through the model's world and follower, as the
//!   runtime runs native programs.
//! * [`state`]: their states, as structures to compare, with fingerprints.
//! * [`generate`]: random programs. [`endless`]: random programs that need not end. [`known`]: programs whose number of traces is known.
//! * [`outside`]: what scripts do to state of the process. [`groups`]: random programs that do that.
//! * [`print_c`]: scripted programs as C, for the native engine.
//! * [`shrink`]: reduces programs that show a fault.
//! * [`bytes`]: damaged files, for code that reads foreign bytes.
//! * [`environment`]: required tools, seeds, and how much to run.
//! * [`processes`]: waiting for other processes, and tests in a process of their own.
//! * [`oracle`]: everything that a search finds out about a program, compared with brute force.
//! * [`all_states`]: all states of a program by brute force. [`state_search`]: what a search over states finds.
//! * [`happens`]: happens-before as the C++ standard defines it.

pub mod all_states;
mod awaits;
pub mod bytes;
pub mod endless;
pub mod environment;
pub mod executor;
pub mod generate;
pub mod groups;
pub mod happens;
mod interpret;
pub mod known;
pub mod oracle;
pub mod outside;
pub mod print_c;
mod print_calls;
pub mod processes;
pub mod program;
pub mod sections;
pub mod shrink;
pub mod state;
pub mod state_search;
mod variables;
mod wait_loops;

pub use awaits::Condition;
pub use executor::{FinalState, Scripted};
pub use program::{Instruction, Program, Value};
