//! What instrumented code calls: the interface between compilers and the thread sanitizer's runtime, with another
//! runtime behind it.
//!
//! gcc (12 to 14) and clang (14 to 19) with `-fsanitize=thread` call `__tsan_*` functions before memory accesses, at
//! the entry and exit of functions, and instead of atomics. [`atomic`] has the atomics, each a visible operation;
//! [`access`] the accesses to plain memory; the entries and exits are in
//! [`crate::record::callstack`]. What the compilers leave to libatomic is in [`crate::calls::libatomic`], and what they leave to
//! libc in [`crate::calls::strings`].

pub mod access;
pub mod atomic;
pub mod expected;
mod names;

use core::cell::Cell;

pub use expected::compare_fails;

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
    /// At start-up.
    pub const fn new() -> Instrumented {
        Instrumented { initialised: Cell::new(false) }
    }
}

/// Whether anything of the program was instrumented.
pub fn sees_memory() -> bool {
    lifetime::process().instrumented.initialised.get()
}
