//! One-time initialisation: `pthread_once`, `call_once`, and the guards of C++ static local variables.
//!
//! Initialisations before `main` are not modelled. Libraries make many of them, and their order cannot matter.
//!
//! A control that is done is noted ([`places::note`]): writes to it, and the free of its block, begin its next life
//! ([`overwritten`]). Only the memory tells, because no call does: `PTHREAD_ONCE_INIT` and `std::once_flag` are plain stores.

use core::ffi::c_int;

use heddle_model::primitive::once::{BEGIN, DONE, GIVE_UP, Phase, RENEW};
use heddle_model::{ObjectId, OpCode, Operation};

use crate::arch;
use crate::detect::race::places;
use crate::schedule::{self, active, caller, visible};

originals! {
    fn pthread_once(control: *mut c_int, routine: usize) -> c_int;
    fn call_once(control: *mut c_int, routine: usize);
    fn __cxa_guard_acquire(guard: *mut u8) -> c_int;
    fn __cxa_guard_release(guard: *mut u8);
    fn __cxa_guard_abort(guard: *mut u8);
}

/// glibc's mark in a `pthread_once_t` whose routine has returned.
const ONCE_DONE: c_int = 2;

interpose! {
    fn pthread_once(control: *mut c_int, routine: usize) -> c_int {
        if !active() {
            return real::pthread_once(control, routine);
        }
        once(control, routine, caller());
        0
    }

    fn call_once(control: *mut c_int, routine: usize) {
        if !active() {
            return real::call_once(control, routine);
        }
        once(control, routine, caller());
    }

    fn __cxa_guard_acquire(guard: *mut u8) -> c_int {
        if !active() {
            return real::__cxa_guard_acquire(guard);
        }
        // The compiled code looks at the first byte itself and comes here only while it is zero.
        operate(BEGIN, guard as usize, caller()) as c_int
    }

    fn __cxa_guard_release(guard: *mut u8) {
        if !active() {
            return real::__cxa_guard_release(guard);
        }
        let pc = caller();
        visible(operation(DONE, guard as usize), pc, |_| *guard = 1);
    }

    fn __cxa_guard_abort(guard: *mut u8) {
        if !active() {
            return real::__cxa_guard_abort(guard);
        }
        operate(GIVE_UP, guard as usize, caller());
    }
}

fn operation(code: OpCode, object: usize) -> Operation {
    Operation::new(code, ObjectId(object as u64))
}

fn operate(code: OpCode, object: usize, pc: u64) -> u64 {
    visible(operation(code, object), pc, |_| {}).result
}

unsafe fn once(control: *mut c_int, routine: usize, pc: u64) {
    // SAFETY: the program's control word, and its routine.
    unsafe {
        match schedule::once_phase(ObjectId(control as u64)) {
            // The initialisation was done before this execution began, so that the model does not know of it.
            Phase::Untouched if *control == ONCE_DONE => return,
            Phase::Finished if *control != ONCE_DONE => {
                schedule::unsupported("pthread_once with a control that unseen code has initialised again", pc);
            }
            _ => {}
        }
        let mine = operate(BEGIN, control as usize, pc) == 1;
        if !mine {
            return;
        }
        arch::heddle_call_guarded(routine, control as usize, pc);
        visible(operation(DONE, control as usize), pc, |_| *control = ONCE_DONE);
        places::note(control as usize);
    }
}

/// The running thread is about to overwrite or free these bytes. Controls among them that are done end here. To say so is an
/// operation, because it must come after every use of the control.
#[cold]
pub fn overwritten(address: usize, size: usize, pc: u64) {
    while let Some(control) = schedule::first_finished_once(address, size) {
        visible(Operation::new(RENEW, control), pc, |_| {});
    }
}

/// Called by the unwinder when an exception, or the end of the thread, leaves an initialisation routine: the
/// routine will be called again.
pub extern "C" fn given_up(control: usize, pc: u64) {
    if active() {
        operate(GIVE_UP, control, pc);
    }
}
