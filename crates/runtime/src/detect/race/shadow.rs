//! What was done to each eight bytes of memory: who accessed which of them, when, how, and from where.
//!
//! For each granule there is room for [`CELLS`] accesses. An access that comes after a recorded one, to the same bytes and
//! at least as strong, takes its place: whoever races with the old one races with the new one, or knows both. One that does the
//! same from the same place to other bytes, as a loop over a string does, is recorded in one cell with it. Where more
//! than fit are in force at once, as where many threads read one table, the last cell leads to a chain of blocks with more: none is
//! forgotten, and what an access costs grows with the accesses in force to its own granule only. Memory is found page by page.

use heddle_model::ThreadId;
use heddle_model::race::Access;

use super::clocks;
use crate::addresses::{self, PAGE, Reserve};
use crate::schedule;

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

    #[inline(always)]
    const fn is_of(&self, generation: u64) -> bool {
        self.pc_and_generation >> GENERATION_SHIFT == generation
    }

    /// Whether the two differ in nothing but the bytes.
    #[inline(always)]
    const fn is_like(&self, other: &Cell) -> bool {
        (self.access ^ other.access) & !BYTES == 0 && self.pc_and_generation == other.pc_and_generation
    }

    /// No access, but the way to block `index`. It touches no byte, so it has nothing to do with any access.
    const fn link(index: u32, generation: u64) -> Cell {
        Cell { access: index as u64, pc_and_generation: generation << GENERATION_SHIFT }
    }

    /// The block that this leads to, if it is no access.
    #[inline(always)]
    const fn leads_to(&self, generation: u64) -> Option<u32> {
        if self.is_of(generation) && self.access & BYTES == 0 { Some(self.access as u32) } else { None }
    }
}

/// Where the bits for the bytes are.
const BYTES: u64 = 0xff << 48;

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

/// Accesses that had no room in their granule.
#[repr(C)]
struct Block {
    cells: [Cell; BLOCK],
    /// One past the index of the next block of the same granule; 0 in the last.
    next: u32,
}

const PAGES: usize = 1 << 22;
const CACHE: usize = 256;
const BLOCK: usize = 7;
const BLOCKS: usize = 1 << 23;
/// Cells, one page of the program's after the other.
const SHADOW: usize = 0x6b00_0000_0000;

static mut MAP: &mut [Page] = &mut [];
static mut RECENT: [Page; CACHE] = [Page { page: 0, cells: core::ptr::null_mut() }; CACHE];
static mut NEXT: usize = SHADOW;
static mut KNOWN: usize = 0;
static mut GENERATION: u64 = 0;
static mut MORE: &mut [Block] = &mut [];
/// So many blocks are in use.
static mut MORE_COUNT: usize = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        MAP = reserve.take(PAGES);
        MORE = reserve.take(BLOCKS);
    }
}

/// Forgets all accesses.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        MORE_COUNT = 0;
        GENERATION += 1;
        if GENERATION == 1 << (64 - GENERATION_SHIFT) {
            // Old accesses would come back to life: mapped anew, everything is zero.
            addresses::map(SHADOW, NEXT - SHADOW + PAGE);
            addresses::map(MORE.as_ptr() as usize, size_of_val(MORE));
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
                schedule::stop(heddle_model::Outcome::Capacity(heddle_model::Capacity::Shadow), 0, b"");
            }
            addresses::map(NEXT, size_of::<Granule>() * GRANULES);
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

/// Whether the new access is to all bytes of the old one, and at least as strong.
#[inline(always)]
fn covers(old: &Cell, new: &Cell) -> bool {
    old.bytes() & !new.bytes() == 0 && new.how().is_at_least(old.how())
}

#[inline(always)]
fn relation(old: &Cell, new: &Cell) -> Relation {
    if old.bytes() & new.bytes() == 0 {
        return Relation::Apart;
    }
    let covers = covers(old, new);
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

/// What was learnt on the way through the cells of a granule.
struct Pass<'a> {
    /// Where the new access can be written.
    room: Option<&'a mut Cell>,
    /// Bytes that the same access has touched before.
    bytes: u64,
    /// It need not be written: a cell says all that it says, and more.
    enough: bool,
}

impl<'a> Pass<'a> {
    /// Looks at some cells. False if one of them says all that the new access says.
    #[inline(always)]
    fn over(
        &mut self,
        cells: &'a mut [Cell],
        new: &Cell,
        generation: u64,
        again: bool,
        races: impl Fn(&Found),
    ) -> bool {
        for cell in cells {
            if !cell.is_of(generation) {
                if self.room.is_none() {
                    self.room = Some(cell);
                }
                continue;
            }
            match relation(cell, new) {
                Relation::Race => races(&found(cell)),
                Relation::Enough if !again => return false,
                Relation::Enough if !covers(cell, new) => self.enough = true,
                Relation::Apart if !cell.is_like(new) => {}
                Relation::Enough | Relation::Replaced | Relation::Apart => {
                    if cell.is_like(new) {
                        self.bytes |= cell.access & BYTES;
                    }
                    // Of several that it replaces, all but one are not needed any more: who kept them would run out of room. Not so those with
                    // other bytes, since it may turn out that nothing is written.
                    if let Some(other) = self.room.replace(cell).filter(|other| !other.is_like(new)) {
                        other.pc_and_generation = 0;
                    }
                }
            }
        }
        true
    }

    /// Writes the new access down. False if there is no room.
    #[inline(always)]
    fn write(self, new: &Cell) -> bool {
        match self.room {
            _ if self.enough => {}
            Some(cell) => *cell = Cell { access: new.access | self.bytes, ..*new },
            None => return false,
        }
        true
    }
}

/// Remembers an access of the running thread to `bytes` of `granule`, and tells `races` of each earlier one that races with
/// it. `again`: also if the thread has done the same at the same time already.
#[inline(always)]
pub fn record(granule: usize, bytes: u8, how: Access, pc: u64, again: bool, races: impl Fn(&Found)) {
    // SAFETY: one kernel thread.
    let generation = unsafe { GENERATION };
    let new = Cell::new(clocks::now(), bytes, how, pc, generation);
    let cells = cells(granule);
    // SAFETY: one kernel thread.
    let more = if unsafe { MORE_COUNT } > 0 { cells[CELLS - 1].leads_to(generation) } else { None };
    let mut pass = Pass { room: None, bytes: 0, enough: false };
    if !pass.over(cells, &new, generation, again, &races) {
        return;
    }
    if let Some(more) = more {
        among_more(more, pass, &new, generation, again, &races);
    } else if !pass.write(&new) {
        // The granule is full: its last cell moves to a block, and leads there.
        let last = &mut cells[CELLS - 1];
        *last = Cell::link(new_block(&[*last, new]), generation);
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

/// The granule has blocks, from `at` on: the same for those.
#[cold]
fn among_more<'a>(mut at: u32, mut pass: Pass<'a>, new: &Cell, generation: u64, again: bool, races: &dyn Fn(&Found)) {
    let last = loop {
        // SAFETY: one kernel thread; links lead to blocks in use, and none leads back.
        let block: &'a mut Block = unsafe { &mut MORE[at as usize] };
        if !pass.over(&mut block.cells, new, generation, again, races) {
            return;
        }
        if block.next == 0 {
            break &mut block.next;
        }
        at = block.next - 1;
    };
    if !pass.write(new) {
        *last = new_block(&[*new]) + 1;
    }
}

/// A block with these in it.
#[cold]
fn new_block(first: &[Cell]) -> u32 {
    // SAFETY: one kernel thread.
    unsafe {
        if MORE_COUNT == BLOCKS {
            schedule::stop(heddle_model::Outcome::Capacity(heddle_model::Capacity::Readers), 0, b"");
        }
        // What an earlier execution has left in it is not looked at.
        let block = &mut MORE[MORE_COUNT];
        block.cells[..first.len()].copy_from_slice(first);
        block.next = 0;
        MORE_COUNT += 1;
        MORE_COUNT as u32 - 1
    }
}
