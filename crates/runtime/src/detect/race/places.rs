//! The visible places of plain memory: see [`heddle_detect::places`].

use heddle_detect::places::Places;
use heddle_model::wire::PLACES as MOST;

use crate::addresses::Reserve;
use crate::calls::pthread::once_overwritten;
use crate::lifetime::{Exclusive, OneThread};
use crate::schedule::forever;

/// The places of the execution under way. Not with the rest of its state: entry points, which are assembly, look at its
/// [filter](Places::FILTER) to see whether they must note more of the caller's state.
pub static PLACES: OneThread<Exclusive<Places<'static>>> = OneThread::new(Exclusive::new(Places::empty()));

#[inline(always)]
fn all_places() -> &'static mut Places<'static> {
    PLACES.borrow()
}

/// Reserves memory. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    *all_places() = Places::new(reserve, MOST);
}

/// Sets the places for the next execution. `watching`: every access is to be shown to [`super::watch`].
pub fn set(places: &[u64], watching: bool) {
    all_places().set(places, watching);
}

/// Sets whether every access is looked at from now on ([`forever::accesses`]).
pub fn watch_all(all: bool) {
    all_places().watch_all(all);
}

/// Writes to these eight bytes are shown to [`once_overwritten`] for the rest of the execution.
pub fn note(address: usize) {
    all_places().note(address);
}

/// Forgets what was noted in the execution before.
pub fn forget_notes() {
    all_places().forget_notes();
}

/// Whether anything was noted in this execution.
#[inline(always)]
pub fn has_notes() -> bool {
    all_places().has_notes()
}

/// Whether an access touches one of the places.
#[inline(always)]
pub fn touched(address: usize, size: usize, write: bool, pc: u64) -> bool {
    all_places().watches(address, size) && search(address, size, write, pc)
}

#[inline(never)]
fn search(address: usize, size: usize, write: bool, pc: u64) -> bool {
    if size == 0 {
        return false;
    }
    forever::accesses(pc);
    if write && all_places().may_be_noted(address, size) {
        once_overwritten(address, size, pc);
    }
    super::watch(address, size, pc);
    all_places().touches(address, size)
}

/// Whether there are any places.
#[inline(always)]
pub fn any() -> bool {
    all_places().any()
}

/// The granules of the places.
pub fn listed() -> impl Iterator<Item = usize> {
    all_places().granules()
}

/// Whether one of the places is among these bytes, which are not accessed yet.
pub fn within(address: usize, size: usize) -> bool {
    all_places().touches(address, size)
}

/// The part of these addresses from the first visible place to the end of the last one. `None` if there is none.
pub fn hull(low: usize, high: usize) -> Option<(usize, usize)> {
    all_places().hull(low, high)
}

/// Calls `each` with the pieces of a range, of `step` bytes at most, that have visible places in them. Others may run in `each`.
pub fn each_piece(address: usize, size: usize, step: usize, mut each: impl FnMut(usize, usize)) {
    let end = if within(address, size) { address + size } else { address };
    let mut from = address;
    while from < end {
        let size = step.min(end - from);
        if within(from, size) {
            each(from, size);
        }
        from += size;
    }
}
