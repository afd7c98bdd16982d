//! Shadow memory: who accessed each byte, when, how and from where, and which of these accesses race.
//!
//! Memory is divided into granules of eight bytes, and each granule has room for four accesses. A new access replaces a recorded one
//! if it comes after it, touches all its bytes, and is at least as strong: whoever races with the old one then races with the new one, or
//! knows both. Accesses that differ only in their bytes, as a loop over a string makes them, share a cell. Where
//! more than four accesses are in force at once, as where many threads read one table, the last cell leads to a chain of blocks with more.
//! So none is forgotten, and an access costs no more than the number of accesses in force to its own granule.
//!
//! Executions are numbered, and cells of an earlier execution count as free.

mod cell;
mod pages;

#[cfg(test)]
mod tests;

use heddle_model::ThreadId;
use heddle_model::race::Access;

use self::cell::{Cell, EXECUTIONS};
use self::pages::{CELLS, GRANULES, Pages};
use crate::happens_before::HappensBefore;
use crate::lend::{Full, Lender, Zero};

/// Cells of a block.
const BLOCK: usize = 7;

/// Accesses that had no room in their granule.
#[derive(Clone, Copy)]
#[repr(C)]
struct Block {
    cells: [Cell; BLOCK],
    /// One more than the index of the next block of this granule; 0 in the last.
    next: u32,
}

// SAFETY: numbers.
unsafe impl Zero for Block {}

/// How much the shadow memory can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Pages of the program, in all executions together; a power of two. Three quarters of it can be used.
    pub pages: usize,
    /// Blocks of accesses that have no room in their granule, in one execution.
    pub blocks: usize,
}

/// The part of the shadow memory that is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exceeded {
    /// [`Capacity::pages`].
    Pages,
    /// [`Capacity::blocks`].
    Blocks,
}

/// The recorded accesses to all memory of the program.
pub struct Shadow<'m, L> {
    pages: Pages<'m, L>,
    execution: u64,
    blocks: &'m mut [Block],
    /// Blocks in use in this execution.
    used: usize,
}

/// An earlier access that races with a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The time of its thread.
    pub time: u32,
    /// The thread of the access.
    pub thread: ThreadId,
    /// How memory was accessed.
    pub how: Access,
    /// The address of the access in the program's code.
    pub pc: u64,
}

/// A new access of the running thread to some bytes of a granule.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The number of the granule: an address divided by eight.
    pub granule: usize,
    /// A bit for each byte of it.
    pub bytes: u8,
    /// How memory is accessed.
    pub how: Access,
    /// The address of the access in the program's code. 48 bits of it are kept.
    pub pc: u64,
    /// Look for races even if the thread made the same access at the same time before. Visible places need this, because other threads may
    /// have run in between.
    pub again: bool,
}

/// The relation of a recorded access to a new one.
enum Relation {
    /// The two accesses race.
    Race,
    /// The new one replaces it: whatever races with it races with the new one, or knows both.
    Replaced,
    /// The new one need not be recorded: whatever races with it races with the recorded one.
    Enough,
    /// Both must be remembered.
    Apart,
}

/// Whether the new access is to all bytes of the old one, and at least as strong.
#[inline(always)]
fn covers(old: &Cell, new: &Cell) -> bool {
    old.bytes() & !new.bytes() == 0 && new.how().is_at_least(old.how())
}

/// # Safety
/// The thread of `old` has run in this execution.
#[inline(always)]
unsafe fn relation(old: &Cell, new: &Cell, order: &HappensBefore) -> Relation {
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
    // SAFETY: the caller's.
    if !unsafe { order.knows(old.thread(), old.time()) } {
        return if old.how().conflicts_with(new.how()) { Relation::Race } else { Relation::Apart };
    }
    if covers { Relation::Replaced } else { Relation::Apart }
}

/// One pass over the cells of a granule, for one new access.
struct Pass<'a> {
    /// Where the new access can be written.
    room: Option<&'a mut Cell>,
    /// Bytes that the same access has touched before.
    byte_bits: u64,
    /// The new access need not be written: a cell already says everything that it says.
    enough: bool,
}

impl<'a> Pass<'a> {
    /// Looks at some cells. False if one of them makes the new access superfluous.
    ///
    /// # Safety
    /// The threads of cells of this execution have run in it.
    #[inline(always)]
    unsafe fn over(
        &mut self,
        cells: &'a mut [Cell],
        new: &Cell,
        (execution, again): (u64, bool),
        order: &HappensBefore,
        races: impl Fn(&Found),
    ) -> bool {
        for cell in cells {
            if !cell.is_of(execution) {
                if self.room.is_none() {
                    self.room = Some(cell);
                }
                continue;
            }
            // SAFETY: the caller's.
            match unsafe { relation(cell, new, order) } {
                Relation::Race => races(&found(cell)),
                Relation::Enough if !again => return false,
                Relation::Enough if !covers(cell, new) => self.enough = true,
                Relation::Apart if !cell.is_like(new) => {}
                Relation::Enough | Relation::Replaced | Relation::Apart => {
                    if cell.is_like(new) {
                        self.byte_bits |= cell.byte_bits();
                    }
                    // Of several that it replaces, all but one are not needed any more: kept, they would use up the room. Those with
                    // other bytes are kept, since it may turn out that nothing is written.
                    if let Some(other) = self.room.replace(cell).filter(|other| !other.is_like(new)) {
                        other.clear();
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
            Some(cell) => *cell = new.with_bytes_of(self.byte_bits),
            None => return false,
        }
        true
    }
}

impl<'m, L: Lender<'m>> Shadow<'m, L> {
    /// No accesses. `tables` lends what is needed from the start, `cells` the cells of each page when it is first accessed.
    /// [`reset`](Self::reset) comes before anything else.
    pub fn new(tables: &mut impl Lender<'m>, capacity: Capacity, cells: L) -> Shadow<'m, L> {
        Shadow {
            pages: Pages::new(tables, capacity.pages, cells),
            execution: 0,
            blocks: tables.lend(capacity.blocks),
            used: 0,
        }
    }

    /// Forgets all accesses.
    pub fn reset(&mut self) {
        self.used = 0;
        self.execution += 1;
        if self.execution == EXECUTIONS {
            // Old accesses would come back to life.
            self.pages.wipe();
            self.pages.lender().wipe(self.blocks);
            self.execution = 1;
        }
    }

    /// Records an access of the thread that `order` says is running, and calls `races` with each earlier access that races with it.
    ///
    /// # Safety
    /// `order` is the one order of the execution: the same for all accesses since the last [`reset`](Self::reset), and begun anew
    /// together with it.
    #[inline(always)]
    pub unsafe fn record(
        &mut self,
        order: &HappensBefore,
        touch: Touch,
        races: impl Fn(&Found),
    ) -> Result<(), Exceeded> {
        let Touch { granule, bytes, how, pc, again } = touch;
        let execution = self.execution;
        let new = Cell::new(order.now(), bytes, how, pc, execution);
        let cells = self.pages.granule(granule).map_err(|Full| Exceeded::Pages)?;
        let more = if self.used > 0 { cells[CELLS - 1].leads_to(execution) } else { None };
        let mut pass = Pass { room: None, byte_bits: 0, enough: false };
        // SAFETY: all cells of this execution were recorded here, for a thread that was running in this order.
        if !unsafe { pass.over(cells, &new, (execution, again), order, &races) } {
            return Ok(());
        }
        if let Some(more) = more {
            return among_blocks(self.blocks, &mut self.used, more, pass, &new, (execution, again), order, &races);
        }
        if !pass.write(&new) {
            // The granule is full: its last cell moves to a block, and leads there.
            let last = &mut cells[CELLS - 1];
            *last = Cell::link(new_block(self.blocks, &mut self.used, &[*last, new])?, execution);
        }
        Ok(())
    }

    /// Calls `each` with every granule from `first` to `last` in which accesses are recorded.
    pub fn each_recorded(&mut self, first: usize, last: usize, mut each: impl FnMut(&mut Self, usize)) {
        let (low, high) = (first / GRANULES, last / GRANULES);
        for place in 0..self.pages.span(low, high) {
            let Some(page) = self.pages.known(low, high, place) else { continue };
            let granules = first.max(page * GRANULES)..=last.min(page * GRANULES + GRANULES - 1);
            for granule in granules {
                let execution = self.execution;
                let recorded = |cells: &mut [Cell; CELLS]| cells.iter().any(|cell| cell.is_of(execution));
                if self.pages.granule(granule).is_ok_and(recorded) {
                    each(self, granule);
                }
            }
        }
    }

    /// Calls `each` with every access that is in force: its granule, its bytes, and what else is known of it.
    pub fn each_access(&self, mut each: impl FnMut(usize, u8, &Found)) {
        self.pages.each(|granule, cells| {
            let mut of = |cells: &[Cell]| {
                for cell in cells.iter().filter(|cell| cell.is_of(self.execution) && cell.bytes() != 0) {
                    each(granule, cell.bytes(), &found(cell));
                }
            };
            of(cells);
            let mut more = if self.used > 0 { cells[CELLS - 1].leads_to(self.execution) } else { None };
            while let Some(at) = more {
                let block = &self.blocks[at as usize];
                of(&block.cells);
                more = block.next.checked_sub(1);
            }
        });
    }

    /// Forgets the accesses to a granule: other memory is there now.
    pub fn forget(&mut self, granule: usize) {
        if let Ok(cells) = self.pages.granule(granule) {
            cells.iter_mut().for_each(Cell::clear);
        }
    }

    /// Pretends that this many executions were run, for tests of the count's overflow.
    #[cfg(test)]
    fn set_execution(&mut self, execution: u64) {
        self.execution = execution;
    }
}

fn found(cell: &Cell) -> Found {
    Found { time: cell.time(), thread: cell.thread(), how: cell.how(), pc: cell.pc() }
}

/// Continues a pass through the blocks of the granule, from `at` on.
#[cold]
#[allow(clippy::too_many_arguments)]
fn among_blocks<'a>(
    blocks: &'a mut [Block],
    used: &mut usize,
    at: u32,
    mut pass: Pass<'a>,
    new: &Cell,
    how: (u64, bool),
    order: &HappensBefore,
    races: &dyn Fn(&Found),
) -> Result<(), Exceeded> {
    let base = blocks.as_mut_ptr();
    let mut at = at as usize;
    loop {
        assert!(at < *used);
        // SAFETY: in range. Each block of a chain is visited once, so no cell is borrowed twice.
        let block: &'a mut Block = unsafe { &mut *base.add(at) };
        // SAFETY: all cells of this execution were recorded for the thread that was running.
        if !unsafe { pass.over(&mut block.cells, new, how, order, races) } {
            return Ok(());
        }
        if block.next == 0 {
            break;
        }
        at = block.next as usize - 1;
    }
    if !pass.write(new) {
        let next = new_block(blocks, used, &[*new])? + 1;
        blocks[at].next = next;
    }
    Ok(())
}

/// A block with these cells in it.
#[cold]
fn new_block(blocks: &mut [Block], used: &mut usize, first: &[Cell]) -> Result<u32, Exceeded> {
    // What an earlier execution has left in the other cells is not looked at.
    let block = blocks.get_mut(*used).ok_or(Exceeded::Blocks)?;
    block.cells[..first.len()].copy_from_slice(first);
    block.next = 0;
    *used += 1;
    Ok(*used as u32 - 1)
}
