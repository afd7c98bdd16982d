//! Decides whether a part of an execution, a round, can be repeated for ever: a livelock.
//!
//! The search suspects a [`Round`] of an execution and has it run once more. This module watches its events and compares the state of
//! the program before and after the round. If the two are equal, the program repeats the round under the same schedule. It is a
//! livelock if, in addition,
//!
//! * every thread that could act at any time in the round did: no scheduler is to blame, however fair it is. That is strong
//!   fairness: a thread that could take a lock now and then, and does not, is no livelock of the others;
//! * every thread that acted read or tried something in vain, and the round has nothing but that, locks and yields: threads that hand each other
//!   work for ever, as servers do, are none;
//! * no choice among several outcomes was needed: no weak compare-exchange that fails spuriously, no time-out.

use heddle_model::primitive::{atomic, memory, mutex, rwlock, semaphore, spin, yielding};
use heddle_model::round::{Claim, Round};
use heddle_model::{Event, EventFlags, OpCode, Phase, ThreadId, World};

use crate::digest::Digest;
use crate::lend::{Lender, Zero};

/// The state of the program at a moment: a hash of it, and how often something outside of it was asked or told.
pub type State = (Digest, u64);

/// What a thread did in the round. Each field is the index of the last event of a kind, or `NEVER`.
#[derive(Clone, Copy)]
struct Thread {
    /// The last event after which the thread was enabled.
    could: u32,
    /// The last event of the thread.
    did: u32,
    /// The last event of the thread that read something or failed, and changed nothing.
    looked: u32,
}

// SAFETY: numbers.
unsafe impl Zero for Thread {}

const NEVER: u32 = u32::MAX;

/// The threads of the program at a moment.
pub trait Threads {
    /// How many threads there have been. Their numbers are below this.
    fn count(&self) -> usize;

    /// Whether a thread has started or ended.
    fn phase(&self, thread: ThreadId) -> Phase;

    /// Whether a thread is enabled.
    fn enabled(&self, thread: ThreadId) -> bool;
}

impl Threads for World<'_> {
    fn count(&self) -> usize {
        self.extent()
    }

    fn phase(&self, thread: ThreadId) -> Phase {
        self.thread(thread).phase
    }

    fn enabled(&self, thread: ThreadId) -> bool {
        World::enabled(self, thread)
    }
}

/// Watches the round of an execution.
pub struct Rounds<'m> {
    /// The suspected round. A length of 0 means that there is none.
    round: Round,
    threads: &'m mut [Thread],
    /// The state at the beginning of the round; none if it is not one that can come back.
    before: Option<State>,
}

impl<'m> Rounds<'m> {
    /// Nothing to watch.
    pub const fn empty() -> Rounds<'m> {
        Rounds { round: Round { first: 0, length: 0, claim: Claim::Suspected }, threads: &mut [], before: None }
    }

    /// Room for `threads` threads.
    pub fn new(lender: &mut impl Lender<'m>, threads: usize) -> Rounds<'m> {
        Rounds { threads: lender.lend(threads), ..Rounds::empty() }
    }

    /// Begins an execution in which `round` is suspected.
    pub fn reset(&mut self, round: Round) {
        self.round = round;
        self.before = None;
    }

    /// The round that is watched.
    pub fn round(&self) -> Round {
        self.round
    }

    /// Takes note of an event, the one with this index. `state` is asked for the state after it, at the beginning of the round and at its end; none
    /// if it is one of which nothing can be said. Returns whether the event completes a round of a livelock.
    pub fn took(
        &mut self,
        index: u32,
        event: &Event,
        threads: &impl Threads,
        state: impl Fn() -> Option<State>,
    ) -> bool {
        let Round { first, length, .. } = self.round;
        if length == 0 || index < first || index > first + length {
            return false;
        }
        if index == first {
            self.before = state();
            self.threads[..threads.count()].fill(Thread { could: NEVER, did: NEVER, looked: NEVER });
            self.note_enabled(index, threads);
            return false;
        }
        if self.before.is_none() || !is_harmless(event) {
            self.before = None;
            return false;
        }
        let thread = &mut self.threads[event.thread.index()];
        thread.did = index;
        if looks_in_vain(event) {
            thread.looked = index;
        }
        if index < first + length {
            self.note_enabled(index, threads);
            return false;
        }
        self.is_fair(threads) && self.before == state()
    }

    /// Whether every thread that could act in the round did, and read or tried in vain.
    fn is_fair(&self, threads: &impl Threads) -> bool {
        let Round { first, length, .. } = self.round;
        let within = |event: u32| (first..=first + length).contains(&event);
        self.threads[..threads.count()].iter().enumerate().all(|(id, thread)| {
            let (could, did) = (within(thread.could), within(thread.did));
            threads.phase(ThreadId(id as u16)) != Phase::Alive || !could && !did || did && within(thread.looked)
        })
    }

    fn note_enabled(&mut self, index: u32, threads: &impl Threads) {
        for (id, thread) in self.threads[..threads.count()].iter_mut().enumerate() {
            if threads.enabled(ThreadId(id as u16)) {
                thread.could = index;
            }
        }
    }
}

/// Whether an event can be part of a round: it has no effect but on memory and on locks, and there was no choice.
fn is_harmless(event: &Event) -> bool {
    const CODES: [OpCode; 24] = [
        atomic::LOAD,
        atomic::STORE,
        atomic::RMW,
        atomic::COMPARE_EXCHANGE,
        atomic::FENCE,
        memory::READ,
        memory::WRITE,
        memory::COPY,
        mutex::LOCK,
        mutex::TRYLOCK,
        mutex::UNLOCK,
        mutex::POLL,
        rwlock::READ_LOCK,
        rwlock::TRY_READ_LOCK,
        rwlock::WRITE_LOCK,
        rwlock::TRY_WRITE_LOCK,
        rwlock::UNLOCK,
        semaphore::TRYWAIT,
        semaphore::POST,
        spin::LOCK,
        spin::TRYLOCK,
        spin::UNLOCK,
        yielding::YIELD,
        yielding::SLEEP,
    ];
    CODES.contains(&event.operation.code) && event.way == 0 && !event.flags.contains(EventFlags::MISUSE)
}

/// Whether a thread has learnt something by an event, and changed nothing.
fn looks_in_vain(event: &Event) -> bool {
    match event.operation.code {
        atomic::LOAD | memory::READ | mutex::POLL => true,
        atomic::RMW => event.flags.contains(EventFlags::UNCHANGED),
        atomic::COMPARE_EXCHANGE => event.failed(),
        mutex::TRYLOCK | rwlock::TRY_READ_LOCK | rwlock::TRY_WRITE_LOCK | semaphore::TRYWAIT | spin::TRYLOCK => {
            event.failed()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use heddle_model::primitive::thread;
    use heddle_model::{ObjectId, Operation};
    use std::cell::Cell;

    use super::*;
    use crate::testing::Owner;

    /// Threads that are all alive; those whose bit is set can act.
    struct Fixed(usize, u32);

    impl Threads for Fixed {
        fn count(&self) -> usize {
            self.0
        }

        fn phase(&self, _: ThreadId) -> Phase {
            Phase::Alive
        }

        fn enabled(&self, thread: ThreadId) -> bool {
            self.1 >> thread.0 & 1 != 0
        }
    }

    fn event(thread: u16, code: OpCode) -> Event {
        Event { operation: Operation::new(code, ObjectId(8)), thread: ThreadId(thread), ..Event::default() }
    }

    /// Whether a round of these events, after one before it, is a livelock: threads by bits can act after each, and states are numbers.
    fn is_livelock(events: &[(Event, u32, u64)]) -> bool {
        let owner = Owner::default();
        let mut rounds = Rounds::new(&mut &owner, 4);
        rounds.reset(Round { first: 5, length: events.len() as u32 - 1, ..Round::default() });
        let last = events.len() - 1;
        let mut found = false;
        for (number, &(event, enabled, state)) in events.iter().enumerate() {
            let state = || {
                let mut digest = Digest::default();
                digest.add(state);
                (state != NOTHING).then_some((digest, 0))
            };
            let took = rounds.took(5 + number as u32, &event, &Fixed(3, enabled), state);
            assert!(number == last || !took);
            found = took;
        }
        found
    }

    /// A state of which nothing can be said.
    const NOTHING: u64 = u64::MAX;

    #[test]
    fn threads_that_look_in_vain_go_round() {
        let load = |thread| event(thread, atomic::LOAD);
        assert!(is_livelock(&[(load(0), 3, 7), (load(1), 3, 8), (load(0), 3, 7)]));
        assert!(!is_livelock(&[(load(0), 3, 7), (load(1), 3, 8), (load(0), 3, 9)]), "the state is another one");
        assert!(!is_livelock(&[(load(0), 3, NOTHING), (load(1), 3, 8), (load(0), 3, NOTHING)]));
        assert!(!is_livelock(&[(load(0), 7, 7), (load(1), 3, 8), (load(0), 3, 7)]), "a third could act, and did not");
    }

    #[test]
    fn work_is_no_livelock() {
        let (load, store) = (|thread| event(thread, atomic::LOAD), |thread| event(thread, atomic::STORE));
        assert!(!is_livelock(&[(load(0), 3, 7), (store(1), 3, 8), (load(0), 3, 7)]), "a thread only stores");
        assert!(is_livelock(&[(load(0), 3, 7), (store(1), 3, 8), (load(1), 3, 8), (load(0), 3, 7)]));
        let create = event(1, thread::CREATE);
        assert!(!is_livelock(&[(load(0), 3, 7), (create, 3, 8), (load(1), 3, 8), (load(0), 3, 7)]));
        let chosen = Event { way: 1, ..load(1) };
        assert!(!is_livelock(&[(load(0), 3, 7), (chosen, 3, 8), (load(0), 3, 7)]), "somebody chose");
    }

    #[test]
    fn attempts_count_where_they_fail() {
        let tried = |thread, failed| Event {
            flags: if failed { EventFlags::FAILED } else { EventFlags::NONE },
            ..event(thread, mutex::TRYLOCK)
        };
        assert!(is_livelock(&[(tried(0, true), 1, 7), (tried(0, true), 1, 7)]));
        assert!(!is_livelock(&[(tried(0, false), 1, 7), (tried(0, false), 1, 7)]));
    }

    #[test]
    fn only_the_round_is_watched() {
        let owner = Owner::default();
        let mut rounds = Rounds::new(&mut &owner, 4);
        let asked = Cell::new(0);
        let state = || {
            asked.set(asked.get() + 1);
            None
        };
        rounds.reset(Round::default());
        assert!(!rounds.took(0, &event(0, atomic::LOAD), &Fixed(3, 1), state));
        rounds.reset(Round { first: 5, length: 2, ..Round::default() });
        for index in [0, 4, 8, 100] {
            assert!(!rounds.took(index, &event(0, atomic::LOAD), &Fixed(3, 1), state));
        }
        assert_eq!(asked.get(), 0);
    }
}
