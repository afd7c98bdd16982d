//! Restarting in microseconds: saves the program's memory at `main` and restores it.
//!
//! Copying a page is several times cheaper than a page fault, so each kind of memory is restored by copying what is
//! known to have changed:
//!
//! * **Globals and stacks** ([`tracked`]) are read-only at first. The first write to a page faults and makes the page
//!   *hot*, and hot pages are copied back after every execution.
//! * **Heaps** ([`heaps`]) know how far they were used, and that much is copied or zeroed.
//!
//! The runtime's own memory and everything outside memory are not restored. The trap takes care of the latter.

mod heaps;
pub mod maps;
mod pages;
mod tracked;

use core::sync::atomic::Ordering::Relaxed;

use heddle_model::wire::Reports;

use crate::addresses::{PAGE, Reserve};
use crate::arch::Context;

pub use tracked::{each_changed_with_image, first_write, open, release};

/// The bookkeeping of this process.
pub struct Snapshot {
    tracked: tracked::Tracked,
    heaps: heaps::Heaps,
    pages: pages::Pages,
}

impl Snapshot {
    /// The state at the start of the process.
    pub const fn new() -> Snapshot {
        Snapshot { tracked: tracked::Tracked::new(), heaps: heaps::Heaps::new(), pages: pages::Pages::new() }
    }
}

/// Reserves memory for the bookkeeping. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    tracked::set_up(reserve);
    heaps::set_up(reserve, threads);
    pages::set_up(reserve);
}

/// Calls `each` with the lowest and highest address of every writable private mapping; `text` is scratch space.
pub fn writable_mappings(text: &mut [u8], mut each: impl FnMut(usize, usize)) {
    maps::writable(text, |mapping| each(mapping.low, mapping.high));
}

/// Takes a snapshot, in place of the one before. The program is suspended at the start of its main function, in
/// `main`; no other thread runs.
pub fn take(main: &Context) {
    release();
    tracked::save(main);
    heaps::save();
    tracked::protect();
}

/// Calls `each` with every page of globals and stacks that was ever written to, if there is a snapshot. False if there is none.
pub fn each_changed(each: impl FnMut(usize)) -> bool {
    tracked::each_changed(each)
}

/// Restores all memory.
pub fn restore() {
    tracked::restore();
    heaps::restore();
}

/// Compares all memory with the snapshot, byte for byte; counts what it finds.
pub fn check(reports: &Reports) {
    let differing = tracked::differing() + heaps::differing();
    reports.checked.fetch_add(1, Relaxed);
    reports.differing.fetch_add(differing, Relaxed);
}

unsafe extern "C" {
    fn memcmp(a: *const u8, b: *const u8, length: usize) -> i32;
    fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8;
}

/// Copies `length` bytes between the program's memory and its image. Both are mapped.
#[inline]
fn copy(to: usize, from: usize, length: usize) {
    // SAFETY: callers pass ranges of the program's memory and of images, which never overlap.
    unsafe { memcpy(to as *mut u8, from as *const u8, length) };
}

/// How many pages of `length` bytes at `address` differ from their image.
fn different_pages(address: usize, image: usize, length: usize) -> u64 {
    let differs = |at: &usize| {
        let (one, two) = ((address + at) as *const u8, (image + at) as *const u8);
        // SAFETY: as in `copy`.
        unsafe { memcmp(one, two, PAGE.min(length - at)) != 0 }
    };
    (0..length).step_by(PAGE).filter(differs).count() as u64
}
