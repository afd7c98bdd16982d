//! The scheduler (being written). This is the interface that interposed functions use.
#![allow(dead_code)]

use heddle_model::{Event, Operation, Outcome, ThreadId};

/// The return address of the interposed call under way; see `interpose!`.
pub static mut CALLER: u64 = 0;

static mut ACTIVE: bool = false;
static mut CURRENT: ThreadId = ThreadId(0);

/// Where the program called the function that is running now.
#[inline(always)]
pub fn caller() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { CALLER }
}

/// Whether the program runs under control: inside an execution. Otherwise (before `main`, or run without Heddle)
/// every interposed function does what the one it replaces would do.
#[inline(always)]
pub fn active() -> bool {
    // SAFETY: one kernel thread.
    unsafe { ACTIVE }
}

/// The thread that is running.
#[inline(always)]
pub fn current() -> ThreadId {
    // SAFETY: one kernel thread.
    unsafe { CURRENT }
}

/// A visible operation: waits until the schedule says that the current thread goes on and the model says that it
/// can, takes it, and lets `perform` do what the model cannot (memory accesses: it sets the event's result and
/// flags). Returns the event. Only while [`active`].
pub fn visible(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    let mut event = Event { operation, pc, ..Event::default() };
    perform(&mut event);
    event
}

/// Ends the execution here, for a reason that is no event of the program's.
pub fn stop(_outcome: Outcome, _detail: u64, _pc: u64, message: &[u8]) -> ! {
    crate::sys::die(message)
}

/// The program called `name`, which Heddle does not control yet: ends the execution with that.
pub fn unsupported(name: &str, pc: u64) -> ! {
    stop(Outcome::Unsupported, 0, pc, name.as_bytes())
}
