//! The end of the process, however it comes, and its children.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};

use heddle_model::fault::Fault;
use heddle_model::primitive::process;
use heddle_model::wire::Outside;
use heddle_model::{Ending, ObjectId, Operation, Outcome};

use crate::detect::{memcheck, undefined};
use crate::entry::start;
use crate::entry::wire::Record;
use crate::outside::files::{self, descriptors};
use crate::outside::signals::handlers::{Disposition, disposition};
use crate::outside::{channel, trap};
use crate::schedule::{self, active, caller};
use crate::{lifetime, sys};

/// How the process ends, in this execution.
pub struct Exit {
    /// The status that the program has asked to exit with.
    status: Cell<i32>,
    /// Where it called `exit`; 0 if `main` returned.
    caller: Cell<u64>,
    /// Some thread has called `exit`, or `main` has returned.
    ends: Cell<bool>,
    /// What the program had in its registers when it left, the stack pointer last: below that is nothing of its own. What
    /// libc and this library leave there depends on the processor (lazy binding saves vector registers of any size).
    left: Cell<[u64; 7]>,
}

impl Exit {
    /// At start-up.
    pub const fn new() -> Exit {
        Exit { status: Cell::new(0), caller: Cell::new(0), ends: Cell::new(false), left: Cell::new([0; 7]) }
    }

    /// An execution begins.
    pub fn reset(&self) {
        let Exit { status, caller, ends, left } = self;
        status.set(0);
        caller.set(0);
        ends.set(false);
        left.set([0; 7]);
    }
}

fn state() -> &'static Exit {
    &lifetime::execution().exit
}

/// The registers with which the program left, the stack pointer last; `None` if it has not left by itself.
pub fn left() -> Option<[u64; 7]> {
    Some(state().left.get()).filter(|left| left[6] != 0)
}

/// `main` has returned, or the last thread has ended: nothing of the program's is left on this stack, or in registers.
pub fn leaves_from(stack: usize) {
    state().left.set([0, 0, 0, 0, 0, 0, stack as u64]);
}

/// Whether the process is ending: exit handlers and destructors of static objects run.
pub fn ends() -> bool {
    state().ends.get()
}

unsafe extern "C" {
    fn fileno(stream: *mut c_void) -> i32;
    fn __cxa_atexit(handler: unsafe extern "C" fn(usize), argument: usize, object: usize) -> i32;
}

/// Registers the handler that runs after every other. Before any other handler is registered.
pub fn set_up() {
    // SAFETY: at start-up.
    unsafe { __cxa_atexit(after_all_handlers, 0, 0) };
}

/// After the program's exit handlers and destructors: the process really ends.
unsafe extern "C" fn after_all_handlers(_: usize) {
    if active() {
        // SAFETY: what the program has printed is in libc's buffers; the write is trapped and captured.
        unsafe {
            channel::in_stream(|| files::streams::real::fflush(core::ptr::null_mut()));
            schedule::end_process(process::end(Ending::Exit, state().status.get() as u32), state().caller.get())
        }
    }
}

/// As if `main` had returned `status`: handlers and destructors run as the program's own code, with other threads
/// still going on, then the process ends.
pub fn exit_normally(status: i32) -> ! {
    state().status.set(status);
    state().ends.set(true);
    // SAFETY: the program's own call.
    unsafe { crate::entry::real::exit(status) }
}

interpose! {
    fn exit(status: i32) -> ! {
        if active() {
            state().caller.set(caller());
            state().left.set(schedule::registers());
        }
        exit_normally(status)
    }

    fn _exit(status: i32) -> ! {
        state().left.set(schedule::registers());
        end_at_once(status, caller())
    }

    fn _Exit(status: i32) -> ! {
        state().left.set(schedule::registers());
        end_at_once(status, caller())
    }

    fn abort() -> ! {
        if active() {
            schedule::end_process(process::end(Ending::Abort, 0), caller())
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

    fn fork() -> i32 {
        forks(caller())
    }

    // POSIX lets it be the same; the real one would have the child run in our memory.
    fn vfork() -> i32 {
        forks(caller())
    }

    fn system(command: *const c_char) -> i32 {
        beside(caller(), || real::system(command))
    }

    fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void {
        let active = active();
        let stream = beside(caller(), || real::popen(command, mode));
        if active && !stream.is_null() {
            descriptors::leads_outside(fileno(stream));
        }
        stream
    }

    fn pclose(stream: *mut c_void) -> i32 {
        let active = active();
        let file = fileno(stream);
        let status = beside(caller(), || real::pclose(stream));
        if active {
            descriptors::closed(file);
        }
        status
    }

    fn posix_spawn(
        child: *mut i32, path: *const c_char, actions: usize, attributes: usize, arguments: usize, environment: usize,
    ) -> i32 {
        beside(caller(), || real::posix_spawn(child, path, actions, attributes, arguments, environment))
    }

    fn posix_spawnp(
        child: *mut i32, path: *const c_char, actions: usize, attributes: usize, arguments: usize, environment: usize,
    ) -> i32 {
        beside(caller(), || real::posix_spawnp(child, path, actions, attributes, arguments, environment))
    }

    fn wait(status: *mut i32) -> i32 {
        wait_for(-1, status, 0, 0, caller())
    }

    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32 {
        wait_for(child, status, options, 0, caller())
    }

    fn wait3(status: *mut i32, options: i32, usage: usize) -> i32 {
        wait_for(-1, status, options, usage, caller())
    }

    fn wait4(child: i32, status: *mut i32, options: i32, usage: usize) -> i32 {
        wait_for(child, status, options, usage, caller())
    }
}

originals! {
    fn system(command: *const c_char) -> i32;
    fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void;
    fn pclose(stream: *mut c_void) -> i32;
    fn posix_spawn(
        child: *mut i32, path: *const c_char, actions: usize, attributes: usize, arguments: usize, environment: usize
    ) -> i32;
    fn posix_spawnp(
        child: *mut i32, path: *const c_char, actions: usize, attributes: usize, arguments: usize, environment: usize
    ) -> i32;
    fn wait4(child: i32, status: *mut i32, options: i32, usage: usize) -> i32;
}

/// Sent when a child ends: by the kernel, whenever that is, and whatever the model says is blocked.
pub const SIGCHLD: usize = 17;
/// What comes of a handler for it.
pub const HANDLES_ENDS: &str = "a handler for SIGCHLD in a program that makes processes";

/// The processes that this execution has made.
pub struct Children {
    /// There was one.
    made: Cell<bool>,
    /// The program waits for one, in the kernel.
    awaited: Cell<bool>,
}

impl Children {
    /// At start-up.
    pub const fn new() -> Children {
        Children { made: Cell::new(false), awaited: Cell::new(false) }
    }

    /// An execution begins.
    pub fn reset(&self) {
        let Children { made, awaited } = self;
        made.set(false);
        awaited.set(false);
    }
}

fn children() -> &'static Children {
    &lifetime::execution().children
}

/// Whether somebody outside the model may do something.
pub fn has_made_any() -> bool {
    const WAITID: usize = 247;
    const EXITED_NOW_KEEP: usize = 4 | 1 | 0x0100_0000;
    // SAFETY: only asks.
    children().made.get() && unsafe { sys::syscall6(WAITID, 0, 0, 0, EXITED_NOW_KEEP, 0, 0) == 0 }
}

/// Whether there was ever one in this execution, who may have sent a signal, if only that it has ended.
pub fn has_ever_made_any() -> bool {
    children().made.get()
}

/// Whether the kernel has the program wait for somebody outside the model.
pub fn waits_outside() -> bool {
    children().awaited.get()
}

/// It does, or it does not any more.
pub fn set_waits_outside(waits: bool) {
    children().awaited.set(waits);
}

/// Calls a function of libc's that makes a process, or waits for one: nothing of that is under control.
fn beside<T>(pc: u64, call: impl FnOnce() -> T) -> T {
    if !active() {
        return call();
    }
    if start::restarts_by_snapshot() {
        schedule::stop(Outcome::NeedsFork, 0, pc, b"processes");
    }
    if disposition(SIGCHLD) == Disposition::Handled {
        schedule::unsupported(HANDLES_ENDS, pc);
    }
    schedule::goes_outside(Outside::Processes);
    children().made.set(true);
    // A new process must begin where it was made, which is not in the trap's handler.
    trap::disarm();
    set_waits_outside(true);
    let result = schedule::uncontrolled(call);
    set_waits_outside(false);
    trap::arm();
    result
}

fn forks(pc: u64) -> i32 {
    let active = active();
    // SAFETY: the program's own call.
    let child = beside(pc, || unsafe { crate::entry::real::fork() });
    if child == 0 && active {
        // The child is a program of its own: it runs on, outside the model, with only the thread that forked.
        schedule::release();
    }
    child
}

/// Waits for a child, while other threads may go on.
unsafe fn wait_for(child: i32, status: *mut i32, options: i32, usage: usize, pc: u64) -> i32 {
    const NOT: i32 = 1;
    if !active() {
        // SAFETY: the program's own call.
        return unsafe { real::wait4(child, status, options, usage) };
    }
    let mut attempt = || {
        let arguments = [child as usize, status as usize, (options | NOT) as usize, usage, 0, 0];
        // SAFETY: the program's own call, without waiting.
        let ended = unsafe { sys::syscall6(sys::WAIT4, arguments[0], arguments[1], arguments[2], arguments[3], 0, 0) };
        (ended != 0 || options & NOT != 0).then_some(ended)
    };
    channel::until_done(pc, &mut attempt) as i32
}

fn end_at_once(status: i32, pc: u64) -> ! {
    if active() {
        schedule::end_process(process::end(Ending::Exit, status as u32), pc)
    }
    sys::exit_process(status as usize)
}

unsafe fn assertion_failed(text: *const c_char, pc: u64) -> ! {
    let end = process::end(Ending::Assertion, 0);
    schedule::end_process(Operation { object: ObjectId(text as u64), ..end }, pc)
}

/// What is to be said of the event that ended the process: adds the text of an assertion to the record; returns what
/// was done to memory.
pub fn describe(record: &Record) -> Option<Fault> {
    let event = record.last_event();
    match process::ending(&event.operation)? {
        Ending::Assertion if event.operation.object != ObjectId::NONE => {
            // SAFETY: `assert` passes a string literal, which is still there.
            let text = unsafe { CStr::from_ptr(event.operation.object.0 as *const c_char) };
            record.set_message(text.to_bytes());
            None
        }
        Ending::Memory | Ending::Crash => memcheck::fault_of(event.thread),
        Ending::Exit => memcheck::look_for_leaks(),
        Ending::Undefined => {
            record.set_message(undefined::text_of(event.thread));
            None
        }
        Ending::Assertion | Ending::Abort | Ending::Misuse | Ending::Waits | Ending::Assumed => None,
    }
}
