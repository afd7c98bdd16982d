//! A deterministic heap: one arena for each thread, at fixed addresses.
//!
//! An address that an allocation returns depends only on what the same arena allocated and freed before. So it is the
//! same in every equivalent execution, and objects can be named by their addresses. For that, a block that is freed for
//! another arena is never used again: when it came back would depend on the schedule.
//!
//! * [`class`]: the sizes that blocks have.
//! * [`block`]: the header in front of a block.
//! * `arena`: how blocks are carved, kept in quarantine and reused.
//! * `validity`: which bytes the program may touch.
//!
//! Addresses are integers here: they belong to the program, and most of them come from it. The heap's memory must have its
//! provenance exposed.

mod arena;
pub mod block;
pub mod class;
mod validity;

#[cfg(test)]
mod tests;

use self::arena::FIRST_BLOCK;
use self::block::{HEADER, Header, State};
use self::class::GRAIN;
pub use self::validity::UNIT;

/// Where a heap lies, and who maps memory there.
///
/// # Safety
/// The ranges of the arenas and of the validity map belong to the heap alone. [`base`](Self::base) and [`validity`](Self::validity) never
/// change; both are multiples of 4096.
pub unsafe trait Ground {
    /// The address range of one arena in bytes, a power of two. Arena `n` is at `base + n * STRIDE`.
    const STRIDE: usize;

    /// The address of the first arena.
    fn base(&self) -> usize;

    /// The address of the map of the bytes that may be touched: a byte for each [`UNIT`] of the arenas.
    fn validity(&self) -> usize;

    /// Maps zeroed memory in one of the ranges, where nothing was mapped before. False if there is none.
    fn map(&mut self, address: usize, length: usize) -> bool;
}

/// The error that there is no memory: an arena's range is used up, the limit is reached, or the system refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

/// A block that was just allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocated {
    /// The address of its first byte.
    pub address: usize,
    /// Whether all its bytes are zero.
    pub is_zero: bool,
}

/// Why an address cannot be freed or resized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadAddress {
    /// The block there is free already.
    Free,
    /// A live block begins there, but its header was written over.
    Damaged,
    /// No block begins there.
    NoBlock,
}

/// A block, or memory between blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Where the block begins, after its header.
    pub block: usize,
    /// Live: the bytes that were asked for. Else the bytes that it can hold.
    pub size: usize,
    /// The state of the block.
    pub state: State,
}

impl Place {
    /// Whether `address` is in the block. A block of zero bytes counts as one byte long here.
    pub fn contains(&self, address: usize) -> bool {
        (self.block..self.block + self.size.max(1)).contains(&address)
    }
}

/// A heap of `ARENAS` arenas. The last one is the system's: it belongs to no thread.
pub struct Heap<G, const ARENAS: usize> {
    ground: G,
    /// How many bytes of each arena are mapped. Never less than before.
    mapped: [usize; ARENAS],
    /// One more than the highest thread's arena that was ever mapped.
    highest: usize,
}

impl<G: Ground, const ARENAS: usize> Heap<G, ARENAS> {
    /// The number of the system's arena.
    pub const SYSTEM: usize = ARENAS - 1;

    /// A heap with nothing in it.
    pub const fn new(ground: G) -> Heap<G, ARENAS> {
        Heap { ground, mapped: [0; ARENAS], highest: 0 }
    }

    /// Where arena `number` begins.
    #[inline]
    pub fn base_of(&self, number: usize) -> usize {
        self.ground.base() + number * G::STRIDE
    }

    /// Whether `address` is in the range of addresses of one of the arenas.
    #[inline(always)]
    pub fn in_range(&self, address: usize) -> bool {
        address.wrapping_sub(self.ground.base()) < ARENAS * G::STRIDE
    }

    /// The arena whose range `address` is in.
    #[inline]
    pub fn arena_of(&self, address: usize) -> Option<usize> {
        self.in_range(address).then(|| (address - self.ground.base()) / G::STRIDE)
    }

    /// Whether `size` bytes at `address` are mapped.
    ///
    /// # Safety
    /// `address` is in the heap's [range](Self::in_range).
    #[inline(always)]
    unsafe fn is_mapped(&self, address: usize, size: usize) -> bool {
        debug_assert!(self.in_range(address));
        let offset = address - self.ground.base();
        // SAFETY: the caller's: the quotient is below the number of arenas.
        let mapped = unsafe { *self.mapped.get_unchecked(offset / G::STRIDE) };
        (offset % G::STRIDE).saturating_add(size) <= mapped
    }

    /// Whether `address` is in memory that the heap has mapped.
    #[inline]
    pub fn was_used(&self, address: usize) -> bool {
        // SAFETY: it is in range.
        self.in_range(address) && unsafe { self.is_mapped(address, 1) }
    }

    /// The numbers of the arenas that exist.
    pub fn arenas(&self) -> impl Iterator<Item = usize> {
        (0..self.highest).chain(core::iter::once(Self::SYSTEM)).filter(|&number| self.mapped[number] != 0)
    }

    /// The bytes of arena `number`, from its base, that were ever used. All beyond is zero.
    pub fn extent(&self, number: usize) -> usize {
        self.arena(number).map_or(0, |arena| arena.extent)
    }

    /// The bytes that were taken from all arenas together.
    pub fn carved(&self) -> usize {
        self.arena(Self::SYSTEM).map_or(0, |system| system.carved)
    }

    /// A block of `size` bytes at a multiple of `align`, a power of two, from arena `number`. `limit`: the bytes that may be taken from all
    /// arenas together.
    pub fn allocate(&mut self, number: usize, size: usize, align: usize, limit: usize) -> Result<Allocated, Exhausted> {
        let roomy = class::with_margin(size);
        if roomy.saturating_add(align) > class::LARGEST {
            return Err(Exhausted);
        }
        let class = class::of(roomy);
        self.arena_or_new(number)?;
        if let Some(address) = self.reuse(number, class, align, size) {
            return Ok(Allocated { address, is_zero: false });
        }
        let cost = self.cost(number, class, align)?;
        let system = self.arena_or_new(Self::SYSTEM)?;
        if system.carved.saturating_add(cost) > limit {
            return Err(Exhausted);
        }
        system.carved += cost;
        self.carve(number, class, align, size).map(|address| Allocated { address, is_zero: true })
    }

    /// Whether `address` lies between an arena's beginning and what was ever used of it, so that there can be a header before it.
    fn may_be_block(&self, address: usize) -> bool {
        self.arena_of(address).is_some_and(|number| {
            let offset = address - self.base_of(number);
            offset >= FIRST_BLOCK + HEADER && offset < self.extent(number)
        })
    }

    /// The header of the live or free block at `address`, if there is one.
    #[inline]
    pub fn header(&mut self, address: usize) -> Option<&mut Header> {
        let possible = address.is_multiple_of(GRAIN) && self.may_be_block(address);
        // SAFETY: everything between an arena's beginning and its extent is mapped; one borrow at a time.
        if possible { unsafe { Header::of(address) } } else { None }
    }

    /// The live block at `address`, to be freed or resized.
    #[inline]
    pub fn find(&mut self, address: usize) -> Result<&mut Header, BadAddress> {
        let possible = address.is_multiple_of(GRAIN) && self.may_be_block(address);
        // SAFETY: everything between an arena's beginning and its extent is mapped; one borrow at a time.
        match if possible { unsafe { Header::of(address) } } else { None } {
            Some(header) if header.is_live() => Ok(header),
            Some(_) => Err(BadAddress::Free),
            // The map says that a block begins here, but there is no header: somebody wrote over that.
            None if possible && self.is_open(address) && !self.is_open(address - HEADER) => Err(BadAddress::Damaged),
            None => Err(BadAddress::NoBlock),
        }
    }

    /// Frees a live block for arena `by`. If that is the block's own, the block will be reused once `quarantine` bytes of blocks were
    /// freed after it; else never.
    pub fn release(&mut self, address: usize, by: usize, quarantine: usize) {
        let Some(header) = self.header(address) else { return };
        let (size, owner) = (header.word, header.owner as usize);
        header.set(State::Free, 0);
        self.close(address, size);
        if owner == by {
            self.keep(by, address, quarantine);
        }
    }

    /// Gives a live block another size that its class has room for.
    pub fn resize(&mut self, address: usize, size: usize) {
        let Some(header) = self.header(address) else { return };
        let before = core::mem::replace(&mut header.word, size);
        self.close(address, before);
        self.open(address, size);
    }

    /// Whether a block of `class` stays where it is if it is resized to `size` bytes.
    pub fn fits(class: usize, size: usize) -> bool {
        let roomy = class::with_margin(size);
        roomy <= class::LARGEST && class::of(roomy) == class
    }

    /// The blocks and gaps of arena `number`, in the order of addresses. Ends early at a header that was overwritten.
    pub fn places(&self, number: usize) -> impl Iterator<Item = Place> + use<G, ARENAS> {
        let (base, extent) = (self.base_of(number), self.extent(number));
        let (mut front, end) = (base + FIRST_BLOCK, base + extent);
        core::iter::from_fn(move || {
            if front >= end {
                return None;
            }
            let block = front + HEADER;
            // SAFETY: everything below the extent is mapped, and begins with a header.
            let header = unsafe { Header::of_any(block) }?;
            let (length, size) = match header.state() {
                State::Gap => (header.word, header.word),
                State::Free => (class::capacity(header.class as usize), class::capacity(header.class as usize)),
                State::Live => (class::capacity(header.class as usize), header.word),
            };
            front = block + length;
            Some(Place { block, size, state: header.state() })
        })
    }

    /// The block that an access to `address` was most likely meant for: the one that contains it, or the nearest. At equal distance it is
    /// the block before the address, because accesses past the end are more frequent than accesses before the start.
    pub fn nearest(&self, address: usize) -> Option<Place> {
        let mut before: Option<Place> = None;
        for place in self.places(self.arena_of(address)?).filter(|place| place.state != State::Gap) {
            if place.block <= address {
                before = Some(place);
                continue;
            }
            let past = before.map_or(usize::MAX, |before| address - (before.block + before.size).min(address));
            return if place.block - address < past { Some(place) } else { before };
        }
        before
    }

    /// The live block that contains `address`.
    pub fn block_containing(&mut self, address: usize) -> Option<usize> {
        if !self.may_be_block(address) {
            return None;
        }
        let mut start = address & !(UNIT - 1);
        if address == start && self.header(address).is_some_and(|header| header.is_live()) {
            // Also where no byte was asked for.
            return Some(address);
        }
        if !self.is_open(start) {
            return None;
        }
        while self.is_open(start - UNIT) {
            start -= UNIT;
        }
        self.header(start).filter(|header| header.is_live()).map(|_| start)
    }
}
