//! What a program did to memory that it must not, or where it was when the processor refused.
//!
//! The runtime notes a [`Fault`] when a thread commits it. The thread then stands before the end of the process
//! ([`crate::Ending::Memory`], or [`crate::Ending::Crash`] where the processor noticed first), and the outcome of an execution
//! that ends there carries the fault. Call stacks that belong to it are known only when the execution is recorded.

use crate::ThreadId;

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum FaultKind {
    /// Nothing.
    #[default]
    None = 0,
    /// A block was accessed after it had been freed.
    UseAfterFree = 1,
    /// An access outside of what was asked for of a block, before it or after it.
    OutOfBounds = 2,
    /// A block was freed, or resized, after it had been freed.
    DoubleFree = 3,
    /// Something was freed, or resized, that is no block, or not its beginning.
    InvalidFree = 4,
    /// The allocator's own record in front of a block was overwritten.
    Damaged = 5,
    /// The stack, or the thread-local storage, of a thread that has ended.
    DeadStack = 6,
    /// A variable of a function that has returned, on the stack of another thread.
    DeadFrame = 7,
    /// The address is almost null.
    Null = 8,
    /// There is no memory at the address, or not for this kind of access.
    Wild = 9,
    /// Below the end of a thread's stack: `other` is whose.
    Guard = 10,
    /// No address at all: not in the form that the processor wants.
    NotAnAddress = 11,
    /// In memory that may only be read.
    ReadOnly = 12,
    /// Blocks that nothing points to are left at the end; `count` of them, the first is `block`.
    Leak = 13,
    /// Freed or resized by another function than the one that belongs to how it was allocated; or, if it is the one, with
    /// another `size`.
    Mismatch = 14,
}

const KINDS: [FaultKind; 15] = [
    FaultKind::None,
    FaultKind::UseAfterFree,
    FaultKind::OutOfBounds,
    FaultKind::DoubleFree,
    FaultKind::InvalidFree,
    FaultKind::Damaged,
    FaultKind::DeadStack,
    FaultKind::DeadFrame,
    FaultKind::Null,
    FaultKind::Wild,
    FaultKind::Guard,
    FaultKind::NotAnAddress,
    FaultKind::ReadOnly,
    FaultKind::Leak,
    FaultKind::Mismatch,
];

/// What the thread was doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Doing {
    /// It is not known which.
    #[default]
    Using = 0,
    /// Reading.
    Reading = 1,
    /// Writing.
    Writing = 2,
    /// An operation on something that lies there: a lock, an atomic.
    Operating = 3,
    /// Freeing.
    Freeing = 4,
    /// Resizing.
    Resizing = 5,
    /// Running the instructions there.
    Running = 6,
}

const DOINGS: [Doing; 7] =
    [Doing::Using, Doing::Reading, Doing::Writing, Doing::Operating, Doing::Freeing, Doing::Resizing, Doing::Running];

/// A function that allocates or frees, in the low four bits; the other one's in the next four.
pub mod family {
    /// `malloc` and its relatives, `free`.
    pub const MALLOC: u8 = 0;
    /// `new`, `delete`.
    pub const NEW: u8 = 1;
    /// `new[]`, `delete[]`.
    pub const NEW_ARRAY: u8 = 2;
    /// `new` and `delete` with an alignment.
    pub const NEW_ALIGNED: u8 = 3;
    /// `new[]` and `delete[]` with an alignment.
    pub const NEW_ARRAY_ALIGNED: u8 = 4;
}

/// One thing that was done to memory against its rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Fault {
    /// What was done.
    pub kind: FaultKind,
    /// In the course of what.
    pub doing: Doing,
    /// Of a [`FaultKind::Mismatch`]: how the block was allocated (low four bits) and freed; see [`family`].
    pub families: u8,
    /// Another thread that it is about.
    pub other: Option<ThreadId>,
    /// Who allocated the block, if that is known.
    pub allocated_by: Option<ThreadId>,
    /// Who freed it, if that is known.
    pub freed_by: Option<ThreadId>,
    /// The address.
    pub address: u64,
    /// Bytes of the access.
    pub size: u64,
    /// The block that it is about, or the nearest; 0 if there is none.
    pub block: u64,
    /// The bytes that were asked for of that block.
    pub block_size: u64,
    /// How many blocks are lost.
    pub count: u64,
    /// How many bytes are in those.
    pub bytes: u64,
}

/// Stands for nobody.
const NOBODY: u16 = u16::MAX;

fn number(thread: Option<ThreadId>) -> u64 {
    thread.map_or(NOBODY, |thread| thread.0) as u64
}

fn somebody(number: u64) -> Option<ThreadId> {
    Some(ThreadId(number as u16)).filter(|thread| thread.0 != NOBODY)
}

impl Fault {
    /// Whether there is a fault at all: its kind is not [`FaultKind::None`].
    pub fn is_some(&self) -> bool {
        self.kind != FaultKind::None
    }

    /// The numbers that stand for the fault on the wire. See [`from_words`](Self::from_words).
    pub fn to_words(&self) -> [u64; 8] {
        let what = self.kind as u64 | (self.doing as u64) << 8 | (self.families as u64) << 16;
        let who = number(self.other) | number(self.allocated_by) << 16 | number(self.freed_by) << 32;
        [what, who, self.address, self.size, self.block, self.block_size, self.count, self.bytes]
    }

    /// The fault that these numbers stand for; none if they stand for no fault.
    pub fn from_words(words: [u64; 8]) -> Option<Fault> {
        let [what, who, address, size, block, block_size, count, bytes] = words;
        if what >> 24 != 0 || who >> 48 != 0 {
            return None;
        }
        Some(Fault {
            kind: *KINDS.get(what as u8 as usize)?,
            doing: *DOINGS.get((what >> 8) as u8 as usize)?,
            families: (what >> 16) as u8,
            other: somebody(who),
            allocated_by: somebody(who >> 16),
            freed_by: somebody(who >> 32),
            address,
            size,
            block,
            block_size,
            count,
            bytes,
        })
    }

    /// The threads that the fault names.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> {
        [self.other, self.allocated_by, self.freed_by].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_survives_the_wire() {
        for (number, &kind) in KINDS.iter().enumerate() {
            assert_eq!(kind as usize, number);
            for (number, &doing) in DOINGS.iter().enumerate() {
                assert_eq!(doing as usize, number);
                let fault = Fault {
                    kind,
                    doing,
                    families: 0x21,
                    other: None,
                    allocated_by: Some(ThreadId(300)),
                    freed_by: Some(ThreadId(0)),
                    address: 0x1234_5678_9abc,
                    size: 4,
                    block: 0x1000_0000_0040,
                    block_size: u64::MAX,
                    count: 1,
                    bytes: 2,
                };
                assert_eq!(Fault::from_words(fault.to_words()), Some(fault));
            }
        }
        assert_eq!(Fault::from_words([u64::MAX; 8]), None);
        for (word, value) in [(0, KINDS.len() as u64), (0, 7 << 8), (0, 1 << 24), (1, 1 << 48)] {
            let mut words = Fault::default().to_words();
            words[word] = value;
            assert_eq!(Fault::from_words(words), None, "word {word} is {value:#x}");
        }
    }
}
