//! One thread's part of the heap: how blocks are carved, kept and reused.
//!
//! Blocks are carved from the front. A freed block waits in a queue, the quarantine, so that a use after free is
//! found out. Once enough bytes were freed after it, it moves to the free list of its size class: last in, first out. Only what the
//! thread itself freed decides when, so its addresses depend on nothing that other threads do.
//!
//! All of the allocator's state is in the arena itself, at its beginning, so that memory put back to an earlier state is a
//! heap in that state. How much of the address range is mapped is the exception: a mapping outlives a
//! restoration, so that is kept outside ([`Heap`]).

use core::ptr::with_exposed_provenance_mut;

use super::block::{HEADER, Header, State};
use super::class::{self, CLASSES, GRAIN};
use super::validity::UNIT;
use super::{Exhausted, Ground, Heap};

const FIRST_STEP: usize = 256 << 10;
const LARGEST_STEP: usize = 64 << 20;
/// Mappings grow by this at least: it has a whole page of the validity map.
const PAGE: usize = 4096 * UNIT;
/// How many free blocks an aligned request looks at before it takes fresh memory.
const ALIGNED_TRIES: usize = 16;

/// The beginning of an arena.
#[repr(C)]
pub(super) struct Arena {
    /// Bytes from the arena's base that were ever used. All beyond is zero.
    pub(super) extent: usize,
    /// Bytes carved in all arenas together; counted in the last arena only.
    pub(super) carved: usize,
    /// The oldest block in quarantine, or 0.
    oldest: usize,
    /// The youngest block in quarantine, or 0.
    youngest: usize,
    /// The bytes of all blocks in quarantine.
    waiting: usize,
    /// The first block of each free list, or 0.
    free: [usize; CLASSES],
}

/// Where the first block's header is, from the arena's base.
pub(super) const FIRST_BLOCK: usize = size_of::<Arena>().next_multiple_of(64);

impl<G: Ground, const ARENAS: usize> Heap<G, ARENAS> {
    /// The arena, if anything was ever allocated in it.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub(super) fn arena(&self, number: usize) -> Option<&mut Arena> {
        // SAFETY: mapped arenas begin with this; it is borrowed for a moment only, and the heap is used by one thread at a time.
        (self.mapped[number] != 0).then(|| unsafe { &mut *with_exposed_provenance_mut(self.base_of(number)) })
    }

    /// The arena, made if it does not exist.
    #[inline]
    pub(super) fn arena_or_new(&mut self, number: usize) -> Result<&mut Arena, Exhausted> {
        // A restoration may have left the mapping of an arena that had no content at the snapshot.
        if self.arena(number).is_none_or(|arena| arena.extent == 0) {
            self.create(number)?;
        }
        self.arena(number).ok_or(Exhausted)
    }

    #[cold]
    fn create(&mut self, number: usize) -> Result<(), Exhausted> {
        self.ensure_mapped(number, FIRST_BLOCK)?;
        self.arena(number).ok_or(Exhausted)?.extent = FIRST_BLOCK;
        Ok(())
    }

    /// Maps the arena's first `bytes` bytes, in growing steps so that a growing heap costs few system calls, and a small
    /// one little memory in the kernel's tables.
    fn ensure_mapped(&mut self, number: usize, bytes: usize) -> Result<(), Exhausted> {
        let mapped = self.mapped[number];
        if bytes <= mapped {
            return Ok(());
        }
        let step = mapped.clamp(FIRST_STEP, LARGEST_STEP).max(bytes - mapped).next_multiple_of(PAGE);
        let step = step.min(G::STRIDE - mapped);
        let address = self.base_of(number) + mapped;
        let entry = self.entry(address);
        if step < bytes - mapped || !self.ground.map(address, step) || !self.ground.map(entry, step / UNIT) {
            return Err(Exhausted);
        }
        self.mapped[number] = mapped + step;
        if number != Self::SYSTEM {
            self.highest = self.highest.max(number + 1);
        }
        Ok(())
    }

    /// A freed block of `class` at a multiple of `align`, if there is one. It may hold anything.
    #[inline]
    pub(super) fn reuse(&mut self, number: usize, class: usize, align: usize, size: usize) -> Option<usize> {
        let mut link = &raw mut self.arena(number)?.free[class];
        for _ in 0..ALIGNED_TRIES {
            // SAFETY: `link` is the list's head or the link in a header that was checked.
            let address = unsafe { *link };
            if address == 0 {
                return None;
            }
            // SAFETY: lists hold blocks of this arena only, and a header's damage is noticed here.
            let Some(header) = (unsafe { Header::of(address) }).filter(|header| !header.is_live()) else {
                // The program wrote over the header: nothing after it can be trusted.
                // SAFETY: as above.
                unsafe { *link = 0 };
                return None;
            };
            if address.is_multiple_of(align) {
                // SAFETY: as above.
                unsafe { *link = header.word };
                header.set(State::Live, size);
                self.open(address, size);
                return Some(address);
            }
            link = &raw mut header.word;
        }
        None
    }

    /// Where the next fresh block at a multiple of `align` goes, and where it ends if it has this class.
    #[inline]
    fn next_block(&self, number: usize, extent: usize, class: usize, align: usize) -> (usize, usize) {
        let address = (self.base_of(number) + extent + HEADER).next_multiple_of(align.max(GRAIN));
        (address, address + class::capacity(class))
    }

    /// The bytes that [`carve`](Self::carve) would take.
    pub(super) fn cost(&mut self, number: usize, class: usize, align: usize) -> Result<usize, Exhausted> {
        let extent = self.arena_or_new(number)?.extent;
        Ok(self.next_block(number, extent, class, align).1 - (self.base_of(number) + extent))
    }

    /// A fresh block of `class` at a multiple of `align`, all zero.
    #[inline]
    pub(super) fn carve(&mut self, number: usize, class: usize, align: usize, size: usize) -> Result<usize, Exhausted> {
        let (start, extent) = (self.base_of(number), self.arena_or_new(number)?.extent);
        let (front, (address, end)) = (start + extent, self.next_block(number, extent, class, align));
        self.ensure_mapped(number, end - start)?;
        self.arena_or_new(number)?.extent = end - start;
        let gap = address - HEADER - front;
        // SAFETY: all of this was beyond the extent, is mapped, and is ours.
        unsafe {
            if gap != 0 {
                Header::write(front + HEADER, gap - HEADER, number as u16, 0, State::Gap);
            }
            Header::write(address, size, number as u16, class, State::Live);
        }
        self.open(address, size);
        Ok(address)
    }

    /// Keeps a freed block of this arena for reuse, once `quarantine` bytes of blocks were freed after it.
    #[inline]
    pub(super) fn keep(&mut self, number: usize, address: usize, quarantine: usize) {
        let Some(arena) = self.arena(number) else { return };
        // SAFETY: the caller has found the block.
        let Some(header) = (unsafe { Header::of(address) }) else { return };
        let capacity = class::capacity(header.class as usize);
        if capacity > quarantine {
            return arena.reusable(header, address);
        }
        header.set(State::Free, 0);
        // SAFETY: the youngest is a block of this arena; if its header is damaged, the queue is given up.
        match unsafe { (arena.youngest != 0).then(|| Header::of(arena.youngest)).flatten() } {
            Some(before) => before.word = address,
            None => (arena.oldest, arena.waiting) = (address, 0),
        }
        arena.youngest = address;
        arena.waiting += capacity;
        while arena.waiting > quarantine {
            let address = arena.oldest;
            // SAFETY: as above.
            let Some(header) = (unsafe { Header::of(address) }).filter(|header| !header.is_live()) else {
                (arena.oldest, arena.youngest, arena.waiting) = (0, 0, 0);
                return;
            };
            arena.oldest = header.word;
            arena.waiting -= class::capacity(header.class as usize);
            arena.reusable(header, address);
        }
    }
}

impl Arena {
    fn reusable(&mut self, header: &mut Header, address: usize) {
        let head = &mut self.free[header.class as usize];
        header.set(State::Free, *head);
        *head = address;
    }
}
