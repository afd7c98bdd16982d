//! The library that unwinds stacks, for exceptions and for `pthread_exit`. It must be ready before an execution begins.
//!
//! The library initialises itself at its first use, once for all threads. In the middle of an execution, that would
//! look as if the order of the first two exceptions mattered. If the library was not linked in, glibc loads it at the
//! first `pthread_exit`, by opening and mapping files, which a snapshot cannot undo. The first execution that needs the
//! library is therefore abandoned and run again from a start at which the library is loaded. The shared memory records
//! this for later processes.

use core::cell::Cell;
use core::ffi::c_int;

use crate::entry::real;
use crate::lifetime;

/// What is known of the unwinder.
pub struct Unwinder {
    /// `pthread_exit` can be called without glibc loading anything.
    ready_for_exit: Cell<bool>,
    /// Where `_Unwind_GetCFA` is, which gives the stack pointer in the frame that is being unwound; 0 if that is not known.
    stack_in_frame: Cell<usize>,
}

impl Unwinder {
    /// The state at the start of the process.
    pub const fn new() -> Unwinder {
        Unwinder { ready_for_exit: Cell::new(false), stack_in_frame: Cell::new(0) }
    }
}

fn unwinder() -> &'static Unwinder {
    &lifetime::process().unwinder
}

/// Makes the unwinder initialise itself, if it is loaded. Call this outside executions only.
pub fn warm_up() {
    extern "C" fn stop(_context: usize, _argument: usize) -> c_int {
        const END_OF_STACK: c_int = 5;
        END_OF_STACK
    }
    let backtrace = real::find(c"_Unwind_Backtrace");
    if backtrace != 0 {
        // SAFETY: the function with this name has this type.
        unsafe {
            let backtrace: extern "C" fn(extern "C" fn(usize, usize) -> c_int, usize) -> c_int =
                core::mem::transmute(backtrace);
            backtrace(stop, 0);
        }
        unwinder().stack_in_frame.set(real::find(c"_Unwind_GetCFA"));
    }
}

/// The stack pointer in the frame that the unwinder's `context` describes.
pub fn stack_in_frame(context: *mut u8) -> Option<*const u64> {
    let address = &unwinder().stack_in_frame;
    if address.get() == 0 {
        // Loaded by glibc in this very execution, which is then in a process of its own.
        address.set(real::find(c"_Unwind_GetCFA"));
    }
    // SAFETY: the function with this name has this type.
    let function: Option<extern "C" fn(*mut u8) -> *const u64> = unsafe { core::mem::transmute(address.get()) };
    function.map(|function| function(context))
}

/// Whether `pthread_exit` can be called without glibc loading anything.
pub fn is_ready_for_exit() -> bool {
    unwinder().ready_for_exit.get()
}

/// Makes glibc load the unwinder, by a real thread that exits. Call this outside executions only.
pub fn load() {
    extern "C" fn exits() {
        // SAFETY: a real thread, made below.
        unsafe { real::pthread_exit(core::ptr::null_mut()) }
    }
    let mut handle = 0;
    // SAFETY: a thread that exits at once, and is waited for.
    unsafe {
        let routine = exits as *const () as usize;
        if real::pthread_create(&mut handle, core::ptr::null(), routine, core::ptr::null_mut()) == 0 {
            real::pthread_join(handle, core::ptr::null_mut());
        }
    }
    unwinder().ready_for_exit.set(true);
    warm_up();
}
