//! Signal masks. Each thread's mask is kept in its fiber, and the kernel does not know it. [`super::delivery`] handles
//! pending signals.

use core::ffi::c_int;

use super::delivery;
use crate::schedule::{active, caller, current, fiber};

originals! {
    fn pthread_sigmask(how: c_int, set: *const u64, old: *mut u64) -> c_int;
    fn sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> c_int;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

const EINVAL: c_int = 22;
const BLOCK: c_int = 0;
const UNBLOCK: c_int = 1;
const SET: c_int = 2;
/// The highest signal number.
pub const LAST: c_int = 64;
/// The signals that cannot be blocked: SIGKILL and SIGSTOP, and the two that glibc keeps for itself (32 and 33).
pub const NEVER_BLOCKED: u64 = 1 << 8 | 1 << 18 | 1 << 31 | 1 << 32;
/// The size of glibc's `sigset_t` in words.
const WORDS: usize = 16;

/// Whether the current thread has blocked `signal`.
pub fn is_blocked(signal: usize) -> bool {
    (1..=LAST as usize).contains(&signal) && fiber::of(current()).signal_mask.get() & 1 << (signal - 1) != 0
}

interpose! {
    fn pthread_sigmask(how: c_int, set: *const u64, old: *mut u64) -> c_int {
        if active() { change(how, set, old, caller()) } else { real::pthread_sigmask(how, set, old) }
    }
    fn sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> c_int {
        if !active() {
            return real::sigprocmask(how, set, old);
        }
        match change(how, set, old, caller()) {
            0 => 0,
            error => {
                *__errno_location() = error;
                -1
            }
        }
    }
}

unsafe fn change(how: c_int, set: *const u64, old: *mut u64, pc: u64) -> c_int {
    let before = fiber::of(current()).signal_mask.get();
    // SAFETY: the program's sets, of glibc's size.
    unsafe {
        if !set.is_null() {
            let wanted = set.read() & !NEVER_BLOCKED;
            let mask = match how {
                BLOCK => before | wanted,
                UNBLOCK => before & !wanted,
                SET => wanted,
                _ => return EINVAL,
            };
            if mask != before {
                delivery::change_mask(mask, pc);
            }
        }
        if !old.is_null() {
            write(old, before);
        }
    }
    0
}

/// Makes a call that waits with another mask, as `ppoll` does: the mask at `set`, if there is one, holds while `call` runs. A
/// signal that is pending and not blocked by it is delivered, and the call is interrupted.
///
/// # Safety
/// `set` is null or the program's set.
pub unsafe fn during(set: *const u64, pc: u64, call: impl FnOnce() -> c_int) -> c_int {
    const EINTR: c_int = 4;
    if set.is_null() {
        return call();
    }
    // SAFETY: the caller's.
    let wanted = unsafe { set.read() } & !NEVER_BLOCKED;
    let before = fiber::of(current()).signal_mask.get();
    if wanted == before {
        return call();
    }
    let interrupted = delivery::is_pending(before & !wanted);
    delivery::change_mask(wanted, pc);
    let result = if interrupted { -1 } else { call() };
    delivery::change_mask(before, pc);
    if interrupted {
        // SAFETY: libc gives the address of the calling thread's own variable.
        unsafe { *__errno_location() = EINTR };
    }
    result
}

/// A change of the mask by a system call of libc, where a set is one word. It is not a visible operation, because only
/// senders of signals read the mask. Returns `None` if a signal would have to take effect.
pub fn change_by_libc(&[how, set, old, ..]: &[usize; 6]) -> Option<isize> {
    let me = fiber::of(current());
    let before = me.signal_mask.get();
    // SAFETY: libc's own words.
    unsafe {
        if set != 0 {
            let wanted = (set as *const u64).read_unaligned() & !NEVER_BLOCKED;
            let mask = match how as c_int {
                BLOCK => before | wanted,
                UNBLOCK => before & !wanted,
                SET => wanted,
                _ => return Some(-(EINVAL as isize)),
            };
            if delivery::is_pending(before & !mask) {
                return None;
            }
            me.signal_mask.set(mask);
        }
        if old != 0 {
            (old as *mut u64).write_unaligned(before);
        }
    }
    Some(0)
}

/// Writes a set of signals to the program's memory.
pub unsafe fn write(set: *mut u64, signals: u64) {
    // SAFETY: the program's set, of glibc's size.
    unsafe {
        core::ptr::write_bytes(set, 0, WORDS);
        set.write(signals);
    }
}
