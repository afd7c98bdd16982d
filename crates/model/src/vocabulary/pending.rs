//! What the remaining threads were about to do when an execution ended.

use crate::{EventFlags, Operation, ThreadId};

/// A thread that had not finished when the execution ended, and its next operation. The layout is part of the wire
/// format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Pending {
    /// The operation that the thread was about to take.
    pub operation: Operation,
    /// The return address of the program's call.
    pub pc: u64,
    /// The state of the thread before a look that could be in vain: see [`crate::vain`]. 0 for any other operation.
    #[cfg_attr(feature = "std", serde(default))]
    pub state: u64,
    /// The thread.
    pub thread: ThreadId,
    /// 1 if the thread was enabled, 0 if it was blocked.
    pub enabled: u8,
    /// 1 if the thread was still in the sleep set, otherwise 0.
    pub asleep: u8,
    /// [`EventFlags::FAILED`] if the operation is a compare-exchange that is known to fail. Otherwise empty.
    pub flags: EventFlags,
    /// 1 if the thread has taken as many operations as a thread may take, otherwise 0. It can take no more, whether the
    /// next one is enabled or not.
    pub stopped: u8,
    /// Padding, always zero.
    pub reserved: u8,
}

impl Pending {
    /// All of it as words.
    pub const fn to_words(&self) -> [u64; 6] {
        let [w0, w1, w2] = self.operation.to_words();
        let &Pending { pc, state, thread, enabled, asleep, flags, stopped, .. } = self;
        let small = (enabled as u64) << 16 | (asleep as u64) << 24 | (flags.0 as u64) << 32 | (stopped as u64) << 48;
        [w0, w1, w2, pc, state, thread.0 as u64 | small]
    }

    /// Whether the thread is in a loop that waits, and could not go on: it awaits, or its look would be in vain.
    pub const fn waits_in_loop(&self) -> bool {
        self.operation.is_await() || self.state != 0 && self.enabled == 0
    }
}
