//! Libraries that the program loads while it runs (`dlopen`). The driver is told their names, because it knows only the
//! libraries that are loaded when `main` begins.
//!
//! Loading opens a file, so programs that do so run each execution in a process of its own. It is therefore enough to
//! look for new libraries at the end of an execution and before a library is unloaded.

use crate::entry::start::{LoadedObject, dl_iterate_phdr};
use crate::entry::wire::Wire;
use crate::lifetime;
use crate::schedule::active;
use core::cell::Cell;
use core::ffi::{CStr, c_int, c_void};

/// The libraries of the program.
pub struct Loaded {
    /// How many libraries there were before the first execution. Later ones come after them.
    known: Cell<usize>,
}

impl Loaded {
    /// The state at the start of the process.
    pub const fn new() -> Loaded {
        Loaded { known: Cell::new(0) }
    }
}

fn known() -> &'static Cell<usize> {
    &lifetime::process().loaded.known
}

/// Counts the libraries. Call this before the first execution.
pub fn set_up() {
    unsafe extern "C" fn count(_: *const LoadedObject, _: usize, _: *mut c_void) -> c_int {
        known().set(known().get() + 1);
        0
    }
    known().set(0);
    // SAFETY: a function of this type.
    unsafe { dl_iterate_phdr(count, core::ptr::null_mut()) };
}

/// Tells the driver the names of the libraries that were loaded since.
pub fn note(wire: Wire) {
    struct Look {
        index: usize,
        wire: Wire,
    }
    unsafe extern "C" fn look(object: *const LoadedObject, _: usize, looking: *mut c_void) -> c_int {
        // SAFETY: what `note` handed over, and what the loader says of one of its objects.
        unsafe {
            let looking = &mut *looking.cast::<Look>();
            looking.index += 1;
            if looking.index > known().get() {
                looking.wire.list_library(CStr::from_ptr((*object).name).to_bytes_with_nul());
            }
        }
        0
    }
    let mut looking = Look { index: 0, wire };
    // SAFETY: a function of this type, with what it expects.
    unsafe { dl_iterate_phdr(look, (&raw mut looking).cast()) };
}

originals! {
    fn dlclose(library: *mut c_void) -> c_int;
}

interpose! {
    fn dlclose(library: *mut c_void) -> c_int {
        if active() {
            // The library is gone at the end of the execution.
            note(Wire::ATTACHED);
        }
        real::dlclose(library)
    }
}
