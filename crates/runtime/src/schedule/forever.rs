//! Threads that run for ever without a visible operation.
//!
//! The driver asks a process that makes no progress where it is, by a signal. The running thread is stopped there, at an
//! operation that is never enabled, and the others continue: they may do what the thread waits for. A loop over plain memory
//! waits for a write that races with its reads. When the race is seen, the search ends with it or makes the place visible,
//! and the next time the loop is a wait ([`super::spin_loop`]). If nobody writes, the execution ends as a hang when no other
//! thread can go on.
//!
//! A thread that is asked in the middle of a function of this library is stopped at its next access to memory, because what
//! the library has begun must be completed. A thread that never gets there, and is asked again and again, ends the execution.

use core::cell::Cell;

use heddle_model::primitive::yielding::FOREVER;
use heddle_model::{ObjectId, Operation, Outcome};

use super::finish::finish;
use super::section::in_section;
use super::state::{current, set_called_at};
use super::visible::{progressed, visible};
use crate::arch;
use crate::detect::race::places;
use crate::lifetime;

/// How often a thread is asked before the execution ends where it is.
const MOST: u32 = 4;

/// Whether the running thread was asked where it is. Reset for each execution.
pub struct Asked {
    times: Cell<u32>,
}

impl Asked {
    /// Nobody was asked.
    pub const fn new() -> Asked {
        Asked { times: Cell::new(0) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        self.times.set(0);
    }
}

fn asked() -> &'static Asked {
    &lifetime::execution().asked
}

/// The running thread is asked in the middle of a function of this library. It stops at its next access to memory. False if it was
/// asked before, and did not come to an access.
pub fn stop_at_access() -> bool {
    let times = &asked().times;
    times.set(times.get() + 1);
    places::watch_all(true);
    times.get() < MOST
}

/// The running thread is about to access memory, at `pc`. If it was asked where it is, it stops here for ever.
#[cold]
pub fn accesses(pc: u64) {
    if asked().times.get() == 0 {
        return;
    }
    if in_section() {
        // Nobody else can run there.
        finish(Outcome::Hang, pc, b"");
    }
    runs_for_ever(pc);
}

/// The running thread was interrupted at an instruction of the program, `pc`. When the handler returns, it stops for ever.
///
/// # Safety
/// `context` is the third argument of a signal handler that interrupted a thread outside this library.
pub unsafe fn stop_here(context: *mut u64, pc: u64) {
    // SAFETY: as above. The thread never goes on where it was.
    unsafe { arch::divert(context, runs_for_ever, pc) };
}

/// Stops the running thread for ever, at `pc`. The others continue.
extern "C" fn runs_for_ever(pc: u64) {
    asked().reset();
    places::watch_all(false);
    progressed();
    // The program has not called this library here.
    set_called_at(0);
    visible(Operation::new(FOREVER, ObjectId::NONE), pc, |_| {});
    unreachable!("thread {} runs for ever", current().index())
}
