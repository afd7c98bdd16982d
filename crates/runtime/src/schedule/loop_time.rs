//! Loops that wait and look at a clock: until when time can matter to them.
//!
//! A thread has come back to an operation in the state that it was in before, and has only looked in between: at places in memory, and at
//! a clock. All that has changed for it is the time. If it looks at that only to give up one day, it does the same again until
//! somebody changes a place, or until its time is over. Nobody may rely on how long an hour is, so its time may be over soon:
//! before each further round a [leap](Waiting::leap) is added to the thread's clock, several times as long as all that were before.
//! A thread whose patience has an end loses it after a few rounds. One that comes back to the state even from a round before
//! which [`HORIZON`] had passed has none that would end: it waits like any other.
//!
//! *Why nothing is lost.* A round that came back in vain has changed nothing that anybody else could notice, so an execution without it has the
//! same events otherwise. What the thread does after it at a later time, it may do in that execution, too, since time may pass between
//! any two steps of a thread. So no leap brings the thread to where it could not come, and the round in which its patience ends
//! is taken at every moment at which it could be. What is not seen is a loop that acts only at some times, and later no more.
//!
//! A state has the time in it where the thread keeps what it has read: in a variable, in a temporary that nobody reads again. So a word that is the
//! thread's last reading, or what has passed since an earlier one, does not tell states apart ([`Times`]). What follows from several
//! readings, such as a sum, does.
//!
//! Leaps depend on nothing but the thread's own rounds: whether it waits must not depend on what others did.

use crate::outside::clock::{EPOCH, UPTIME};
use crate::outside::virtual_time;
use crate::schedule::current;

/// A thread that has looked in vain for so long, in nanoseconds, waits: more than a year.
const HORIZON: u64 = 1 << 55;

/// The first leap, in nanoseconds.
const FIRST: u64 = 700_000;

/// So many readings of a thread are remembered, apart from the last.
const REMEMBERED: usize = 8;

/// Words below this are no times: they may well be counts.
const LEAST: u64 = 1000;

/// Units in which programs keep times: nanoseconds, microseconds, milliseconds, seconds.
const UNITS: [u64; 4] = [1, 1_000, 1_000_000, 1_000_000_000];

/// What a thread has read from clocks.
#[derive(Clone, Copy)]
pub struct Times {
    /// How often it has read one.
    reads: u64,
    /// The last reading.
    last: u64,
    /// How many readings are kept, or were: those of rounds in vain are not.
    kept: u64,
    /// The last of these.
    earlier: [u64; REMEMBERED],
}

impl Times {
    /// A thread that has not read a clock.
    pub const NONE: Times = Times { reads: 0, last: 0, kept: 0, earlier: [0; REMEMBERED] };

    /// The thread has read a clock that shows `now`, the virtual time.
    pub fn read(&mut self, now: u64) {
        self.reads += 1;
        self.last = now;
        self.earlier[self.kept as usize % REMEMBERED] = now;
        self.kept += 1;
    }

    /// `word` of the thread's state; if it is a time, what stands for all such times.
    #[inline]
    pub fn without(&self, word: u64) -> u64 {
        if self.reads == 0 || word < LEAST { word } else { self.without_time(word) }
    }

    #[cold]
    fn without_time(&self, word: u64) -> u64 {
        // Unlikely numbers, one for each kind of time.
        let kind = |kind: u64, unit: usize| 0xa076_1d64_78bd_642f_u64.wrapping_mul(kind * 4 + unit as u64 + 1);
        for (unit, &nanoseconds) in UNITS.iter().enumerate() {
            for (clock, begin) in [0, UPTIME, EPOCH].into_iter().enumerate() {
                let shown = self.last + begin;
                if word == shown / nanoseconds {
                    return kind(clock as u64, unit);
                }
                if word == shown % UNITS[3] / nanoseconds {
                    return kind(clock as u64 + 3, unit);
                }
            }
            for index in self.kept.saturating_sub(REMEMBERED as u64)..self.kept {
                if word == self.last.wrapping_sub(self.earlier[index as usize % REMEMBERED]) / nanoseconds {
                    return kind(6, unit);
                }
            }
        }
        word
    }
}

/// How long a thread has been coming back to one state.
#[derive(Clone, Copy)]
pub struct Waiting {
    /// All leaps since it was in this state first.
    waited: u64,
    /// How often it had read a clock when it was in this state last.
    reads: u64,
    /// How many readings were kept then.
    kept: u64,
}

impl Waiting {
    /// A thread that comes to a state for the first time, and has read these times.
    pub const fn begins(times: &Times) -> Waiting {
        Waiting { waited: 0, reads: times.reads, kept: times.kept }
    }

    /// Whether the thread, which has come back to this state, has read a clock since.
    pub fn has_read(&self, times: &Times) -> bool {
        self.reads != times.reads
    }

    /// Whether the running thread can wait, which has come back to this state in vain. If not, time passes for it first.
    pub fn is_patient(&mut self, times: &mut Times) -> bool {
        self.reads = times.reads;
        times.kept = self.kept;
        if self.waited >= HORIZON {
            return true;
        }
        // Not a multiple of anything that a program counts in.
        let leap = (self.waited * 7 + self.waited / 97 + FIRST + times.reads % 89).min(HORIZON);
        virtual_time::pass(current(), leap);
        self.waited += leap;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_do_not_tell_states_apart_and_other_numbers_do() {
        let after = |now: u64| {
            let mut times = Times::NONE;
            times.read(100_000);
            times.read(now);
            times
        };
        let (one, other) = (after(7_123_456_789), after(93_987_654_321));
        assert_eq!(one.without(7_123_456_789), other.without(93_987_654_321), "the last reading");
        assert_eq!(one.without(7_123_356_789), other.without(93_987_554_321), "what has passed");
        assert_eq!(one.without(EPOCH + 7_123_456_789), other.without(EPOCH + 93_987_654_321));
        assert_eq!(one.without(1_700_000_007), other.without(1_700_000_093), "seconds");
        assert_eq!(one.without(123_456_789), other.without(987_654_321), "the rest");
        assert_ne!(one.without(7_123_456_789), other.without(93_987_554_321), "one is a time, one has passed");
        assert_ne!(one.without(7_123_456_790), other.without(93_987_654_322), "sums are numbers like others");
        assert_eq!((one.without(7), one.without(5000)), (7, 5000));
        assert_eq!(Times::NONE.without(1_700_000_000), 1_700_000_000, "without a reading there are none");
    }
}
