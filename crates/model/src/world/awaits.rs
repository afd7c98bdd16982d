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

    /// Enables the awaits that `event` writes to. `event` has just been taken and its result is complete.
    ///
    /// Needed only while a thread awaits. It visits every thread.
    pub fn settle(&mut self, event: &Event) {
        for thread in self.ids() {
            let state = &mut self.threads[thread.index()];
            if thread != event.thread
                && state.phase == Phase::Alive
                && state.pending.is_await()
                && state.pending.is_stirred_by(event, true, true)
            {
                state.stirs += 1;
            }
        }
    }
}

impl Operation {
    /// Counts the writes of other threads to the places that this await of `thread` reads. `events` are all events of
    /// the execution so far. For each place, counting starts at the first load of it in the last iteration of the loop.
    pub fn stirs(&self, thread: ThreadId, events: &[Event]) -> u32 {
        let mut left = self.looks();
        let looks = |e: &Event| {
            let code = e.operation.code;
            e.thread == thread && code != atomic::FENCE && code != choice::ATTEMPT && code.family() != yielding::FAMILY
        };
        let Some(start) = events.iter().rposition(|e| {
            left -= looks(e) as u32;
            left == 0
        }) else {
            return 0;
        };
        let also = self.also_awaited().map(|(place, _)| place);
        let (mut first, mut second) = (false, false);
        let mut stirs = 0;
        for event in &events[start..] {
            if looks(event) {
                first |= event.operation.object == self.object;
                second |= Some(event.operation.object) == also;
            } else if event.thread != thread {
                stirs += self.is_stirred_by(event, first, second) as u32;
            }
        }
        stirs
    }

    /// Whether `event`, of another thread, writes to a place that this await reads. `first` and `second` say which of
    /// its two places count.
    pub fn is_stirred_by(&self, event: &Event, first: bool, second: bool) -> bool {
        // The end of the process touches everything, but writes to no place, and nobody looks after it. A thread that awaits
        // could not have gone on before it.
        if event.operation.ends_process() {
            return false;
        }
        // What wrote what was there already is no news: two threads that try to set a flag would wake each other for ever.
        if event.flags.contains(EventFlags::UNCHANGED) {
            return false;
        }
        if self.code == mutex::POLL && !is_news_under_lock(event) {
            return false;
        }
        let mut looks = Footprint::new();
        if first {
            looks.touch_bytes(self.object, (self.size as u32).max(1), Mode::Read);
        }
        if let Some((place, size)) = self.also_awaited().filter(|_| second) {
            looks.touch_bytes(place, size as u32, Mode::Read);
        }
        looks.conflicts_with(&Footprint::of(event))
    }
}

/// Whether a thread that looks under a mutex could find something new after `event` of another thread. Whoever locks the mutex has not written
/// yet. Whoever unlocks it without a write has changed nothing: two threads that poll would wake each other for ever.
fn is_news_under_lock(event: &Event) -> bool {
    match event.operation.code {
        mutex::LOCK | mutex::TRYLOCK | mutex::TIMEDLOCK | condvar::REACQUIRE => false,
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
        let poll = Operation::new(mutex::POLL, mutex).awaiting(2, None);
        let by = |operation| Event { operation, thread: ThreadId(1), ..Event::default() };
        let stirs = |operation| poll.is_stirred_by(&by(operation), true, true);
        let on = |code| Operation::new(code, mutex);
        assert!(stirs(on(mutex::UNLOCK)) && stirs(on(mutex::DESTROY)));
        assert!(!stirs(Operation { detail: mutex::QUIET, ..on(mutex::UNLOCK) }), "nothing was written");
        assert!(!stirs(on(mutex::LOCK)) && !stirs(on(mutex::TRYLOCK)) && !stirs(on(mutex::TIMEDLOCK)));
        assert!(!stirs(Operation::new(mutex::UNLOCK, ObjectId(64))), "another mutex");
        let wait = Operation { argument: mutex.0, ..Operation::new(condvar::WAIT, ObjectId(64)) };
        assert!(poll.is_stirred_by(&Event { result: 1, ..by(wait) }, true, true), "a wait unlocks it");
        // Whoever has failed to lock it waits for any unlock.
        let attempt = on(mutex::TRYLOCK).awaiting(1, None);
        let quiet = Operation { detail: mutex::QUIET, ..on(mutex::UNLOCK) };
        assert!(attempt.is_stirred_by(&by(quiet), true, true));
    }
}
