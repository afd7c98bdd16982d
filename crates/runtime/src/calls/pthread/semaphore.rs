//! Unnamed semaphores.

use core::ffi::c_int;

use heddle_model::misuse::UNKNOWN;
use heddle_model::primitive::semaphore::{DESTROY, FAMILY, GETVALUE, INIT, POST, TIMEDWAIT, TRYWAIT, WAIT};
use heddle_model::{Event, ObjectId, OpCode, Operation};

use super::cancel;
use crate::addresses::{NAMES, NAMES_END};
use crate::detect::misuse;
use crate::outside::clock::{self, Timespec};
use crate::schedule::{self, active, caller, timed, visible, wakeup_policy};

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
            misuse::made_before(semaphore as u64);
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
        misuse::mark(semaphore);
        0
    }

    fn sem_wait(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_wait(semaphore);
        }
        let pc = caller();
        cancel::point(pc);
        let event = visible(cancel::at(wakeup_policy::in_turn(operation(WAIT, semaphore), pc)), pc, |_| {});
        cancel::obey(&event, pc);
        check(&event);
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
        let event = operate(POST, semaphore, caller());
        if event.failed() {
            *__errno_location() = event.result as c_int;
            return -1;
        }
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

/// Decrements the semaphore, or times out.
unsafe fn wait_until(semaphore: *mut u8, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    // SAFETY: the program's time, and libc's address of the calling thread's own variable.
    unsafe {
        let error = match clock::deadline(clock, deadline) {
            Some(deadline) => {
                cancel::point(pc);
                if operation(GETVALUE, semaphore).argument != 0 {
                    // The operation itself brings its deadline along, and has no place for the count of one that was
                    // initialised before `main`.
                    operate(GETVALUE, semaphore, pc);
                }
                let wait = wakeup_policy::in_turn(Operation::new(TIMEDWAIT, ObjectId(semaphore as u64)), pc);
                let wait = cancel::at(wait);
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

/// An operation on a semaphore. It carries the count in the semaphore's memory, for one that was initialised before
/// `main`, which the model has not seen. (The memory of one that the model has seen is zero.)
unsafe fn operation(code: OpCode, semaphore: *mut u8) -> Operation {
    let object = ObjectId(semaphore as u64);
    let named = (NAMES..NAMES_END).contains(&(semaphore as usize));
    let is_known = named || schedule::life(object, FAMILY) != UNKNOWN;
    // SAFETY: the program's semaphore; named ones have no memory.
    let count = if is_known { 0 } else { unsafe { semaphore.cast::<u32>().read() } };
    Operation::new(code, object).with_argument(u64::from(count))
}

unsafe fn operate(code: OpCode, semaphore: *mut u8, pc: u64) -> Event {
    // SAFETY: the program's semaphore.
    let event = visible(unsafe { operation(code, semaphore) }, pc, |_| {});
    check(&event);
    event
}

/// Reports a semaphore that was never initialised. With glibc, one that is all zero is a semaphore with count zero.
fn check(event: &Event) {
    if event.operation.argument != 0 {
        // SAFETY: it was just read.
        misuse::initialised(event, unsafe { misuse::from_before_main(event.operation.object.0 as *const u8) });
    }
}
