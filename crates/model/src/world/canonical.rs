//! The canonical form of a world: the part of it that decides what can follow.
//!
//! Two worlds that were reached in different ways and have the same future have the same form, as far as that can be
//! told. Left out is what only counts how the world was reached: the numbers of events and operations, tickets (only
//! the order of those that wait for the same object remains), which event woke a thread. What is left of an earlier
//! wait is left out too, and so is everything about a finished thread but that it can be joined.
//!
//! The form is a sequence of words. [`World::canonical`] returns it, for those who compare states word by word.
//! [`World::fingerprint`] computes a digest of the same words without allocating.

use super::{ObjectSlot, Phase, ThreadState, World};
use crate::content::PartKind;
use crate::primitive;
use crate::{Digest, Fingerprint, ObjectId, ThreadId};

/// The number of words of a thread.
const THREAD: usize = 12;
/// The number of words of an object.
const OBJECT: usize = 5;

/// What a thread is about to do counts from here on. A request for cancellation is one or several: an event that one
/// request alone has enabled cannot come before it.
const SEVERAL: u32 = 2;

impl World<'_> {
    /// The canonical words of a thread.
    fn thread_words(&self, thread: ThreadId) -> [u64; THREAD] {
        let state = self.thread(thread);
        let life = state.phase as u64 | (state.detached as u64) << 8 | (state.joined as u64) << 9;
        if !matches!(state.phase, Phase::Alive | Phase::Lingering) {
            return [life, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        }
        let ThreadState { pending, waits_on, waits_with, queued_on, .. } = *state;
        let pending = pending.without_await();
        let code = pending.code.0 as u64 | (pending.size as u64) << 16 | (pending.detail as u64) << 32;
        let sleeps = waits_on != ObjectId::NONE;
        let (waits_with, mask) = if sleeps { (waits_with.0, state.mask) } else { (0, 0) };
        let woken = sleeps && state.woken_by != 0;
        let flags = (state.expired as u64) << 10
            | (woken as u64) << 11
            | ((woken && state.woken_alone) as u64) << 12
            | (state.requests.min(SEVERAL) as u64) << 13;
        // Where the number of operations is limited, it decides what can follow.
        let steps = if self.most_steps == u32::MAX { 0 } else { state.steps as u64 };
        let numbers = state.timeouts as u64 | (state.spurious as u64) << 32;
        [
            life | flags | self.place_of(thread) << 32,
            code,
            pending.object.0,
            pending.argument,
            state.pc,
            waits_on.0,
            waits_with,
            queued_on.0,
            numbers,
            state.failures as u64 | (mask as u64) << 32,
            state.children as u64 | steps << 32,
            state.inputs as u64,
        ]
    }

    /// How many threads that wait for the same as `thread` came before it, if their order can matter.
    fn place_of(&self, thread: ThreadId) -> u64 {
        let state = self.thread(thread);
        let queued = state.queued_on != ObjectId::NONE;
        let sleeps = state.waits_on != ObjectId::NONE && state.woken_by == 0;
        if !queued && !sleeps {
            return 0;
        }
        let before = |other: &ThreadId| {
            let other = self.thread(*other);
            let same = if queued {
                other.queued_on == state.queued_on
            } else {
                other.waits_on == state.waits_on && other.woken_by == 0
            };
            other.phase == Phase::Alive && same && other.ticket < state.ticket
        };
        self.ids().filter(before).count() as u64
    }

    /// The canonical words of an object. `None` if the object is as if it had never been used.
    fn object_words(&self, object: ObjectId, slot: &ObjectSlot) -> Option<[u64; OBJECT]> {
        let [first, second, third] = match object.shared() {
            Some(whole) => match self.objects.get(whole, slot.family()) {
                Some(owner) => primitive::of_family(owner.family()).canonical_share(owner, slot),
                None => slot.words,
            },
            None => primitive::of_family(slot.family()).canonical(slot),
        };
        if (first, second, third, slot.life) == (0, 0, 0, 0) {
            return None;
        }
        let kind = u64::from(slot.family()) | (slot.life as u64) << 32;
        Some([object.0, kind, first, second, third])
    }

    /// Who has an atomic section, plus one, or 0.
    fn section_word(&self) -> u64 {
        self.exclusive.map_or(0, |inside| inside.0 as u64 + 1)
    }

    /// Shows the canonical form of this world: the words of each thread and of each object, and who is inside an atomic section.
    pub fn show(&self, mut each: impl FnMut(PartKind, u64, &[u64])) {
        each(PartKind::Rest, 0, &[self.section_word()]);
        self.ids().for_each(|thread| each(PartKind::Thread, thread.0.into(), &self.thread_words(thread)));
        for (object, slot) in self.objects.iter() {
            if let Some(words) = self.object_words(object, slot) {
                each(PartKind::Object, object.0, &words);
            }
        }
    }

    /// A digest of the canonical form of this world: what decides what can follow, without the program's memory.
    ///
    /// Costs time for every slot of the table of objects.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut digest = Digest::default();
        digest.add(self.section_word());
        for thread in self.ids() {
            self.thread_words(thread).into_iter().for_each(|word| digest.add(word));
        }
        // Objects are in no particular order, so their digests are added up.
        let mut objects = 0u128;
        for (object, slot) in self.objects.iter() {
            if let Some(words) = self.object_words(object, slot) {
                objects = objects.wrapping_add(Digest::of(&words).0);
            }
        }
        digest.add(objects as u64);
        digest.add((objects >> 64) as u64);
        digest.finish()
    }

    /// The canonical form of this world, as words to compare: what decides what can follow, without the program's memory.
    #[cfg(feature = "std")]
    pub fn canonical(&self) -> Vec<u64> {
        let mut objects: Vec<_> =
            self.objects.iter().filter_map(|(object, slot)| self.object_words(object, slot)).collect();
        objects.sort_unstable();
        let mut words = vec![self.section_word(), self.extent() as u64];
        words.extend(self.ids().flat_map(|thread| self.thread_words(thread)));
        words.extend(objects.into_iter().flatten());
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{condvar, mutex, rwlock, semaphore, thread};
    use crate::{Choice, NoMemory, OpCode, Operation, WakeupOrder};

    const M: ObjectId = ObjectId(0x1000);
    const C: ObjectId = ObjectId(0x2000);

    /// Runs operations, each with its thread and its way, and returns both forms of the world after them.
    fn after(steps: &[(u16, Operation, u16)]) -> (Vec<u64>, Fingerprint) {
        let mut threads = vec![ThreadState::default(); 4];
        let mut objects = vec![ObjectSlot::default(); 64];
        let mut world = World::new(&mut threads, &mut objects, &NoMemory);
        for id in 1..4 {
            world.announce(ThreadId::MAIN, Operation::new(thread::CREATE, ObjectId::thread(ThreadId(id))), 0);
            world.take(ThreadId::MAIN, Choice::Way(0));
        }
        for &(id, operation, way) in steps {
            world.announce(ThreadId(id), operation, 0);
            assert!(world.enabled(ThreadId(id)), "{operation:?}");
            world.take(ThreadId(id), Choice::Way(way));
        }
        // What they do next is not under test.
        for id in 0..4 {
            world.announce(ThreadId(id), Operation::new(OpCode::ANY, ObjectId::NONE), 7);
        }
        (world.canonical(), world.fingerprint())
    }

    fn on(code: OpCode, object: ObjectId) -> Operation {
        Operation::new(code, object)
    }

    fn wait(order: WakeupOrder) -> Operation {
        on(condvar::WAIT, C).with_argument(M.0).in_order(order)
    }

    #[test]
    fn what_was_done_and_undone_leaves_no_trace() {
        let before = after(&[]);
        assert_eq!(after(&[(1, on(mutex::LOCK, M), 0), (1, on(mutex::UNLOCK, M), 0)]), before);
        let reader = [(1, on(rwlock::READ_LOCK, M), 0), (1, on(rwlock::UNLOCK, M), 0)];
        assert_eq!(after(&reader), before);
        let sleep = [
            (1, on(mutex::LOCK, M), 0),
            (1, wait(WakeupOrder::Arbitrary), 0),
            (2, on(condvar::SIGNAL, C), 0),
            (1, on(condvar::REACQUIRE, C).with_argument(M.0), 0),
            (1, on(mutex::UNLOCK, M), 0),
        ];
        assert_eq!(after(&sleep), before);
    }

    #[test]
    fn what_differs_is_told_apart() {
        let init = |count| (0, on(semaphore::INIT, M).with_argument(count), 0);
        let forms = [
            after(&[]),
            after(&[(1, on(mutex::LOCK, M), 0)]),
            after(&[(2, on(mutex::LOCK, M), 0)]),
            after(&[(1, on(mutex::LOCK, C), 0)]),
            after(&[(1, on(rwlock::READ_LOCK, M), 0)]),
            after(&[(1, on(rwlock::READ_LOCK, M), 0), (1, on(rwlock::READ_LOCK, M), 0)]),
            after(&[(1, on(rwlock::READ_LOCK, M), 0), (2, on(rwlock::READ_LOCK, M), 0)]),
            after(&[(1, on(rwlock::WRITE_LOCK, M), 0)]),
            after(&[init(1)]),
            after(&[init(2)]),
            after(&[(1, on(thread::EXIT, ObjectId::thread(ThreadId(1))), 0)]),
            after(&[(0, on(thread::CANCEL, ObjectId::thread(ThreadId(1))), 0)]),
            after(&[(1, on(mutex::LOCK, M), 0), (1, wait(WakeupOrder::Arbitrary), 0)]),
            after(&[(1, on(mutex::LOCK, M), 0), (1, wait(WakeupOrder::Arbitrary), 0), (2, on(condvar::SIGNAL, C), 0)]),
            after(&[
                (1, on(mutex::LOCK, M), 0),
                (1, wait(WakeupOrder::Arbitrary), 0),
                (2, on(condvar::BROADCAST, C), 0),
            ]),
        ];
        for (at, one) in forms.iter().enumerate() {
            for other in &forms[at + 1..] {
                assert_ne!(one.0, other.0, "{at}");
                assert_ne!(one.1, other.1, "{at}");
            }
        }
    }

    #[test]
    fn who_came_first_counts_with_a_policy_only() {
        let asleep = |order, first: u16, second: u16| {
            let lock = on(mutex::LOCK, M);
            after(&[(first, lock, 0), (first, wait(order), 0), (second, lock, 0), (second, wait(order), 0)])
        };
        assert_eq!(asleep(WakeupOrder::Arbitrary, 1, 2), asleep(WakeupOrder::Arbitrary, 2, 1));
        assert_ne!(asleep(WakeupOrder::Fifo, 1, 2).0, asleep(WakeupOrder::Fifo, 2, 1).0);
        assert_ne!(asleep(WakeupOrder::Fifo, 1, 2).1, asleep(WakeupOrder::Fifo, 2, 1).1);
        let queued = |first: u16, second: u16| {
            let enter = on(mutex::ENQUEUE, M).in_order(WakeupOrder::Fifo);
            after(&[(3, on(mutex::LOCK, M), 0), (first, enter, 0), (second, enter, 0)])
        };
        assert_ne!(queued(1, 2).0, queued(2, 1).0);
    }
}
