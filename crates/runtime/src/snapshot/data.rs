//! Globals of the program and its libraries, and any other private memory there was before `main`.
//!
//! All of it is saved, then made read-only. The first write to a page, ever, faults ([`first_write`]) and makes the page
//! hot: writable from then on, and copied back after every execution. The kernel does not fault but refuses (`EFAULT`)
//! when a system call would write to a protected page: then everything becomes hot at once ([`unprotect_all`]).

use super::{copy, different_pages, maps};
use crate::memory::{self, DATA_IMAGES, HEAPS, PAGE, PRIVATE, PRIVATE_END, Reserve, STACKS_END};
use crate::{start, sys};

/// A range of memory with its image.
#[derive(Clone, Copy)]
struct Region {
    low: usize,
    high: usize,
    image: usize,
}

/// A page that was written to.
#[derive(Clone, Copy)]
struct Hot {
    page: usize,
    image: usize,
}

const REGIONS: usize = 1024;
/// Pages that can be hot one by one; a program that writes to more globals than these 4 GiB has them copied whole.
const HOT: usize = 1 << 20;
const MAPS: usize = 1 << 20;

static mut BOUNDS: &mut [Region] = &mut [];
static mut COUNT: usize = 0;
static mut PAGES: &mut [Hot] = &mut [];
static mut HOT_COUNT: usize = 0;
static mut PROTECTED: bool = false;
static mut TEXT: &mut [u8] = &mut [];

/// Makes room for the lists. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        BOUNDS = reserve.take(REGIONS);
        PAGES = reserve.take(HOT);
        TEXT = reserve.take(MAPS);
    }
}

fn regions() -> &'static [Region] {
    // SAFETY: one kernel thread.
    unsafe { &BOUNDS[..COUNT] }
}

fn hot_pages() -> &'static [Hot] {
    // SAFETY: one kernel thread.
    unsafe { &PAGES[..HOT_COUNT] }
}

/// Finds all data and saves it. Returns where the stack of the main thread may be.
pub fn collect() -> (usize, usize) {
    let mut image = DATA_IMAGES;
    let mut main_stack = (0, 0);
    let own = start::own_data();
    // SAFETY: one kernel thread.
    unsafe {
        COUNT = 0;
        HOT_COUNT = 0;
        let mut add = |low: usize, high: usize| {
            if low >= high {
                return;
            }
            if COUNT == REGIONS {
                sys::die(b"heddle: the program has too many memory mappings\n");
            }
            memory::map(image, high - low);
            copy(image, low, high - low);
            BOUNDS[COUNT] = Region { low, high, image };
            COUNT += 1;
            image += high - low + PAGE;
        };
        let complete = maps::writable(TEXT, |mapping| {
            let (low, high) = (mapping.low, mapping.high);
            let ours = (PRIVATE..PRIVATE_END).contains(&low);
            let heap_or_stack = (HEAPS..STACKS_END).contains(&low);
            if mapping.is_stack {
                main_stack = (high - start::main_stack_limit(), high);
            } else if !ours && !heap_or_stack {
                add(low, high.min(own.0));
                add(low.max(own.1), high);
            }
        });
        if !complete {
            sys::die(b"heddle: the program's list of memory mappings is too long\n");
        }
    }
    main_stack
}

/// Makes all data read-only, so that first writes are seen.
pub fn protect() {
    set_rights(sys::PROT_READ);
    // SAFETY: one kernel thread.
    unsafe { PROTECTED = true };
}

fn set_rights(rights: usize) {
    for region in regions() {
        // SAFETY: mappings of the program that were writable when they were found.
        unsafe { sys::syscall3(sys::MPROTECT, region.low, region.high - region.low, rights) };
    }
}

fn region_of(address: usize) -> Option<&'static Region> {
    regions().iter().find(|r| r.low <= address && address < r.high)
}

/// Whether `address` was read-only only because of us. If so it is writable now.
pub fn first_write(address: usize) -> bool {
    // SAFETY: one kernel thread.
    if !unsafe { PROTECTED } {
        return false;
    }
    let Some(region) = region_of(address) else { return false };
    let page = address & !(PAGE - 1);
    // A second fault on a page that we have opened is the program's own.
    if hot_pages().iter().rev().any(|hot| hot.page == page) {
        return false;
    }
    heat(page, region);
    // SAFETY: a page of a mapping that was writable.
    unsafe { sys::syscall3(sys::MPROTECT, page, PAGE, sys::PROT_READ | sys::PROT_WRITE) };
    true
}

fn heat(page: usize, region: &Region) {
    // SAFETY: one kernel thread.
    unsafe {
        if HOT_COUNT == HOT {
            sys::die(b"heddle: the program writes to too many pages of globals\n");
        }
        PAGES[HOT_COUNT] = Hot { page, image: region.image + (page - region.low) };
        HOT_COUNT += 1;
    }
}

/// Makes everything hot. False if there was nothing left to do.
pub fn unprotect_all() -> bool {
    // SAFETY: one kernel thread.
    unsafe {
        if !PROTECTED {
            return false;
        }
        PROTECTED = false;
        HOT_COUNT = 0;
        set_rights(sys::PROT_READ | sys::PROT_WRITE);
        for region in regions() {
            for page in (region.low..region.high).step_by(PAGE) {
                heat(page, region);
            }
        }
    }
    true
}

/// Copies the hot pages back.
pub fn restore() {
    for hot in hot_pages() {
        copy(hot.page, hot.image, PAGE);
    }
}

/// How many pages of all data, hot or not, differ from their images.
pub fn differing() -> u64 {
    regions().iter().map(|r| different_pages(r.low, r.image, r.high - r.low)).sum()
}
