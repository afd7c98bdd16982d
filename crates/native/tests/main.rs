//! The tests of the native engine: one binary, a module for each subject.

mod common;

mod abi; // What compilers make of programs.
mod boundary; // Programs that write over what they share with Heddle.
mod determinism; // Addresses are reproducible.
mod executions; // One program, three ways to restart.
mod facts; // What one executor has learnt, for another.
mod leftovers; // Nothing stays behind.
mod symbols; // The thread library, symbol by symbol.
mod trouble; // Programs that crash, hang or are killed.
mod wiped; // Nothing of the runtime's is left on stacks.
