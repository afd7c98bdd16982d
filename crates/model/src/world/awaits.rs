//! Threads in loops that only read: when such a thread is enabled again.

use super::{Phase, World};
use crate::primitive::{atomic, choice, condvar, mutex, yielding};
use crate::{Event, EventFlags, Footprint, Mode, Operation, ThreadId};

impl World<'_> {
    /// Like [`World::announce`], but for an operation that may be an [await](Operation::is_await). `events` are all
    /// events of the execution so far.
    pub fn announce_look(&mut self, thread: ThreadId, operation: Operation, pc: u64, events: &[Event]) {
        self.announce(thread, operation, pc);
        if operation.is_await() {
            self.threads[thread.index()].stirs = operation.stirs(thread, events);
        }
    }

    /// Enables the awaits that the last of `events` writes to. It has just been taken and its result is complete. `events` are all events of
    /// the execution so far.
    ///
    /// Needed only while a thread awaits. It visits every thread.
    pub fn settle(&mut self, events: &[Event]) {
        let Some((event, before)) = events.split_last() else { return };
        for thread in self.ids() {
            let state = &mut self.threads[thread.index()];
            if thread != event.thread
                && state.phase == Phase::Alive
                && state.pending.is_await()
                && state.pending.is_stirred_by(event)
                && state.pending.has_looked_at(thread, before, event)
            {
                state.stirs += 1;
            }
        }
    }

    /// Whether somebody waits without need where the world is now, in which no thread can go on: a thread waits in a loop because it could not
    /// lock a mutex that is free by now, or could lock one that is not. `events` are all events of the execution so far.
    ///
    /// The thread waits because its last round changed nothing, and nobody noticed it who has got anywhere since. Without that round everything
    /// would be as it is, and the thread could go on. That is another execution.
    pub fn waits_needlessly(&self, events: &[Event]) -> Option<Needless> {
        let mut found = None;
        for thread in self.ids() {
            let state = self.thread(thread);
            if state.phase == Phase::Alive
                && state.pending.is_under_lock()
                && self.would_lock_otherwise(round(thread, &state.pending, events))
            {
                if is_polite(round(thread, &state.pending, events)) {
                    return Some(Needless::Polite);
                }
                found = Some(Needless::InTurn);
            }
        }
        found
    }

    /// Whether an attempt to lock a mutex in `round`, whose looks are given newest first, would end otherwise now. One that failed because
    /// the thread itself held the mutex would not.
    fn would_lock_otherwise<'e>(&self, round: impl Iterator<Item = &'e Event> + Clone) -> bool {
        round.clone().enumerate().any(|(at, tried)| {
            let object = tried.operation.object;
            let own = || round.clone().skip(at + 1).find(|look| look.operation.object == object && !look.failed());
            tried.operation.code == mutex::TRYLOCK
                && tried.failed() != mutex::owner_of(self, object).is_some()
                && own().is_none_or(|look| look.operation.code == mutex::UNLOCK)
        })
    }
}

/// How threads try mutexes in loops, where one [waits without need](World::waits_needlessly).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needless {
    /// Each waits for the mutex that it could not get, as `std::lock` does.
    InTurn,
    /// One waits for the mutex that it has given back. Several of these can go round for ever.
    Polite,
}

/// Whether a round tries a mutex in vain and then waits for another one first, or for none. `round` has its looks, newest first.
fn is_polite<'e>(round: impl Iterator<Item = &'e Event> + Clone) -> bool {
    round.clone().enumerate().any(|(at, tried)| {
        let waits = |look: &&Event| look.operation.code == mutex::LOCK;
        // The next lock is the last of those that are newer. Without any, it is the first of the next round.
        let next = round.clone().take(at).filter(waits).last().or_else(|| round.clone().filter(waits).last());
        tried.operation.code == mutex::TRYLOCK
            && tried.failed()
            && next.is_none_or(|lock| lock.operation.object != tried.operation.object)
    })
}

/// Whether an event of a thread that waits in a loop is a look of its round.
fn is_look(event: &Event) -> bool {
    let code = event.operation.code;
    let neutral = matches!(code, atomic::FENCE | choice::ATTEMPT | mutex::POLL);
    !neutral && code.family() != yielding::FAMILY
}

/// The looks of the last round of `thread`, which awaits by `operation`, newest first.
fn round<'e>(
    thread: ThreadId,
    operation: &Operation,
    events: &'e [Event],
) -> impl Iterator<Item = &'e Event> + Clone + use<'e> {
    events.iter().rev().filter(move |event| event.thread == thread && is_look(event)).take(operation.looks() as usize)
}

/// What a look has read: whatever a thread that looks there again can find to be otherwise.
fn read_by(look: &Event) -> Footprint {
    let Operation { object, code, size, .. } = look.operation;
    let mut read = Footprint::new();
    read.touch_bytes(object, (size as u32).max(1), Mode::Read);
    if code.family() == mutex::FAMILY && !look.failed() {
        read.touch(mutex::noticed(object), Mode::Read);
    }
    read
}

impl Operation {
    /// Counts the writes of other threads to the places that this await of `thread` reads. `events` are all events of
    /// the execution so far. For each place, counting starts at the first look at it in the last iteration of the loop.
    pub fn stirs(&self, thread: ThreadId, events: &[Event]) -> u32 {
        let mut left = self.looks();
        let is_own = |e: &Event| e.thread == thread && is_look(e);
        let Some(start) = events.iter().rposition(|e| {
            left -= is_own(e) as u32;
            left == 0
        }) else {
            return 0;
        };
        let round = &events[start..];
        let stirs = |(at, event): &(usize, &Event)| {
            event.thread != thread && self.is_stirred_by(event) && self.has_looked_at(thread, &round[..*at], event)
        };
        round.iter().enumerate().filter(stirs).count() as u32
    }

    /// Whether `thread`, whose await this is, has looked at what `event` of another thread writes. `before` are the events before it, from the
    /// beginning of the last iteration of the loop or from the beginning of the execution.
    fn has_looked_at(&self, thread: ThreadId, before: &[Event], event: &Event) -> bool {
        let written = Footprint::of(event);
        round(thread, self, before).any(|look| read_by(look).conflicts_with(&written))
    }

    /// Whether `event`, of another thread, may write to a place that this await reads: a thread that looks at several places reads none of those
    /// in between.
    pub fn is_stirred_by(&self, event: &Event) -> bool {
        // The end of the process touches everything, but writes to no place, and nobody looks after it. A thread that awaits
        // could not have gone on before it.
        if event.operation.ends_process() {
            return false;
        }
        // What wrote what was there already is no news: two threads that try to set a flag would wake each other for ever.
        if event.flags.contains(EventFlags::UNCHANGED) {
            return false;
        }
        if self.is_under_lock() && !is_news_under_lock(event) {
            return false;
        }
        let mut looks = Footprint::new();
        looks.touch_bytes(self.object, (self.size as u32).max(1), Mode::Read);
        if self.code == mutex::POLL {
            looks.touch(mutex::noticed(self.object), Mode::Read);
        }
        if let Some((place, size)) = self.also_awaited() {
            looks.touch_bytes(place, size as u32, Mode::Read);
        }
        looks.conflicts_with(&Footprint::of(event))
    }
}

/// Whether a thread that looks under a mutex could find something new after `event` of another thread, or go round once more because its last
/// round was noticed. Whoever locks the mutex has not written yet. Whoever unlocks it without a write has changed nothing: two threads that poll
/// would wake each other for ever.
fn is_news_under_lock(event: &Event) -> bool {
    match event.operation.code {
        mutex::LOCK | mutex::TRYLOCK | mutex::TIMEDLOCK | condvar::REACQUIRE => event.failed(),
        mutex::UNLOCK => event.operation.detail & mutex::QUIET == 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectId;

    #[test]
    fn only_a_change_under_the_mutex_ends_a_poll() {
        let mutex = ObjectId(8);
        let poll = Operation::new(mutex::POLL, mutex).awaiting(2, None).under_lock();
        let by = |operation| Event { operation, thread: ThreadId(1), ..Event::default() };
        let stirs = |operation| poll.is_stirred_by(&by(operation));
        let on = |code| Operation::new(code, mutex);
        assert!(stirs(on(mutex::UNLOCK)) && stirs(on(mutex::DESTROY)));
        let quiet = |code| Operation { detail: mutex::QUIET, ..on(code) };
        assert!(!stirs(quiet(mutex::UNLOCK)), "nothing was written");
        assert!(!stirs(on(mutex::LOCK)) && !stirs(on(mutex::TRYLOCK)) && !stirs(on(mutex::TIMEDLOCK)));
        assert!(!stirs(Operation::new(mutex::UNLOCK, ObjectId(64))), "another mutex");
        let wait = Operation { argument: mutex.0, ..Operation::new(condvar::WAIT, ObjectId(64)) };
        assert!(poll.is_stirred_by(&Event { result: 1, ..by(wait) }), "a wait unlocks it");
        // Whoever has failed to lock it waits for any unlock.
        let attempt = on(mutex::TRYLOCK).awaiting(1, None);
        assert!(attempt.is_stirred_by(&by(quiet(mutex::UNLOCK))));
        // Whoever fails can tell that it is locked.
        let fails = |operation| Event { flags: EventFlags::FAILED, ..by(operation) };
        assert!(poll.is_stirred_by(&fails(on(mutex::TRYLOCK))) && poll.is_stirred_by(&fails(on(mutex::TIMEDLOCK))));
        assert!(!poll.is_stirred_by(&fails(quiet(mutex::TRYLOCK))), "it has failed there before");
        assert!(!attempt.is_stirred_by(&fails(on(mutex::TRYLOCK))));
    }

    #[test]
    fn what_lies_between_places_is_not_awaited() {
        let load = |thread, place| Event {
            operation: Operation { size: 4, ..Operation::new(atomic::LOAD, ObjectId(place)) },
            thread: ThreadId(thread),
            ..Event::default()
        };
        let store =
            |place| Event { operation: Operation { code: atomic::STORE, ..load(1, place).operation }, ..load(1, 0) };
        let awaits = load(0, 8).operation.awaiting(3, Some((ObjectId(16), 20)));
        let stirs = |events: &[Event]| awaits.stirs(ThreadId(0), events);
        let looks = [load(0, 8), load(0, 16), load(0, 32)];
        assert_eq!(stirs(&looks), 0);
        assert_eq!(stirs(&[&looks[..], &[store(24)]].concat()), 0, "nobody looks there");
        assert_eq!(stirs(&[&looks[..], &[store(32), store(16)]].concat()), 2);
        assert_eq!(stirs(&[looks[0], looks[1], store(32), looks[2]]), 0, "it was seen");
        assert_eq!(stirs(&[looks[0], looks[1], store(16), looks[2]]), 1);
    }
}
