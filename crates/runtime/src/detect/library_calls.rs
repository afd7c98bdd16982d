//! Calls of libraries that nobody instrumented and that are not the system's.
//!
//! What such a library keeps for itself is taken for one place, which every call writes. If nothing orders two calls by different threads, the
//! order in which they come may matter, and it was not explored: the search is told.
//!
//! The calls are counted by the code that stands before them ([`crate::entry::foreign`]), and looked at by the next event of the thread: its
//! time can change there. A library that takes a lock of its own orders what it does itself. So if that event is the library's, the call
//! counts as after it, or before it, if it gives a lock back.

use core::cell::Cell;

use heddle_model::primitive::{condvar, mutex, rwlock, semaphore, spin};
use heddle_model::{Event, OpCode};

use super::race;
use crate::lifetime;
use crate::schedule::{self, fiber};

/// The most libraries that are known.
pub const MOST: usize = 64;

/// The code of the libraries: the first address of each, and the one past its end.
pub struct Code(Cell<[(usize, usize); MOST]>);

impl Code {
    /// No library is known.
    pub const fn new() -> Code {
        Code(Cell::new([(0, 0); MOST]))
    }

    /// Sets what the libraries are.
    pub fn set(&self, code: [(usize, usize); MOST]) {
        self.0.set(code);
    }

    /// Whether `address` is in a library.
    pub fn has(&self, address: usize) -> bool {
        self.0.get().iter().any(|&(low, high)| (low..high).contains(&address))
    }
}

fn is_in_library(pc: u64) -> bool {
    lifetime::process().unseen_code.has(pc as usize)
}

/// The calls of an execution.
pub struct LibraryCalls {
    /// How many there were so far.
    made: Cell<u64>,
    /// How many of them the threads have taken note of.
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

/// Takes note of the calls that the running thread has made, before another one runs.
#[inline(always)]
pub fn note() {
    let LibraryCalls { made, noted } = &lifetime::execution().library_calls;
    if made.get() != noted.get() {
        noted.set(made.get());
        fiber::of(schedule::current()).called_library.set(true);
    }
}

/// Looks at the calls that the running thread has made, at its event `event`: before the event orders anything, or `after` that.
#[inline(always)]
pub fn at_event(event: &Event, after: bool) {
    note();
    let called = &fiber::of(event.thread).called_library;
    if called.get() && after == counts_after(event) {
        called.set(false);
        race::called_library();
    }
}

#[cold]
fn counts_after(event: &Event) -> bool {
    is_in_library(event.pc) && !gives_back(event.operation.code)
}

/// Whether operations with this code let others go on, and wait for nobody.
fn gives_back(code: OpCode) -> bool {
    let codes = [mutex::UNLOCK, rwlock::UNLOCK, spin::UNLOCK, semaphore::POST, condvar::SIGNAL, condvar::BROADCAST];
    codes.contains(&code)
}
