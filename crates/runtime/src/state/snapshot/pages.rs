//! Which pages of a range were ever touched, according to the kernel's page tables.
//!
//! `PAGEMAP_SCAN` (Linux 6.7) answers in less than a microsecond. Older kernels provide one number for each page, which
//! takes longer to read but is equally exact.

use core::cell::Cell;

use crate::addresses::{PAGE, Reserve};
use crate::lifetime::{self, Lent};
use crate::sys;

/// The argument of `PAGEMAP_SCAN`.
#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    region_count: u64,
    max_pages: u64,
    inverted: u64,
    mask: u64,
    any_of: u64,
    returned: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

const PAGEMAP_SCAN: usize = 0xc060_6610;
const IS_PRESENT: u64 = 1 << 3;
const IS_SWAPPED: u64 = 1 << 4;
const IS_ZERO_PAGE: u64 = 1 << 5;
const REGIONS: usize = 512;
const PREAD: usize = 17;

/// Access to the page tables.
pub struct Pages {
    /// The descriptor of the page tables, if they are open.
    file: Cell<Option<usize>>,
    /// Room for answers.
    found: Lent<Cell<Region>>,
    /// The kernel has not refused `PAGEMAP_SCAN` yet.
    has_scan: Cell<bool>,
}

impl Pages {
    /// The state at the start of the process.
    pub const fn new() -> Pages {
        Pages { file: Cell::new(None), found: Cell::new(&[]), has_scan: Cell::new(true) }
    }
}

fn state() -> &'static Pages {
    &lifetime::process().snapshot.pages
}

/// Reserves memory for answers. Call this once.
pub fn set_up(reserve: &mut Reserve) {
    state().found.set(reserve.take(REGIONS));
}

/// Opens the page tables of this process. Returns the descriptor.
fn open() -> usize {
    // SAFETY: plain system call.
    let file = unsafe { sys::syscall3(sys::OPEN, c"/proc/self/pagemap".as_ptr() as usize, 0o2000000, 0) };
    if file < 0 {
        sys::die(b"heddle: cannot read /proc/self/pagemap\n");
    }
    // The program must not meet it: high enough not to be in the way of the lowest free number.
    const F_DUPFD_CLOEXEC: usize = 1030;
    const FCNTL: usize = 72;
    // SAFETY: the descriptor is ours.
    unsafe {
        let moved = sys::syscall3(FCNTL, file as usize, F_DUPFD_CLOEXEC, 900);
        if moved >= 0 {
            sys::syscall3(sys::CLOSE, file as usize, 0, 0);
        }
        if moved >= 0 { moved as usize } else { file as usize }
    }
}

/// Calls `each` with the runs of pages between `low` and `high` that were ever written to (or that the kernel cannot
/// tell from such).
pub fn touched(low: usize, high: usize, mut each: impl FnMut(usize, usize)) {
    let Pages { file, found, has_scan } = state();
    let file = file.get().unwrap_or_else(|| {
        file.set(Some(open()));
        file.get().unwrap_or(0)
    });
    let mut from = low;
    while has_scan.get() && from < high {
        let mut scan = Scan {
            size: size_of::<Scan>() as u64,
            flags: 0,
            start: from as u64,
            end: high as u64,
            walk_end: 0,
            regions: found.get().as_ptr() as u64,
            region_count: REGIONS as u64,
            max_pages: 0,
            inverted: IS_ZERO_PAGE,
            mask: IS_ZERO_PAGE,
            any_of: IS_PRESENT | IS_SWAPPED,
            returned: IS_PRESENT,
        };
        // SAFETY: the kernel fills in at most as many regions as there is room for.
        let count = unsafe { sys::syscall3(sys::IOCTL, file, PAGEMAP_SCAN, &raw mut scan as usize) };
        if count < 0 {
            has_scan.set(false);
            break;
        }
        for region in found.get()[..count as usize].iter().map(Cell::get) {
            each(region.start as usize, region.end as usize);
        }
        if (count as usize) < REGIONS {
            return;
        }
        from = scan.walk_end as usize;
    }
    if !has_scan.get() {
        read_entries(file, low, high, each);
    }
}

/// Like [`touched`], from `/proc/self/pagemap` itself, which `file` is. The zero page cannot be told from others here, which only
/// costs a copy.
#[cold]
fn read_entries(file: usize, low: usize, high: usize, mut each: impl FnMut(usize, usize)) {
    let mut entries = [0u64; 512];
    let mut run: Option<usize> = None;
    let mut at = low;
    while at < high {
        // SAFETY: reads into our buffer.
        let read = unsafe {
            sys::syscall6(PREAD, file, entries.as_mut_ptr() as usize, size_of_val(&entries), at / PAGE * 8, 0, 0)
        };
        let count = (read.max(0) as usize / 8).min((high - at) / PAGE);
        if count == 0 {
            break;
        }
        for entry in &entries[..count] {
            let present = entry >> 62 != 0;
            match (present, run) {
                (true, None) => run = Some(at),
                (false, Some(start)) => {
                    each(start, at);
                    run = None;
                }
                _ => {}
            }
            at += PAGE;
        }
    }
    if let Some(start) = run {
        each(start, at);
    }
}
