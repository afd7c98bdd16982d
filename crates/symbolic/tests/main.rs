//! Tests that need a compiler: programs are read, and run by the interpreter and by the machine.

mod checks;
mod common;
mod differential;
mod families;
mod generate;
mod hostile;
mod primitives;
mod proving;
mod reading;
mod threads;
