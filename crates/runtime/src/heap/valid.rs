//! Which bytes of the heap the program may touch.
//!
//! One byte for each sixteen of the heap: how many of them, from the first, belong to a live block. Zero is the default,
//! so headers, the rest of a block beyond what was asked for, freed blocks and memory that was never handed out are all
//! out of bounds without a word being written. It lies in memory of our own, at an address that the heap's gives, and is
//! put back with the heap, to which it is one sixteenth.

use super::arena::{self, ARENAS, BASE, STRIDE};

/// Where the map is: 4 TiB of addresses, mapped as the arenas are.
const MAP: usize = 0x6c00_0000_0000;
/// Bytes of the heap to a byte of the map.
pub const UNIT: usize = 16;

/// The entry for `address`, which is in the heap.
#[inline(always)]
pub const fn entry(address: usize) -> usize {
    MAP + (address - BASE) / UNIT
}

/// Whether `address` is in the heap's range of addresses.
#[inline(always)]
pub const fn in_range(address: usize) -> bool {
    address.wrapping_sub(BASE) < ARENAS * STRIDE
}

/// The `size` bytes at `address`, the start of a block, are the program's.
#[inline]
pub fn open(address: usize, size: usize) {
    let whole = size / UNIT;
    // SAFETY: the map of a block is mapped with it.
    unsafe {
        let first = entry(address) as *mut u8;
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

/// The `size` bytes at `address`, the start of a block or within it at a whole unit, are nobody's.
#[inline]
pub fn close(address: usize, size: usize) {
    // SAFETY: as above.
    unsafe { core::ptr::write_bytes(entry(address) as *mut u8, 0, size.div_ceil(UNIT)) };
}

/// Whether the program may touch the `size` bytes at `address`, which is in the heap's range.
#[inline(always)]
pub fn allows(address: usize, size: usize) -> bool {
    if !arena::is_mapped(address, size) {
        return false;
    }
    // SAFETY: the map is mapped where the heap is.
    let valid = unsafe { *(entry(address) as *const u8) } as usize;
    address % UNIT + size <= valid || allows_across(address, size, valid)
}

/// The same for an access that reaches into the next units. `valid` is the entry of the first.
#[inline(never)]
fn allows_across(address: usize, size: usize, valid: usize) -> bool {
    let end = address + size;
    if valid != UNIT || end <= address.next_multiple_of(UNIT) {
        return size == 0;
    }
    let (first, last) = (entry(address), entry(end - 1));
    // SAFETY: both ends are mapped, so all between are.
    unsafe {
        let needed = (end - 1) % UNIT + 1;
        (first + 1..last).all(|at| *(at as *const u8) == UNIT as u8) && *(last as *const u8) as usize >= needed
    }
}

/// Whether the unit of `address` belongs to a live block, at least in part.
pub fn is_open(address: usize) -> bool {
    // SAFETY: the map is mapped where the heap is.
    arena::is_mapped(address, 1) && unsafe { *(entry(address) as *const u8) } != 0
}
