//! The end of the process, in all its forms.

use core::cell::Cell;
use core::ffi::{CStr, c_char};

use heddle_model::fault::Fault;
use heddle_model::primitive::process;
use heddle_model::{Ending, ObjectId, Operation, ThreadId};

use crate::detect::{memcheck, undefined};
use crate::entry::report::Record;
use crate::outside::{channel, exit_handlers, files};
use crate::schedule::{self, active, caller, current, fiber};
use crate::{lifetime, sys};

/// The state of the end of the process in this execution.
pub struct Exit {
    /// Some thread has called `exit`, or `main` has returned.
    ends: Cell<bool>,
}

/// How a thread ends the process. Several threads may call `exit` at once, and each has a status and a place of its own.
#[derive(Clone, Copy, Default)]
pub struct Leaving {
    /// The status that the thread has asked to exit with.
    status: i32,
    /// How many operations the thread had taken when the handlers of this execution had run.
    steps: u32,
    /// Where it called `exit`; 0 if `main` returned.
    caller: u64,
    /// What the program had in its registers when it left, the stack pointer last: below that is nothing of its own. What
    /// libc and this library leave there depends on the processor (lazy binding saves vector registers of any size).
    left: [u64; 7],
}

impl Leaving {
    /// What decides how the thread ends the process, to be compared. It has taken `steps` operations. Where it called `exit` is on
    /// its stack.
    pub fn word(self, steps: u32) -> u64 {
        self.status as u32 as u64 | ((steps != self.steps) as u64) << 32
    }
}

impl Exit {
    /// The state at the start of the process.
    pub const fn new() -> Exit {
        Exit { ends: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Exit { ends } = self;
        ends.set(false);
    }
}

fn state() -> &'static Exit {
    &lifetime::execution().exit
}

/// How the current thread ends the process. Only while [`active`].
fn leaving() -> &'static Cell<Leaving> {
    &fiber::of(current()).leaving
}

/// The callee-saved registers and the stack pointer when the program exited in `thread`. `None` if it has not exited by
/// itself there.
pub fn left(thread: ThreadId) -> Option<[u64; 7]> {
    Some(fiber::of(thread).leaving.get().left).filter(|left| left[6] != 0)
}

/// Notes that `main` has returned or the last thread has ended: nothing of the program is left on this stack or in
/// registers.
pub fn leaves_from(stack: usize) {
    if active() {
        leaving().update(|leaving| Leaving { left: [0, 0, 0, 0, 0, 0, stack as u64], ..leaving });
    }
}

/// Whether the process is ending: exit handlers and destructors of static objects run.
pub fn ends() -> bool {
    state().ends.get()
}

unsafe extern "C" {
    fn __cxa_atexit(handler: unsafe extern "C" fn(usize), argument: usize, object: usize) -> i32;
}

/// Registers the exit handler that runs last. Call this before any other handler is registered.
pub fn set_up() {
    // SAFETY: at start-up.
    unsafe { __cxa_atexit(after_all_handlers, 0, 0) };
}

/// The last exit handler: after the program's own handlers and destructors, the process really ends.
unsafe extern "C" fn after_all_handlers(_: usize) {
    if active() {
        let Leaving { status, steps, caller, .. } = leaving().get();
        if schedule::steps_of_current() != steps {
            // What was registered before `main` has let others go on, who may have registered more.
            exit_handlers::run_for_exit(status, caller);
        }
        // SAFETY: what the program has printed is in libc's buffers; the write is trapped and captured.
        unsafe {
            channel::in_stream(|| files::streams::real::fflush(core::ptr::null_mut()));
            schedule::end_process(process::end(Ending::Exit { status }), caller)
        }
    }
}

/// Exits as if `main` had returned `status`. Handlers and destructors run as the program's own code while other
/// threads may still run. Then the process ends.
pub fn exit_normally(status: i32) -> ! {
    state().ends.set(true);
    let mut caller = 0;
    if active() {
        leaving().update(|leaving| Leaving { status, ..leaving });
        caller = leaving().get().caller;
    }
    exit_handlers::run_for_thread();
    exit_handlers::run_for_exit(status, caller);
    if active() {
        leaving().update(|leaving| Leaving { steps: schedule::steps_of_current(), ..leaving });
    }
    // SAFETY: the program's own call.
    unsafe { crate::entry::real::exit(status) }
}

interpose! {
    fn exit(status: i32) -> ! {
        if active() {
            leaving().update(|leaving| Leaving { caller: caller(), left: schedule::registers(), ..leaving });
        }
        exit_normally(status)
    }

    fn _exit(status: i32) -> ! {
        leaves_at_once();
        end_at_once(status, caller())
    }

    fn _Exit(status: i32) -> ! {
        leaves_at_once();
        end_at_once(status, caller())
    }

    fn abort() -> ! {
        if active() {
            schedule::end_process(process::end(Ending::Abort), caller())
        }
        crate::entry::real::abort()
    }

    fn __assert_fail(assertion: *const c_char, file: *const c_char, line: u32, function: *const c_char) -> ! {
        if active() {
            assertion_failed(assertion, caller())
        }
        crate::entry::real::__assert_fail(assertion, file, line, function)
    }

    fn __assert(assertion: *const c_char, file: *const c_char, line: i32) -> ! {
        if active() {
            assertion_failed(assertion, caller())
        }
        crate::entry::real::__assert_fail(assertion, file, line as u32, core::ptr::null())
    }
}

/// Notes what the program has in its registers: no handler will run.
fn leaves_at_once() {
    if active() {
        leaving().update(|leaving| Leaving { left: schedule::registers(), ..leaving });
    }
}

/// Ends the process without handlers.
pub fn end_at_once(status: i32, pc: u64) -> ! {
    if active() {
        schedule::end_process(process::end(Ending::Exit { status }), pc)
    }
    sys::exit_process(status as usize)
}

unsafe fn assertion_failed(text: *const c_char, pc: u64) -> ! {
    let end = process::end(Ending::Assertion);
    schedule::end_process(Operation { object: ObjectId(text as u64), ..end }, pc)
}

/// Describes the event that ended the process. Adds the text of an assertion to the record; returns the memory
/// error or leak, if there is one.
pub fn describe(record: &Record) -> Option<Fault> {
    let event = record.last_event();
    match process::ending(&event.operation)? {
        Ending::Assertion if event.operation.object != ObjectId::NONE => {
            // SAFETY: `assert` passes a string literal, which is still there.
            let text = unsafe { CStr::from_ptr(event.operation.object.0 as *const c_char) };
            record.set_message(text.to_bytes());
            None
        }
        Ending::Memory | Ending::Crash { .. } => memcheck::fault_of(event.thread),
        Ending::Exit { .. } => memcheck::look_for_leaks(),
        Ending::Undefined => {
            record.set_message(undefined::text_of(event.thread));
            None
        }
        Ending::Assertion | Ending::Abort | Ending::Misuse { .. } | Ending::Waits { .. } | Ending::Assumed => None,
    }
}
