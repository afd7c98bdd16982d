//! What threads have done to whole ranges of memory: unmapped them, changed what is allowed there, thrown their contents away.
//!
//! Such a range may be as large as all memory, and most of it is never accessed. So it is kept as a range, and an access
//! that comes later is compared with it. What was accessed before is in the shadow memory.

use heddle_model::ThreadId;
use heddle_model::race::Access;

use crate::happens_before::HappensBefore;
use crate::lend::{Lender, Zero};
use crate::shadow::Found;

/// How many ranges are kept. The oldest ones are dropped if there are more.
const MOST: usize = 1 << 12;

/// One range, and what was done to it.
#[derive(Clone, Copy, Default)]
struct Range {
    /// The first address.
    low: usize,
    /// One past the last address.
    high: usize,
    how: Access,
    thread: ThreadId,
    time: u32,
    pc: u64,
}

// SAFETY: zeroes are an empty range.
unsafe impl Zero for Range {}

/// The ranges of an execution.
pub struct Ranges<'m> {
    list: &'m mut [Range],
    count: usize,
    /// The lowest address of all ranges, and one past the highest.
    around: (usize, usize),
}

impl<'m> Ranges<'m> {
    /// No ranges.
    pub fn new(lender: &mut impl Lender<'m>) -> Ranges<'m> {
        Ranges { list: lender.lend(MOST), count: 0, around: (usize::MAX, 0) }
    }

    /// Begins an execution.
    pub fn reset(&mut self) {
        self.count = 0;
        self.around = (usize::MAX, 0);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether an access may be in one of the ranges.
    #[inline(always)]
    pub fn may_touch(&self, address: usize, size: usize) -> bool {
        address < self.around.1 && self.around.0 < address + size
    }

    /// Keeps what the thread `by` does to the range at its time.
    pub fn push(&mut self, (address, size): (usize, usize), how: Access, (thread, time): (ThreadId, u32), pc: u64) {
        if self.count == MOST {
            self.list.copy_within(1.., 0);
            self.count -= 1;
        }
        let range = Range { low: address, high: address + size, how, thread, time, pc };
        self.list[self.count] = range;
        self.count += 1;
        self.around = (self.around.0.min(range.low), self.around.1.max(range.high));
    }

    /// Other memory is at these addresses now: what was done to the old one is forgotten.
    pub fn forget(&mut self, (address, size): (usize, usize)) {
        let (low, high) = (address, address + size);
        let mut at = 0;
        while at < self.count {
            let range = self.list[at];
            if range.high <= low || high <= range.low {
                at += 1;
                continue;
            }
            // What is left of it, before and behind.
            self.list.copy_within(at + 1..self.count, at);
            self.count -= 1;
            for (low, high) in [(range.low, low), (high, range.high)] {
                if low < high && self.count < MOST {
                    self.list.copy_within(at..self.count, at + 1);
                    self.list[at] = Range { low, high, ..range };
                    self.count += 1;
                    at += 1;
                }
            }
        }
        let kept = &self.list[..self.count];
        self.around =
            kept.iter().fold((usize::MAX, 0), |(low, high), range| (low.min(range.low), high.max(range.high)));
    }

    /// Calls `races` with the last thing that was done to a range that the access of the running thread is in, if the two race.
    #[cold]
    #[inline(never)]
    pub fn access(&self, address: usize, size: usize, how: Access, order: &HappensBefore<'_>, races: impl Fn(&Found)) {
        let (current, _) = order.now();
        let covers = |range: &&Range| range.low < address + size && address < range.high;
        for range in self.list[..self.count].iter().rev().filter(covers) {
            // SAFETY: who is in the list has run in this execution.
            let known = range.thread == current || unsafe { order.knows(range.thread, range.time) };
            if !known && range.how.conflicts_with(how) {
                races(&Found { time: range.time, thread: range.thread, how: range.how, pc: range.pc });
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    use crate::testing::Owner;

    fn kept(ranges: &Ranges<'_>) -> Vec<(usize, usize)> {
        ranges.list[..ranges.count].iter().map(|range| (range.low, range.high)).collect()
    }

    #[test]
    fn new_memory_makes_holes_in_ranges() {
        let owner = Owner::default();
        let mut ranges = Ranges::new(&mut &owner);
        ranges.push((0x1000, 0x3000), Access::FREEING, (ThreadId(1), 1), 0);
        ranges.push((0x9000, 0x1000), Access::FREEING, (ThreadId(1), 1), 0);
        assert!(ranges.may_touch(0x3ff8, 8) && ranges.may_touch(0x4000, 8), "only the ends are known at once");
        ranges.forget((0x2000, 0x1000));
        assert_eq!(kept(&ranges), [(0x1000, 0x2000), (0x3000, 0x4000), (0x9000, 0xa000)]);
        ranges.forget((0x1000, 0x1800));
        assert_eq!(kept(&ranges), [(0x3000, 0x4000), (0x9000, 0xa000)]);
        ranges.forget((0x3800, 0x8000));
        assert_eq!(kept(&ranges), [(0x3000, 0x3800)]);
        assert!(ranges.may_touch(0x37ff, 1) && !ranges.may_touch(0x3800, 8));
        ranges.forget((0, 1 << 40));
        assert!(kept(&ranges).is_empty() && !ranges.may_touch(0x3000, 8));
    }

    #[test]
    fn the_oldest_are_dropped() {
        let owner = Owner::default();
        let mut ranges = Ranges::new(&mut &owner);
        for number in 0..MOST + 2 {
            ranges.push((number << 12, 8), Access::FREEING, (ThreadId(0), 1), 0);
        }
        assert_eq!(ranges.count, MOST);
        assert_eq!(kept(&ranges)[0].0, 2 << 12);
    }
}
