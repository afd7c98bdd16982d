//! An operation that was taken.

use crate::{EventFlags, Operation, ThreadId};

/// An operation that was taken, by whom, and what came of it.
///
/// The layout is part of the wire format: the runtime writes these into memory that the search reads in place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// What was done.
    pub operation: Operation,
    /// The value read, the old value of a read-modify-write, the error number: as the primitive says.
    pub result: u64,
    /// Where the program called it: the return address. 0 if there is none.
    pub pc: u64,
    /// Who did it.
    pub thread: ThreadId,
    /// Which of the alternatives was taken.
    pub choice: u16,
    /// How many alternatives there were; 1 where the operation leaves none open.
    pub alternatives: u16,
    /// What came of it.
    pub flags: EventFlags,
}

impl Event {
    /// Whether the operation changed nothing because it could not: see [`EventFlags::FAILED`].
    #[inline]
    pub const fn failed(&self) -> bool {
        self.flags.contains(EventFlags::FAILED)
    }
}
