//! Process and thread ids. They are equal in every execution and in every process that runs one.

use heddle_model::ThreadId;

use crate::schedule::{self, active};

/// The process id of the program in an execution.
pub const PID: i32 = 70_000;
/// The id of the program's parent process in an execution.
pub const PARENT: i32 = PID - 1;
/// The session of the program: its parent is the first of it, as a shell is.
pub const SESSION: i32 = PARENT;

/// The thread id of the current thread in an execution. The main thread has the process id.
pub fn current_tid() -> i32 {
    PID + i32::from(schedule::current().0)
}

/// The thread of an execution that has this id.
pub fn thread_with(id: i32) -> Option<ThreadId> {
    schedule::threads().find(|thread| PID + i32::from(thread.0) == id)
}

originals! {
    fn getpid() -> i32;
    fn getppid() -> i32;
    fn gettid() -> i32;
}

interpose! {
    fn getpid() -> i32 {
        if active() { PID } else { real::getpid() }
    }
    fn getppid() -> i32 {
        if active() { PARENT } else { real::getppid() }
    }
    fn gettid() -> i32 {
        if active() { current_tid() } else { real::gettid() }
    }
}
