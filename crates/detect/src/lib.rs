//! # What the runtime knows, as plain data structures
//!
//! The runtime lives inside the program under test, where nothing can be unit-tested: it defines `malloc` and `pthread_create`.
//! The parts of it that only compute are here: which accesses are ordered, which bytes may be touched, where blocks of the
//! heap lie, what a path means, what time it is. They have unit tests, are compared with simple models of what they
//! should do, and run under Miri.
//!
//! * [`race`]: which accesses to memory are data races. Made of the next two.
//! * [`happens_before`]: happens-before by vector clocks, as the memory orders of C and C++ say.
//! * [`shadow`]: the accesses to each granule of memory, and which of them race.
//! * [`heap`]: a deterministic heap that knows which bytes may be touched.
//! * [`notes`]: where its blocks were allocated and freed.
//! * [`path`]: what a path means in a tree of files; [`names`]: the names that an execution has changed.
//! * [`time`]: what the clock of each thread shows.
//! * [`rounds`]: whether a part of an execution can be repeated for ever; [`digest`] and [`content`]: the hashes by which states are
//!   compared.
//! * [`places`]: the granules of plain memory whose accesses are visible operations.
//!
//! **Invariant:** nothing here has state of its own. Every structure is a value over memory that its owner lends
//! ([`Lender`]), so the runtime decides where it lies and when an execution begins.
//!
//! **Invariant:** no system calls, no allocation, no scheduling. A structure that is full says so ([`Full`]); what that means for the
//! execution is the caller's business.

#![no_std]

#[cfg(test)]
extern crate std;

pub mod content;
pub mod digest;
pub mod happens_before;
pub mod heap;
pub mod lend;
pub mod names;
pub mod notes;
pub mod path;
pub mod places;
pub mod race;
pub mod ranges;
pub mod rounds;
pub mod shadow;
pub mod time;

#[cfg(test)]
mod testing;

pub use lend::{Full, Lender, Zero};
