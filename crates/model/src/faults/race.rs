//! Two accesses to one place that nothing orders.
//!
//! The runtime finds a race. It ends the execution with [`crate::Outcome::Race`], where the text of the [`Race`] is the
//! message; or it goes on, and the races of an execution are a list that comes with it.

use crate::ThreadId;

/// How memory was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Access(u8);

const WRITE: u8 = 1;
const ATOMIC: u8 = 2;
const FREE: u8 = 4;
const VOLATILE: u8 = 8;

impl Access {
    /// What [`code`](Self::code) has said.
    #[inline]
    pub const fn from_code(code: u8) -> Access {
        Access(code)
    }

    /// A number that stands for it.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// A read or a write, atomic or plain.
    #[inline(always)]
    pub const fn new(write: bool, atomic: bool) -> Access {
        Access(write as u8 | (atomic as u8) << 1)
    }

    /// The end of a block of memory: nobody may touch it any more.
    pub const FREEING: Access = Access(WRITE | FREE);

    /// The same, to something declared `volatile`. That orders nothing, so it is as much of a race; but somebody may have meant it
    /// to.
    #[inline(always)]
    pub const fn volatile(self) -> Access {
        Access(self.0 | VOLATILE)
    }

    /// Whether what it accesses is declared `volatile`.
    pub const fn is_volatile(self) -> bool {
        self.0 & VOLATILE != 0
    }

    /// Whether it is the end of a block of memory.
    pub const fn frees(self) -> bool {
        self.0 & FREE != 0
    }

    /// Whether it writes.
    #[inline(always)]
    pub const fn writes(self) -> bool {
        self.0 & WRITE != 0
    }

    /// Whether it is atomic.
    #[inline(always)]
    pub const fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }

    /// Whether two of these, unordered, are a race.
    #[inline(always)]
    pub const fn conflicts_with(self, other: Access) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether whatever conflicts with `other` conflicts with this.
    #[inline(always)]
    pub const fn is_at_least(self, other: Access) -> bool {
        (self.writes() || !other.writes()) && (!self.is_atomic() || other.is_atomic())
    }
}

/// A race. The layout is part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Race {
    /// The first byte of the later access.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// How it accesses.
    pub later: Access,
    /// Who.
    pub later_thread: ThreadId,
    /// Where: a return address.
    pub later_pc: u64,
    /// How the earlier access was done.
    pub earlier: Access,
    /// By whom.
    pub earlier_thread: ThreadId,
    /// Where.
    pub earlier_pc: u64,
    /// The eight bytes that it was seen in: the address of the first of them.
    pub place: u64,
    /// The time of its thread at the earlier access.
    pub earlier_time: u32,
    /// How many events there were before the later access.
    pub events: u32,
}

/// Characters of a race in a message: eight words of sixteen hexadecimal digits.
pub const CHARACTERS: usize = 128;

/// Instead of a number of events: however many.
const ANYWHERE: u32 = u32::MAX;

impl Race {
    /// As text that [`from_text`](Self::from_text) understands.
    pub fn to_text(&self) -> [u8; CHARACTERS] {
        let side = |how: Access, thread: ThreadId| how.0 as u64 | (thread.0 as u64) << 8;
        let words = [
            self.address,
            self.size,
            side(self.later, self.later_thread),
            self.later_pc,
            side(self.earlier, self.earlier_thread),
            self.earlier_pc,
            self.place,
            self.earlier_time as u64 | (self.events as u64) << 32,
        ];
        let mut text = [0; CHARACTERS];
        for (to, word) in text.chunks_exact_mut(16).zip(words) {
            for (i, digit) in to.iter_mut().enumerate() {
                *digit = b"0123456789abcdef"[(word >> (60 - 4 * i)) as usize & 15];
            }
        }
        text
    }

    /// The race that this text tells.
    pub fn from_text(text: &str) -> Option<Race> {
        let mut words = [0u64; 8];
        for (i, word) in words.iter_mut().enumerate() {
            *word = u64::from_str_radix(text.get(16 * i..16 * (i + 1))?, 16).ok()?;
        }
        let [address, size, later, later_pc, earlier, earlier_pc, place, times] = words;
        Some(Race {
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
        })
    }

    /// The same two places, whoever comes to them in whichever execution: see [`is_again`](Self::is_again).
    pub fn anywhere(self) -> Race {
        Race { events: ANYWHERE, ..self }
    }

    /// Whether this was made by [`anywhere`](Self::anywhere).
    pub fn is_anywhere(&self) -> bool {
        self.events == ANYWHERE
    }

    /// Whether this is the same race at the same point of the same execution; or, if it is one that may be
    /// [anywhere](Self::anywhere), a race of the same two places.
    pub fn is_again(&self, other: &Race) -> bool {
        if self.is_anywhere() {
            let places = |race: &Race| (race.later_pc.min(race.earlier_pc), race.later_pc.max(race.earlier_pc));
            return places(self) == places(other);
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
        let text = race.to_text();
        let text = core::str::from_utf8(&text).unwrap();
        assert_eq!(Race::from_text(text), Some(race));
        assert_eq!(Race::from_text(&text[1..]), None);
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
