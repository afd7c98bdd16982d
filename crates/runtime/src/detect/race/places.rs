//! The places of plain memory that are visible: those that races were seen on, in this execution or an earlier one.
//!
//! Asked at every plain access, so the answer "no" must be quick: a filter of 64 bits, then a table. Granules of eight bytes.

use crate::addresses::Reserve;

/// Entries of the table; a power of two, at least twice as many as there can be places.
const ENTRIES: usize = heddle_model::wire::PLACES * 2;

/// A bit for each possible value of the lowest six bits of a granule; 0 if there are no places at all. Entry points look at it
/// to see whether they must note more of the caller's state.
pub static mut FILTER: u64 = 0;
/// The same, of the places alone.
static mut OF_PLACES: u64 = 0;
static mut TABLE: &mut [usize] = &mut [];
static mut COUNT: usize = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe { TABLE = reserve.take(ENTRIES) };
}

/// The places for the next execution. `watching`: every access is to be told of to [`super::watch`].
pub fn set(places: &[u64], watching: bool) {
    // SAFETY: one kernel thread.
    unsafe {
        if places.len() != COUNT {
            fill(places);
        }
        FILTER = if watching { u64::MAX } else { OF_PLACES };
    }
}

fn fill(places: &[u64]) {
    // SAFETY: one kernel thread.
    unsafe {
        TABLE.fill(0);
        OF_PLACES = 0;
        COUNT = places.len();
        for &place in places {
            let granule = place as usize >> 3;
            OF_PLACES |= 1 << (granule & 63);
            let mut at = home(granule);
            while TABLE[at] != 0 {
                at = (at + 1) % ENTRIES;
            }
            TABLE[at] = granule;
        }
    }
}

fn home(granule: usize) -> usize {
    granule.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47
}

/// Whether an access touches one of the places.
#[inline(always)]
pub fn touched(address: usize, size: usize, pc: u64) -> bool {
    // SAFETY: one kernel thread.
    let filter = unsafe { FILTER };
    filter != 0 && search(address, size, filter, pc)
}

#[inline(never)]
fn search(address: usize, size: usize, filter: u64, pc: u64) -> bool {
    if size == 0 {
        return false;
    }
    super::watch(address, size, pc);
    (address >> 3..=(address + size - 1) >> 3).any(|granule| filter >> (granule & 63) & 1 != 0 && contains(granule))
}

/// Whether there are places at all.
#[inline(always)]
pub fn any() -> bool {
    // SAFETY: one kernel thread.
    unsafe { OF_PLACES != 0 }
}

/// Whether one of the places is among these bytes, which are not accessed yet.
pub fn within(address: usize, size: usize) -> bool {
    // SAFETY: one kernel thread.
    let filter = unsafe { OF_PLACES };
    (address >> 3..(address + size).div_ceil(8)).any(|granule| filter >> (granule & 63) & 1 != 0 && contains(granule))
}

fn contains(granule: usize) -> bool {
    let mut at = home(granule);
    // SAFETY: one kernel thread; half of the table is empty.
    unsafe {
        while TABLE[at] != 0 && TABLE[at] != granule {
            at = (at + 1) % ENTRIES;
        }
        TABLE[at] == granule
    }
}
