//! Globals of the program and its libraries, stacks, and any other private memory that existed before `main`.
//!
//! All of it is saved and then made read-only. The first write to a page faults ([`first_write`]) and makes the page
//! hot: it stays writable and is copied back after every execution. After a few executions nothing faults any more.
//! Stacks can be treated this way because no signal is handled on them. If a system call would write to a protected
//! page, the kernel does not fault but refuses (`EFAULT`). Then the pages around the call's arguments are made hot
//! ([`open`]) and the call is repeated.
//!
//! A page of a stack that was not in use at the snapshot is zero in its image, because images are zero until something
//! is saved into them. Therefore a thread finds equal bytes below its stack pointer in every execution, even where it
//! reads what it never wrote.

use core::cell::Cell;

use super::{copy, different_pages, maps, pages};
use crate::addresses::{self, HEAPS, IMAGES, IMAGES_END, PAGE, PRIVATE, PRIVATE_END, Reserve, STACKS_END};
use crate::arch::Context;
use crate::entry::start;
use crate::lifetime::{self, Exclusive, Lent};
use crate::schedule::fiber;
use crate::sys;

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
    /// The image is all zeros, as that of a stack that was not used yet: only half as much memory to move.
    is_zero: bool,
}

const REGIONS: usize = 1 << 14;
/// How many pages can be hot. A program that writes to more than these 4 GiB of globals and stacks is told to fork.
const HOT: usize = 1 << 20;
const MAPS: usize = 4 << 20;

/// The memory that is saved, and the pages of it that were written to.
pub struct Tracked {
    regions: Lent<Cell<Region>>,
    /// How many regions there are.
    count: Cell<usize>,
    hot: Lent<Cell<Hot>>,
    /// How many pages are hot.
    hot_count: Cell<usize>,
    /// A bit for each page of images: its page is hot.
    is_hot: Lent<Cell<u64>>,
    /// Pages that are not hot are read-only.
    protected: Cell<bool>,
    /// Room for the kernel's list of mappings.
    text: Exclusive<&'static mut [u8]>,
    /// Where the next image comes.
    next_image: Cell<usize>,
}

impl Tracked {
    /// The state at the start of the process.
    pub const fn new() -> Tracked {
        Tracked {
            regions: Cell::new(&[]),
            count: Cell::new(0),
            hot: Cell::new(&[]),
            hot_count: Cell::new(0),
            is_hot: Cell::new(&[]),
            protected: Cell::new(false),
            text: Exclusive::new(&mut []),
            next_image: Cell::new(IMAGES),
        }
    }
}

fn tracked() -> &'static Tracked {
    &lifetime::process().snapshot.tracked
}

/// Reserves memory for the lists. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    tracked().regions.set(reserve.take(REGIONS));
    tracked().hot.set(reserve.take(HOT));
    tracked().is_hot.set(reserve.take((IMAGES_END - IMAGES) / PAGE / 64));
    *tracked().text.borrow() = reserve.take(MAPS);
}

fn regions() -> impl Iterator<Item = Region> {
    tracked().regions.get()[..tracked().count.get()].iter().map(Cell::get)
}

fn hot_pages() -> impl Iterator<Item = Hot> {
    tracked().hot.get()[..tracked().hot_count.get()].iter().map(Cell::get)
}

/// Finds all memory to track and saves it, in place of what was saved before. The main thread is suspended in
/// `main`.
pub fn save(main: &Context) {
    let own = start::own_data();
    let kernel_stack = start::kernel_stack();
    // Below the stack pointer lies what start-up has left there; zeroed, it is the same in every process.
    pages::touched(kernel_stack.0, kernel_stack.1, |low, high| {
        let dead = main.stack().clamp(low, high) - low;
        // SAFETY: the main fiber is suspended and uses nothing below its stack pointer.
        unsafe { core::ptr::write_bytes(low as *mut u8, 0, dead) };
    });
    for hot in hot_pages() {
        set_hot(hot.image, false);
    }
    tracked().count.set(0);
    tracked().hot_count.set(0);
    tracked().next_image.set(IMAGES);
    let complete = maps::writable(tracked().text.borrow(), |mapping| {
        let (low, high) = (mapping.low, mapping.high);
        let ours = (PRIVATE..PRIVATE_END).contains(&low);
        let heap_or_stack = (HEAPS..STACKS_END).contains(&low);
        if mapping.is_stack {
            add(low, high, true);
        } else if !ours && !heap_or_stack {
            add(low, high.min(own.0), !mapping.has_file);
            add(low.max(own.1), high, !mapping.has_file);
        }
    });
    if !complete {
        sys::die(b"heddle: the program's list of memory mappings is too long\n");
    }
    for (low, high) in fiber::stacks() {
        add(low, high, true);
    }
}

/// Saves a range. `sparse`: memory that was never touched is zero, and need not be copied.
fn add(low: usize, high: usize, sparse: bool) {
    if low >= high {
        return;
    }
    let Tracked { regions, count, next_image, .. } = tracked();
    let at = count.get();
    if at == REGIONS {
        sys::die(b"heddle: the program has too many memory mappings\n");
    }
    let image = next_image.get();
    next_image.set(image + high - low + PAGE);
    regions.get()[at].set(Region { low, high, image });
    count.set(at + 1);
    // Mapped anew: what an earlier snapshot left there is gone.
    addresses::map(image, high - low);
    if sparse {
        pages::touched(low, high, |from, to| copy(image + (from - low), from, to - from));
    } else {
        copy(image, low, high - low);
    }
}

/// Makes all tracked memory read-only, so that first writes are seen.
pub fn protect() {
    for region in regions() {
        set_rights(region.low, region.high - region.low, sys::PROT_READ);
    }
    tracked().protected.set(true);
}

fn set_rights(address: usize, length: usize, rights: usize) -> bool {
    // SAFETY: mappings of the program that were writable when they were found.
    unsafe { sys::syscall3(sys::MPROTECT, address, length, rights) == 0 }
}

fn bit(image: usize) -> (usize, u64) {
    let page = (image - IMAGES) / PAGE;
    (page / 64, 1 << (page % 64))
}

fn set_hot(image: usize, hot: bool) {
    let (word, mask) = bit(image);
    let word = &tracked().is_hot.get()[word];
    word.set(if hot { word.get() | mask } else { word.get() & !mask });
}

fn is_hot(image: usize) -> bool {
    let (word, mask) = bit(image);
    tracked().is_hot.get()[word].get() & mask != 0
}

/// Makes the page of `address` hot if it is read-only because of the snapshot. False if it is not: then the fault
/// is the program's own.
pub fn first_write(address: usize) -> bool {
    if !tracked().protected.get() {
        return false;
    }
    let Some(region) = regions().find(|r| r.low <= address && address < r.high) else { return false };
    let page = address & !(PAGE - 1);
    if is_hot(region.image + (page - region.low)) {
        // A second fault on a page that we have opened is the program's own.
        return false;
    }
    heat(page, &region);
    true
}

/// Makes `count` pages from `address` on hot, as far as they are read-only because of the snapshot. False if none
/// was.
pub fn open(address: usize, count: usize) -> bool {
    let mut opened = false;
    for page in (address..).step_by(PAGE).take(count) {
        opened |= first_write(page);
    }
    opened
}

/// Makes a page hot. The kernel may refuse: each page that is opened alone may split a mapping, of which there is a
/// limited number.
fn heat(page: usize, region: &Region) {
    let image = region.image + (page - region.low);
    let Tracked { hot, hot_count, .. } = tracked();
    let at = hot_count.get();
    if at == HOT || !set_rights(page, PAGE, sys::PROT_READ | sys::PROT_WRITE) {
        sys::die(b"heddle: the program writes to too many pages of globals for a snapshot: use --restart fork\n");
    }
    // SAFETY: an image is a whole page, and mapped.
    let is_zero = unsafe { core::slice::from_raw_parts(image as *const u64, PAGE / 8) }.iter().all(|&word| word == 0);
    hot.get()[at].set(Hot { page, image, is_zero });
    hot_count.set(at + 1);
    set_hot(image, true);
}

/// Makes all tracked memory writable: the snapshot is about to be taken again.
pub fn release() {
    if tracked().protected.replace(false) {
        for region in regions() {
            set_rights(region.low, region.high - region.low, sys::PROT_READ | sys::PROT_WRITE);
        }
    }
}

/// Calls `each` with every hot page. False if there is no snapshot.
pub fn each_changed(each: impl FnMut(usize)) -> bool {
    hot_pages().map(|hot| hot.page).for_each(each);
    tracked().protected.get()
}

/// Calls `each` with every hot page and its image. False if there is no snapshot.
pub fn each_changed_with_image(mut each: impl FnMut(usize, usize)) -> bool {
    hot_pages().for_each(|hot| each(hot.page, hot.image));
    tracked().protected.get()
}

/// Copies the hot pages back.
pub fn restore() {
    for hot in hot_pages() {
        if hot.is_zero {
            // SAFETY: a page of the program's that is writable.
            unsafe { core::ptr::write_bytes(hot.page as *mut u8, 0, PAGE) };
        } else {
            copy(hot.page, hot.image, PAGE);
        }
    }
}

/// How many pages, hot or not, differ from their images.
pub fn differing() -> u64 {
    let mut count = 0;
    for region in regions() {
        pages::touched(region.low, region.high, |low, high| {
            count += different_pages(low, region.image + (low - region.low), high - low);
        });
    }
    count
}
