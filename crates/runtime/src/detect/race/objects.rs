//! What objects know: a clock for each thing that threads meet at.
//!
//! An object is a byte: of memory, or of the space of names that the model's footprints have beside it. Neighbours order
//! nothing. Nearly always the same bytes are touched together, so those of one granule of eight share a clock for as long as
//! they are, and an access takes one look into the table. All that is forgotten between two executions by counting them.

use crate::addresses::Reserve;

/// The clocks of the bytes of one granule.
#[derive(Clone, Copy)]
struct Entry {
    granule: u64,
    generation: u32,
    /// If all bytes that have a clock have one, those bytes; else 0.
    together: u8,
    /// Which clock each byte has; 0 is the one that knows nothing.
    clocks: [u32; 8],
}

impl Entry {
    /// The clock of exactly these bytes, if they have one together.
    #[inline]
    fn of(&self, bytes: u8) -> Option<u32> {
        (self.together == bytes).then(|| self.clocks[bytes.trailing_zeros() as usize & 7])
    }
}

/// Room for granules, in all executions' lifetimes; a power of two.
const ENTRIES: usize = 1 << 18;
/// Room for the words of all clocks.
const WORDS: usize = 1 << 28;

static mut ENTRIES_OF: &mut [Entry] = &mut [];
static mut CLOCKS: &mut [u32] = &mut [];
/// Words of a clock in this execution.
static mut WIDTH: usize = 0;
/// Granules in this execution.
static mut GRANULES: usize = 0;
/// Clocks in this execution, with the one that knows nothing.
static mut USED: usize = 0;
static mut GENERATION: u32 = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        ENTRIES_OF = reserve.take(ENTRIES);
        CLOCKS = reserve.take(WORDS);
    }
}

/// An execution begins, with clocks of `width` words.
pub fn reset(width: usize) {
    // SAFETY: one kernel thread.
    unsafe {
        WIDTH = width;
        USED = 1;
        GRANULES = 0;
        GENERATION = GENERATION.wrapping_add(1);
        if GENERATION == 0 {
            ENTRIES_OF.fill(Entry { granule: 0, generation: 0, together: 0, clocks: [0; 8] });
            GENERATION = 1;
        }
    }
}

/// Everything that `other` knows, `clock` knows.
#[inline]
pub fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Calls `each` with the granules of `size` bytes from `start` on, and the bytes in each of them.
#[inline]
pub fn granules(start: u64, size: u64, mut each: impl FnMut(u64, u8)) {
    let (mut at, end) = (start, start + size.max(1));
    while at < end {
        let (offset, length) = (at & 7, (8 - (at & 7)).min(end - at));
        each(at >> 3, (((1u32 << length) - 1) << offset) as u8);
        at += length;
    }
}

/// Where the entry of `granule` is, or would be.
#[inline]
fn position(granule: u64) -> usize {
    let mut at = (granule.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (ENTRIES - 1);
    // SAFETY: one kernel thread.
    unsafe {
        while ENTRIES_OF[at].generation == GENERATION && ENTRIES_OF[at].granule != granule {
            at = (at + 1) & (ENTRIES - 1);
        }
    }
    at
}

fn clock(index: u32) -> &'static mut [u32] {
    // SAFETY: one kernel thread; callers use one clock of an object at a time, or two different ones.
    unsafe { &mut CLOCKS[index as usize * WIDTH..(index as usize + 1) * WIDTH] }
}

/// `into` learns what `bytes` of `granule` know.
#[inline]
pub fn learn(granule: u64, bytes: u8, into: &mut [u32]) {
    // SAFETY: one kernel thread.
    let (entry, generation) = unsafe { (&ENTRIES_OF[position(granule)], GENERATION) };
    if entry.generation == generation {
        match entry.of(bytes) {
            Some(index) => join(into, clock(index)),
            None => learn_from_several(entry, bytes, into),
        }
    }
}

#[cold]
fn learn_from_several(entry: &Entry, bytes: u8, into: &mut [u32]) {
    let mut last = 0;
    for (byte, &index) in entry.clocks.iter().enumerate() {
        if bytes & 1 << byte != 0 && index != last {
            last = index;
            if index != 0 {
                join(into, clock(index));
            }
        }
    }
}

/// The clock of `bytes` of `granule`, which no other byte has from now on. It knows what any of them knew.
#[inline]
pub fn own(granule: u64, bytes: u8) -> &'static mut [u32] {
    // SAFETY: one kernel thread.
    let (entry, generation) = unsafe { (&mut ENTRIES_OF[position(granule)], GENERATION) };
    match entry.of(bytes) {
        Some(index) if entry.generation == generation => clock(index),
        _ => own_anew(entry, granule, bytes),
    }
}

/// `bytes` of `granule` and `clock` learn all that either knows.
#[inline]
pub fn exchange(granule: u64, bytes: u8, clock: &mut [u32]) {
    for (mine, theirs) in clock.iter_mut().zip(own(granule, bytes)) {
        let both = (*mine).max(*theirs);
        (*mine, *theirs) = (both, both);
    }
}

/// [`own`] where the bytes have no clock of their own yet.
#[cold]
fn own_anew(entry: &mut Entry, granule: u64, bytes: u8) -> &'static mut [u32] {
    // SAFETY: one kernel thread.
    let generation = unsafe { GENERATION };
    if entry.generation != generation {
        // SAFETY: as above.
        unsafe { GRANULES += 1 };
        *entry = Entry { granule, generation, together: 0, clocks: [0; 8] };
    }
    let with = |entry: &Entry, index: u32| -> u8 {
        entry.clocks.iter().enumerate().fold(0, |all, (byte, &clock)| all | u8::from(clock == index) << byte)
    };
    let first = entry.clocks[bytes.trailing_zeros() as usize & 7];
    if first != 0 && with(entry, first) == bytes {
        return clock(first);
    }
    // SAFETY: one kernel thread.
    let new = unsafe {
        if GRANULES > ENTRIES / 4 * 3 || (USED + 1) * WIDTH > WORDS {
            crate::schedule::stop(heddle_model::Outcome::Capacity(heddle_model::Capacity::Atomics), 0, b"");
        }
        USED += 1;
        USED as u32 - 1
    };
    let fresh = clock(new);
    fresh.fill(0);
    for (_, index) in entry.clocks.iter_mut().enumerate().filter(|(byte, _)| bytes & 1 << byte != 0) {
        if *index != 0 {
            join(fresh, clock(*index));
        }
        *index = new;
    }
    entry.together = if with(entry, 0) == !bytes { bytes } else { 0 };
    fresh
}
