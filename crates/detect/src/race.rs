//! Data races: two accesses to one byte without happens-before between them, at least one of them a write and at least one not atomic.
//!
//! What orders is program order, and what synchronises ([`happens_before`]): of the primitives every two events whose footprints
//! conflict, in the order in which they happened (a lock sees what was done before the unlock); of the atomics what their memory
//! orders and the fences around them say. That is the happens-before of C and C++ over a sequentially consistent execution.
//! Where it claims more order than the standards do (a `trylock` that fails has seen who holds the lock), a race may go unseen, but
//! none is made up.

use heddle_model::race::Access;
use heddle_model::{Digest, Event, ThreadId};

use crate::happens_before::{self, HappensBefore};
use crate::lend::{Full, Lender};
use crate::ranges::Ranges;
use crate::shadow::{self, Exceeded, Found, Shadow, Touch};

/// How much a [`Detector`] can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capacity {
    /// The most threads.
    pub threads: usize,
    /// The room for objects that synchronise threads.
    pub objects: happens_before::objects::Capacity,
    /// The room for recorded accesses.
    pub accesses: shadow::Capacity,
}

/// Finds the races of the execution under way.
pub struct Detector<'m, L> {
    order: HappensBefore<'m>,
    shadow: Shadow<'m, L>,
    ranges: Ranges<'m>,
}

impl<'m, L: Lender<'m>> Detector<'m, L> {
    /// Makes room. `tables` lends what is needed from the start, `cells` what is needed for each page when it is first accessed.
    /// [`reset`](Self::reset) comes before anything else.
    pub fn new(tables: &mut impl Lender<'m>, capacity: Capacity, cells: L) -> Detector<'m, L> {
        Detector {
            order: HappensBefore::new(tables, capacity.threads, capacity.objects),
            shadow: Shadow::new(tables, capacity.accesses, cells),
            ranges: Ranges::new(tables),
        }
    }

    /// Begins an execution with at most `threads` threads. The main thread runs.
    pub fn reset(&mut self, threads: usize) {
        self.order.reset(threads);
        self.shadow.reset();
        self.ranges.reset();
    }

    /// Says that `thread` runs from now on.
    #[inline]
    pub fn switched(&mut self, thread: ThreadId) {
        self.order.switched(thread);
    }

    /// The running thread and its own time.
    #[inline(always)]
    pub fn now(&self) -> (ThreadId, u32) {
        self.order.now()
    }

    /// Whether what `thread` did at its time `time` happens before what the running thread does now. `thread` has run in this
    /// execution.
    pub fn knows(&self, thread: ThreadId, time: u32) -> bool {
        // SAFETY: the caller's.
        unsafe { self.order.knows(thread, time) }
    }

    /// Takes note of what an event synchronises: see [`HappensBefore::event`].
    pub fn event(&mut self, event: &Event) -> Result<(), Full> {
        self.order.event(event)
    }

    /// Takes note of the beginning or the end of an atomic section: see [`HappensBefore::section`].
    pub fn section(&mut self, event: &Event) -> Result<(), Full> {
        self.order.section(event)
    }

    /// Takes note that the running thread releases `size` bytes at `address` in code that is not instrumented: see
    /// [`HappensBefore::release`].
    pub fn release(&mut self, address: usize, size: usize) -> Result<(), Full> {
        self.order.release(address as u64, size as u64)
    }

    /// Advances the time of `thread`: what it does from now on comes after its last event.
    pub fn advance(&mut self, thread: ThreadId) {
        self.order.advance(thread);
    }

    /// Records an access of the running thread to `size` bytes at `address`, and calls `races` with each earlier access that races
    /// with it, and with the granule that this was seen in.
    ///
    /// `again`: look for races even if the thread made the same access at the same time before. Visible places need this, because other
    /// threads may have run in between.
    #[inline(always)]
    pub fn access(
        &mut self,
        address: usize,
        size: usize,
        how: Access,
        pc: u64,
        again: bool,
        races: impl Fn(usize, &Found),
    ) -> Result<(), Exceeded> {
        if self.ranges.may_touch(address, size) {
            self.ranges.access(address, size, how, &self.order, |found| races(address >> 3, found));
        }
        let offset = address & 7;
        if offset + size > 8 {
            return self.long_access(address, size, how, pc, again, races);
        }
        // Nearly all of them.
        let granule = address >> 3;
        let bytes = (((1u32 << size) - 1) << offset) as u8;
        self.record(Touch { granule, bytes, how, pc, again }, |found| races(granule, found))
    }

    /// Records that the running thread does something to a range of memory as a whole, and calls `races` as
    /// [`access`](Self::access) does. `gone`: nothing is there afterwards, so that what was accessed before races with no later
    /// access.
    ///
    /// The range may be as large as all memory: what was never accessed costs nothing ([`Ranges`]).
    pub fn range(
        &mut self,
        (address, size): (usize, usize),
        how: Access,
        pc: u64,
        gone: bool,
        races: impl Fn(usize, &Found),
    ) -> Result<(), Exceeded> {
        if size == 0 {
            return Ok(());
        }
        let Detector { order, shadow, ranges } = self;
        let mut result = Ok(());
        shadow.each_recorded(address >> 3, (address + size - 1) >> 3, |shadow, granule| {
            let touch = Touch { granule, bytes: 0xff, how, pc, again: true };
            // SAFETY: the two are made, reset and used together, and only here.
            result = result.and(unsafe { shadow.record(order, touch, |found| races(granule, found)) });
            if gone {
                shadow.forget(granule);
            }
        });
        ranges.push((address, size), how, order.now(), pc);
        result
    }

    /// A fingerprint of everything that decides which later accesses race: the accesses in force that not all threads that are `alive` come
    /// after, and who knows of each. `None` if that cannot be said, because something was done to whole ranges of memory.
    ///
    /// Which instructions made the accesses is left out: two states may differ in what a report of the same race says. Only the granules for
    /// which `counts` is true count.
    /// `show` is called with each access that counts: the granule, and the words that its part of the fingerprint is computed from.
    pub fn fingerprint(
        &self,
        alive: impl Fn(ThreadId) -> bool,
        counts: impl Fn(usize) -> bool,
        mut show: impl FnMut(u64, &[u64]),
    ) -> Option<u128> {
        if !self.ranges_are_empty() {
            return None;
        }
        let mut sum = 0u128;
        self.shadow.each_access(|granule, bytes, found| {
            if counts(granule)
                && let Some(who) = self.order.who_knows(found.thread, found.time, &alive)
            {
                let how = u64::from(bytes) | u64::from(found.how.code()) << 8;
                let words = [granule as u64, how, who as u64, (who >> 64) as u64];
                show(granule as u64, &words);
                sum = sum.wrapping_add(Digest::of(&words).0);
            }
        });
        Some(sum)
    }

    /// Whether nothing was done to whole ranges of memory in this execution.
    pub fn ranges_are_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether something was done to a range of memory in this execution that an access there may have to do with.
    #[inline(always)]
    pub fn is_changed(&self, address: usize, size: usize) -> bool {
        self.ranges.may_touch(address, size)
    }

    /// Takes note that other memory is at these addresses now: whatever was done there before races with nothing.
    pub fn renewed(&mut self, (address, size): (usize, usize)) {
        if size > 0 {
            self.shadow.each_recorded(address >> 3, (address + size - 1) >> 3, Shadow::forget);
            self.ranges.forget((address, size));
        }
    }

    #[inline(never)]
    fn long_access(
        &mut self,
        address: usize,
        size: usize,
        how: Access,
        pc: u64,
        again: bool,
        races: impl Fn(usize, &Found),
    ) -> Result<(), Exceeded> {
        let (mut at, end) = (address, address + size);
        while at < end {
            let offset = at & 7;
            let length = (8 - offset).min(end - at);
            let (granule, bytes) = (at >> 3, (((1u32 << length) - 1) << offset) as u8);
            self.record(Touch { granule, bytes, how, pc, again }, |found| races(granule, found))?;
            at += length;
        }
        Ok(())
    }

    #[inline(always)]
    fn record(&mut self, touch: Touch, races: impl Fn(&Found)) -> Result<(), Exceeded> {
        // SAFETY: the two are made, reset and used together, and only here.
        unsafe { self.shadow.record(&self.order, touch, races) }
    }

    /// The shadow memory, for tests that reach into it.
    #[cfg(test)]
    pub(crate) fn shadow_for_tests(&mut self) -> &mut Shadow<'m, L> {
        &mut self.shadow
    }
}
