//! Which bytes of the heap the program may touch.
//!
//! One byte for each sixteen of the heap: how many of them, from the first, belong to a live block. Zero is the default,
//! so headers, the rest of a block beyond what was asked for, freed blocks and memory that was never handed out are all
//! out of bounds without being written. The map is mapped with the heap and put back with it, at one sixteenth of its size.

use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use super::{Ground, Heap};

/// Bytes of the heap to a byte of the map.
pub const UNIT: usize = 16;

impl<G: Ground, const ARENAS: usize> Heap<G, ARENAS> {
    /// Where the map has the entry for `address`, which is in the heap's range.
    #[inline(always)]
    pub fn entry(&self, address: usize) -> usize {
        self.ground.validity() + (address - self.ground.base()) / UNIT
    }

    #[inline(always)]
    fn read(&self, entry: usize) -> usize {
        // SAFETY: callers pass entries of mapped heap, and the map is mapped with it.
        unsafe { *with_exposed_provenance::<u8>(entry) as usize }
    }

    /// Opens the `size` bytes at `address`, the start of a block, to the program.
    #[inline]
    pub(super) fn open(&mut self, address: usize, size: usize) {
        let whole = size / UNIT;
        // SAFETY: the map of a block is mapped with it.
        unsafe {
            let first = with_exposed_provenance_mut::<u8>(self.entry(address));
            if whole <= 4 {
                // Most blocks: a call costs more than this.
                for i in 0..whole {
                    first.add(i).write(UNIT as u8);
                }
            } else {
                core::ptr::write_bytes(first, UNIT as u8, whole);
            }
            if !size.is_multiple_of(UNIT) {
                first.add(whole).write((size % UNIT) as u8);
            }
        }
    }

    /// Closes the `size` bytes at `address`, the start of a block, to the program.
    #[inline]
    pub(super) fn close(&mut self, address: usize, size: usize) {
        let first = with_exposed_provenance_mut::<u8>(self.entry(address));
        // SAFETY: the map of a block is mapped with it.
        unsafe { core::ptr::write_bytes(first, 0, size.div_ceil(UNIT)) };
    }

    /// Whether the program may touch the `size` bytes at `address`.
    ///
    /// # Safety
    /// `address` is in the heap's [range](Self::in_range).
    #[inline(always)]
    pub unsafe fn allows(&self, address: usize, size: usize) -> bool {
        // SAFETY: the caller's.
        if !unsafe { self.is_mapped(address, size) } {
            return false;
        }
        let valid = self.read(self.entry(address));
        address % UNIT + size <= valid || self.allows_across(address, size, valid)
    }

    /// [`allows`](Self::allows) for an access that reaches into the next units. `valid` is the entry of the first.
    #[inline(never)]
    fn allows_across(&self, address: usize, size: usize, valid: usize) -> bool {
        let end = address + size;
        if valid != UNIT || end <= address.next_multiple_of(UNIT) {
            return size == 0;
        }
        let (first, last) = (self.entry(address), self.entry(end - 1));
        let needed = (end - 1) % UNIT + 1;
        (first + 1..last).all(|at| self.read(at) == UNIT) && self.read(last) >= needed
    }

    /// Whether the unit of `address` belongs to a live block, at least in part.
    pub fn is_open(&self, address: usize) -> bool {
        self.was_used(address) && self.read(self.entry(address)) != 0
    }
}
