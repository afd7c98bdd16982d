//! Signal masks and signals between threads, as far as they go: a mask is a thread's own and kept here, a signal to oneself is what
//! `raise` does, signal 0 asks whether a thread is there. A signal that would interrupt another thread, or that is sent while it
//! is blocked, is *unsupported*: there is no model of when it arrives.

use core::ffi::c_int;

use crate::engine::{self, active, caller, current};
use crate::fiber;

originals! {
    fn pthread_sigmask(how: c_int, set: *const u64, old: *mut u64) -> c_int;
    fn sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> c_int;
    fn pthread_kill(thread: usize, signal: c_int) -> c_int;
    fn raise(signal: c_int) -> c_int;
    fn gsignal(signal: c_int) -> c_int;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

const EINVAL: c_int = 22;
const ESRCH: c_int = 3;
const BLOCK: c_int = 0;
const UNBLOCK: c_int = 1;
const SET: c_int = 2;
const LAST: c_int = 64;
/// SIGKILL and SIGSTOP, and the two that glibc keeps for itself (32 and 33), cannot be blocked.
const NEVER_BLOCKED: u64 = 1 << 8 | 1 << 18 | 1 << 31 | 1 << 32;
/// Words of glibc's `sigset_t`.
const WORDS: usize = 16;

/// Whether the current thread has blocked `signal`.
pub fn is_blocked(signal: usize) -> bool {
    (1..=LAST as usize).contains(&signal) && fiber::of(current()).signal_mask & 1 << (signal - 1) != 0
}

interpose! {
    fn pthread_sigmask(how: c_int, set: *const u64, old: *mut u64) -> c_int {
        if active() { change(how, set, old) } else { real::pthread_sigmask(how, set, old) }
    }
    fn sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> c_int {
        if !active() {
            return real::sigprocmask(how, set, old);
        }
        match change(how, set, old) {
            0 => 0,
            error => {
                *__errno_location() = error;
                -1
            }
        }
    }
    fn pthread_kill(thread: usize, signal: c_int) -> c_int {
        if !active() {
            return real::pthread_kill(thread, signal);
        }
        let pc = caller();
        let Some(target) = fiber::thread_at(thread) else { return ESRCH };
        if !(0..=LAST).contains(&signal) {
            return EINVAL;
        }
        if signal == 0 {
            return 0;
        }
        if target != current() {
            engine::unsupported("pthread_kill of another thread", pc);
        }
        send_to_self(signal, pc);
        0
    }
    fn raise(signal: c_int) -> c_int {
        if !active() {
            return real::raise(signal);
        }
        send_to_self(signal, caller())
    }
    fn gsignal(signal: c_int) -> c_int {
        if !active() {
            return real::gsignal(signal);
        }
        send_to_self(signal, caller())
    }
}

/// The current thread sends itself a signal: the trap of system calls knows what that comes to.
fn send_to_self(signal: c_int, pc: u64) -> c_int {
    if is_blocked(signal as usize) {
        engine::unsupported("a signal that is sent while it is blocked", pc);
    }
    // SAFETY: as the program asked.
    unsafe { real::raise(signal) }
}

unsafe fn change(how: c_int, set: *const u64, old: *mut u64) -> c_int {
    let mask = &mut fiber::of(current()).signal_mask;
    let before = *mask;
    // SAFETY: the program's sets, of glibc's size.
    unsafe {
        if !set.is_null() {
            let wanted = set.read() & !NEVER_BLOCKED;
            match how {
                BLOCK => *mask |= wanted,
                UNBLOCK => *mask &= !wanted,
                SET => *mask = wanted,
                _ => return EINVAL,
            }
        }
        if !old.is_null() {
            core::ptr::write_bytes(old, 0, WORDS);
            old.write(before);
        }
    }
    0
}
