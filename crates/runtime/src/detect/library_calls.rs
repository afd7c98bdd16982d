//! Calls of libraries that nobody instrumented and that are not the system's.
//!
//! What such a library keeps for itself is taken for one place, which every call writes. If nothing orders two calls by different threads, the
//! order in which they come may matter, and it was not explored: the search is told.
//!
//! The calls are counted by the code that stands before them ([`crate::entry::foreign`]). They are looked at where the thread's time can
//! change, and where another thread goes on.

use core::cell::Cell;

use super::race;
use crate::lifetime;

/// The calls of an execution.
pub struct LibraryCalls {
    /// How many there were so far.
    made: Cell<u64>,
    /// How many of them were looked at.
    noted: Cell<u64>,
}

impl LibraryCalls {
    /// The state at the start of the process.
    pub const fn new() -> LibraryCalls {
        LibraryCalls { made: Cell::new(0), noted: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        self.made.set(0);
        self.noted.set(0);
    }
}

/// The address of the count of calls.
pub fn counter() -> usize {
    lifetime::execution().library_calls.made.as_ptr() as usize
}

/// Takes note of the calls that the running thread has made.
#[inline(always)]
pub fn settle() {
    let LibraryCalls { made, noted } = &lifetime::execution().library_calls;
    if made.get() != noted.get() {
        noted.set(made.get());
        race::called_library();
    }
}
