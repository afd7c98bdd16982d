//! The interface to a debugger: a function to stop at after each step, and the positions of the suspended threads.
//!
//! All threads are fibers on one kernel thread, so a debugger sees one thread. [`heddle_debug`] tells it about the
//! others: the stack pointer of each suspended thread (`arch` says what is on the stack there). A breakpoint in
//! [`heddle_debug_stop`] is reached before the first step, after the step that the debugger asks for, and at the end.
//! This is used only while an execution is recorded, so it does not slow a search.

#![allow(non_upper_case_globals)]

use core::mem::offset_of;

use heddle_model::ThreadId;

use crate::arch::Context;
use crate::lifetime::{Exclusive, OneThread};
use crate::schedule::fiber::{self, Fiber};

/// The interface to the debugger, which reads and writes it by this layout.
#[repr(C)]
pub struct Debug {
    /// The number of steps to stop after. Set by the debugger.
    stop_at: u32,
    /// Steps taken so far in this execution.
    taken: u32,
    /// The thread that is running.
    thread: u32,
    /// 0 before the first step, 1 between two steps, 2 at the end.
    phase: u32,
    /// How many fibers there are, the main thread's included.
    threads: u64,
    /// The address of the main thread's [`Context`]: its stack pointer, then its thread pointer.
    contexts: u64,
    /// The distance from one thread's context to the next.
    stride: u64,
}

/// What a debugger needs. A static of its own, because the debugger finds it by its symbol.
#[unsafe(no_mangle)]
pub static heddle_debug: OneThread<Exclusive<Debug>> = OneThread::new(Exclusive::new(Debug {
    stop_at: 0,
    taken: 0,
    thread: 0,
    phase: 0,
    threads: 0,
    contexts: 0,
    stride: 0,
}));

/// A debugger puts its breakpoint here.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn heddle_debug_stop() {
    // SAFETY: nothing; it keeps the function from being removed.
    unsafe { core::arch::asm!("nop", options(nomem, nostack)) };
}

fn note(taken: u32, thread: ThreadId, phase: u32) {
    let first: *const Context = fiber::context_of(ThreadId::MAIN);
    let debug = heddle_debug.borrow();
    debug.taken = taken;
    debug.thread = thread.0.into();
    debug.phase = phase;
    debug.threads = fiber::donors() as u64 + 1;
    debug.contexts = first as u64;
    debug.stride = size_of::<Fiber>() as u64;
    const { assert!(offset_of!(Fiber, context).is_multiple_of(8)) };
}

/// Called before the first step of a recorded execution.
#[cold]
pub fn begin() {
    note(0, ThreadId::MAIN, 0);
    heddle_debug_stop();
}

/// Called after step number `taken` of a recorded execution, taken by `thread`.
#[cold]
pub fn took(taken: u32, thread: ThreadId) {
    // SAFETY: ours. The debugger writes it while the program is stopped, which the compiler does not know: so the read is volatile.
    let stop_at = unsafe { (&raw const heddle_debug.borrow().stop_at).read_volatile() };
    if stop_at == taken {
        note(taken, thread, 1);
        heddle_debug_stop();
    }
}

/// Called at the end of a recorded execution of `taken` steps, on the stack of the running `thread`.
#[cold]
pub fn end(taken: u32, thread: ThreadId) {
    note(taken, thread, 2);
    heddle_debug_stop();
}
