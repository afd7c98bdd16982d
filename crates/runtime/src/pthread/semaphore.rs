//! Unnamed semaphores.

use core::ffi::c_int;

use heddle_model::primitive::semaphore::{DESTROY, GETVALUE, INIT, POST, TIMEDWAIT, TRYWAIT, WAIT};
use heddle_model::{Event, ObjectId, OpCode, Operation};

use super::cancel;
use crate::clock::{self, Timespec};
use crate::engine::{active, caller, visible};
use crate::timed;

originals! {
    fn sem_init(semaphore: *mut u8, shared: c_int, value: u32) -> c_int;
    fn sem_destroy(semaphore: *mut u8) -> c_int;
    fn sem_wait(semaphore: *mut u8) -> c_int;
    fn sem_trywait(semaphore: *mut u8) -> c_int;
    fn sem_timedwait(semaphore: *mut u8, deadline: *const Timespec) -> c_int;
    fn sem_clockwait(semaphore: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int;
    fn sem_post(semaphore: *mut u8) -> c_int;
    fn sem_getvalue(semaphore: *mut u8, value: *mut c_int) -> c_int;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// Bytes of glibc's `sem_t`.
const SIZE: usize = 32;
const EINVAL: c_int = 22;
const SEM_VALUE_MAX: u32 = i32::MAX as u32;

interpose! {
    fn sem_init(semaphore: *mut u8, shared: c_int, value: u32) -> c_int {
        if !active() {
            return real::sem_init(semaphore, shared, value);
        }
        let pc = caller();
        if value > SEM_VALUE_MAX {
            *__errno_location() = EINVAL;
            return -1;
        }
        let init = Operation::new(INIT, ObjectId(semaphore as u64)).with_argument(value as u64);
        visible(init, pc, |_| {});
        core::ptr::write_bytes(semaphore, 0, SIZE);
        0
    }

    fn sem_destroy(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_destroy(semaphore);
        }
        operate(DESTROY, semaphore, caller());
        0
    }

    fn sem_wait(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_wait(semaphore);
        }
        let pc = caller();
        cancel::point(pc);
        let event = visible(cancel::at(Operation::new(WAIT, ObjectId(semaphore as u64))), pc, |_| {});
        cancel::obey(&event, pc);
        0
    }

    fn sem_trywait(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_trywait(semaphore);
        }
        let event = operate(TRYWAIT, semaphore, caller());
        if event.failed() {
            *__errno_location() = event.result as c_int;
            return -1;
        }
        0
    }

    fn sem_timedwait(semaphore: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::sem_timedwait(semaphore, deadline);
        }
        wait_until(semaphore, clock::REALTIME, deadline, caller())
    }

    fn sem_clockwait(semaphore: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::sem_clockwait(semaphore, clock, deadline);
        }
        wait_until(semaphore, clock, deadline, caller())
    }

    fn sem_post(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_post(semaphore);
        }
        operate(POST, semaphore, caller());
        0
    }

    fn sem_getvalue(semaphore: *mut u8, value: *mut c_int) -> c_int {
        if !active() {
            return real::sem_getvalue(semaphore, value);
        }
        *value = operate(GETVALUE, semaphore, caller()).result as c_int;
        0
    }
}

/// Takes one, or times out.
unsafe fn wait_until(semaphore: *mut u8, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    // SAFETY: the program's time, and libc's address of the calling thread's own variable.
    unsafe {
        let error = match clock::deadline(clock, deadline) {
            Some(deadline) => {
                cancel::point(pc);
                let wait = cancel::at(Operation::new(TIMEDWAIT, ObjectId(semaphore as u64)));
                let event = timed::visible(wait, deadline, pc);
                cancel::obey(&event, pc);
                if event.failed() { event.result as c_int } else { return 0 }
            }
            None => EINVAL,
        };
        *__errno_location() = error;
        -1
    }
}

fn operate(code: OpCode, semaphore: *mut u8, pc: u64) -> Event {
    visible(Operation::new(code, ObjectId(semaphore as u64)), pc, |_| {})
}
