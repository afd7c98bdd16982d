//! The sixteen bytes in front of every block, by which `free` knows what it was given.
//!
//! The link of a free list is kept here, not in the block: a program that writes to a block after freeing it must not
//! be able to lead the allocator astray. What a program can still damage is the header, by writing in front of a
//! block or past the end of the one before; the mark depends on the address, so that is noticed.

/// In what state a block is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    /// The program has it.
    Live = 1,
    /// Freed.
    Free = 2,
    /// Lost between two blocks, for the alignment of the second. Not a block of the program's.
    Gap = 3,
}

/// See the module.
#[repr(C)]
pub struct Header {
    /// Live: the bytes that were asked for. Free: the next free block of the class, or 0. Gap: the bytes after this.
    pub word: usize,
    mark: u32,
    /// The owner: an arena's number.
    pub owner: u16,
    /// The size class.
    pub class: u8,
    /// A [`State`] in the lower four bits; the family and one in the next three; [`MARKED`].
    state: u8,
}

/// Bytes of a header.
pub const HEADER: usize = size_of::<Header>();

/// In the state: reached by who looks for lost blocks.
const MARKED: u8 = 0x80;
/// In the state: which function it was allocated by.
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
    pub unsafe fn write(address: usize, word: usize, owner: u16, class: usize, state: State) {
        let header = Header { word, mark: mark_of(address), owner, class: class as u8, state: state as u8 };
        // SAFETY: the caller's.
        unsafe { ((address - HEADER) as *mut Header).write(header) }
    }

    /// The header of the block at `address`, if there is one.
    ///
    /// # Safety
    /// The sixteen bytes before `address` are readable.
    #[inline]
    pub unsafe fn of<'a>(address: usize) -> Option<&'a mut Header> {
        // SAFETY: the caller's.
        unsafe { Header::any(address) }.filter(|header| header.state() != State::Gap)
    }

    /// The same, where it may also be a gap.
    ///
    /// # Safety
    /// As above.
    #[inline]
    pub unsafe fn any<'a>(address: usize) -> Option<&'a mut Header> {
        // SAFETY: the caller's; headers are never handed out to the program.
        let header = unsafe { &mut *((address - HEADER) as *mut Header) };
        let sound = header.mark == mark_of(address) && matches!(header.state & STATE, 1..=3);
        sound.then_some(header)
    }

    /// In what state it is.
    #[inline]
    pub fn state(&self) -> State {
        match self.state & STATE {
            1 => State::Live,
            2 => State::Free,
            _ => State::Gap,
        }
    }

    /// Whether the program has it.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.state() == State::Live
    }

    /// Whether [`mark`](Self::mark) was called.
    pub fn is_marked(&self) -> bool {
        self.state & MARKED != 0
    }

    /// Marks it. False if it was marked before.
    pub fn mark(&mut self) -> bool {
        let before = self.is_marked();
        self.state |= MARKED;
        !before
    }

    /// The [family](heddle_model::fault::family) of the function that it was allocated by, if that is known.
    #[inline]
    pub fn family(&self) -> Option<u8> {
        ((self.state & FAMILY) >> FAMILY_SHIFT).checked_sub(1)
    }

    /// Sets that.
    #[inline]
    pub fn set_family(&mut self, family: Option<u8>) {
        self.state = self.state & !FAMILY | family.map_or(0, |family| family + 1) << FAMILY_SHIFT;
    }

    /// Sets the state and what goes with it. By whom it was allocated is forgotten.
    #[inline]
    pub fn set(&mut self, state: State, word: usize) {
        self.state = state as u8;
        self.word = word;
    }
}
