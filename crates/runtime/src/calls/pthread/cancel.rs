//! Cancellation: one thread requests the end of another, which ends at its next cancellation point.
//!
//! [`heddle_model::primitive::cancellation`] defines cancellation points. Here each is two operations: a test whether a
//! request came before, and the operation itself, at which the thread may be cancelled while it waits. A cancelled
//! thread ends like one that calls `pthread_exit`: glibc unwinds the stack, with cleanup handlers and destructors.
//!
//! All this happens only in programs that can cancel. That is known before they run, because some part of them links
//! `pthread_cancel`. Other programs would pay for two operations at every wait.
//!
//! Asynchronous cancellation, at any instruction, is not modelled. A thread may ask for it (OpenMP's runtime does), but a
//! program that cancels such a thread is *unsupported*.

use core::cell::Cell;
use core::ffi::c_int;

use heddle_model::primitive::thread::{CANCEL, TESTCANCEL};
use heddle_model::{Event, EventFlags, ObjectId, Operation};

use super::thread;
use crate::entry::imports;
use crate::lifetime;
use crate::outside::channel;
use crate::outside::signals::delivery;
use crate::schedule::fiber::Cancellation;
use crate::schedule::{self, active, caller, current, fiber, spin_loop, visible};

originals! {
    fn pthread_cancel(handle: usize) -> c_int;
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
    fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int;
    fn pthread_testcancel();
}

const ESRCH: c_int = 3;
const EINVAL: c_int = 22;
/// glibc's `PTHREAD_CANCELED`.
const CANCELED: usize = usize::MAX;

/// Whether threads of the program can be cancelled.
pub struct Cancelling {
    /// The program calls `pthread_cancel` somewhere.
    in_use: Cell<bool>,
}

impl Cancelling {
    /// The state at the start of the process.
    pub const fn new() -> Cancelling {
        Cancelling { in_use: Cell::new(false) }
    }
}

#[inline(always)]
fn in_use() -> bool {
    lifetime::process().cancelling.in_use.get()
}

/// Determines whether the program can cancel. Call this once, before the first execution.
pub fn set_up() {
    lifetime::process().cancelling.in_use.set(imports::anybody_wants(b"pthread_cancel"));
    channel::set_up();
    delivery::set_up();
}

/// Whether the current thread can be cancelled now.
#[inline]
fn possible() -> bool {
    if !in_use() {
        return false;
    }
    let state = fiber::of(current()).cancellation.get();
    !state.disabled && !state.exiting
}

/// A cancellation point: ends the current thread if its cancellation was requested. Call this in executions only.
#[inline]
pub fn point(pc: u64) {
    if possible() && visible(Operation::new(TESTCANCEL, ObjectId::thread(current())), pc, |_| {}).result != 0 {
        act(pc);
    }
}

/// `operation`, marked as a wait at which the thread can be cancelled, if it can.
#[inline]
pub fn at(operation: Operation) -> Operation {
    if possible() { operation.cancellable() } else { operation }
}

/// Ends the current thread if it was cancelled at `event`.
#[inline]
pub fn obey(event: &Event, pc: u64) {
    if event.flags.contains(EventFlags::CANCELLED) {
        act(pc);
    }
}

/// Whether `thread` can be cancelled at any instruction.
fn asynchronous(thread: heddle_model::ThreadId) -> bool {
    let state = fiber::of(thread).cancellation.get();
    state.asynchronous && !state.disabled && !state.exiting
}

/// Ends the current thread as cancelled.
#[cold]
pub fn act(pc: u64) -> ! {
    // SAFETY: this is what the program has asked for.
    unsafe { thread::exit(CANCELED, pc) }
}

interpose! {
    fn pthread_cancel(handle: usize) -> c_int {
        if !active() {
            return real::pthread_cancel(handle);
        }
        let pc = caller();
        let Some(target) = fiber::thread_at(handle) else { return ESRCH };
        if !in_use() {
            schedule::unsupported("pthread_cancel from a library that was loaded by the running program", pc);
        }
        if asynchronous(target) {
            schedule::unsupported("pthread_cancel of a thread with PTHREAD_CANCEL_ASYNCHRONOUS", pc);
        }
        let result = visible(Operation::new(CANCEL, ObjectId::thread(target)), pc, |_| {}).result as c_int;
        channel::stir(pc);
        delivery::stir(pc);
        result
    }

    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_setcancelstate(state, old);
        }
        if !(0..=1).contains(&state) {
            return EINVAL;
        }
        spin_loop::changed();
        let mine = &fiber::of(current()).cancellation;
        let before = mine.get();
        mine.set(Cancellation { disabled: state == 1, ..before });
        if !old.is_null() {
            *old = before.disabled as c_int;
        }
        0
    }

    fn pthread_setcanceltype(kind: c_int, old: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_setcanceltype(kind, old);
        }
        if !(0..=1).contains(&kind) {
            return EINVAL;
        }
        let pc = caller();
        spin_loop::changed();
        let mine = &fiber::of(current()).cancellation;
        let before = mine.get();
        mine.set(Cancellation { asynchronous: kind == 1, ..before });
        if !old.is_null() {
            *old = before.asynchronous as c_int;
        }
        if kind == 1 {
            // A request that came before takes effect now.
            point(pc);
        }
        0
    }

    fn pthread_testcancel() {
        if active() { point(caller()) } else { real::pthread_testcancel() }
    }
}
