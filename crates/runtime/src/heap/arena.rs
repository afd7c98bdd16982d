//! One thread's part of the heap.
//!
//! Blocks are carved from the front. A freed block waits in a queue, the quarantine, so that who still uses it is found
//! out; when there are enough of younger ones it is kept by its size class, last in, first out, for reuse. Only what the
//! thread itself freed decides when, so addresses stay its own doing. All of the allocator's
//! state is in the arena itself, at its beginning, so that memory put back to an earlier state is a heap in that
//! state. How much of the address range is mapped is the exception: a mapping outlives a restoration, so that is kept
//! in the runtime's own memory.

use super::block::{HEADER, Header, State};
use super::class::{self, CLASSES, GRAIN};
use super::valid;
use crate::sys;

/// Where the arenas are: arena `n` is at `BASE + n * STRIDE`.
pub const BASE: usize = heddle_model::wire::HEAPS as usize;
/// The address range of one arena.
pub const STRIDE: usize = heddle_model::wire::HEAP_STRIDE as usize;
/// How many arenas there can be: one for each thread, and the last for the system.
pub const ARENAS: usize = 4096;
/// The arena of everything that is allocated outside executions, or for no thread of the program's.
pub const SYSTEM: usize = ARENAS - 1;

const FIRST_STEP: usize = 256 << 10;
const LARGEST_STEP: usize = 64 << 20;
/// Mappings grow by this at least: so much heap has a whole page of [`valid`]'s map.
const PAGE: usize = 4096 * valid::UNIT;
/// How many free blocks an aligned request looks at before it takes fresh memory.
const ALIGNED_TRIES: usize = 16;

/// How many bytes of each arena are mapped. The same or more after a restoration.
static mut MAPPED: [usize; ARENAS] = [0; ARENAS];
/// One past the highest arena below [`SYSTEM`] that was ever mapped.
static mut HIGHEST: usize = 0;

/// The beginning of an arena.
#[repr(C)]
pub struct Arena {
    /// Bytes from the arena's base that were ever used. All beyond is zero.
    pub extent: usize,
    /// Bytes carved in all arenas together; counted in [`SYSTEM`]'s only.
    pub carved: usize,
    /// The oldest and the youngest block in quarantine, or 0.
    oldest: usize,
    youngest: usize,
    /// The bytes of all of them.
    waiting: usize,
    free: [usize; CLASSES],
}

const FIRST_BLOCK: usize = size_of::<Arena>().next_multiple_of(64);

/// Why there is no block.
pub enum Refusal {
    /// The arena is full, or the kernel gives no memory.
    Exhausted,
}

/// Where an arena begins.
#[inline]
pub const fn base(arena: usize) -> usize {
    BASE + arena * STRIDE
}

/// The arena that `address` would be in.
#[inline]
pub const fn containing(address: usize) -> Option<usize> {
    let arena = address.wrapping_sub(BASE) / STRIDE;
    if arena < ARENAS { Some(arena) } else { None }
}

/// Whether `size` bytes at `address`, which is in some arena's range, are mapped.
#[inline(always)]
pub fn is_mapped(address: usize, size: usize) -> bool {
    let offset = address - BASE;
    // SAFETY: the caller says that it is in range; reads a number.
    let mapped = unsafe { *(&raw const MAPPED).cast::<usize>().add(offset / STRIDE) };
    (offset % STRIDE).saturating_add(size) <= mapped
}

/// The arena, if anything was ever allocated in it.
#[inline]
pub fn existing<'a>(arena: usize) -> Option<&'a mut Arena> {
    // SAFETY: mapped arenas begin with a header; one thread at a time is in the heap.
    unsafe { (MAPPED[arena] != 0).then(|| &mut *(base(arena) as *mut Arena)) }
}

/// The numbers of the arenas that exist.
pub fn all() -> impl Iterator<Item = usize> {
    // SAFETY: reads a counter.
    let threads = unsafe { HIGHEST };
    (0..threads).chain(core::iter::once(SYSTEM)).filter(|&arena| existing(arena).is_some())
}

/// The arena, made if it does not exist.
#[inline]
pub fn get<'a>(arena: usize) -> Result<&'a mut Arena, Refusal> {
    match existing(arena) {
        // An execution that was taken back may have left the mapping of an arena that had no content before it.
        Some(found) if found.extent != 0 => Ok(found),
        _ => create(arena),
    }
}

#[cold]
fn create<'a>(arena: usize) -> Result<&'a mut Arena, Refusal> {
    ensure_mapped(arena, FIRST_BLOCK)?;
    let made = existing(arena).ok_or(Refusal::Exhausted)?;
    made.extent = FIRST_BLOCK;
    Ok(made)
}

/// Maps the arena's first `bytes` bytes, in growing steps so that a growing heap costs few system calls, and a small
/// one little memory in the kernel's tables.
fn ensure_mapped(arena: usize, bytes: usize) -> Result<(), Refusal> {
    // SAFETY: maps inside the range that is reserved for this arena, beyond what is mapped already.
    unsafe {
        let mapped = MAPPED[arena];
        if bytes <= mapped {
            return Ok(());
        }
        let step = mapped.clamp(FIRST_STEP, LARGEST_STEP).max(bytes - mapped).next_multiple_of(PAGE);
        let step = step.min(STRIDE - mapped);
        let address = base(arena) + mapped;
        if step < bytes - mapped || !map(address, step) || !map(valid::entry(address), step / valid::UNIT) {
            return Err(Refusal::Exhausted);
        }
        MAPPED[arena] = mapped + step;
        if arena != SYSTEM {
            HIGHEST = HIGHEST.max(arena + 1);
        }
    }
    Ok(())
}

/// Maps zeroed memory that costs nothing until it is touched. In small pages: a forked child copies what it changes.
fn map(address: usize, length: usize) -> bool {
    let (protection, kind) =
        (sys::PROT_READ | sys::PROT_WRITE, sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_FIXED | sys::MAP_NORESERVE);
    // SAFETY: the range is reserved for this arena and nothing of it was mapped before.
    unsafe {
        let result = sys::syscall6(sys::MMAP, address, length, protection, kind, usize::MAX, 0);
        // Only advice: kernels without huge pages refuse it.
        sys::syscall3(sys::MADVISE, address, length, sys::MADV_NOHUGEPAGE);
        result == address as isize
    }
}

impl Arena {
    fn number(&self) -> usize {
        (core::ptr::from_ref(self) as usize - BASE) / STRIDE
    }

    /// A freed block of `class`, if there is one at a multiple of `align`. It may hold anything.
    #[inline]
    pub fn reuse(&mut self, class: usize, align: usize, size: usize) -> Option<usize> {
        let mut link = &raw mut self.free[class];
        for _ in 0..ALIGNED_TRIES {
            // SAFETY: `link` is the list's head or the link in a header that was checked.
            let address = unsafe { *link };
            if address == 0 {
                return None;
            }
            // SAFETY: lists hold blocks of this arena only, and a header's damage is noticed below.
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
                valid::open(address, size);
                return Some(address);
            }
            link = &raw mut header.word;
        }
        None
    }

    /// The bytes that [`carve`](Self::carve) would take.
    pub fn cost(&self, class: usize, align: usize) -> usize {
        self.place(align) + class::capacity(class) - (core::ptr::from_ref(self) as usize + self.extent)
    }

    fn place(&self, align: usize) -> usize {
        (core::ptr::from_ref(self) as usize + self.extent + HEADER).next_multiple_of(align.max(GRAIN))
    }

    /// A fresh block of `class` at a multiple of `align`, all zero.
    #[inline]
    pub fn carve(&mut self, class: usize, align: usize, size: usize) -> Result<usize, Refusal> {
        let start = core::ptr::from_ref(self) as usize;
        let (front, address) = (start + self.extent, self.place(align));
        let extent = address + class::capacity(class) - start;
        let number = self.number();
        ensure_mapped(number, extent)?;
        self.extent = extent;
        let gap = address - HEADER - front;
        // SAFETY: all of this was beyond the extent, is mapped, and is ours.
        unsafe {
            if gap != 0 {
                Header::write(front + HEADER, gap - HEADER, number as u16, 0, State::Gap);
            }
            Header::write(address, size, number as u16, class, State::Live);
        }
        valid::open(address, size);
        Ok(address)
    }

    /// Keeps a block of this arena for reuse, once there are `quarantine` bytes of blocks that were freed later.
    #[inline]
    pub fn keep(&mut self, header: &mut Header, address: usize, quarantine: usize) {
        let capacity = class::capacity(header.class as usize);
        if capacity > quarantine {
            return self.reusable(header, address);
        }
        header.set(State::Free, 0);
        // SAFETY: the youngest is a block of this arena; if its header is damaged, the queue is given up.
        match unsafe { (self.youngest != 0).then(|| Header::of(self.youngest)).flatten() } {
            Some(before) => before.word = address,
            None => (self.oldest, self.waiting) = (address, 0),
        }
        self.youngest = address;
        self.waiting += capacity;
        while self.waiting > quarantine {
            let address = self.oldest;
            // SAFETY: as above.
            let Some(header) = (unsafe { Header::of(address) }).filter(|header| !header.is_live()) else {
                (self.oldest, self.youngest, self.waiting) = (0, 0, 0);
                return;
            };
            self.oldest = header.word;
            self.waiting -= class::capacity(header.class as usize);
            self.reusable(header, address);
        }
    }

    fn reusable(&mut self, header: &mut Header, address: usize) {
        let head = &mut self.free[header.class as usize];
        header.set(State::Free, *head);
        *head = address;
    }
}

/// A block, or memory between blocks.
pub struct Place {
    /// Where the block begins, after its header.
    pub block: usize,
    /// Live: the bytes that were asked for. Else those that it can hold.
    pub size: usize,
    /// In what state it is.
    pub state: State,
}

/// All that `arena` was divided into, in the order of addresses. Ends early where a header was overwritten.
pub fn places(arena: usize) -> impl Iterator<Item = Place> {
    let end = existing(arena).map_or(0, |found| base(arena) + found.extent);
    let mut front = base(arena) + FIRST_BLOCK;
    core::iter::from_fn(move || {
        if front >= end {
            return None;
        }
        let block = front + HEADER;
        // SAFETY: everything below the extent is mapped, and begins with a header.
        let header = unsafe { Header::any(block) }?;
        let (length, size) = match header.state() {
            State::Gap => (header.word, header.word),
            State::Free => (class::capacity(header.class as usize), class::capacity(header.class as usize)),
            State::Live => (class::capacity(header.class as usize), header.word),
        };
        front = block + length;
        Some(Place { block, size, state: header.state() })
    })
}
