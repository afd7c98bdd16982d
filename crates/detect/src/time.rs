//! Virtual time: what the clock of each thread shows.
//!
//! Each thread has a clock of its own, which depends only on what happened before in that thread. Threads that do not
//! communicate must not be able to tell in which order they ran, else two equivalent executions would differ.
//! A new thread's clock starts at its creator's. Time passes by reading the clock, by sleeping, and by timing out: then it is
//! at least the deadline.
//!
//! A thread that learns of something cannot live before it. Every event that touches an object takes over the time of the events that
//! changed it before, and, unless it only reads, leaves its own there ([`Time::event`]; Lamport's clocks over the footprints of
//! the model). So time never goes backwards for anybody who could notice.
//!
//! When no thread is enabled, time passes for all threads, up to the earliest deadline.

use heddle_model::{Event, Footprint, Mode, ObjectId, ThreadId};

use crate::lend::{Lender, Zero};

/// What reading the clock takes, in nanoseconds. It is not 0, so loops that wait for a moment end.
pub const TICK: u64 = 100_000;

/// How far to look for an object in the table.
const PROBES: usize = 16;

/// The time of one object.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    execution: u64,
    time: u64,
}

// SAFETY: numbers.
unsafe impl Zero for Entry {}

/// The clocks of the execution under way, in nanoseconds since its beginning.
pub struct Time<'m> {
    /// The clock of each thread, where it is ahead of the floor.
    clocks: &'m mut [u64],
    /// One more than the highest thread whose clock may not be 0.
    extent: usize,
    /// The time that all clocks show at least.
    floor: u64,
    /// Whether some clock is not 0.
    passes: bool,
    /// The times of objects. The length is a power of two.
    objects: &'m mut [Entry],
    /// Counts executions: objects of another one are forgotten.
    execution: u64,
}

impl<'m> Time<'m> {
    /// No clocks at all.
    pub const fn empty() -> Time<'m> {
        Time { clocks: &mut [], extent: 0, floor: 0, passes: false, objects: &mut [], execution: 0 }
    }

    /// Clocks of `threads` threads, and room for `objects` objects, a power of two. [`reset`](Self::reset) comes before anything else.
    pub fn new(lender: &mut impl Lender<'m>, threads: usize, objects: usize) -> Time<'m> {
        assert!(objects.is_power_of_two());
        Time { clocks: lender.lend(threads), objects: lender.lend(objects), ..Time::empty() }
    }

    /// Sets all clocks back to the beginning.
    pub fn reset(&mut self) {
        self.clocks[..self.extent].fill(0);
        self.extent = 0;
        self.floor = 0;
        self.passes = false;
        self.execution += 1;
    }

    fn clock_of(&mut self, thread: ThreadId) -> &mut u64 {
        self.extent = self.extent.max(thread.index() + 1);
        let clock = &mut self.clocks[thread.index()];
        *clock = self.floor.max(*clock);
        clock
    }

    /// The time of `thread`. It does not pass.
    pub fn now(&mut self, thread: ThreadId) -> u64 {
        *self.clock_of(thread)
    }

    /// Reads the clock of `thread`, which takes a [`TICK`].
    pub fn look(&mut self, thread: ThreadId) -> u64 {
        self.pass(thread, TICK);
        self.now(thread)
    }

    /// Like [`look`](Self::look), and later than all such looks through the same object.
    pub fn look_after(&mut self, thread: ThreadId, object: ObjectId) -> u64 {
        let last = self.time_of(object.0 >> 3).map_or(0, |time| *time);
        self.reach(thread, last);
        let now = self.look(thread);
        if let Some(time) = self.time_of(object.0 >> 3) {
            *time = now;
        }
        now
    }

    /// Lets time pass for `thread`.
    pub fn pass(&mut self, thread: ThreadId, nanoseconds: u64) {
        let clock = self.clock_of(thread);
        *clock = clock.saturating_add(nanoseconds);
        self.passes = true;
    }

    /// Makes it at least `time` for `thread`.
    pub fn reach(&mut self, thread: ThreadId, time: u64) {
        let clock = self.clock_of(thread);
        *clock = time.max(*clock);
        self.passes = true;
    }

    /// Advances the clocks of all threads to at least `time`, because no thread is enabled before then.
    pub fn reach_for_all(&mut self, time: u64) {
        self.floor = time.max(self.floor);
        self.passes = true;
    }

    /// Makes it at least as late for `later` as for `earlier`: something that happened there, its creation or its end, comes first.
    pub fn catch_up(&mut self, later: ThreadId, earlier: ThreadId) {
        let other = self.now(earlier);
        let own = self.clock_of(later);
        *own = other.max(*own);
    }

    /// Whether any clock shows anything. Until then there is nothing to hand on, and [`event`](Self::event) need not be called.
    #[inline(always)]
    pub fn passes(&self) -> bool {
        self.passes
    }

    /// Hands time on through what an event touches.
    #[cold]
    pub fn event(&mut self, event: &Event) {
        let mut own = self.now(event.thread);
        for access in Footprint::of(event).accesses() {
            let first = access.object.0 >> 3;
            for key in first..=(access.object.0 + access.size.max(1) as u64 - 1) >> 3 {
                let Some(time) = self.time_of(key) else { continue };
                if access.mode != Mode::Add {
                    own = own.max(*time);
                }
                if access.mode != Mode::Read {
                    *time = own.max(*time);
                }
            }
        }
        *self.clock_of(event.thread) = own;
    }

    /// The time of an object. None if there is no room for it: then its time is lost, as if nobody had touched it.
    fn time_of(&mut self, key: u64) -> Option<&mut u64> {
        let (execution, mask) = (self.execution, self.objects.len() - 1);
        let home = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        let is_room = |entry: &Entry| entry.execution != execution || entry.key == key;
        let at = (0..PROBES).map(|probe| (home + probe) & mask).find(|&at| is_room(&self.objects[at]))?;
        let entry = &mut self.objects[at];
        if entry.execution != execution {
            *entry = Entry { key, execution, time: 0 };
        }
        Some(&mut entry.time)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use heddle_model::Operation;
    use heddle_model::primitive::semaphore;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Owner, THREADS, actions, cases, event_of};

    fn event(thread: u16, code: heddle_model::OpCode) -> Event {
        Event { operation: Operation::new(code, ObjectId(0x100)), thread: ThreadId(thread), ..Event::default() }
    }

    #[test]
    fn time_is_handed_on_by_communication_only() {
        let owner = Owner::default();
        let mut time = Time::new(&mut &owner, 4, 64);
        time.reset();
        assert!(!time.passes());
        time.pass(ThreadId(0), 500);
        assert!(time.passes());
        time.event(&event(1, semaphore::GETVALUE));
        assert_eq!(time.now(ThreadId(1)), 0, "nobody has posted yet");
        time.event(&event(0, semaphore::POST));
        time.event(&event(2, semaphore::POST));
        assert_eq!(time.now(ThreadId(2)), 0, "a post learns nothing");
        time.event(&event(1, semaphore::WAIT));
        assert_eq!(time.now(ThreadId(1)), 500);
        time.reset();
        time.event(&event(1, semaphore::WAIT));
        assert_eq!((time.now(ThreadId(0)), time.now(ThreadId(1))), (0, 0));
    }

    #[test]
    fn who_looks_later_sees_a_later_time() {
        let owner = Owner::default();
        let mut time = Time::new(&mut &owner, 4, 64);
        time.reset();
        let clock = ObjectId(0x800);
        assert_eq!(time.look_after(ThreadId(1), clock), TICK);
        assert_eq!(time.look_after(ThreadId(0), clock), 2 * TICK);
        assert_eq!(time.look(ThreadId(1)), 2 * TICK, "not through the object");
        time.pass(ThreadId(1), 10 * TICK);
        assert_eq!(time.look_after(ThreadId(1), clock), 13 * TICK);
        assert_eq!(time.look_after(ThreadId(2), clock), 14 * TICK);
        time.reset();
        assert_eq!(time.look_after(ThreadId(2), clock), TICK);
    }

    #[test]
    fn deadlines_are_reached() {
        let owner = Owner::default();
        let mut time = Time::new(&mut &owner, 4, 64);
        time.reset();
        assert_eq!(time.look(ThreadId(3)), TICK);
        time.reach(ThreadId(3), 10);
        assert_eq!(time.now(ThreadId(3)), TICK, "not backwards");
        time.reach_for_all(2 * TICK);
        assert_eq!((time.now(ThreadId(0)), time.now(ThreadId(3))), (2 * TICK, 2 * TICK));
        time.pass(ThreadId(0), u64::MAX);
        time.pass(ThreadId(0), 1);
        time.catch_up(ThreadId(1), ThreadId(0));
        assert_eq!(time.now(ThreadId(1)), u64::MAX);
    }

    proptest! {
        #![proptest_config(cases(128))]

        /// Against maps without limits, with times that are far apart.
        #[test]
        fn agrees_with_lamport(programs in prop::collection::vec(actions(false), 1..3)) {
            let owner = Owner::default();
            let mut time = Time::new(&mut &owner, THREADS, 1 << 10);
            for program in programs {
                time.reset();
                let mut clocks = [0u64; THREADS];
                let mut objects: BTreeMap<u64, u64> = BTreeMap::new();
                for (number, (thread, action)) in program.into_iter().enumerate() {
                    let Some(event) = event_of(thread, action) else {
                        time.pass(ThreadId(thread as u16), number as u64 * 1000);
                        clocks[thread] += number as u64 * 1000;
                        continue;
                    };
                    time.event(&event);
                    for access in Footprint::of(&event).accesses() {
                        let mut keys: std::vec::Vec<u64> =
                            (0..access.size.max(1) as u64).map(|byte| (access.object.0 + byte) / 8).collect();
                        keys.dedup();
                        for key in keys {
                            let object = objects.entry(key).or_default();
                            if access.mode != Mode::Add {
                                clocks[thread] = clocks[thread].max(*object);
                            }
                            if access.mode != Mode::Read {
                                *object = (*object).max(clocks[thread]);
                            }
                        }
                    }
                    for (other, clock) in clocks.iter().enumerate() {
                        prop_assert_eq!(time.now(ThreadId(other as u16)), *clock);
                    }
                }
            }
        }
    }
}
