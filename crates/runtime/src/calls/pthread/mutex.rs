//! Mutexes: normal, recursive, error-checking and adaptive, robust or not, with any protocol. The state is in the
//! model. Of the program's bytes only the kind is read, because static initialisers set it.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::mutex::{self, CONSISTENT, DESTROY, INIT, LOCK, TIMEDLOCK, TRYLOCK, UNLOCK};
use heddle_model::primitive::process_state::{How, State};
use heddle_model::{Misuse, ObjectId, OpCode, Operation};

use crate::calls::process_state::touches_part;
use crate::detect::misuse;
use crate::outside::clock::{self, Timespec};
use crate::outside::inherited;
use crate::schedule::{
    active, caller, rounds_go_round, spurious_failure, timed, unsupported, visible, visible_look, visible_under_lock,
    wakeup_policy,
};
use crate::state::touches;

/// The size of glibc's `pthread_mutex_t`, and where the kind is in it.
const SIZE: usize = 40;
const KIND: usize = 16;
/// The kinds of mutexes, in the lowest bits; above them are the bits for robust, priority and process-shared
/// mutexes.
pub const RECURSIVE: c_int = 1;
const ERRORCHECK: c_int = 2;
/// The bits that hold the kind.
const TYPE: c_int = 3;
const ROBUST: c_int = 16;
/// glibc's mark of a mutex that was destroyed.
const DESTROYED: c_int = -1;
/// The owner inherits the priority of the threads that wait for the mutex.
const INHERIT: c_int = 32;
/// The owner has the priority ceiling of the mutex, which is in its first word, from this bit on.
const PROTECT: c_int = 64;
const CEILING: u32 = 19;
/// The largest priority.
const MOST_URGENT: c_int = 99;
const EINVAL: c_int = 22;
/// The mutex is shared between processes. Accepted, since there is one process.
const SHARED: c_int = 128;

const EBUSY: c_int = 16;

unsafe extern "C" {
    fn pthread_mutexattr_gettype(attributes: *const c_void, kind: *mut c_int) -> c_int;
    fn pthread_mutexattr_getrobust(attributes: *const c_void, robust: *mut c_int) -> c_int;
    fn pthread_mutexattr_getprotocol(attributes: *const c_void, protocol: *mut c_int) -> c_int;
    fn pthread_mutexattr_getprioceiling(attributes: *const c_void, ceiling: *mut c_int) -> c_int;
}

originals! {
    fn pthread_mutex_consistent(mutex: *mut u8) -> c_int;
    fn pthread_mutex_consistent_np(mutex: *mut u8) -> c_int;
    fn pthread_mutex_getprioceiling(mutex: *const u8, ceiling: *mut c_int) -> c_int;
    fn pthread_mutex_setprioceiling(mutex: *mut u8, ceiling: c_int, old: *mut c_int) -> c_int;
    fn pthread_mutex_timedlock(mutex: *mut u8, deadline: *const Timespec) -> c_int;
    fn pthread_mutex_clocklock(mutex: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int;
}

interpose! {
    fn pthread_mutex_timedlock(mutex: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_mutex_timedlock(mutex, deadline);
        }
        lock_until(mutex, clock::REALTIME, deadline, caller())
    }

    fn pthread_mutex_clocklock(mutex: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_mutex_clocklock(mutex, clock, deadline);
        }
        if clock::is_waitable(clock) { lock_until(mutex, clock, deadline, caller()) } else { EINVAL }
    }

    fn pthread_mutex_init(mutex: *mut u8, attributes: *const c_void) -> c_int {
        if !active() {
            return crate::entry::real::pthread_mutex_init(mutex.cast(), attributes);
        }
        let pc = caller();
        let (mut kind, mut robust, mut protocol, mut ceiling) = (0, 0, 0, 0);
        if !attributes.is_null() {
            touches::unseen();
            pthread_mutexattr_gettype(attributes, &mut kind);
            pthread_mutexattr_getrobust(attributes, &mut robust);
            pthread_mutexattr_getprotocol(attributes, &mut protocol);
            pthread_mutexattr_getprioceiling(attributes, &mut ceiling);
        }
        if robust != 0 {
            kind |= ROBUST;
        }
        let result = make(mutex, kind | [0, INHERIT, PROTECT][(protocol & 3).min(2) as usize], pc);
        if protocol == 2 {
            mutex.cast::<c_int>().write(ceiling << CEILING);
        }
        result
    }

    fn pthread_mutex_consistent(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_consistent(mutex);
        }
        operate(CONSISTENT, mutex, caller())
    }

    fn pthread_mutex_consistent_np(mutex: *mut u8) -> c_int {
        if !active() {
            return real::pthread_mutex_consistent_np(mutex);
        }
        operate(CONSISTENT, mutex, caller())
    }

    // Priorities concern scheduling, which Heddle does.
    fn pthread_mutex_getprioceiling(mutex: *const u8, ceiling: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_mutex_getprioceiling(mutex, ceiling);
        }
        if mutex.add(KIND).cast::<c_int>().read() & PROTECT == 0 {
            return EINVAL;
        }
        touches_part(State::Scheduling, How::Read, mutex as u64 >> 3, caller());
        *ceiling = mutex.cast::<c_int>().read() >> CEILING;
        0
    }

    fn pthread_mutex_setprioceiling(mutex: *mut u8, ceiling: c_int, old: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_mutex_setprioceiling(mutex, ceiling, old);
        }
        let pc = caller();
        if mutex.add(KIND).cast::<c_int>().read() & PROTECT == 0 || !(1..=MOST_URGENT).contains(&ceiling) {
            return EINVAL;
        }
        // POSIX requires this call to lock the mutex meanwhile.
        let error = operate(LOCK, mutex, pc);
        if error != 0 {
            return error;
        }
        touches_part(State::Scheduling, How::Change, mutex as u64 >> 3, pc);
        if !old.is_null() {
            *old = mutex.cast::<c_int>().read() >> CEILING;
        }
        mutex.cast::<c_int>().write(ceiling << CEILING);
        operate(UNLOCK, mutex, pc)
    }

    fn pthread_mutex_lock(mutex: *mut u8) -> c_int {
        if !active() {
            inherited::before_mutex(mutex);
            return crate::entry::real::pthread_mutex_lock(mutex.cast());
        }
        operate(LOCK, mutex, caller())
    }

    fn pthread_mutex_trylock(mutex: *mut u8) -> c_int {
        if !active() {
            return crate::entry::real::pthread_mutex_trylock(mutex.cast());
        }
        operate(TRYLOCK, mutex, caller())
    }

    fn pthread_mutex_unlock(mutex: *mut u8) -> c_int {
        if !active() {
            return crate::entry::real::pthread_mutex_unlock(mutex.cast());
        }
        operate(UNLOCK, mutex, caller())
    }

    fn pthread_mutex_destroy(mutex: *mut u8) -> c_int {
        if !active() {
            return crate::entry::real::pthread_mutex_destroy(mutex.cast());
        }
        destroy(mutex, caller())
    }
}

/// Destroys a mutex. Returns an error number.
pub unsafe fn destroy(mutex: *mut u8, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    unsafe {
        let error = operate(DESTROY, mutex, pc);
        if error == 0 {
            misuse::mark(mutex);
            mutex.add(KIND).cast::<c_int>().write(DESTROYED);
        }
        error
    }
}

/// Initialises a mutex of this glibc kind.
pub unsafe fn make(mutex: *mut u8, kind: c_int, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    unsafe {
        let detail = special_kind(kind & !SHARED, mutex, pc);
        visible(Operation { detail, ..Operation::new(INIT, ObjectId(mutex as u64)) }, pc, |_| {});
        core::ptr::write_bytes(mutex, 0, SIZE);
        mutex.add(KIND).cast::<c_int>().write(kind);
        0
    }
}

/// A visible operation on a mutex. Returns an error number.
#[inline(always)]
pub unsafe fn operate(code: OpCode, mutex: *mut u8, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    let detail = unsafe { kind_of(mutex, pc) };
    let operation = Operation { detail, ..Operation::new(code, ObjectId(mutex as u64)) };
    if code == LOCK {
        return visible_under_lock(wakeup_policy::in_turn(operation, pc), pc).result as c_int;
    }
    if code == UNLOCK {
        return visible_under_lock(operation, pc).result as c_int;
    }
    if code != TRYLOCK {
        return visible(operation, pc, |_| {}).result as c_int;
    }
    if spurious_failure::fails_spuriously(mutex as u64, pc) {
        return EBUSY;
    }
    visible_look(operation, pc, |_| {}).result as c_int
}

/// Locks the mutex, or times out. Returns an error number.
pub unsafe fn lock_until(mutex: *mut u8, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    // SAFETY: the program's mutex and time.
    unsafe {
        match clock::deadline(clock, deadline) {
            Some(deadline) => {
                // Who waits until a deadline probes.
                rounds_go_round(pc);
                let detail = kind_of(mutex, pc);
                let lock = Operation { detail, ..Operation::new(TIMEDLOCK, ObjectId(mutex as u64)) };
                timed::visible(wakeup_policy::in_turn(lock, pc), deadline, pc).result as c_int
            }
            // A thread that acquires the mutex at once does not check the deadline.
            None => match operate(TRYLOCK, mutex, pc) {
                EBUSY => EINVAL,
                other => other,
            },
        }
    }
}

/// The kind of `mutex` as the model numbers it.
#[inline(always)]
pub unsafe fn kind_of(mutex: *const u8, pc: u64) -> u32 {
    // SAFETY: the program's mutex.
    let kind = unsafe { mutex.add(KIND).cast::<c_int>().read() };
    if kind == 0 { mutex::NORMAL } else { special_kind(kind & !SHARED, mutex, pc) }
}

#[cold]
fn special_kind(kind: c_int, mutex: *const u8, pc: u64) -> u32 {
    // The model reports the use of a destroyed mutex.
    if kind != DESTROYED & !SHARED && kind & !(TYPE | ROBUST | INHERIT | PROTECT) != 0 {
        misuse::accuse(Misuse::Uninitialised, ObjectId(mutex as u64), mutex::FAMILY, pc);
        unsupported("mutex of an unknown kind", pc);
    }
    if kind == DESTROYED & !SHARED {
        return mutex::NORMAL;
    }
    let base = match kind & TYPE {
        RECURSIVE => mutex::RECURSIVE,
        ERRORCHECK => mutex::ERRORCHECK,
        // An adaptive mutex spins before it sleeps, which is not observable.
        _ => mutex::NORMAL,
    };
    let robust = if kind & ROBUST != 0 { mutex::ROBUST } else { 0 };
    // For these, glibc checks the owner whatever the type.
    let checks = if kind & INHERIT != 0 { mutex::CHECKS_OWNER } else { 0 };
    base | robust | checks
}
