//! What was done to each eight bytes of memory: who accessed which of them, when, how, and from where.
//!
//! For each granule there is room for [`CELLS`] accesses. An access that comes after a recorded one, to the same bytes and
//! at least as strong, takes its place: whoever races with the old one races with the new one, or knows both. Where more
//! than fit are in force at once, the rest goes to a table aside; none is forgotten. Memory is found page by page.

use heddle_model::ThreadId;
use heddle_model::race::Access;

use super::clocks;
use crate::engine;
use crate::memory::{self, PAGE, Reserve};

/// One access. In whole words: written a few bytes at a time it would be slow to copy.
#[derive(Clone, Copy)]
#[repr(C)]
struct Cell {
    /// From the lowest bit on: when (32), which thread (16), a bit for each byte of the granule (8), how (8).
    access: u64,
    /// Where, in the lower 48 bits; above, the execution.
    pc_and_generation: u64,
}

impl Cell {
    #[inline(always)]
    const fn new((thread, time): (ThreadId, u32), bytes: u8, how: Access, pc: u64, generation: u64) -> Cell {
        Cell {
            access: time as u64 | (thread.0 as u64) << 32 | (bytes as u64) << 48 | (how.code() as u64) << 56,
            pc_and_generation: pc & ((1 << GENERATION_SHIFT) - 1) | generation << GENERATION_SHIFT,
        }
    }

    #[inline(always)]
    const fn time(&self) -> u32 {
        self.access as u32
    }

    #[inline(always)]
    const fn thread(&self) -> ThreadId {
        ThreadId((self.access >> 32) as u16)
    }

    #[inline(always)]
    const fn bytes(&self) -> u8 {
        (self.access >> 48) as u8
    }

    #[inline(always)]
    const fn how(&self) -> Access {
        Access::from_code((self.access >> 56) as u8)
    }
}

const CELLS: usize = 4;
const GRANULES: usize = PAGE / 8;
const GENERATION_SHIFT: u32 = 48;

type Granule = [Cell; CELLS];

/// Where the cells of a page of the program's are.
#[derive(Clone, Copy)]
#[repr(C)]
struct Page {
    /// The page's number plus one; 0 in an empty place.
    page: usize,
    cells: *mut Granule,
}

/// An access that had no room in its granule.
#[derive(Clone, Copy)]
struct Extra {
    granule: usize,
    cell: Cell,
    next: u32,
}

const PAGES: usize = 1 << 22;
const CACHE: usize = 256;
const EXTRAS: usize = 1 << 20;
const CHAINS: usize = 1 << 12;
/// Cells, one page of the program's after the other.
const SHADOW: usize = 0x6b00_0000_0000;

static mut MAP: &mut [Page] = &mut [];
static mut RECENT: [Page; CACHE] = [Page { page: 0, cells: core::ptr::null_mut() }; CACHE];
static mut NEXT: usize = SHADOW;
static mut KNOWN: usize = 0;
static mut GENERATION: u64 = 0;
static mut EXTRA: &mut [Extra] = &mut [];
static mut EXTRA_COUNT: usize = 0;
/// Chains of extras: one past the first's index; valid in the execution that the upper half names.
static mut HEADS: &mut [u64] = &mut [];

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        MAP = reserve.take(PAGES);
        EXTRA = reserve.take(EXTRAS);
        HEADS = reserve.take(CHAINS);
    }
}

/// Forgets all accesses.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        EXTRA_COUNT = 0;
        GENERATION += 1;
        if GENERATION == 1 << (64 - GENERATION_SHIFT) {
            // Old accesses would come back to life: mapped anew, everything is zero.
            memory::map(SHADOW, NEXT - SHADOW + PAGE);
            HEADS.fill(0);
            GENERATION = 1;
        }
    }
}

/// The cells of granule `granule`.
#[inline(always)]
fn cells(granule: usize) -> &'static mut Granule {
    let page = granule / GRANULES + 1;
    // SAFETY: one kernel thread.
    unsafe {
        let recent = &mut *(&raw mut RECENT).cast::<Page>().add(page % CACHE);
        if recent.page != page {
            *recent = find(page);
        }
        &mut *recent.cells.add(granule % GRANULES)
    }
}

#[cold]
fn find(page: usize) -> Page {
    // SAFETY: one kernel thread.
    unsafe {
        let mut at = page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 42;
        while MAP[at].page != 0 && MAP[at].page != page {
            at = (at + 1) % PAGES;
        }
        if MAP[at].page == 0 {
            KNOWN += 1;
            if KNOWN > PAGES / 4 * 3 {
                engine::stop(heddle_model::Outcome::Capacity, 0, 0, b"memory in which races are looked for");
            }
            memory::map(NEXT, size_of::<Granule>() * GRANULES);
            MAP[at] = Page { page, cells: NEXT as *mut Granule };
            NEXT += size_of::<Granule>() * GRANULES;
        }
        MAP[at]
    }
}

/// An earlier access that races.
#[derive(Clone, Copy)]
pub struct Found {
    pub time: u32,
    pub thread: ThreadId,
    pub how: Access,
    pub pc: u64,
}

/// What a recorded access is to a new one.
enum Relation {
    /// It races.
    Race,
    /// The new one says all that it says.
    Replaced,
    /// It says all that the new one says.
    Enough,
    /// They have nothing to do with each other, or both must be remembered.
    Apart,
}

#[inline(always)]
fn relation(old: &Cell, new: &Cell) -> Relation {
    if old.bytes() & new.bytes() == 0 {
        return Relation::Apart;
    }
    let covers = old.bytes() & !new.bytes() == 0 && new.how().is_at_least(old.how());
    if old.thread() == new.thread() {
        let enough = old.time() == new.time() && new.bytes() & !old.bytes() == 0 && old.how().is_at_least(new.how());
        return if enough {
            Relation::Enough
        } else if covers {
            Relation::Replaced
        } else {
            Relation::Apart
        };
    }
    if !clocks::knows(old.thread(), old.time()) {
        return if old.how().conflicts_with(new.how()) { Relation::Race } else { Relation::Apart };
    }
    if covers { Relation::Replaced } else { Relation::Apart }
}

/// Remembers an access of the running thread to `bytes` of `granule`, and tells `races` of each earlier one that races with
/// it. `again`: also if the thread has done the same at the same time already.
#[inline(always)]
pub fn record(granule: usize, bytes: u8, how: Access, pc: u64, again: bool, races: impl Fn(&Found)) {
    // SAFETY: one kernel thread.
    let generation = unsafe { GENERATION };
    let new = Cell::new(clocks::now(), bytes, how, pc, generation);
    let mut room: Option<&mut Cell> = None;
    for cell in cells(granule) {
        if cell.pc_and_generation >> GENERATION_SHIFT != generation {
            room = room.or(Some(cell));
            continue;
        }
        match relation(cell, &new) {
            Relation::Race => races(&found(cell)),
            Relation::Enough if !again => return,
            Relation::Enough | Relation::Replaced => {
                // Of several that it replaces, all but one are not needed any more: who kept them would run out of room.
                if let Some(other) = room.replace(cell) {
                    other.pc_and_generation = 0;
                }
            }
            Relation::Apart => {}
        }
    }
    // SAFETY: one kernel thread.
    if unsafe { EXTRA_COUNT } > 0 {
        among_extras(granule, &new, &races);
    }
    match room {
        Some(cell) => *cell = new,
        None => add_extra(granule, new),
    }
}

fn found(cell: &Cell) -> Found {
    Found {
        time: cell.time(),
        thread: cell.thread(),
        how: cell.how(),
        pc: cell.pc_and_generation & ((1 << GENERATION_SHIFT) - 1),
    }
}

fn head(granule: usize) -> &'static mut u64 {
    // SAFETY: one kernel thread.
    unsafe {
        let head = &mut HEADS[granule % CHAINS];
        if *head >> 32 != GENERATION {
            *head = GENERATION << 32;
        }
        head
    }
}

#[cold]
fn among_extras(granule: usize, new: &Cell, races: &dyn Fn(&Found)) {
    let mut next = *head(granule) as u32;
    while next != 0 {
        // SAFETY: one kernel thread; links are indices plus one.
        let extra = unsafe { &EXTRA[next as usize - 1] };
        if extra.granule == granule && matches!(relation(&extra.cell, new), Relation::Race) {
            races(&found(&extra.cell));
        }
        next = extra.next;
    }
}

#[cold]
fn add_extra(granule: usize, cell: Cell) {
    let head = head(granule);
    // SAFETY: one kernel thread.
    unsafe {
        if EXTRA_COUNT == EXTRAS {
            engine::stop(heddle_model::Outcome::Capacity, 0, 0, b"accesses to one place in one execution");
        }
        EXTRA[EXTRA_COUNT] = Extra { granule, cell, next: *head as u32 };
        EXTRA_COUNT += 1;
        *head = GENERATION << 32 | EXTRA_COUNT as u64;
    }
}
