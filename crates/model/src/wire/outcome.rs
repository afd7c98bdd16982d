//! An [`Outcome`] in the wire format.

use crate::fault::Fault;
use crate::primitive::process;
use crate::race::Race;
use crate::round::Claim;
use crate::{Capacity, Death, Event, Outcome, ThreadId, vain};

/// An [`Outcome`] in shared memory: the number of its case and the data of the case.
///
/// Every bit pattern is a valid value of this type, so it can be copied from memory that the program may have
/// overwritten. [`read`](Self::read) then rejects invalid outcomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct WireOutcome {
    /// The number of the case.
    code: u32,
    /// 1 if some threads wait for each other forever ([`crate::Execution::circle`]).
    circle: u32,
    /// The data of the case.
    words: [u64; 8],
}

/// The first word of a death by a signal.
const BY_SIGNAL: u64 = 1;
const BY_EXIT: u64 = 2;
const DAMAGED: u64 = 3;
const UNSTARTED: u64 = 4;

impl WireOutcome {
    /// Encodes `outcome`. The ending of a process is not encoded, because its last event carries it.
    pub fn new(outcome: &Outcome, circle: bool) -> WireOutcome {
        let one = |word: u64| [word, 0, 0, 0, 0, 0, 0, 0];
        let two = |first: u64, second: u64| [first, second, 0, 0, 0, 0, 0, 0];
        let (code, words) = match outcome {
            Outcome::Running => (0, one(0)),
            Outcome::Ended { fault, .. } => (1, fault.unwrap_or_default().to_words()),
            Outcome::Deadlock => (2, one(0)),
            Outcome::Blocked => (3, one(0)),
            Outcome::Diverged { step } => (4, one(*step as u64)),
            Outcome::Hang => (5, one(0)),
            Outcome::StepLimit { thread } => (6, one(thread.0 as u64)),
            Outcome::MemoryLimit { bytes } => (7, one(*bytes)),
            Outcome::Unsupported => (8, one(0)),
            Outcome::NeedsFork => (9, one(0)),
            Outcome::NeedsThreads { count } => (10, one(*count as u64)),
            Outcome::Killed(Death::Signal(signal)) => (11, two(BY_SIGNAL, *signal as u64)),
            Outcome::Killed(Death::Exit(status)) => (11, two(BY_EXIT, *status as u64)),
            Outcome::Killed(Death::Damaged) => (11, one(DAMAGED)),
            Outcome::Killed(Death::Unstarted) => (11, one(UNSTARTED)),
            Outcome::Capacity(what) => (12, one(*what as u64)),
            Outcome::Race(race) => (13, race.to_words()),
            Outcome::Assumed => (14, one(0)),
            Outcome::Cycle { length, claim } => (15, two(*length as u64, *claim as u64)),
            Outcome::SwitchLimit { thread } => (16, one(thread.0 as u64)),
            Outcome::Visited => (17, one(0)),
            Outcome::Learnt { place, also } => (18, two(*place, *also)),
        };
        WireOutcome { code, circle: circle.into(), words }
    }

    /// All of it as words.
    pub const fn to_words(&self) -> [u64; 9] {
        let [w0, w1, w2, w3, w4, w5, w6, w7] = self.words;
        [self.code as u64 | (self.circle as u64) << 32, w0, w1, w2, w3, w4, w5, w6, w7]
    }

    /// Whether some threads wait for each other forever.
    pub const fn circle(&self) -> bool {
        self.circle != 0
    }

    /// Decodes the outcome of an execution with these events. `None` if it is invalid or contradicts the events.
    pub fn read(&self, events: &[Event]) -> Option<Outcome> {
        let small = || u32::try_from(self.words[0]).ok();
        let thread = || u16::try_from(self.words[0]).ok().map(ThreadId);
        if self.circle > 1 {
            return None;
        }
        Some(match self.code {
            0 => Outcome::Running,
            1 => {
                let fault = Fault::from_words(self.words)?;
                let ending = process::ending(&events.last()?.operation)?;
                Outcome::Ended { ending, fault: Some(fault).filter(Fault::is_some) }
            }
            2 => Outcome::Deadlock,
            3 => Outcome::Blocked,
            4 => Outcome::Diverged { step: small()? },
            5 => Outcome::Hang,
            6 => Outcome::StepLimit { thread: thread()? },
            7 => Outcome::MemoryLimit { bytes: self.words[0] },
            8 => Outcome::Unsupported,
            9 => Outcome::NeedsFork,
            10 => Outcome::NeedsThreads { count: small()? },
            11 => {
                let number = u8::try_from(self.words[1]).ok()?;
                Outcome::Killed(match self.words[0] {
                    BY_SIGNAL => Death::Signal(number),
                    BY_EXIT => Death::Exit(number),
                    DAMAGED => Death::Damaged,
                    UNSTARTED => Death::Unstarted,
                    _ => return None,
                })
            }
            12 => Outcome::Capacity(*Capacity::ALL.get((self.words[0] as usize).checked_sub(1)?)?),
            13 => {
                let race = Race::from_words(self.words)?;
                (race.events as usize <= events.len()).then_some(Outcome::Race(race))?
            }
            14 => Outcome::Assumed,
            15 => {
                let length = small()?;
                let claim = *Claim::ALL.get(usize::try_from(self.words[1]).ok()?)?;
                (length as usize <= events.len()).then_some(Outcome::Cycle { length, claim })?
            }
            16 => Outcome::SwitchLimit { thread: thread()? },
            17 => Outcome::Visited,
            18 => {
                let [place, also, ..] = self.words;
                let known = vain::is_about_looks(place) && (also == 0 || vain::is_about_looks(also));
                known.then_some(Outcome::Learnt { place, also })?
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;
    use crate::race::Access;
    use crate::{Ending, Misuse, OpCode};

    fn ended(ending: Ending) -> [Event; 1] {
        [Event { operation: process::end(ending), ..Event::default() }]
    }

    #[test]
    fn every_outcome_survives_the_wire() {
        let race = Race {
            address: 1,
            size: 2,
            later: Access::new(true, false),
            later_thread: ThreadId(3),
            later_pc: 4,
            earlier_thread: ThreadId(5),
            earlier_time: 6,
            events: 1,
            ..Race::default()
        };
        let mut outcomes = vec![
            Outcome::Running,
            Outcome::Deadlock,
            Outcome::Blocked,
            Outcome::Diverged { step: 7 },
            Outcome::Hang,
            Outcome::StepLimit { thread: ThreadId(8) },
            Outcome::SwitchLimit { thread: ThreadId(9) },
            Outcome::MemoryLimit { bytes: u64::MAX },
            Outcome::Unsupported,
            Outcome::NeedsFork,
            Outcome::NeedsThreads { count: 9 },
            Outcome::Killed(Death::Signal(11)),
            Outcome::Killed(Death::Exit(255)),
            Outcome::Killed(Death::Damaged),
            Outcome::Killed(Death::Unstarted),
            Outcome::Race(race),
            Outcome::Assumed,
            Outcome::Cycle { length: 1, claim: Claim::Formula },
            Outcome::Visited,
            Outcome::Learnt { place: vain::ENOUGH, also: u64::MAX },
        ];
        outcomes.extend(Capacity::ALL.map(Outcome::Capacity));
        let some_event = ended(Ending::Abort);
        for outcome in outcomes {
            for circle in [false, true] {
                let wire = WireOutcome::new(&outcome, circle);
                assert_eq!((wire.read(&some_event), wire.circle()), (Some(outcome), circle));
            }
        }
        let leak = Fault { kind: FaultKind::Leak, count: 3, ..Fault::default() };
        let mut endings = vec![
            Ending::Exit { status: 255 },
            Ending::Abort,
            Ending::Assertion,
            Ending::Crash { signal: 11, overflow: true },
            Ending::Memory,
            Ending::Undefined,
            Ending::Waits { code: OpCode(514) },
            Ending::Assumed,
        ];
        endings.extend(Misuse::ALL.map(|misuse| Ending::Misuse { misuse, family: 2 }));
        for ending in endings {
            for fault in [None, Some(leak)] {
                let outcome = Outcome::Ended { ending, fault };
                assert_eq!(WireOutcome::new(&outcome, false).read(&ended(ending)), Some(outcome));
            }
        }
    }

    #[test]
    fn what_is_no_outcome_is_refused() {
        let events = ended(Ending::Abort);
        let wire = |code, words| WireOutcome { code, circle: 0, words };
        for (code, words) in [
            (18, [0; 8]),
            (18, [vain::ENOUGH, 8, 0, 0, 0, 0, 0, 0]),
            (19, [0; 8]),
            (1, [u64::MAX; 8]),
            (4, [1 << 32; 8]),
            (6, [1 << 16; 8]),
            (11, [5; 8]),
            (11, [1, 256, 0, 0, 0, 0, 0, 0]),
            (12, [0; 8]),
            (12, [9; 8]),
            (13, [u64::MAX; 8]),
            (13, [0, 0, 0, 0, 0, 0, 0, 2 << 32]),
            (15, [2; 8]),
        ] {
            assert_eq!(wire(code, words).read(&events), None, "{code} {words:?}");
        }
        assert_eq!(WireOutcome { code: 2, circle: 2, words: [0; 8] }.read(&events), None);
        assert_eq!(wire(1, [0; 8]).read(&[]), None, "no event ended the process");
        assert_eq!(wire(1, [0; 8]).read(&[Event::default()]), None, "another event is the last");
    }
}
