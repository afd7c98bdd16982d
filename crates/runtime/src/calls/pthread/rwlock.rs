//! Read-write locks. The state is in the model. Of the program's bytes only the preference is read, because static
//! initialisers set it.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::rwlock::{
    DESTROY, INIT, PREFERS_WRITERS, READ_LOCK, TIMED_READ_LOCK, TIMED_WRITE_LOCK, TRY_READ_LOCK, TRY_WRITE_LOCK,
    UNLOCK, WRITE_ARRIVE, WRITE_LOCK,
};
use heddle_model::{ObjectId, OpCode, Operation, WakeupOrder};

use crate::detect::misuse;
use crate::outside::clock::{self, Timespec};
use crate::outside::inherited;
use crate::schedule::{active, caller, spurious_failure, timed, visible, visible_look, wakeup_policy};
use crate::state::touches;

/// The error for a lock that is held.
const EBUSY: c_int = 16;

originals! {
    fn pthread_rwlock_init(lock: *mut u8, attributes: *const c_void) -> c_int;
    fn pthread_rwlock_destroy(lock: *mut u8) -> c_int;
    fn pthread_rwlock_rdlock(lock: *mut u8) -> c_int;
    fn pthread_rwlock_tryrdlock(lock: *mut u8) -> c_int;
    fn pthread_rwlock_wrlock(lock: *mut u8) -> c_int;
    fn pthread_rwlock_trywrlock(lock: *mut u8) -> c_int;
    fn pthread_rwlock_timedrdlock(lock: *mut u8, deadline: *const Timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(lock: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int;
    fn pthread_rwlock_timedwrlock(lock: *mut u8, deadline: *const Timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(lock: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int;
    fn pthread_rwlock_unlock(lock: *mut u8) -> c_int;
}

unsafe extern "C" {
    fn pthread_rwlockattr_getkind_np(attributes: *const c_void, kind: *mut c_int) -> c_int;
}

/// The size of glibc's `pthread_rwlock_t`, and where the preference is in it.
const SIZE: usize = 56;
const PREFERENCE: usize = 48;
/// Readers wait for waiting writers. (`PTHREAD_RWLOCK_PREFER_WRITER_NP`, 1, is treated like the default by glibc.)
const PREFER_WRITERS: c_int = 2;

interpose! {
    fn pthread_rwlock_init(lock: *mut u8, attributes: *const c_void) -> c_int {
        if !active() {
            return real::pthread_rwlock_init(lock, attributes);
        }
        let pc = caller();
        let mut preference = 0;
        if !attributes.is_null() {
            touches::unseen();
            pthread_rwlockattr_getkind_np(attributes, &mut preference);
        }
        visible(Operation::new(INIT, ObjectId(lock as u64)), pc, |_| {});
        core::ptr::write_bytes(lock, 0, SIZE);
        lock.add(PREFERENCE).cast::<c_int>().write(preference);
        0
    }

    fn pthread_rwlock_destroy(lock: *mut u8) -> c_int {
        if !active() {
            return real::pthread_rwlock_destroy(lock);
        }
        // glibc destroys the lock in any state.
        operate(DESTROY, lock, caller());
        misuse::mark(lock);
        0
    }

    fn pthread_rwlock_rdlock(lock: *mut u8) -> c_int {
        if !active() {
            inherited::before_rwlock(lock, false);
            return real::pthread_rwlock_rdlock(lock);
        }
        operate(READ_LOCK, lock, caller())
    }

    fn pthread_rwlock_tryrdlock(lock: *mut u8) -> c_int {
        if active() { operate(TRY_READ_LOCK, lock, caller()) } else { real::pthread_rwlock_tryrdlock(lock) }
    }

    fn pthread_rwlock_wrlock(lock: *mut u8) -> c_int {
        if !active() {
            inherited::before_rwlock(lock, true);
            return real::pthread_rwlock_wrlock(lock);
        }
        operate(WRITE_LOCK, lock, caller())
    }

    fn pthread_rwlock_trywrlock(lock: *mut u8) -> c_int {
        if active() { operate(TRY_WRITE_LOCK, lock, caller()) } else { real::pthread_rwlock_trywrlock(lock) }
    }

    fn pthread_rwlock_timedrdlock(lock: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_rwlock_timedrdlock(lock, deadline);
        }
        lock_until(TIMED_READ_LOCK, lock, clock::REALTIME, deadline, caller())
    }

    fn pthread_rwlock_clockrdlock(lock: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_rwlock_clockrdlock(lock, clock, deadline);
        }
        lock_until(TIMED_READ_LOCK, lock, clock, deadline, caller())
    }

    fn pthread_rwlock_timedwrlock(lock: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_rwlock_timedwrlock(lock, deadline);
        }
        lock_until(TIMED_WRITE_LOCK, lock, clock::REALTIME, deadline, caller())
    }

    fn pthread_rwlock_clockwrlock(lock: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_rwlock_clockwrlock(lock, clock, deadline);
        }
        lock_until(TIMED_WRITE_LOCK, lock, clock, deadline, caller())
    }

    fn pthread_rwlock_unlock(lock: *mut u8) -> c_int {
        if active() { operate(UNLOCK, lock, caller()) } else { real::pthread_rwlock_unlock(lock) }
    }
}

/// Locks, or times out. Returns an error number.
unsafe fn lock_until(code: OpCode, lock: *mut u8, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    const EINVAL: c_int = 22;
    // SAFETY: the program's lock and time.
    unsafe {
        let Some(deadline) = clock::deadline(clock, deadline) else { return EINVAL };
        let operation = Operation::new(code, ObjectId(lock as u64));
        let prefers = lock.add(PREFERENCE).cast::<c_int>().read() == PREFER_WRITERS;
        if !prefers || wakeup_policy::of(operation.object, |w| w.rwlock) != WakeupOrder::Arbitrary {
            return timed::visible(wakeup_policy::in_turn(operation, pc), deadline, pc).result as c_int;
        }
        let operation = Operation { detail: PREFERS_WRITERS, ..operation };
        if code == TIMED_WRITE_LOCK {
            // From now on readers wait, until the writer acquires the lock or times out.
            let arrived = visible(Operation { code: WRITE_ARRIVE, ..operation }, pc, |_| {});
            if arrived.failed() {
                return arrived.result as c_int;
            }
        }
        timed::visible(operation, deadline, pc).result as c_int
    }
}

#[inline(always)]
unsafe fn operate(code: OpCode, lock: *mut u8, pc: u64) -> c_int {
    // SAFETY: the program's lock.
    let prefers = unsafe { lock.add(PREFERENCE).cast::<c_int>().read() } == PREFER_WRITERS;
    let operation =
        Operation { detail: prefers as u32 * PREFERS_WRITERS, ..Operation::new(code, ObjectId(lock as u64)) };
    let waits = matches!(code, READ_LOCK | WRITE_LOCK);
    if waits && wakeup_policy::of(operation.object, |w| w.rwlock) != WakeupOrder::Arbitrary {
        let operation = Operation { detail: 0, ..operation };
        return visible(wakeup_policy::in_turn(operation, pc), pc, |_| {}).result as c_int;
    }
    if prefers && code == WRITE_LOCK {
        // From now on readers wait.
        let arrived = visible(Operation { code: WRITE_ARRIVE, ..operation }, pc, |_| {});
        if arrived.failed() {
            return arrived.result as c_int;
        }
    }
    let tries = matches!(code, TRY_READ_LOCK | TRY_WRITE_LOCK);
    if !tries {
        return visible(operation, pc, |_| {}).result as c_int;
    }
    if spurious_failure::fails_spuriously(lock as u64, pc) {
        return EBUSY;
    }
    visible_look(operation, pc, |_| {}).result as c_int
}
