//! One recorded access, in two words.

use heddle_model::ThreadId;
use heddle_model::race::Access;

use crate::lend::Zero;

/// An access to some bytes of one granule; or a link to a block with more cells. Kept in whole words: written a few bytes at a
/// time it would be slow to copy.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Cell {
    /// From the lowest bit on: the thread's time (32 bits), the thread (16), a bit for each byte of the granule (8), how (8).
    access: u64,
    /// The program counter in the lower 48 bits; above, the number of the execution.
    pc_and_execution: u64,
}

// SAFETY: numbers.
unsafe impl Zero for Cell {}

/// The bits of the first word that say which bytes are accessed.
const BYTES: u64 = 0xff << 48;
const EXECUTION_SHIFT: u32 = 48;
/// Executions are numbered below this.
pub(super) const EXECUTIONS: u64 = 1 << (64 - EXECUTION_SHIFT);

impl Cell {
    #[inline(always)]
    pub(super) const fn new((thread, time): (ThreadId, u32), bytes: u8, how: Access, pc: u64, execution: u64) -> Cell {
        Cell {
            access: time as u64 | (thread.0 as u64) << 32 | (bytes as u64) << 48 | (how.code() as u64) << 56,
            pc_and_execution: pc & ((1 << EXECUTION_SHIFT) - 1) | execution << EXECUTION_SHIFT,
        }
    }

    /// The time of the thread at the access.
    #[inline(always)]
    pub(super) const fn time(&self) -> u32 {
        self.access as u32
    }

    #[inline(always)]
    pub(super) const fn thread(&self) -> ThreadId {
        ThreadId((self.access >> 32) as u16)
    }

    /// A bit for each byte of the granule.
    #[inline(always)]
    pub(super) const fn bytes(&self) -> u8 {
        (self.access >> 48) as u8
    }

    #[inline(always)]
    pub(super) const fn how(&self) -> Access {
        Access::from_code((self.access >> 56) as u8)
    }

    pub(super) const fn pc(&self) -> u64 {
        self.pc_and_execution & ((1 << EXECUTION_SHIFT) - 1)
    }

    /// Whether it was recorded in this execution.
    #[inline(always)]
    pub(super) const fn is_of(&self, execution: u64) -> bool {
        self.pc_and_execution >> EXECUTION_SHIFT == execution
    }

    /// Makes the cell free.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.pc_and_execution = 0;
    }

    /// Whether the two differ in nothing but the bytes.
    #[inline(always)]
    pub(super) const fn is_like(&self, other: &Cell) -> bool {
        (self.access ^ other.access) & !BYTES == 0 && self.pc_and_execution == other.pc_and_execution
    }

    /// The bytes, where [`with_bytes_of`](Self::with_bytes_of) wants them.
    #[inline(always)]
    pub(super) const fn byte_bits(&self) -> u64 {
        self.access & BYTES
    }

    /// Returns this access, extended to the bytes in `byte_bits`.
    #[inline(always)]
    pub(super) const fn with_bytes_of(&self, byte_bits: u64) -> Cell {
        Cell { access: self.access | byte_bits, ..*self }
    }

    /// Not an access, but a link to the block `index`. It touches no byte, so it conflicts with no access.
    pub(super) const fn link(index: u32, execution: u64) -> Cell {
        Cell { access: index as u64, pc_and_execution: execution << EXECUTION_SHIFT }
    }

    /// The block that this leads to, if it is a link.
    #[inline(always)]
    pub(super) const fn leads_to(&self, execution: u64) -> Option<u32> {
        if self.is_of(execution) && self.access & BYTES == 0 { Some(self.access as u32) } else { None }
    }
}
