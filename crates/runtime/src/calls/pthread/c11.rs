//! C11's `<threads.h>`: the operations of the thread library under other names, with other error numbers.
//!
//! glibc's `mtx_t` and `cnd_t` have the size and layout of `pthread_mutex_t` and `pthread_cond_t`, and `thrd_t` is
//! `pthread_t`. A thread's function returns an `int`, which is the lower half of the value that `pthread_join` would
//! return. `call_once` is in `once`. `tss_*`, `thrd_current` and `thrd_equal` need no support.

use core::ffi::c_int;

use heddle_model::primitive::condvar::{BROADCAST, SIGNAL};
use heddle_model::primitive::mutex;

use super::{condvar as conditions, mutex as mutexes, thread};
use crate::outside::clock::{self, Timespec};
use crate::schedule::{active, caller};

originals! {
    fn thrd_create(handle: *mut usize, routine: usize, argument: usize) -> c_int;
    fn thrd_join(handle: usize, result: *mut c_int) -> c_int;
    fn thrd_detach(handle: usize) -> c_int;
    fn mtx_init(mutex: *mut u8, kind: c_int) -> c_int;
    fn mtx_destroy(mutex: *mut u8);
    fn mtx_lock(mutex: *mut u8) -> c_int;
    fn mtx_trylock(mutex: *mut u8) -> c_int;
    fn mtx_timedlock(mutex: *mut u8, deadline: *const Timespec) -> c_int;
    fn mtx_unlock(mutex: *mut u8) -> c_int;
    fn cnd_init(condition: *mut u8) -> c_int;
    fn cnd_destroy(condition: *mut u8);
    fn cnd_wait(condition: *mut u8, mutex: *mut u8) -> c_int;
    fn cnd_timedwait(condition: *mut u8, mutex: *mut u8, deadline: *const Timespec) -> c_int;
    fn cnd_signal(condition: *mut u8) -> c_int;
    fn cnd_broadcast(condition: *mut u8) -> c_int;
}

/// What C11 calls the outcomes, with glibc's numbers.
const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const TIMED_OUT: c_int = 4;
const EBUSY: c_int = 16;
const ETIMEDOUT: c_int = 110;

/// Bits of the kind that `mtx_init` is asked for.
const RECURSIVE: c_int = 1;
const TIMED: c_int = 2;

interpose! {
    fn thrd_create(handle: *mut usize, routine: usize, argument: usize) -> c_int {
        outcome(thread::create(handle, core::ptr::null(), routine, argument, caller()))
    }

    fn thrd_join(handle: usize, result: *mut c_int) -> c_int {
        if !active() {
            return real::thrd_join(handle, result);
        }
        let mut value = 0;
        let error = thread::join(handle, &mut value, caller());
        if error == 0 && !result.is_null() {
            *result = value as c_int;
        }
        outcome(error)
    }

    fn thrd_detach(handle: usize) -> c_int {
        if active() { outcome(thread::detach(handle, caller())) } else { real::thrd_detach(handle) }
    }

    fn thrd_exit(result: c_int) -> ! {
        thread::exit(result as usize, caller())
    }

    fn mtx_init(mutex: *mut u8, kind: c_int) -> c_int {
        if !active() {
            return real::mtx_init(mutex, kind);
        }
        if kind & !(RECURSIVE | TIMED) != 0 {
            return ERROR;
        }
        let recursive = kind & RECURSIVE != 0;
        outcome(mutexes::make(mutex, if recursive { mutexes::RECURSIVE } else { 0 }, caller()))
    }

    fn mtx_destroy(mutex: *mut u8) {
        if !active() {
            return real::mtx_destroy(mutex);
        }
        mutexes::destroy(mutex, caller());
    }

    fn mtx_lock(mutex: *mut u8) -> c_int {
        if active() { outcome(mutexes::operate(mutex::LOCK, mutex, caller())) } else { real::mtx_lock(mutex) }
    }

    fn mtx_trylock(mutex: *mut u8) -> c_int {
        if active() { outcome(mutexes::operate(mutex::TRYLOCK, mutex, caller())) } else { real::mtx_trylock(mutex) }
    }

    fn mtx_timedlock(mutex: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::mtx_timedlock(mutex, deadline);
        }
        outcome(mutexes::lock_until(mutex, clock::REALTIME, deadline, caller()))
    }

    fn mtx_unlock(mutex: *mut u8) -> c_int {
        if active() { outcome(mutexes::operate(mutex::UNLOCK, mutex, caller())) } else { real::mtx_unlock(mutex) }
    }

    fn cnd_init(condition: *mut u8) -> c_int {
        if active() { conditions::make(condition, clock::REALTIME, caller()) } else { real::cnd_init(condition) }
    }

    fn cnd_destroy(condition: *mut u8) {
        if !active() {
            return real::cnd_destroy(condition);
        }
        conditions::destroy(condition, caller());
    }

    fn cnd_wait(condition: *mut u8, mutex: *mut u8) -> c_int {
        if active() { outcome(conditions::wait(condition, mutex, None, caller())) } else { real::cnd_wait(condition, mutex) }
    }

    fn cnd_timedwait(condition: *mut u8, mutex: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::cnd_timedwait(condition, mutex, deadline);
        }
        outcome(conditions::wait_until(condition, mutex, clock::REALTIME, deadline, caller()))
    }

    fn cnd_signal(condition: *mut u8) -> c_int {
        if active() { conditions::operate(SIGNAL, condition, caller()) } else { real::cnd_signal(condition) }
    }

    fn cnd_broadcast(condition: *mut u8) -> c_int {
        if active() { conditions::operate(BROADCAST, condition, caller()) } else { real::cnd_broadcast(condition) }
    }
}

/// The C11 result for an error number of the thread library.
fn outcome(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        EBUSY => BUSY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}
