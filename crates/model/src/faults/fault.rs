//! Memory errors, and crashes at a known address.
//!
//! The runtime records a [`Fault`] when a thread commits it. The thread's next operation is then the end of the process
//! ([`crate::Ending::Memory`], or [`crate::Ending::Crash`] if the processor noticed first). The outcome of an execution
//! that ends there carries the fault. The fault's call stacks are known only for recorded executions.

use crate::ThreadId;

/// The kind of a memory error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum FaultKind {
    /// No error.
    #[default]
    None = 0,
    /// An access to a block that had been freed.
    UseAfterFree = 1,
    /// An access outside the requested size of a block, before or after it.
    OutOfBounds = 2,
    /// The free or resize of a block that had been freed.
    DoubleFree = 3,
    /// The free or resize of a pointer that is not the start of a block.
    InvalidFree = 4,
    /// Corruption of the allocator's header in front of a block.
    Damaged = 5,
    /// An access to the stack or the thread-local storage of a thread that has finished.
    DeadStack = 6,
    /// An access to a local variable of a function that has returned, on another thread's stack.
    DeadFrame = 7,
    /// An access near the null address.
    Null = 8,
    /// An access to an unmapped address, or one that the mapping does not permit.
    Wild = 9,
    /// An access to the guard area below a thread's stack. `other` is that thread.
    Guard = 10,
    /// An access through a non-canonical address, which the processor rejects.
    NotAnAddress = 11,
    /// A write to read-only memory.
    ReadOnly = 12,
    /// A leak: nothing points to `count` blocks at the end. `block` is the first of them.
    Leak = 13,
    /// The free or resize of a block by a function that does not match its allocation, or by the matching one with
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

/// What the thread was doing at the error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Doing {
    /// An access of unknown kind.
    #[default]
    Using = 0,
    /// A read.
    Reading = 1,
    /// A write.
    Writing = 2,
    /// A synchronisation or atomic operation on an object there.
    Operating = 3,
    /// A free.
    Freeing = 4,
    /// A resize.
    Resizing = 5,
    /// The execution of instructions there.
    Running = 6,
}

const DOINGS: [Doing; 7] =
    [Doing::Using, Doing::Reading, Doing::Writing, Doing::Operating, Doing::Freeing, Doing::Resizing, Doing::Running];

/// Families of allocation functions. In [`Fault::families`] the low four bits hold the family
/// of the allocation, the next four that of the free.
pub mod family {
    /// `malloc` and related functions, `free`.
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

/// One memory error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Fault {
    /// The kind of the error.
    pub kind: FaultKind,
    /// What the thread was doing.
    pub doing: Doing,
    /// The families of a [`FaultKind::Mismatch`]: allocation in the low four bits, free in the next four. See
    /// [`family`].
    pub families: u8,
    /// Another thread that the error involves.
    pub other: Option<ThreadId>,
    /// The thread that allocated the block, if known.
    pub allocated_by: Option<ThreadId>,
    /// The thread that freed the block, if known.
    pub freed_by: Option<ThreadId>,
    /// The address of the access.
    pub address: u64,
    /// The size of the access in bytes.
    pub size: u64,
    /// The address of the block concerned, or of the nearest one. 0 if there is none.
    pub block: u64,
    /// The requested size of that block in bytes.
    pub block_size: u64,
    /// The number of leaked blocks.
    pub count: u64,
    /// The total size of the leaked blocks in bytes.
    pub bytes: u64,
}

/// The encoding of "no thread".
const NOBODY: u16 = u16::MAX;

fn number(thread: Option<ThreadId>) -> u64 {
    thread.map_or(NOBODY, |thread| thread.0) as u64
}

fn somebody(number: u64) -> Option<ThreadId> {
    Some(ThreadId(number as u16)).filter(|thread| thread.0 != NOBODY)
}

impl Fault {
    /// Whether there is an error: the kind is not [`FaultKind::None`].
    pub fn is_some(&self) -> bool {
        self.kind != FaultKind::None
    }

    /// Encodes the fault for the wire. See [`from_words`](Self::from_words).
    pub fn to_words(&self) -> [u64; 8] {
        let what = self.kind as u64 | (self.doing as u64) << 8 | (self.families as u64) << 16;
        let who = number(self.other) | number(self.allocated_by) << 16 | number(self.freed_by) << 32;
        [what, who, self.address, self.size, self.block, self.block_size, self.count, self.bytes]
    }

    /// Decodes a fault from the wire. `None` if the numbers are invalid.
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
