//! Calls of the runtime that threads are in the middle of: with which registers and arguments they were made, and what they were told since.
//!
//! A thread that stands before an operation is inside such a call. What the call does next depends on its arguments, which the program may
//! have nowhere else by now, and on the events that the call has taken before, if it takes several. Both are noted only in executions
//! whose states are compared; the registers in recorded executions, too.

use heddle_model::{Digest, Event, ThreadId};

use crate::addresses::Reserve;
use crate::arch::{self, Context};
use crate::lifetime::{self, Exclusive};
use crate::schedule;
use crate::state::wiping;

/// A call: the registers that it was made with, its arguments, and what it was told ([`arch::ARGUMENTS`]).
#[derive(Clone, Copy)]
pub struct Call {
    /// The registers that calls preserve: see [`schedule::registers`].
    pub registers: [u64; 7],
    /// The arguments, and a digest of what the call was told.
    pub arguments: [u64; 7],
}

// SAFETY: numbers.
unsafe impl heddle_detect::Zero for Call {}

/// The calls that threads are in the middle of, which do not run.
pub struct Calls {
    /// One for each thread. Written before it is read: when a thread is left.
    suspended: Exclusive<&'static mut [Call]>,
}

impl Calls {
    /// There is no room for threads.
    pub const fn new() -> Calls {
        Calls { suspended: Exclusive::new(&mut []) }
    }
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    *lifetime::process().calls.suspended.borrow() = reserve.take(threads);
}

/// The call that is running.
pub fn current() -> Call {
    Call { registers: schedule::registers(), arguments: arch::ARGUMENTS.get() }
}

/// Goes on with a call that was left, or was interrupted.
pub fn resume(call: Call) {
    schedule::REGISTERS.set(call.registers);
    arch::ARGUMENTS.set(call.arguments);
}

/// The call that `thread` is in, while `running` runs.
pub fn of(thread: ThreadId, running: ThreadId) -> Call {
    if thread == running { current() } else { lifetime::process().calls.suspended.borrow()[thread.index()] }
}

/// Takes note of an event that the running call has taken.
pub fn told(event: &Event) {
    let mut arguments = arch::ARGUMENTS.get();
    let code = event.operation.code.0 as u64 | (event.way as u64) << 16 | (event.flags.0 as u64) << 32;
    arguments[6] = Digest::of(&[arguments[6], code, event.result]).0 as u64;
    arch::ARGUMENTS.set(arguments);
}

/// Switches fibers, and keeps the call of `me`, which is left, for when it goes on.
///
/// # Safety
/// As for `heddle_switch`; the running thread is already the other one.
#[cold]
pub unsafe fn switched(me: ThreadId, from: *mut Context, to: &Context) {
    // SAFETY: the caller's; one kernel thread. The call is on this stack while others run, and known to them.
    unsafe {
        let mine = current();
        lifetime::process().calls.suspended.borrow()[me.index()] = mine;
        wiping::switched(schedule::current());
        arch::heddle_switch(from, to);
        resume(mine);
    }
}
