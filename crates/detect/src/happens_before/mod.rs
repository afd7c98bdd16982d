//! Happens-before by vector clocks: what each thread knows of the others.
//!
//! A thread's own time advances with each of its events. An event that touches an object learns what the object
//! knows, and, unless it only reads, leaves there what its thread knows ([`objects`]).
//!
//! Atomics do so only as far as their memory orders say (C++20, \[intro.races\] and \[atomics.fences\]). What an atomic
//! location knows is what an acquiring read of its current value synchronises with:
//!
//! * A store puts there what its thread knows if it releases, else what the thread knew at its last releasing fence. The release
//!   sequence of the value before ends, whichever thread stores.
//! * A read-modify-write adds that to what is there: it continues the release sequence, whatever its order.
//! * A read learns it if it acquires. If not, it is set aside, and the thread's next acquiring fence learns it.
//!
//! A futex wake adds to what the word knows, as a releasing read-modify-write just before it would: the kernel
//! orders memory there.
//!
//! Sequentially consistent operations count as acquiring and releasing. Their order among themselves is that of the
//! execution, and synchronises nothing else. Where values of several sizes overlap, which the standard does not have, a
//! value knows what all its bytes in the same granule of eight know.

mod clock;
pub mod objects;

#[cfg(test)]
mod tests;

use heddle_model::primitive::{atomic, futex, section};
use heddle_model::{Digest, Event, EventFlags, Footprint, Mode, ThreadId};

pub use self::clock::join;
use self::clock::{OptionalRows, Rows};
use self::objects::{Capacity, Objects, granules};
use crate::lend::{Full, Lender};

/// The key of the order of atomic sections. No address and no name of a thread.
const SECTIONS: u64 = u64::MAX;

/// The happens-before relation of the execution under way.
pub struct HappensBefore<'m> {
    /// What each thread knows.
    threads: Rows<'m>,
    /// What each thread has read without acquiring it.
    aside: OptionalRows<'m>,
    /// What each thread knew at its last releasing fence.
    fenced: OptionalRows<'m>,
    objects: Objects<'m>,
    /// The running thread. Invariant: below the width of `threads`.
    current: usize,
    /// The index of the first word of its clock.
    row: usize,
}

impl<'m> HappensBefore<'m> {
    /// Room for up to `threads` threads. [`reset`](Self::reset) comes before anything else.
    pub fn new(lender: &mut impl Lender<'m>, threads: usize, capacity: Capacity) -> HappensBefore<'m> {
        assert!(threads > 0);
        let mut order = HappensBefore {
            threads: Rows::new(lender, threads),
            aside: OptionalRows::new(lender, threads),
            fenced: OptionalRows::new(lender, threads),
            objects: Objects::new(lender, capacity),
            current: 0,
            row: 0,
        };
        order.threads.set_width(1);
        order
    }

    /// Begins an execution with at most `threads` threads, at least one. The main thread runs.
    pub fn reset(&mut self, threads: usize) {
        assert!(threads > 0);
        self.objects.reset(threads);
        self.aside.reset(threads);
        self.fenced.reset(threads);
        self.threads.clear();
        self.threads.set_width(threads);
        self.threads.clear();
        for thread in 0..threads {
            self.threads.of(thread)[thread] = 1;
        }
        (self.current, self.row) = (0, 0);
    }

    /// Says that `thread` runs from now on.
    #[inline]
    pub fn switched(&mut self, thread: ThreadId) {
        assert!(thread.index() < self.threads.width());
        self.current = thread.index();
        self.row = self.current * self.threads.width();
    }

    /// The running thread and its own time.
    #[inline(always)]
    pub fn now(&self) -> (ThreadId, u32) {
        // SAFETY: the running thread is below the width.
        (ThreadId(self.current as u16), unsafe { self.threads.word(self.row + self.current) })
    }

    /// Whether what `thread` did at its time `time` happens before what the running thread does now.
    ///
    /// # Safety
    /// `thread` was the running thread at some time in this execution.
    #[inline(always)]
    pub unsafe fn knows(&self, thread: ThreadId, time: u32) -> bool {
        // SAFETY: who has run is below the width, and so is who runs.
        time <= unsafe { self.threads.word(self.row + thread.index()) }
    }

    /// Who knows what `thread` did at its time `time`, and can pass it on: the threads that are `alive`, and all objects. `None` if all of these
    /// threads know: then whatever follows comes after it.
    ///
    /// Whoever learns from somebody learns everything that it knows. So what two accesses have to do with whatever follows is the
    /// same if the same know of them. The result depends on nothing else.
    pub fn who_knows(&self, thread: ThreadId, time: u32, alive: impl Fn(ThreadId) -> bool) -> Option<u128> {
        let name = |kind: u64, who: u64, more: u64| Digest::of(&[kind, who, more]).0;
        let (mut sum, mut everybody) = (0u128, true);
        for one in (0..self.threads.width()).filter(|&one| alive(ThreadId(one as u16))) {
            let knows = time <= self.threads.at(one, thread.index());
            everybody &= knows;
            let rows =
                [knows, self.aside.knows(one, thread.index(), time), self.fenced.knows(one, thread.index(), time)];
            for (kind, _) in rows.iter().enumerate().filter(|(_, knows)| **knows) {
                sum = sum.wrapping_add(name(kind as u64, one as u64, 0));
            }
        }
        if everybody {
            return None;
        }
        self.objects.each_knowing(thread.index(), time, |granule, byte| {
            sum = sum.wrapping_add(name(3, granule, byte as u64));
        });
        Some(sum)
    }

    /// Takes note of an event: its thread learns what the objects know, and they learn what it knows.
    ///
    /// The thread's own time does not pass: see [`advance`](Self::advance).
    pub fn event(&mut self, event: &Event) -> Result<(), Full> {
        if event.operation.code.family() == atomic::FAMILY {
            return self.atomic(event);
        }
        let thread = event.thread.index();
        let mut footprint = Footprint::new();
        footprint.add_alone(event);
        // That nobody could go on is no message from anybody.
        if footprint.is_everything() && !event.flags.contains(EventFlags::QUIESCENT) {
            // After everybody: the end of the process, or of the wait for all others' ends.
            self.threads.join_all(thread);
        }
        let HappensBefore { threads, objects, .. } = self;
        let clock = threads.of(thread);
        let mut result = Ok(());
        if event.operation.code == futex::WAKE {
            // libstdc++ stores the word that it wakes others for in code that is not instrumented. The wake itself is seen.
            granules(event.operation.object.0, 4, |granule, bytes| {
                result = result.and(objects.teach(granule, bytes, clock));
            });
        }
        for access in footprint.accesses() {
            let mut meet = |granule, bytes| match access.mode {
                Mode::Read => objects.learn(granule, bytes, clock),
                Mode::Add => result = result.and(objects.teach(granule, bytes, clock)),
                Mode::Write => result = result.and(objects.exchange(granule, bytes, clock)),
            };
            if access.object.as_thread().is_some() {
                // Names of threads follow each other. As bytes they would share granules, which their addresses cannot be.
                meet(access.object.0, 1);
            } else {
                granules(access.object.0, access.size as u64, meet);
            }
        }
        result
    }

    /// Takes note that the running thread stores to `size` bytes at `start` with release order, in code that is not
    /// instrumented. Who reads there and acquires synchronises with what the thread has done. Its own time does not pass.
    pub fn release(&mut self, start: u64, size: u64) -> Result<(), Full> {
        let HappensBefore { threads, objects, .. } = self;
        let clock = threads.of(self.current);
        let mut result = Ok(());
        granules(start, size, |granule, bytes| result = result.and(objects.teach(granule, bytes, clock)));
        result
    }

    /// An atomic operation or a fence: see the module. If a loop waits for another place than the one it reads here, it reads that
    /// by another event.
    fn atomic(&mut self, event: &Event) -> Result<(), Full> {
        let thread = event.thread.index();
        let (operation, order) = (&event.operation, atomic::order(event));
        let HappensBefore { threads, aside, fenced, objects, .. } = self;
        let clock = threads.of(thread);
        if operation.code == atomic::FENCE {
            if order.acquires() {
                join(clock, aside.get_or_zero(thread));
            }
            if order.releases() {
                fenced.set(thread, clock);
            }
            return Ok(());
        }
        let (start, size) = (operation.object.0, operation.size.max(1) as u64);
        if operation.code != atomic::STORE {
            let into = if order.acquires() { &mut *clock } else { aside.get_or_zero(thread) };
            granules(start, size, |granule, bytes| objects.learn(granule, bytes, into));
        }
        if operation.code == atomic::LOAD || event.failed() {
            return Ok(());
        }
        let published = if order.releases() { Some(clock) } else { fenced.get(thread) };
        let mut result = Ok(());
        granules(start, size, |granule, bytes| match objects.own(granule, bytes) {
            Ok(known) => {
                if operation.code == atomic::STORE {
                    known.fill(0);
                }
                if let Some(published) = &published {
                    join(known, published);
                }
            }
            Err(full) => result = Err(full),
        });
        result
    }

    /// Takes note of the beginning or the end of an atomic section. Sections are ordered as if one lock were around all of them.
    pub fn section(&mut self, event: &Event) -> Result<(), Full> {
        let clock = self.threads.of(event.thread.index());
        let (granule, byte) = (SECTIONS >> 3, 1 << (SECTIONS & 7));
        if event.operation.code == section::BEGIN {
            self.objects.learn(granule, byte, clock);
        } else {
            self.objects.teach(granule, byte, clock)?;
            self.advance(event.thread);
        }
        Ok(())
    }

    /// Advances the time of `thread`: what it does from now on comes after its last event.
    pub fn advance(&mut self, thread: ThreadId) {
        self.threads.of(thread.index())[thread.index()] += 1;
    }

    /// Pretends that this many executions were run, for tests of the count's overflow.
    #[cfg(test)]
    fn set_execution(&mut self, execution: u32) {
        self.aside.set_execution(execution);
        self.fenced.set_execution(execution);
        self.objects.set_execution(execution);
    }
}
