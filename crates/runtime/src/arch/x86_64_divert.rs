//! A thread that was interrupted goes on elsewhere.

use super::x86_64::interrupted_stack;

/// Makes the interrupted thread call `function` with `argument`, on its own stack, when its signal handler returns. The function
/// must not return.
///
/// # Safety
/// `context` is the third argument of a signal handler. Nothing of what was interrupted may be needed any more.
pub unsafe fn divert(context: *mut u64, function: extern "C" fn(u64), argument: u64) {
    /// The bytes below the stack pointer that belong to the interrupted function.
    const RED_ZONE: usize = 128;
    // SAFETY: rdi, rsp and rip among the general registers.
    unsafe {
        let stack = (interrupted_stack(context) - RED_ZONE) & !15;
        *context.add(5 + 8) = argument;
        // A call has pushed its return address.
        *context.add(5 + 15) = stack as u64 - 8;
        *context.add(5 + 16) = function as usize as u64;
    }
}
