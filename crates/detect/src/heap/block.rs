//! The sixteen bytes in front of every block, by which `free` knows what it was given.
//!
//! The link of a free list is kept here, not in the block: a program that writes to a block after freeing it must not
//! be able to mislead the allocator. What a program can still damage is the header, by writing in front of a
//! block or past the end of the one before. The mark depends on the address, so that is noticed.

use core::ptr::with_exposed_provenance_mut;

/// The state of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    /// Allocated, and not freed yet.
    Live = 1,
    /// Freed.
    Free = 2,
    /// Unused bytes between two blocks, for the alignment of the second. Not a block of the program.
    Gap = 3,
}

/// The header in front of a block.
#[repr(C)]
pub struct Header {
    /// Live: the bytes that were asked for. Free: the address of the next free block of the list, or 0. Gap: the bytes after the header.
    pub word: usize,
    mark: u32,
    /// The number of the arena that the block lies in.
    pub owner: u16,
    /// The size class.
    pub class: u8,
    /// A [`State`] in the lower four bits; one more than the family in the next three; [`MARKED`].
    state: u8,
}

/// The size of a header in bytes.
pub const HEADER: usize = size_of::<Header>();

/// The bit of the state that says that the block was reached by the search for lost blocks.
const MARKED: u8 = 0x80;
/// The bits of the state that say by which family of functions the block was allocated.
const FAMILY: u8 = 0x70;
const FAMILY_SHIFT: u32 = 4;
const STATE: u8 = 0x0f;

fn mark_of(address: usize) -> u32 {
    0x4c64_6548 ^ (address >> 4) as u32
}

impl Header {
    /// Writes the header of the block at `address`.
    ///
    /// # Safety
    /// The sixteen bytes before `address` belong to the allocator.
    #[inline]
    pub(super) unsafe fn write(address: usize, word: usize, owner: u16, class: usize, state: State) {
        let header = Header { word, mark: mark_of(address), owner, class: class as u8, state: state as u8 };
        // SAFETY: the caller's.
        unsafe { with_exposed_provenance_mut::<Header>(address - HEADER).write(header) }
    }

    /// The header of the block at `address`, if there is one.
    ///
    /// # Safety
    /// The sixteen bytes before `address` are readable and writable, and nobody else borrows them.
    #[inline]
    pub(super) unsafe fn of<'a>(address: usize) -> Option<&'a mut Header> {
        // SAFETY: the caller's.
        unsafe { Header::of_any(address) }.filter(|header| header.state() != State::Gap)
    }

    /// The header of the block or the gap at `address`, if there is one.
    ///
    /// # Safety
    /// As for [`of`](Self::of).
    #[inline]
    pub(super) unsafe fn of_any<'a>(address: usize) -> Option<&'a mut Header> {
        // SAFETY: the caller's; every bit pattern is a header.
        let header = unsafe { &mut *with_exposed_provenance_mut::<Header>(address - HEADER) };
        let sound = header.mark == mark_of(address) && matches!(header.state & STATE, 1..=3);
        sound.then_some(header)
    }

    /// The state of the block.
    #[inline]
    pub fn state(&self) -> State {
        match self.state & STATE {
            1 => State::Live,
            2 => State::Free,
            _ => State::Gap,
        }
    }

    /// Whether the block is allocated.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.state() == State::Live
    }

    /// Whether [`mark`](Self::mark) was called.
    pub fn is_marked(&self) -> bool {
        self.state & MARKED != 0
    }

    /// Marks the block. False if it was marked before.
    pub fn mark(&mut self) -> bool {
        let before = self.is_marked();
        self.state |= MARKED;
        !before
    }

    /// The [family](heddle_model::fault::family) of the function that allocated the block, if that is known.
    #[inline]
    pub fn family(&self) -> Option<u8> {
        ((self.state & FAMILY) >> FAMILY_SHIFT).checked_sub(1)
    }

    /// Sets the family of the function that allocated the block. Families are numbers below 7.
    #[inline]
    pub fn set_family(&mut self, family: Option<u8>) {
        self.state = self.state & !FAMILY | family.map_or(0, |family| family + 1) << FAMILY_SHIFT;
    }

    /// Sets the state and the word that goes with it. The family and the mark are forgotten.
    #[inline]
    pub(super) fn set(&mut self, state: State, word: usize) {
        self.state = state as u8;
        self.word = word;
    }
}
