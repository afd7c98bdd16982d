//! The library that unwinds stacks, for exceptions and for `pthread_exit`, has to be ready before an execution begins.
//!
//! It initialises itself at its first use, once for all threads: in the middle of an execution that would look as if the
//! order of the first two exceptions mattered. And where it was not linked in, glibc loads it at the first `pthread_exit`:
//! files are opened and mapped, which a snapshot cannot take back. So the first execution that needs it is abandoned, and
//! run again from a start at which it is loaded; the shared memory remembers that for later processes.

use core::ffi::c_int;

use crate::entry::real;

static mut READY_FOR_EXIT: bool = false;
/// `_Unwind_GetCFA`: the stack pointer in the frame that is being unwound.
static mut STACK_IN_FRAME: usize = 0;

/// If the unwinder is there, makes it initialise itself. Outside executions only.
pub fn warm_up() {
    extern "C" fn stop(_context: usize, _argument: usize) -> c_int {
        const END_OF_STACK: c_int = 5;
        END_OF_STACK
    }
    let backtrace = real::find(c"_Unwind_Backtrace");
    if backtrace != 0 {
        // SAFETY: the function with this name has this type; one kernel thread.
        unsafe {
            let backtrace: extern "C" fn(extern "C" fn(usize, usize) -> c_int, usize) -> c_int =
                core::mem::transmute(backtrace);
            backtrace(stop, 0);
            STACK_IN_FRAME = real::find(c"_Unwind_GetCFA");
        }
    }
}

/// The stack pointer in the frame that the unwinder's `context` describes.
pub fn stack_in_frame(context: *mut u8) -> Option<*const u64> {
    // SAFETY: the function with this name has this type.
    unsafe {
        if STACK_IN_FRAME == 0 {
            // Loaded by glibc in this very execution, which is then in a process of its own.
            STACK_IN_FRAME = real::find(c"_Unwind_GetCFA");
        }
        let function: Option<extern "C" fn(*mut u8) -> *const u64> = core::mem::transmute(STACK_IN_FRAME);
        function.map(|function| function(context))
    }
}

/// Whether `pthread_exit` can be called without glibc loading anything.
pub fn is_ready_for_exit() -> bool {
    // SAFETY: one kernel thread.
    unsafe { READY_FOR_EXIT }
}

/// Makes glibc load it: with a real thread that exits. Outside executions only.
pub fn load() {
    extern "C" fn exits() {
        // SAFETY: a real thread, made below.
        unsafe { real::pthread_exit(core::ptr::null_mut()) }
    }
    let mut handle = 0;
    // SAFETY: one kernel thread but for the one that is waited for.
    unsafe {
        let routine = exits as *const () as usize;
        if real::pthread_create(&mut handle, core::ptr::null(), routine, core::ptr::null_mut()) == 0 {
            real::pthread_join(handle, core::ptr::null_mut());
        }
        READY_FOR_EXIT = true;
    }
    warm_up();
}
