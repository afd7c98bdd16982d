//! Data races: conflicting accesses that are not ordered by happens-before.
//!
//! The runtime detects races. It either ends the execution with [`crate::Outcome::Race`], or continues and adds the
//! race to the execution's list.

use crate::ThreadId;

/// The kind of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Access(u8);

const WRITE: u8 = 1;
const ATOMIC: u8 = 2;
const FREE: u8 = 4;
const VOLATILE: u8 = 8;
const END: u8 = 16;
const SUSPECTED: u8 = 32;

impl Access {
    /// The access with this [`code`](Self::code).
    #[inline]
    pub const fn from_code(code: u8) -> Access {
        Access(code)
    }

    /// The number of this kind of access in the wire format.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// A read or a write, atomic or plain.
    #[inline(always)]
    pub const fn new(write: bool, atomic: bool) -> Access {
        Access(write as u8 | (atomic as u8) << 1)
    }

    /// The free of a block. It conflicts like a write.
    pub const FREEING: Access = Access(WRITE | FREE);

    /// The end of a stack frame, because its function returns or its thread ends. It conflicts like a write.
    pub const ENDING: Access = Access(WRITE | END);

    /// This access, as the earlier one of a race that is only [suspected](Race::is_suspected).
    pub const fn suspected(self) -> Access {
        Access(self.0 | SUSPECTED)
    }

    /// This access, to an object declared `volatile`. That orders nothing, so a race stays a race. Reports mention it,
    /// because the author may have relied on it.
    #[inline(always)]
    pub const fn volatile(self) -> Access {
        Access(self.0 | VOLATILE)
    }

    /// Whether the accessed object is declared `volatile`.
    pub const fn is_volatile(self) -> bool {
        self.0 & VOLATILE != 0
    }

    /// Whether this is the free of a block.
    pub const fn frees(self) -> bool {
        self.0 & FREE != 0
    }

    /// Whether this is the end of a stack frame.
    pub const fn ends(self) -> bool {
        self.0 & END != 0
    }

    /// Whether this access writes.
    #[inline(always)]
    pub const fn writes(self) -> bool {
        self.0 & WRITE != 0
    }

    /// Whether this access is atomic.
    #[inline(always)]
    pub const fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    /// Whether two such accesses race if they are unordered.
    #[inline(always)]
    pub const fn conflicts_with(self, other: Access) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether this access conflicts with everything that `other` conflicts with.
    #[inline(always)]
    pub const fn is_at_least(self, other: Access) -> bool {
        (self.writes() || !other.writes()) && (!self.is_atomic() || other.is_atomic())
    }
}

/// A data race: two conflicting, unordered accesses. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Race {
    /// The address of the later access.
    pub address: u64,
    /// The size of the later access in bytes.
    pub size: u64,
    /// The kind of the later access.
    pub later: Access,
    /// The thread of the later access.
    pub later_thread: ThreadId,
    /// The return address of the later access.
    pub later_pc: u64,
    /// The kind of the earlier access.
    pub earlier: Access,
    /// The thread of the earlier access.
    pub earlier_thread: ThreadId,
    /// The return address of the earlier access.
    pub earlier_pc: u64,
    /// The address of the granule of eight bytes in which the race was detected.
    pub place: u64,
    /// The clock of the earlier access's thread at that access.
    pub earlier_time: u32,
    /// The number of events before the later access.
    pub events: u32,
}

/// The number of events that stands for any point of an execution.
const ANYWHERE: u32 = u32::MAX;

impl Race {
    /// Encodes the race for the wire. See [`from_words`](Self::from_words).
    pub fn to_words(&self) -> [u64; 8] {
        let side = |how: Access, thread: ThreadId| how.0 as u64 | (thread.0 as u64) << 8;
        [
            self.address,
            self.size,
            side(self.later, self.later_thread),
            self.later_pc,
            side(self.earlier, self.earlier_thread),
            self.earlier_pc,
            self.place,
            self.earlier_time as u64 | (self.events as u64) << 32,
        ]
    }

    /// Decodes a race from the wire. `None` if the numbers are invalid.
    pub fn from_words(words: [u64; 8]) -> Option<Race> {
        let [address, size, later, later_pc, earlier, earlier_pc, place, times] = words;
        let race = Race {
            address,
            size,
            later: Access(later as u8),
            later_thread: ThreadId((later >> 8) as u16),
            later_pc,
            earlier: Access(earlier as u8),
            earlier_thread: ThreadId((earlier >> 8) as u16),
            earlier_pc,
            place,
            earlier_time: times as u32,
            events: (times >> 32) as u32,
        };
        (later >> 24 == 0 && earlier >> 24 == 0 && race.is_sensible()).then_some(race)
    }

    /// Whether both kinds of access are valid. Memory that the program has overwritten may hold others.
    pub fn is_sensible(&self) -> bool {
        const KNOWN: u8 = WRITE | ATOMIC | FREE | VOLATILE | END | SUSPECTED;
        (self.later.0 | self.earlier.0) & !KNOWN == 0
    }

    /// Whether this is no finding, but a reason to make its place visible. Either it is not known to be a race: a thread has touched the
    /// place of a stack frame that may have ended before, unseen. Or a memory error at the place is the finding, and says more. When
    /// the place is visible, the end of the frame or of the block is an operation, and everything is known.
    pub const fn is_suspected(&self) -> bool {
        self.earlier.0 & SUSPECTED != 0
    }

    /// The two code addresses, the smaller one first. Races with equal pairs are one finding.
    pub fn pair(&self) -> [u64; 2] {
        [self.later_pc.min(self.earlier_pc), self.later_pc.max(self.earlier_pc)]
    }

    /// This race in a form that matches any race with its two code addresses, whatever the threads and the execution:
    /// see [`is_again`](Self::is_again).
    pub fn anywhere(self) -> Race {
        Race { events: ANYWHERE, ..self }
    }

    /// Whether this race was made by [`anywhere`](Self::anywhere).
    pub fn is_anywhere(&self) -> bool {
        self.events == ANYWHERE
    }

    /// Whether `other` is this race at the same point of the execution. A race made by [`anywhere`](Self::anywhere)
    /// matches by its two code addresses alone.
    pub fn is_again(&self, other: &Race) -> bool {
        if self.is_anywhere() {
            return self.pair() == other.pair();
        }
        let of = |race: &Race| {
            let who = (race.later_thread, race.earlier_thread);
            (race.later_pc, race.earlier_pc, who, race.place, race.earlier_time, race.events)
        };
        of(self) == of(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_race_survives_the_wire() {
        let race = Race {
            address: 0x1234_5678_9abc,
            size: 4,
            later: Access::new(true, false),
            later_thread: ThreadId(300),
            later_pc: 0x5555_5555_1234,
            earlier: Access::new(false, true),
            earlier_thread: ThreadId(7),
            earlier_pc: 1,
            place: 0x1234_5678_9ab8,
            earlier_time: 17,
            events: 99,
        };
        assert_eq!(Race::from_words(race.to_words()), Some(race));
        for (word, value) in [(2, 64), (4, 64), (2, 1 << 24)] {
            let mut words = race.to_words();
            words[word] = value;
            assert_eq!(Race::from_words(words), None, "word {word} is {value:#x}");
        }
    }

    #[test]
    fn only_unequal_or_writing_accesses_conflict() {
        let all = [(false, false), (false, true), (true, false), (true, true)].map(|(w, a)| Access::new(w, a));
        for one in all {
            for two in all {
                assert_eq!(one.conflicts_with(two), two.conflicts_with(one));
                if one.is_at_least(two) {
                    assert!(all.iter().all(|&other| !two.conflicts_with(other) || one.conflicts_with(other)));
                }
            }
        }
    }
}
