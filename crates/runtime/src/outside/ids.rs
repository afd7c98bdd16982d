//! Process and thread ids, which are the same in every execution and every process that runs one.

use crate::schedule::{self, active};

/// The process id that an execution sees.
pub const PID: i32 = 70_000;
/// The id of its parent process that an execution sees.
pub const PARENT: i32 = PID - 1;

/// The thread id that the current thread sees. That of the main thread is the process id.
pub fn current_tid() -> i32 {
    PID + i32::from(schedule::current().0)
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
