//! Plain memory that a thread touches between two of its operations. It is no operation, so it is told beside the events.

use crate::wire::{STACK_STRIDE, STACKS};
use crate::{Access, Mode, ObjectId, ThreadId};

/// Something that a thread did with plain memory, or something that cannot be said so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct PlainTouch {
    /// Its first byte, and their number.
    pub first: u64,
    /// How many bytes are touched.
    pub size: u32,
    /// How many events came before it in the execution. The last of them is one of the thread that touches the memory; before the first
    /// one it is the main thread.
    pub events: u32,
    /// What is done: bits of the constants of this type.
    pub how: u32,
    /// Padding, always zero.
    pub reserved: u32,
}

impl PlainTouch {
    /// It is written to.
    pub const WRITES: u32 = 1;
    /// A library touches it in one piece: such touches do not race with each other.
    pub const ATOMIC: u32 = 2;
    /// No memory is named: since its last decision the thread has changed something that was not told.
    pub const UNSEEN: u32 = 4;
    /// No memory is named: whatever is told of this execution is not enough. There was no room, or a thread has used another one's stack, whose
    /// life depends on more than locks.
    pub const EVERYTHING: u32 = 8;

    /// The most bytes that are told in one piece. What is larger counts as everything.
    pub const LARGEST: u32 = 1 << 16;

    /// All of it as words.
    #[inline]
    pub const fn to_words(&self) -> [u64; 3] {
        [self.first, self.size as u64 | (self.events as u64) << 32, self.how as u64]
    }

    /// Whether a bit of [`how`](Self::how) is set.
    pub const fn is(&self, bit: u32) -> bool {
        self.how & bit != 0
    }

    /// Whether it names memory.
    pub const fn is_memory(&self) -> bool {
        !self.is(PlainTouch::UNSEEN | PlainTouch::EVERYTHING)
    }

    /// Whether it makes sense after so many events, whoever has written it.
    pub const fn is_sensible(&self, events: u32) -> bool {
        let fits = self.size <= PlainTouch::LARGEST && self.first <= u64::MAX - PlainTouch::LARGEST as u64;
        self.events <= events && (!self.is_memory() || fits && self.size > 0)
    }

    /// As an access to an object.
    pub const fn access(&self) -> Access {
        let mode = if self.is(PlainTouch::WRITES) { Mode::Write } else { Mode::Read };
        Access { object: ObjectId(self.first), size: self.size, mode }
    }

    /// Whether it is on the stack of `thread`.
    pub const fn is_on_stack_of(&self, thread: ThreadId) -> bool {
        self.first >= STACKS && (self.first - STACKS) / STACK_STRIDE == thread.0 as u64
    }

    /// Adds `other`, if the two are one piece of memory that is touched in one way. Returns whether they are.
    pub fn merge(&mut self, other: &PlainTouch) -> bool {
        let (end, others) = (self.first + self.size as u64, other.first + other.size as u64);
        let is_same = self.events == other.events && self.is_memory() && other.is_memory();
        if is_same && self.how | PlainTouch::WRITES == other.how | PlainTouch::WRITES {
            if self.first <= other.first && others <= end && self.how | other.how == self.how {
                return true;
            }
            let (low, high) = (self.first.min(other.first), end.max(others));
            let adjoins = self.first <= others && other.first <= end && high - low <= PlainTouch::LARGEST as u64;
            if adjoins && self.how == other.how {
                (self.first, self.size) = (low, (high - low) as u32);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(first: u64, size: u32, how: u32) -> PlainTouch {
        PlainTouch { first, size, how, events: 3, reserved: 0 }
    }

    /// Against sets of bytes, each with what is done to it.
    #[test]
    fn merging_keeps_every_byte_and_adds_none() {
        let bytes = |list: &[PlainTouch]| {
            let one = |touch: &PlainTouch| (touch.first..touch.first + u64::from(touch.size)).collect::<Vec<_>>();
            let mut all: Vec<_> = list.iter().flat_map(|t| one(t).into_iter().map(|byte| (byte, t.how))).collect();
            // Whoever writes need not read.
            let written = all.clone();
            all.retain(|&(byte, how)| how & 1 != 0 || !written.contains(&(byte, how | 1)));
            all.sort_unstable();
            all.dedup();
            all
        };
        for one in 0..6 {
            for other in 0..8 {
                for size in 1..5 {
                    for how in 0..16 {
                        let (a, b) = (touch(100 + one, 3, how / 4), touch(100 + other, size, how % 4));
                        let mut merged = a;
                        if merged.merge(&b) {
                            assert_eq!(bytes(&[merged]), bytes(&[a, b]), "{a:?} {b:?}");
                        }
                    }
                }
            }
        }
        let mut one = touch(0, 8, 1);
        assert!(!one.merge(&PlainTouch { events: 4, ..one }), "another step");
        assert!(one.merge(&touch(8, 8, 1)) && one.size == 16);
        assert!(one.merge(&touch(4, 4, 0)) && !one.merge(&touch(16, 4, 0)) && !one.merge(&touch(4, 4, 3)));
    }

    #[test]
    fn foreign_numbers_make_no_sense() {
        assert!(touch(8, 8, 1).is_sensible(3) && !touch(8, 8, 1).is_sensible(2));
        assert!(!touch(u64::MAX - 2, 8, 0).is_sensible(9) && !touch(8, u32::MAX, 0).is_sensible(9));
        assert!(!touch(8, 0, 0).is_sensible(9) && touch(0, 0, PlainTouch::UNSEEN).is_sensible(9));
        assert!(touch(STACKS + STACK_STRIDE + 5, 1, 0).is_on_stack_of(ThreadId(1)));
        assert!(!touch(STACKS - 1, 1, 0).is_on_stack_of(ThreadId(0)));
    }
}
