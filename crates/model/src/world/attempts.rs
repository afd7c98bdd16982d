//! Attempts to lock a mutex that fail: what a thread can tell by them of the rounds of others.
//!
//! A thread that fails has noticed that somebody holds the mutex. If that was a [round](super::looks) that changes nothing, the round was needed, and
//! its thread may go round once more. An attempt that fails where its thread has failed before, and has changed nothing since, leads
//! nowhere: without what the thread has done in between everything would be the same ([`mutex::QUIET`]).
//!
//! A thread that has failed mostly waits for the mutex, or tries again until it has it, as `std::lock` does. Who goes on without it *probes*: it
//! knows more than that it has to wait. In programs in which a thread probes, rounds that try mutexes under a lock really go round
//! ([`vain::TRIED`](super::vain::TRIED)).

use crate::primitive::mutex;
use crate::{Event, EventFlags, ObjectId};

/// How many attempts are remembered.
const MOST: usize = 8;

/// What one thread has tried in vain since it last changed something. All bytes zero is a thread that has tried nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attempts {
    /// The state before the attempt that was announced last, as a number.
    announced: u64,
    /// The states before attempts that failed, and how many mutexes the thread had locked by then.
    failed: [(u64, u64); MOST],
    failures: usize,
    /// How many mutexes the thread has locked, all in all.
    locked: u64,
    /// How many attempts have failed that were news, all in all.
    news: u64,
    /// The mutexes that the thread could not lock, and has not locked since.
    wanted: [ObjectId; MOST],
    wants: usize,
}

impl Attempts {
    /// The thread is about to try to lock a mutex, in the state with this number. Returns whether it would be no news if it fails. With
    /// `tried`, what the thread has locked in between may have been noticed by others, too.
    pub fn before(&mut self, state: u64, tried: bool) -> bool {
        self.announced = state;
        let same = |failed: &(u64, u64)| failed.0 == state && (!tried || failed.1 == self.locked);
        self.failed[..self.failures].iter().any(same)
    }

    /// The thread has taken an operation on a mutex.
    pub fn after(&mut self, event: &Event) {
        let Event { operation, flags, .. } = *event;
        match operation.code {
            mutex::TRYLOCK if event.failed() && !flags.contains(EventFlags::SPURIOUS) => {
                self.fails(operation.object, operation.detail & mutex::QUIET != 0);
            }
            mutex::LOCK | mutex::TRYLOCK if !event.failed() => {
                self.locked += 1;
                self.gets(operation.object);
            }
            _ => {}
        }
    }

    fn fails(&mut self, object: ObjectId, quiet: bool) {
        if !quiet {
            self.news += 1;
            let at = self.failed[..self.failures].iter().position(|failed| failed.0 == self.announced);
            let at = at.unwrap_or(self.failures);
            if at < MOST {
                self.failed[at] = (self.announced, self.locked);
                self.failures = self.failures.max(at + 1);
            }
        }
        if self.wants <= MOST && !self.wanted[..self.wants.min(MOST)].contains(&object) {
            if self.wants < MOST {
                self.wanted[self.wants] = object;
            }
            // One more than there is room for: it wants something for ever.
            self.wants += 1;
        }
    }

    fn gets(&mut self, object: ObjectId) {
        if self.wants <= MOST
            && let Some(at) = self.wanted[..self.wants].iter().position(|wanted| *wanted == object)
        {
            self.wants -= 1;
            self.wanted[at] = self.wanted[self.wants];
        }
    }

    /// The thread is in another state than any in which it has tried: forgets where it has failed.
    #[inline]
    pub fn forget(&mut self) {
        self.failures = 0;
    }

    /// The thread has changed something. Returns whether it probes.
    #[inline]
    pub fn changed(&mut self) -> bool {
        self.forget();
        core::mem::take(&mut self.wants) > 0
    }

    /// Whether the thread could not lock a mutex, and has not locked it since.
    #[inline]
    pub fn wants(&self) -> bool {
        self.wants > 0
    }

    /// How many attempts have failed that were news. What a thread does after one is another matter than what it did before.
    #[inline]
    pub fn news(&self) -> u64 {
        self.news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation;

    const FAILS: EventFlags = EventFlags::FAILED;

    /// Tries `mutex` in `state`; returns whether it was no news.
    fn attempt(attempts: &mut Attempts, state: u64, mutex: u64, flags: EventFlags, tried: bool) -> bool {
        let quiet = attempts.before(state, tried);
        let operation = Operation::new(mutex::TRYLOCK, ObjectId(mutex));
        let detail = if quiet { mutex::QUIET } else { 0 };
        attempts.after(&Event { operation: Operation { detail, ..operation }, flags, ..Event::default() });
        quiet
    }

    #[test]
    fn it_fails_once_in_each_state() {
        let mut attempts = Attempts::default();
        let mut tries = |state, flags| attempt(&mut attempts, state, 16, flags, false);
        assert!(!tries(5, EventFlags::NONE), "the first");
        assert!(!tries(5, FAILS), "it has not failed yet");
        assert!(tries(5, FAILS) && !tries(6, FAILS) && tries(6, FAILS));
        assert_eq!(attempts.news(), 2);
        attempts.changed();
        assert!(!attempts.before(5, false), "it has changed something");
    }

    #[test]
    fn what_was_locked_in_between_may_have_been_noticed() {
        let mut attempts = Attempts::default();
        assert!(!attempt(&mut attempts, 5, 16, FAILS, true) && attempt(&mut attempts, 5, 16, FAILS, true));
        assert!(!attempt(&mut attempts, 7, 24, EventFlags::NONE, true));
        assert!(attempts.before(5, false) && !attempts.before(5, true));
        assert!(!attempt(&mut attempts, 5, 16, FAILS, true) && attempts.before(5, true), "noted again");
    }

    #[test]
    fn who_goes_on_without_the_mutex_probes() {
        let mut attempts = Attempts::default();
        assert!(!attempts.changed());
        attempt(&mut attempts, 1, 16, FAILS, false);
        assert!(attempts.wants() && attempts.changed() && !attempts.wants());
        attempt(&mut attempts, 1, 16, FAILS, false);
        attempt(&mut attempts, 2, 24, FAILS, false);
        attempt(&mut attempts, 3, 16, EventFlags::NONE, false);
        assert!(attempts.wants(), "the other");
        let lock = Operation::new(mutex::LOCK, ObjectId(24));
        attempts.after(&Event { operation: lock, ..Event::default() });
        assert!(!attempts.changed(), "it has both");
        attempt(&mut attempts, 1, 16, FAILS.union(EventFlags::SPURIOUS), false);
        assert!(!attempts.wants(), "nobody held it");
        (0..10).for_each(|mutex| _ = attempt(&mut attempts, mutex, mutex, FAILS, false));
        (0..10).for_each(|mutex| _ = attempt(&mut attempts, mutex, mutex, EventFlags::NONE, false));
        assert!(attempts.changed(), "too many to be sure");
    }
}
