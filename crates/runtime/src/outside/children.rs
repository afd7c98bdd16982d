//! Processes that the program creates and waits for. They run uncontrolled.

use core::cell::Cell;
use core::ffi::{c_char, c_void};

use heddle_model::Outcome;
use heddle_model::primitive::process_state::{How, State, and_reads};
use heddle_model::wire::Note;

use crate::entry::start;
use crate::outside::files::descriptors;
use crate::outside::files::ordered::tell;
use crate::outside::signals::handlers::{Disposition, disposition};
use crate::outside::signals::remembered;
use crate::outside::{channel, trap};
use crate::schedule::{self, active, caller, is_alone};
use crate::{lifetime, sys};

unsafe extern "C" {
    fn fileno(stream: *mut c_void) -> i32;
}

/// The signal that the kernel sends when a child ends, regardless of the signal masks in the model.
pub const SIGCHLD: usize = 17;
/// The message for a program that handles SIGCHLD.
pub const HANDLES_ENDS: &str = "a handler for SIGCHLD in a program that makes processes";

/// The processes that this execution has created.
pub struct Children {
    /// The program has made a process.
    made: Cell<bool>,
    /// The program waits for such a process in the kernel.
    awaited: Cell<bool>,
}

impl Children {
    /// The state at the start of the process.
    pub const fn new() -> Children {
        Children { made: Cell::new(false), awaited: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Children { made, awaited } = self;
        made.set(false);
        awaited.set(false);
    }
}

fn children() -> &'static Children {
    &lifetime::execution().children
}

/// Whether a process that the program has created still exists and may do something.
pub fn has_made_any() -> bool {
    const WAITID: usize = 247;
    const EXITED_NOW_KEEP: usize = 4 | 1 | 0x0100_0000;
    // SAFETY: only asks.
    children().made.get() && unsafe { sys::syscall6(WAITID, 0, 0, 0, EXITED_NOW_KEEP, 0, 0) == 0 }
}

/// Whether this execution has created a process. That process may have sent a signal, if only because it ended.
pub fn has_ever_made_any() -> bool {
    children().made.get()
}

/// Whether the program waits in the kernel for a process outside the model.
pub fn waits_outside() -> bool {
    children().awaited.get()
}

/// Sets whether the program waits in the kernel for a process outside the model.
pub fn set_waits_outside(waits: bool) {
    children().awaited.set(waits);
}

/// Calls a function of libc that creates a process or waits for one. Nothing that it does is under control.
fn beside<T>(pc: u64, call: impl FnOnce() -> T) -> T {
    if !active() {
        return call();
    }
    if start::restarts_by_snapshot() {
        schedule::stop(Outcome::NeedsFork, pc, b"processes");
    }
    if disposition(SIGCHLD) == Disposition::Handled {
        schedule::unsupported(HANDLES_ENDS, pc);
    }
    schedule::goes_outside(Note::Processes);
    children().made.set(true);
    // A new process must begin at the program's call, not in the handler of the trap.
    trap::disarm();
    set_waits_outside(true);
    let result = schedule::uncontrolled(call);
    set_waits_outside(false);
    trap::arm();
    result
}

/// Makes a copy of the process.
pub fn forks(pc: u64) -> i32 {
    let active = active();
    if !is_alone() {
        // The child has copies of all atomics, so it can tell what others have done before.
        tell(and_reads(State::Memory.operation(How::Read, 0), State::ForkHandlers.part(0)), pc);
    }
    // SAFETY: the program's own call.
    let child = beside(pc, || unsafe { crate::entry::real::fork() });
    if child == 0 && active {
        // The child continues outside the model, with only the thread that forked.
        schedule::release();
        remembered::release();
    }
    child
}

/// Waits for a child, while other threads may run.
pub unsafe fn wait_for(child: i32, status: *mut i32, options: i32, usage: usize, pc: u64) -> i32 {
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

interpose! {
    fn fork() -> i32 {
        forks(caller())
    }

    fn _Fork() -> i32 {
        forks(caller())
    }

    // POSIX allows `vfork` to be `fork`. With the real one the child would run in our memory.
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
