//! The lock of the heap. It is used outside executions, where the program's threads are real.
//!
//! Inside executions one kernel thread runs everything, so there is nothing to lock. Forking takes the lock: otherwise
//! a fork while another thread is in the heap would leave the child with a lock that is never released.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::{schedule, sys};

static LOCKED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    fn __register_atfork(
        prepare: extern "C" fn(),
        parent: extern "C" fn(),
        child: extern "C" fn(),
        object: *mut core::ffi::c_void,
    ) -> i32;
}

/// Runs `work` while no other thread is in the heap.
#[inline]
pub fn alone<R>(work: impl FnOnce() -> R) -> R {
    if schedule::active() {
        return work();
    }
    lock();
    let result = work();
    unlock();
    result
}

extern "C" fn lock() {
    while LOCKED.swap(1, Ordering::Acquire) != 0 {
        // Held for nanoseconds at a time; waiting in the kernel would need a second word and more system calls.
        // SAFETY: has no arguments.
        unsafe { sys::syscall3(sys::SCHED_YIELD, 0, 0, 0) };
    }
}

extern "C" fn unlock() {
    LOCKED.store(0, Ordering::Release);
}

/// Makes forks take the lock. Called once, when libc is ready.
pub fn survive_fork() {
    // Registered first, so that it is taken last and the other handlers can still allocate.
    // SAFETY: the handlers are ours and stay loaded.
    unsafe { __register_atfork(lock, unlock, unlock, core::ptr::null_mut()) };
}
