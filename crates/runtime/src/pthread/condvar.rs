//! Condition variables, without time-outs. A wait is two operations: to sleep, and, woken, to take the mutex again.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::condvar::{BROADCAST, DESTROY, INIT, REACQUIRE, SIGNAL, WAIT, error};
use heddle_model::primitive::mutex;
use heddle_model::{EventFlags, ObjectId, OpCode, Operation};

use super::cancel;
use super::mutex::kind_of;
use crate::engine::{active, caller, visible};
use crate::misuse;

originals! {
    fn pthread_cond_init(condvar: *mut u8, attributes: *const c_void) -> c_int;
    fn pthread_cond_destroy(condvar: *mut u8) -> c_int;
    fn pthread_cond_wait(condvar: *mut u8, mutex: *mut u8) -> c_int;
    fn pthread_cond_signal(condvar: *mut u8) -> c_int;
    fn pthread_cond_broadcast(condvar: *mut u8) -> c_int;
}

/// Bytes of glibc's `pthread_cond_t`.
const SIZE: usize = 48;

interpose! {
    fn pthread_cond_init(condvar: *mut u8, attributes: *const c_void) -> c_int {
        if !active() {
            return real::pthread_cond_init(condvar, attributes);
        }
        // The clock and the sharing that attributes can ask for make no difference to waits without a time-out.
        make(condvar, caller())
    }

    fn pthread_cond_destroy(condvar: *mut u8) -> c_int {
        if !active() {
            return real::pthread_cond_destroy(condvar);
        }
        destroy(condvar, caller())
    }

    fn pthread_cond_wait(condvar: *mut u8, mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_cond_wait(condvar, mutex);
        }
        wait(condvar, mutex, caller())
    }

    fn pthread_cond_signal(condvar: *mut u8) -> c_int {
        if !active() {
            return real::pthread_cond_signal(condvar);
        }
        operate(SIGNAL, condvar, caller())
    }

    fn pthread_cond_broadcast(condvar: *mut u8) -> c_int {
        if !active() {
            return real::pthread_cond_broadcast(condvar);
        }
        operate(BROADCAST, condvar, caller())
    }
}

/// Makes a condition variable.
pub unsafe fn make(condvar: *mut u8, pc: u64) -> c_int {
    operate(INIT, condvar, pc);
    // SAFETY: the program's condition variable.
    unsafe { core::ptr::write_bytes(condvar, 0, SIZE) };
    0
}

/// Destroys a condition variable.
pub unsafe fn destroy(condvar: *mut u8, pc: u64) -> c_int {
    operate(DESTROY, condvar, pc);
    // SAFETY: the program's condition variable.
    unsafe { misuse::mark(condvar) };
    0
}

/// Sleeps, and takes the mutex again when woken.
pub unsafe fn wait(condvar: *mut u8, mutex: *mut u8, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    let detail = unsafe { kind_of(mutex, pc) };
    cancel::point(pc);
    let step = |code| Operation { detail, argument: mutex as u64, ..Operation::new(code, ObjectId(condvar as u64)) };
    let sleeps = visible(step(WAIT), pc, |_| {});
    if sleeps.failed() {
        return sleeps.result as c_int;
    }
    let woken = visible(cancel::at(step(REACQUIRE)), pc, |_| {});
    if woken.flags.contains(EventFlags::CANCELLED) {
        if woken.result != 0 {
            // It has been woken for nothing: somebody else is to be.
            operate(SIGNAL, condvar, pc);
        }
        // Cleanup handlers find the mutex locked, as POSIX promises.
        visible(Operation { detail, ..Operation::new(mutex::LOCK, ObjectId(mutex as u64)) }, pc, |_| {});
        cancel::act(pc);
    }
    error(woken.result) as c_int
}

/// These never fail for the program, whatever the model's result says of whom was woken.
pub fn operate(code: OpCode, condvar: *mut u8, pc: u64) -> c_int {
    visible(Operation::new(code, ObjectId(condvar as u64)), pc, |_| {});
    0
}
