//! The functions that instrumented code calls: the compilers' interface to the runtime of the thread sanitizer, with
//! another runtime behind it.
//!
//! gcc (12 to 14) and clang (14 to 19) with `-fsanitize=thread` call `__tsan_*` functions before memory accesses, at
//! the entry and exit of functions, and instead of atomic operations. [`atomic`] has the atomic operations, each of
//! them a visible operation. [`access`] has the accesses to plain memory. Entries and exits of functions are in
//! [`crate::record::callstack`]. What the compilers leave to libatomic is in [`crate::calls::libatomic`], and what they
//! leave to libc in [`crate::calls::strings`].

pub mod access;
pub mod atomic;
pub mod expected;
mod names;

use core::cell::Cell;

pub use expected::{compare_fails, content};

use crate::lifetime;

/// Called from a constructor of every instrumented file. The runtime starts by itself.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    lifetime::process().instrumented.initialised.set(true);
}

/// Whether the program is instrumented.
pub struct Instrumented {
    /// The constructor of an instrumented file has run.
    initialised: Cell<bool>,
}

impl Instrumented {
    /// The state at the start of the process.
    pub const fn new() -> Instrumented {
        Instrumented { initialised: Cell::new(false) }
    }
}

/// Whether any part of the program is instrumented.
pub fn sees_memory() -> bool {
    lifetime::process().instrumented.initialised.get()
}
