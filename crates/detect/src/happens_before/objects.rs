//! The vector clocks of objects: what a thread that synchronises with the object learns.
//!
//! An object is a byte of memory, or of the separate space of names in the model's footprints. Different bytes do not synchronise with
//! each other. Nearly always the same bytes are accessed together, so bytes of one granule of eight share a clock as long as that is
//! so, and an access costs one lookup in a hash table. Executions are numbered, and entries of an earlier one count as empty.

use super::clock::join;
use crate::lend::{Full, Lender, Zero};

/// The clocks of the bytes of one granule.
#[derive(Clone, Copy)]
struct Entry {
    granule: u64,
    execution: u32,
    /// The bytes that have a clock, if they all have the same one; else 0.
    together: u8,
    /// The clock of each byte. Clock 0 knows nothing.
    clocks: [u32; 8],
}

// SAFETY: numbers.
unsafe impl Zero for Entry {}

impl Entry {
    /// The clock of exactly these bytes, if they share one with no other byte.
    #[inline]
    fn shared_by(&self, bytes: u8) -> Option<u32> {
        (self.together == bytes).then(|| self.clocks[bytes.trailing_zeros() as usize & 7])
    }

    /// The bytes that have this clock.
    fn bytes_with(&self, index: u32) -> u8 {
        self.clocks.iter().enumerate().fold(0, |all, (byte, &clock)| all | u8::from(clock == index) << byte)
    }
}

/// How many objects and clocks an execution can have.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// Room for granules; a power of two. Three quarters of it can be used.
    pub granules: usize,
    /// Room for the words of all clocks.
    pub words: usize,
}

/// The vector clocks of all objects of an execution.
pub struct Objects<'m> {
    entries: &'m mut [Entry],
    /// Where the granules of this execution are among the entries, in the order in which they came.
    list: &'m mut [u32],
    clocks: &'m mut [u32],
    /// Words of a clock in this execution.
    width: usize,
    /// Granules in this execution.
    granules: usize,
    /// Clocks in this execution, including the one that knows nothing.
    used: usize,
    execution: u32,
}

/// Calls `each` with every granule that `size` bytes from `start` touch, and with a bit for each touched byte of it.
#[inline]
pub fn granules(start: u64, size: u64, mut each: impl FnMut(u64, u8)) {
    let (mut at, end) = (start, start + size.max(1));
    while at < end {
        let (offset, length) = (at & 7, (8 - (at & 7)).min(end - at));
        each(at >> 3, (((1u32 << length) - 1) << offset) as u8);
        at += length;
    }
}

impl<'m> Objects<'m> {
    /// No objects, in an execution with no threads: [`reset`](Self::reset) comes first.
    pub fn new(lender: &mut impl Lender<'m>, capacity: Capacity) -> Objects<'m> {
        assert!(capacity.granules.is_power_of_two());
        Objects {
            entries: lender.lend(capacity.granules),
            list: lender.lend(capacity.granules),
            clocks: lender.lend(capacity.words),
            width: 0,
            granules: 0,
            used: 1,
            execution: 0,
        }
    }

    /// Forgets all objects. Clocks have `width` words from now on.
    pub fn reset(&mut self, width: usize) {
        self.width = width;
        self.used = 1;
        self.granules = 0;
        self.execution = self.execution.wrapping_add(1);
        if self.execution == 0 {
            self.entries.fill(Entry { granule: 0, execution: 0, together: 0, clocks: [0; 8] });
            self.execution = 1;
        }
    }

    /// Where the entry of `granule` is, or would be.
    #[inline]
    fn position(&self, granule: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = (granule.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        while self.entries[at].execution == self.execution && self.entries[at].granule != granule {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn clock(&self, index: u32) -> &[u32] {
        &self.clocks[index as usize * self.width..(index as usize + 1) * self.width]
    }

    #[inline]
    fn clock_mut(&mut self, index: u32) -> &mut [u32] {
        &mut self.clocks[index as usize * self.width..(index as usize + 1) * self.width]
    }

    /// Adds what `bytes` of `granule` know to the clock `into`.
    #[inline]
    pub fn learn(&self, granule: u64, bytes: u8, into: &mut [u32]) {
        let entry = &self.entries[self.position(granule)];
        if entry.execution == self.execution {
            match entry.shared_by(bytes) {
                Some(index) => join(into, self.clock(index)),
                None => self.learn_from_several(entry, bytes, into),
            }
        }
    }

    #[cold]
    fn learn_from_several(&self, entry: &Entry, bytes: u8, into: &mut [u32]) {
        let mut last = 0;
        for (byte, &index) in entry.clocks.iter().enumerate() {
            if bytes & 1 << byte != 0 && index != last {
                last = index;
                if index != 0 {
                    join(into, self.clock(index));
                }
            }
        }
    }

    /// Gives `bytes` of `granule` a clock that no other byte shares, and returns it. It knows what any of them knew.
    #[inline]
    pub fn own(&mut self, granule: u64, bytes: u8) -> Result<&mut [u32], Full> {
        let at = self.position(granule);
        let entry = &self.entries[at];
        let index = match entry.shared_by(bytes) {
            Some(index) if entry.execution == self.execution => index,
            _ => self.own_anew(at, granule, bytes)?,
        };
        Ok(self.clock_mut(index))
    }

    /// Adds what `clock` knows to what `bytes` of `granule` know.
    #[inline]
    pub fn teach(&mut self, granule: u64, bytes: u8, clock: &[u32]) -> Result<(), Full> {
        join(self.own(granule, bytes)?, clock);
        Ok(())
    }

    /// Makes both `bytes` of `granule` and `clock` know all that either knows.
    #[inline]
    pub fn exchange(&mut self, granule: u64, bytes: u8, clock: &mut [u32]) -> Result<(), Full> {
        for (mine, theirs) in clock.iter_mut().zip(self.own(granule, bytes)?) {
            let both = (*mine).max(*theirs);
            (*mine, *theirs) = (both, both);
        }
        Ok(())
    }

    /// [`own`](Self::own) where the bytes have no clock of their own yet. Returns its index.
    #[cold]
    fn own_anew(&mut self, at: usize, granule: u64, bytes: u8) -> Result<u32, Full> {
        let is_new = self.entries[at].execution != self.execution;
        if !is_new {
            let entry = &self.entries[at];
            let first = entry.clocks[bytes.trailing_zeros() as usize & 7];
            if first != 0 && entry.bytes_with(first) == bytes {
                return Ok(first);
            }
        }
        let granules = self.granules + usize::from(is_new);
        if granules > self.entries.len() / 4 * 3 || (self.used + 1) * self.width > self.clocks.len() {
            return Err(Full);
        }
        if is_new {
            self.list[self.granules] = at as u32;
        }
        self.granules = granules;
        let new = self.used as u32;
        self.used += 1;
        let entry = &mut self.entries[at];
        if is_new {
            *entry = Entry { granule, execution: self.execution, together: 0, clocks: [0; 8] };
        }
        let (older, newer) = self.clocks.split_at_mut(new as usize * self.width);
        let fresh = &mut newer[..self.width];
        fresh.fill(0);
        for (_, index) in entry.clocks.iter_mut().enumerate().filter(|(byte, _)| bytes & 1 << byte != 0) {
            if *index != 0 && *index != new {
                join(fresh, &older[*index as usize * self.width..][..self.width]);
            }
            *index = new;
        }
        entry.together = if entry.bytes_with(0) == !bytes { bytes } else { 0 };
        Ok(new)
    }

    /// Calls `each` with the name of every object that knows what `thread` did at its time `time`: its granule, and its first byte there.
    pub fn each_knowing(&self, thread: usize, time: u32, mut each: impl FnMut(u64, usize)) {
        for &at in &self.list[..self.granules] {
            let entry = &self.entries[at as usize];
            for (byte, &index) in entry.clocks.iter().enumerate() {
                if index != 0 && time <= self.clocks[index as usize * self.width + thread] {
                    each(entry.granule, byte);
                }
            }
        }
    }

    /// Pretends that this many executions were run, for tests of the count's overflow.
    #[cfg(test)]
    pub(super) fn set_execution(&mut self, execution: u32) {
        self.execution = execution;
    }
}
