//! Condition variables. A wait is two operations: sleeping, and locking the mutex again after a wakeup. It is three if
//! it can end by itself. Of the program's bytes only two things are read: the clock, which attributes can choose, and
//! whether the condition variable was ever initialised.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::condvar::{
    AWAKEN, BROADCAST, DESTROY, FAMILY, INIT, MAY_BE_SPURIOUS, REACQUIRE, SELF_WAKING, SIGNAL, TIMED, WAIT, error,
};
use heddle_model::primitive::mutex::LOCK;
use heddle_model::{Event, EventFlags, Misuse, ObjectId, OpCode, Operation, WakeupOrder};

use super::cancel;
use super::mutex::kind_of;
use crate::detect::misuse;
use crate::outside::clock::{self, Timespec};
use crate::schedule::timed::{self, Deadline};
use crate::schedule::{self, active, caller, visible, wakeup_policy};
use crate::state::touches;

originals! {
    fn pthread_cond_init(condvar: *mut u8, attributes: *const c_void) -> c_int;
    fn pthread_cond_destroy(condvar: *mut u8) -> c_int;
    fn pthread_cond_wait(condvar: *mut u8, mutex: *mut u8) -> c_int;
    fn pthread_cond_timedwait(condvar: *mut u8, mutex: *mut u8, deadline: *const Timespec) -> c_int;
    fn pthread_cond_clockwait(condvar: *mut u8, mutex: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int;
    fn pthread_cond_signal(condvar: *mut u8) -> c_int;
    fn pthread_cond_broadcast(condvar: *mut u8) -> c_int;
}

/// Bytes of glibc's `pthread_cond_t`.
const SIZE: usize = 48;
/// The offset of the word in which glibc keeps the clock, and the bit in it that means the monotonic one.
const FLAGS: usize = 36;
const BY_MONOTONIC: u32 = 2;
const SHARED: u32 = 1;
const EINVAL: c_int = 22;

unsafe extern "C" {
    fn pthread_condattr_getclock(attributes: *const c_void, clock: *mut c_int) -> c_int;
}

interpose! {
    fn pthread_cond_init(condvar: *mut u8, attributes: *const c_void) -> c_int {
        if !active() {
            return real::pthread_cond_init(condvar, attributes);
        }
        let pc = caller();
        let mut clock = clock::REALTIME;
        if !attributes.is_null() {
            touches::unseen();
            pthread_condattr_getclock(attributes, &mut clock);
        }
        make(condvar, clock, pc)
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
        wait(condvar, mutex, None, caller())
    }

    fn pthread_cond_timedwait(condvar: *mut u8, mutex: *mut u8, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_cond_timedwait(condvar, mutex, deadline);
        }
        let pc = caller();
        let by_monotonic = condvar.add(FLAGS).cast::<u32>().read() & BY_MONOTONIC != 0;
        wait_until(condvar, mutex, if by_monotonic { clock::MONOTONIC } else { clock::REALTIME }, deadline, pc)
    }

    fn pthread_cond_clockwait(condvar: *mut u8, mutex: *mut u8, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_cond_clockwait(condvar, mutex, clock, deadline);
        }
        wait_until(condvar, mutex, clock, deadline, caller())
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

/// Initialises a condition variable that waits by `clock`.
pub unsafe fn make(condvar: *mut u8, clock: c_int, pc: u64) -> c_int {
    operate(INIT, condvar, pc);
    // SAFETY: the program's condition variable.
    unsafe {
        core::ptr::write_bytes(condvar, 0, SIZE);
        if clock == clock::MONOTONIC {
            condvar.add(FLAGS).cast::<u32>().write(BY_MONOTONIC);
        }
    }
    0
}

/// Destroys a condition variable.
pub unsafe fn destroy(condvar: *mut u8, pc: u64) -> c_int {
    operate(DESTROY, condvar, pc);
    // SAFETY: the program's condition variable.
    unsafe { misuse::mark(condvar) };
    0
}

/// Waits for a wakeup, at most until `clock` shows the deadline, then locks the mutex again. Returns an error number.
pub unsafe fn wait_until(condvar: *mut u8, mutex: *mut u8, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    // SAFETY: the program's.
    unsafe {
        match clock::deadline(clock, deadline) {
            Some(deadline) => wait(condvar, mutex, Some(deadline), pc),
            None => EINVAL,
        }
    }
}

/// Waits for a wakeup, at most until the deadline, then locks the mutex again. Returns an error number.
pub unsafe fn wait(condvar: *mut u8, mutex: *mut u8, deadline: Option<Deadline>, pc: u64) -> c_int {
    // SAFETY: the program's mutex.
    let kind = unsafe { kind_of(mutex, pc) };
    must_be_made(condvar, pc);
    cancel::point(pc);
    let spurious = schedule::spurious_of_current() < schedule::latitude().spurious_wakeups;
    // The thread enters the queue of the mutex after the wakeup.
    let queue = wakeup_policy::of(ObjectId(mutex as u64), |w| w.mutex) != WakeupOrder::Arbitrary;
    let self_waking = spurious || deadline.is_some() || queue;
    let step = |code, detail| Operation {
        detail: kind | detail,
        argument: mutex as u64,
        ..Operation::new(code, ObjectId(condvar as u64))
    };
    let lock = Operation { detail: kind, ..Operation::new(LOCK, ObjectId(mutex as u64)) };
    let leave_if_cancelled = |woken: &Event| {
        if woken.flags.contains(EventFlags::CANCELLED) {
            if woken.result != 0 {
                // The thread does not use its wakeup, so another thread is woken.
                operate(SIGNAL, condvar, pc);
            }
            // Cleanup handlers find the mutex locked, as POSIX promises.
            visible(wakeup_policy::in_turn(lock, pc), pc, |_| {});
            cancel::act(pc);
        }
    };
    let order = wakeup_policy::of(ObjectId(condvar as u64), |w| w.cond);
    let sleeps = visible(step(WAIT, if self_waking { SELF_WAKING } else { 0 }).in_order(order), pc, |_| {});
    if sleeps.failed() {
        return sleeps.result as c_int;
    }
    if !self_waking {
        let woken = visible(cancel::at(step(REACQUIRE, 0)), pc, |_| {});
        leave_if_cancelled(&woken);
        return error(woken.result) as c_int;
    }
    let detail = if spurious { MAY_BE_SPURIOUS } else { 0 };
    let awaken = cancel::at(Operation { detail, ..Operation::new(AWAKEN, ObjectId(condvar as u64)) });
    let woken = match deadline {
        Some(deadline) => timed::visible(Operation { detail: detail | TIMED, ..awaken }, deadline, pc),
        None => visible(awaken, pc, |_| {}),
    };
    leave_if_cancelled(&woken);
    // An error of the mutex takes precedence over the result of the wait.
    match visible(wakeup_policy::in_turn(lock, pc), pc, |_| {}).result as c_int {
        0 => woken.result as c_int,
        error => error,
    }
}

/// Reports a condition variable that was never initialised. After initialisation by a call, an initialiser or zeros,
/// this word contains only the clock and whether the variable is shared, because glibc itself never sees a waiting
/// thread.
#[inline(always)]
fn must_be_made(condvar: *const u8, pc: u64) {
    // SAFETY: the program's condition variable.
    if unsafe { condvar.add(FLAGS).cast::<u32>().read_unaligned() } & !(BY_MONOTONIC | SHARED) != 0 {
        misuse::accuse(Misuse::Uninitialised, ObjectId(condvar as u64), FAMILY, pc);
    }
}

/// A signal or broadcast. The program always gets 0, whatever the model's result says about which threads were
/// woken.
pub fn operate(code: OpCode, condvar: *mut u8, pc: u64) -> c_int {
    if code != INIT {
        must_be_made(condvar, pc);
    }
    let operation = Operation::new(code, ObjectId(condvar as u64));
    let order = if code == SIGNAL { wakeup_policy::of(operation.object, |w| w.cond) } else { WakeupOrder::Arbitrary };
    visible(operation.in_order(order), pc, |_| {});
    0
}
