//! Events: operations that a thread has taken.

use crate::primitive::{self, section, thread};
use crate::{Choice, EventFlags, Operation, ThreadId};

/// One operation that a thread took, and its result.
///
/// The layout is part of the wire format. The runtime writes events into memory that the search reads in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The operation.
    pub operation: Operation,
    /// The operation's result. Each primitive defines it: the value that a load read, the old value of a
    /// read-modify-write, an error number.
    pub result: u64,
    /// The return address of the program's call. 0 if there is none.
    pub pc: u64,
    /// The state of the thread before a look that could be in vain: see [`crate::vain`]. 0 for any other operation.
    #[cfg_attr(feature = "std", serde(default))]
    pub state: u64,
    /// The thread that took the operation.
    pub thread: ThreadId,
    /// Which alternative was taken, counted from 0, or [`GIVEN`](Self::GIVEN). [`choice`](Self::choice) tells the two
    /// apart.
    pub way: u16,
    /// How many alternatives a search has to try. 1 if the operation was deterministic, and if its value was given.
    pub alternatives: u16,
    /// Facts about the outcome, for example that the operation failed or timed out.
    pub flags: EventFlags,
}

impl Event {
    /// The [`way`](Self::way) of an operation whose value was given. The value is the event's result. No operation has
    /// a way with this number, because it has at most this many.
    pub const GIVEN: u16 = u16::MAX;

    /// All of it as words. Equal events have equal words.
    #[inline(always)]
    pub const fn to_words(&self) -> [u64; 7] {
        let [w0, w1, w2] = self.operation.to_words();
        let &Event { result, pc, state, thread, way, alternatives, flags, .. } = self;
        let last = thread.0 as u64 | (way as u64) << 16 | (alternatives as u64) << 32 | (flags.0 as u64) << 48;
        [w0, w1, w2, result, pc, state, last]
    }

    /// How the operation was taken. A plan that asks for it gets the same event again.
    #[inline]
    pub const fn choice(&self) -> Choice {
        if self.way == Event::GIVEN { Choice::Value(self.result) } else { Choice::Way(self.way) }
    }

    /// Whether the event's choice is one that its operation has. An event in shared memory may be anything, because
    /// the program may have written over it.
    #[inline]
    pub fn has_sound_choice(&self) -> bool {
        match self.choice() {
            Choice::Way(way) => way == 0 || way < self.alternatives,
            Choice::Value(value) => primitive::of(self.operation.code).given(&self.operation, value) == Some(value),
        }
    }

    /// Whether the thread is inside an atomic section after this event, so that no other thread can run.
    pub fn leaves_section_open(&self) -> bool {
        let code = self.operation.code;
        let inside = self.flags.contains(EventFlags::INSIDE);
        // A section ends with its thread, too.
        code == section::BEGIN || inside && code != section::END && code != thread::EXIT
    }

    /// Whether the operation failed and changed nothing: see [`EventFlags::FAILED`].
    #[inline]
    pub const fn failed(&self) -> bool {
        self.flags.contains(EventFlags::FAILED)
    }
}
