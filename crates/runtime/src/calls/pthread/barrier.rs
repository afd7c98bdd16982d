//! Barriers. A wait is two operations: arriving, and leaving when all have arrived.

use core::ffi::{c_int, c_void};

use heddle_model::misuse::UNKNOWN;
use heddle_model::primitive::barrier::{ARRIVE, DESTROY, FAMILY, INIT, LEAVE};
use heddle_model::{Event, EventFlags, Misuse, ObjectId, OpCode, Operation};

use crate::detect::misuse;
use crate::schedule::{self, active, caller, visible};

originals! {
    fn pthread_barrier_init(barrier: *mut u8, attributes: *const c_void, count: u32) -> c_int;
    fn pthread_barrier_destroy(barrier: *mut u8) -> c_int;
    fn pthread_barrier_wait(barrier: *mut u8) -> c_int;
}

/// Bytes of glibc's `pthread_barrier_t`.
const SIZE: usize = 32;
const EINVAL: c_int = 22;
const SERIAL_THREAD: c_int = -1;

interpose! {
    fn pthread_barrier_init(barrier: *mut u8, attributes: *const c_void, count: u32) -> c_int {
        if !active() {
            return real::pthread_barrier_init(barrier, attributes, count);
        }
        let pc = caller();
        if count == 0 {
            misuse::accuse(Misuse::BarrierZero, ObjectId(barrier as u64), FAMILY, pc);
        }
        if count == 0 || count > i32::MAX as u32 {
            return EINVAL;
        }
        operate(INIT, barrier, u64::from(count), pc);
        core::ptr::write_bytes(barrier, 0, SIZE);
        0
    }

    fn pthread_barrier_destroy(barrier: *mut u8) -> c_int {
        if !active() {
            return real::pthread_barrier_destroy(barrier);
        }
        operate(DESTROY, barrier, 0, caller());
        misuse::mark(barrier);
        0
    }

    fn pthread_barrier_wait(barrier: *mut u8) -> c_int {
        if !active() {
            return real::pthread_barrier_wait(barrier);
        }
        let pc = caller();
        let arrived = operate(ARRIVE, barrier, 0, pc);
        let from_before = misuse::from_before_main(barrier);
        misuse::initialised(&arrived, from_before);
        if from_before && schedule::life(ObjectId(barrier as u64), FAMILY) == UNKNOWN {
            schedule::unsupported("barrier that was initialised before main", pc);
        }
        if schedule::barrier_is_crowded(arrived.operation.object) {
            schedule::unsupported("barrier at which many more threads wait than it is for", pc);
        }
        let left = operate(LEAVE, barrier, 0, pc);
        if left.flags.contains(EventFlags::COMPLETES) { SERIAL_THREAD } else { 0 }
    }
}

fn operate(code: OpCode, barrier: *mut u8, argument: u64, pc: u64) -> Event {
    visible(Operation::new(code, ObjectId(barrier as u64)).with_argument(argument), pc, |_| {})
}
