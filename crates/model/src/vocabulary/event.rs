//! Events: operations that a thread has taken.

use crate::{EventFlags, Operation, ThreadId};

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
    /// The thread that took the operation.
    pub thread: ThreadId,
    /// Which alternative was taken, counted from 0. See [`alternatives`](Self::alternatives).
    pub choice: u16,
    /// How many alternatives the operation had. 1 if it was deterministic.
    pub alternatives: u16,
    /// Facts about the outcome, for example that the operation failed or timed out.
    pub flags: EventFlags,
}

impl Event {
    /// Whether the operation failed and changed nothing: see [`EventFlags::FAILED`].
    #[inline]
    pub const fn failed(&self) -> bool {
        self.flags.contains(EventFlags::FAILED)
    }
}
