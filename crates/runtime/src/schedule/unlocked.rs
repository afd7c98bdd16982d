//! What is known of a thread where it has locked or unlocked a mutex, for loops that poll: whether it has changed something in between.

use crate::record::callstack;
use crate::schedule;
use crate::schedule::stack_state::{LARGEST_WINDOW, LEVELS, mix};

/// A thread that has unlocked a mutex.
#[derive(Clone, Copy)]
pub struct Unlocked {
    /// Which one.
    pub mutex: u64,
    /// Its changes up to then.
    pub changes: u64,
    /// How often it had written its stack through a pointer by then.
    pub stack_writes: u64,
    /// Its stack, if it may be in a loop that polls.
    pub stack: Stack,
}

impl Unlocked {
    /// No mutex.
    pub const NOTHING: Unlocked = Unlocked { mutex: 0, changes: 0, stack_writes: 0, stack: Stack::UNKNOWN };
}

/// How many unlocked mutexes are remembered: a loop that polls may lock several.
pub const UNLOCKED: usize = 4;

/// A part of a thread's stack, and a digest of what is in it. All zero if nothing is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    /// Its lowest address.
    pub from: usize,
    /// The address behind it.
    pub to: usize,
    digest: u64,
}

impl Stack {
    /// Nothing is known.
    pub const UNKNOWN: Stack = Stack { from: 0, to: 0, digest: 0 };

    /// The stack of the running thread, from its call of the function that is running now to the end of the outermost frame that is compared.
    pub fn now() -> Stack {
        // Above the return address of the call.
        let from = schedule::registers()[6] as usize + 8;
        let ends =
            (0..LEVELS).map_while(callstack::frame_end).take_while(|end| (from..=from + LARGEST_WINDOW).contains(end));
        Stack { from, to: ends.last().unwrap_or(from), digest: 0 }.again()
    }

    /// This part of the stack with a digest of what is in it now.
    pub fn again(self) -> Stack {
        // SAFETY: the live part of the current stack.
        let words = (self.from..self.to).step_by(8).map(|at| unsafe { *(at as *const u64) });
        Stack { digest: words.fold(0, mix), ..self }
    }
}
