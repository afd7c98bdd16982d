//! Numbers that the kernel draws for a process and that guard pointers and frames, in the control block of each thread.

use core::arch::asm;

/// Sets the number that glibc mixes into pointers of the calling thread, and of threads that it creates.
///
/// # Safety
/// No pointer was mixed that is used from now on.
pub unsafe fn set_pointer_guard(guard: u64) {
    // SAFETY: the caller's; glibc keeps it there in the control block.
    unsafe { asm!("mov fs:[0x30], {}", in(reg) guard, options(nostack, preserves_flags)) };
}

/// Sets the number that compilers put into frames of the calling thread, and of threads that it creates, to notice overflows.
///
/// # Safety
/// No function that was compiled so is running, or will return.
pub unsafe fn set_stack_guard(guard: u64) {
    // SAFETY: the caller's; compilers look for it there in the control block.
    unsafe { asm!("mov fs:[0x28], {}", in(reg) guard, options(nostack, preserves_flags)) };
}
