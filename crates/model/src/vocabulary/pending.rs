//! What a thread had not done yet when its execution ended.

use crate::{EventFlags, Operation, ThreadId};

/// A thread that had not ended when the execution did, and what it was about to do. Part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Pending {
    /// What it was about to do.
    pub operation: Operation,
    /// Where the program asked for that.
    pub pc: u64,
    /// Who.
    pub thread: ThreadId,
    /// 1 if it could have gone on, 0 if it was blocked.
    pub enabled: u8,
    /// 1 if it was asleep: by the plan's sleep set, or what was left of it.
    pub asleep: u8,
    /// [`EventFlags::FAILED`] if it is a compare-exchange that would have found another value; where that is not known,
    /// nothing.
    pub flags: EventFlags,
    /// Zero.
    pub reserved: u16,
}
