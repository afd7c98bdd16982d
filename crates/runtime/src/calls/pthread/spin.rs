//! Spin locks.

use core::ffi::c_int;

use heddle_model::primitive::spin::{DESTROY, INIT, LOCK, TRYLOCK, UNLOCK};
use heddle_model::{ObjectId, OpCode, Operation};

use crate::outside::inherited;
use crate::schedule::{active, caller, spurious_failure, visible, visible_look};

/// The error for a lock that is held.
const EBUSY: c_int = 16;

originals! {
    fn pthread_spin_init(lock: *mut c_int, shared: c_int) -> c_int;
    fn pthread_spin_destroy(lock: *mut c_int) -> c_int;
    fn pthread_spin_lock(lock: *mut c_int) -> c_int;
    fn pthread_spin_trylock(lock: *mut c_int) -> c_int;
    fn pthread_spin_unlock(lock: *mut c_int) -> c_int;
}

interpose! {
    fn pthread_spin_init(lock: *mut c_int, shared: c_int) -> c_int {
        if !active() {
            crate::detect::misuse::made_before(lock as u64);
            return real::pthread_spin_init(lock, shared);
        }
        let error = operate(INIT, lock, caller());
        *lock = 0;
        error
    }

    fn pthread_spin_destroy(lock: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_spin_destroy(lock);
        }
        let error = operate(DESTROY, lock, caller());
        crate::detect::misuse::mark(lock.cast());
        error
    }

    fn pthread_spin_lock(lock: *mut c_int) -> c_int {
        if !active() {
            inherited::before_spin(lock);
            return real::pthread_spin_lock(lock);
        }
        operate(LOCK, lock, caller())
    }

    fn pthread_spin_trylock(lock: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_spin_trylock(lock);
        }
        let pc = caller();
        if spurious_failure::fails_spuriously(lock as u64, pc) {
            return EBUSY;
        }
        visible_look(Operation::new(TRYLOCK, ObjectId(lock as u64)), pc, |_| {}).result as c_int
    }

    fn pthread_spin_unlock(lock: *mut c_int) -> c_int {
        if active() { operate(UNLOCK, lock, caller()) } else { real::pthread_spin_unlock(lock) }
    }
}

fn operate(code: OpCode, lock: *mut c_int, pc: u64) -> c_int {
    visible(Operation::new(code, ObjectId(lock as u64)), pc, |_| {}).result as c_int
}
