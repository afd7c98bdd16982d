//! The state of one execution: the next operation of every thread and the state of every object.

mod attempts;
mod awaits;
mod canonical;
mod effect;
mod expire;
pub mod immediate;
mod limit;
mod looks;
mod memory;
mod table;
mod thread;
pub mod vain;

pub use attempts::Attempts;
pub use awaits::Needless;
pub use effect::Effect;
pub(crate) use expire::timed_out;
pub use looks::{Await, Look, Looks};
pub use memory::{Memory, NoMemory, Recorded};
pub use table::{ObjectSlot, ObjectTable};
pub use thread::{Phase, ThreadState};

use crate::primitive::{self, cancellation, section, thread as lives};
use crate::{Choice, Event, EventFlags, Footprint, Misuse, ObjectId, Operation, ThreadId};

/// The state of one execution. It owns no memory: the runtime lends it private pages, other callers lend vectors.
pub struct World<'m> {
    threads: &'m mut [ThreadState],
    /// One more than the highest thread id in this execution.
    extent: usize,
    /// The objects of this execution.
    pub objects: ObjectTable<'m>,
    /// The number of events so far.
    pub events: u32,
    /// The largest number of operations of a thread: see [`World::limit_steps`].
    pub(crate) most_steps: u32,
    /// The thread inside an atomic section, if any. No other thread is enabled.
    pub(crate) exclusive: Option<ThreadId>,
    /// The thread in the critical section of a mutex that only excludes, if any, the mutex, and the number of events up to its lock: see
    /// [`immediate`].
    pub(crate) holder: Option<(ThreadId, ObjectId, u32)>,
    /// Whether [`holder`](Self::holder) is kept.
    pub(crate) sections: bool,
    /// The number of tickets given to waiting threads so far.
    pub(crate) tickets: u32,
    /// The number of objects destroyed in this execution.
    pub(crate) destroyed: u32,
    /// The misuse in the last operation taken, if any.
    pub misuse: Option<Misuse>,
    /// A digest of the resources that are not released yet: locked mutexes and initialised objects. 0 if there are
    /// none.
    pub left: u64,
    memory: &'m dyn Memory,
}

impl<'m> World<'m> {
    /// Creates a world over lent memory, at the start of an execution. Only the main thread exists, about to start.
    pub fn new(threads: &'m mut [ThreadState], objects: &'m mut [ObjectSlot], memory: &'m dyn Memory) -> Self {
        let extent = threads.len();
        let mut world = World::over(threads, extent, ObjectTable::new(objects), memory);
        world.reset();
        world
    }

    /// Like [`World::new`], but over memory that is zeroed and untouched, so pages cost nothing until they are used. A
    /// process that runs one execution would otherwise spend most of its time clearing memory.
    pub fn over_zeroes(threads: &'m mut [ThreadState], objects: &'m mut [ObjectSlot], memory: &'m dyn Memory) -> Self {
        let mut world = World::over(threads, 0, ObjectTable::over_zeroes(objects), memory);
        world.admit(ThreadId::MAIN);
        world
    }

    /// A world in which nothing has happened. It has no thread yet.
    fn over(
        threads: &'m mut [ThreadState],
        extent: usize,
        objects: ObjectTable<'m>,
        memory: &'m dyn Memory,
    ) -> World<'m> {
        World {
            threads,
            extent,
            objects,
            events: 0,
            most_steps: u32::MAX,
            exclusive: None,
            holder: None,
            sections: false,
            tickets: 0,
            misuse: None,
            destroyed: 0,
            left: 0,
            memory,
        }
    }

    /// Goes back to the start of an execution.
    pub fn reset(&mut self) {
        self.threads[..self.extent].fill(ThreadState::default());
        self.objects.clear();
        self.extent = 0;
        self.events = 0;
        self.most_steps = u32::MAX;
        self.exclusive = None;
        self.holder = None;
        self.sections = false;
        self.tickets = 0;
        self.destroyed = 0;
        self.left = 0;
        self.admit(ThreadId::MAIN);
    }

    /// The largest number of threads that the lent memory has room for.
    pub fn thread_capacity(&self) -> usize {
        self.threads.len()
    }

    /// Adds a thread that is about to start.
    pub(crate) fn admit(&mut self, thread: ThreadId) {
        self.threads[thread.index()] = ThreadState {
            phase: Phase::Alive,
            pending: Operation::new(lives::START, ObjectId::thread(thread)),
            ..ThreadState::default()
        };
        self.extent = self.extent.max(thread.index() + 1);
    }

    /// One more than the highest thread id in this execution. Some ids below it may be absent.
    #[inline]
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// All ids below [`extent`](Self::extent), including absent threads.
    pub fn ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.extent as u16).map(ThreadId)
    }

    /// The program's memory, as far as the model can read it.
    #[inline]
    pub(crate) fn memory(&self) -> &'m dyn Memory {
        self.memory
    }

    /// The state of one thread.
    #[inline]
    pub fn thread(&self, thread: ThreadId) -> &ThreadState {
        // A thread that nobody has created in this execution is absent, whatever there is room for.
        self.threads.get(thread.index()).unwrap_or(&ThreadState::ABSENT)
    }

    /// The state of one thread, for changes.
    #[inline]
    pub fn thread_mut(&mut self, thread: ThreadId) -> &mut ThreadState {
        &mut self.threads[thread.index()]
    }

    /// Sets the next operation of `thread` and the address of the program's call.
    // Always inline, so that the operation comes here in registers: written to memory in pieces, it is slow to copy.
    #[inline(always)]
    pub fn announce(&mut self, thread: ThreadId, operation: Operation, pc: u64) {
        let state = &mut self.threads[thread.index()];
        state.pending = operation;
        state.pc = pc;
        if self.exclusive.is_some() {
            self.announce_inside(thread);
        }
    }

    /// Replaces a next operation that is disabled inside an atomic section. No other thread may run there, so nothing
    /// can ever enable it.
    #[cold]
    fn announce_inside(&mut self, thread: ThreadId) {
        if self.exclusive == Some(thread) && !self.enabled(thread) {
            let state = &mut self.threads[thread.index()];
            state.pending = section::instead_of(&state.pending);
        }
    }

    /// The thread inside an atomic section, if any.
    #[inline]
    pub fn exclusive(&self) -> Option<ThreadId> {
        self.exclusive
    }

    /// Ends the atomic section, whichever thread is inside it. Used when that thread ends, and at the end of an execution to ask
    /// what the other threads could have done.
    pub fn end_section(&mut self) {
        self.exclusive = None;
    }

    /// Whether the next operation of `thread` is enabled.
    #[inline]
    pub fn enabled(&self, thread: ThreadId) -> bool {
        let state = self.thread(thread);
        matches!(state.phase, Phase::Alive | Phase::Lingering)
            && (state.steps < self.most_steps || !self.is_stopped(thread))
            && self.exclusive.is_none_or(|inside| inside == thread)
            && (!state.pending.is_await() || state.stirs > 0)
            && !self.looks_in_vain(thread)
            && (state.expired
                || primitive::of(state.pending.code).enabled(self, thread, &state.pending)
                || cancellation::is_pending(self, thread, &state.pending))
    }

    /// Whether the next operation of `thread` is a look that would be in vain now: see [`vain`].
    #[inline]
    pub fn looks_in_vain(&self, thread: ThreadId) -> bool {
        let state = &self.threads[thread.index()];
        state.state != 0 && self.memory.is_vain(state.state, &state.pending)
    }

    /// The number of alternatives that the next operation of `thread` has now.
    #[inline]
    pub fn alternatives(&self, thread: ThreadId) -> u16 {
        let state = self.thread(thread);
        let own = primitive::of(state.pending.code).alternatives(self, thread, &state.pending);
        cancellation::alternatives(self, thread, &state.pending, own)
    }

    /// Whether the next operation of `thread` can be taken with `choice` now.
    #[inline]
    pub fn accepts(&self, thread: ThreadId, choice: Choice) -> bool {
        match choice {
            // The usual case first: every operation has a first way.
            Choice::Way(way) => way == 0 || way < self.alternatives(thread),
            Choice::Value(value) => {
                let pending = &self.thread(thread).pending;
                primitive::of(pending.code).given(pending, value).is_some()
            }
        }
    }

    /// The footprint of the next operation of `thread`, if it were taken now.
    pub fn foresee(&self, thread: ThreadId) -> Footprint {
        let state = self.thread(thread);
        let flags = self.foresee_flags(thread);
        let result = self.foresee_result(thread).unwrap_or(0);
        let operation = self.located(thread, state.pending);
        Footprint::of(&Event { operation, result, thread, flags, alternatives: 1, ..Event::default() })
    }

    /// The next event of `thread` as a [bare event](Event::bare), if it were taken now, and what it would touch.
    pub fn foresee_bare(&self, thread: ThreadId) -> (Event, Footprint) {
        let state = &self.threads[thread.index()];
        let operation = self.located(thread, state.pending);
        let primitive = primitive::of(operation.code);
        let flags = self.foresee_flags(thread);
        let (flags, result) = primitive.foresee_bare(self, thread, &operation, flags);
        let alternatives = self.alternatives(thread);
        let event = Event { operation, result, thread, flags, alternatives, ..Event::default() };
        (event.bare(), self.foresee(thread))
    }

    /// The result of the next operation of `thread`, if it were taken now. `None` if its footprint does not depend on
    /// the result.
    pub fn foresee_result(&self, thread: ThreadId) -> Option<u64> {
        let state = self.thread(thread);
        primitive::of(state.pending.code).foresee_result(self, thread, &state.pending)
    }

    /// Updates `operation`, the next of `thread`, to the object that it acts on now. Another thread may have requeued
    /// it to a different futex.
    #[inline]
    pub fn located(&self, thread: ThreadId, operation: Operation) -> Operation {
        primitive::located(self, thread, operation)
    }

    /// The flags of the next operation of `thread`, if it were taken now, as far as its footprint depends on them.
    pub fn foresee_flags(&self, thread: ThreadId) -> EventFlags {
        let state = self.thread(thread);
        let own = primitive::of(state.pending.code).foresee(self, thread, &state.pending, self.memory);
        own.union(cancellation::foresee(self, thread, &state.pending))
    }

    /// Takes the next operation of `thread` with `choice`. The thread must be enabled, and the choice
    /// [accepted](Self::accepts). A value that the operation does not take counts as way 0.
    ///
    /// Operations on memory do not change the world. The owner of the memory performs them and completes the result and
    /// the flags of the event.
    #[inline]
    pub fn take(&mut self, thread: ThreadId, choice: Choice) -> Event {
        let mut event = Event::default();
        self.take_into(thread, choice, &mut event);
        event
    }

    /// Like [`take`](Self::take), but writes the event to `event`.
    pub fn take_into(&mut self, thread: ThreadId, choice: Choice, event: &mut Event) {
        let ThreadState { pending, pc, stirs, state: look, .. } = self.threads[thread.index()];
        let pending = self.located(thread, pending);
        let inside = self.exclusive.is_some();
        let primitive = primitive::of(pending.code);
        self.misuse = None;
        let (way, value) = match choice {
            Choice::Way(way) => (way, None),
            Choice::Value(value) => (0, primitive.given(&pending, value)),
        };
        let (way, alternatives, effect) = match value {
            // Nobody searches for what was given.
            Some(result) => (Event::GIVEN, 1, Effect { result, flags: EventFlags::NONE }),
            None => {
                let own = primitive.alternatives(self, thread, &pending);
                let alternatives = cancellation::alternatives(self, thread, &pending, own);
                let effect = match cancellation::is_pending(self, thread, &pending) {
                    false => primitive.take(self, thread, &pending, way),
                    true => cancellation::take(self, thread, &pending, way, own),
                };
                (way, alternatives, effect)
            }
        };
        let state = &mut self.threads[thread.index()];
        state.steps += 1;
        state.stirs = 0;
        state.state = 0;
        state.expired = false;
        if effect.flags.contains(EventFlags::TIMED_OUT) && !effect.flags.contains(EventFlags::QUIESCENT) {
            state.timeouts += 1;
        }
        self.events += 1;
        let once = pending.is_await() && stirs == 1;
        let flags = if once { effect.flags.union(EventFlags::STIRRED_ONCE) } else { effect.flags };
        let flags = if self.misuse.is_some() { flags.union(EventFlags::MISUSE) } else { flags };
        let flags = if inside { flags.union(EventFlags::INSIDE) } else { flags };
        *event = Event { operation: pending, result: effect.result, pc, state: look, thread, way, alternatives, flags };
        self.hold(event);
    }

    /// Whether every thread has finished.
    pub fn all_finished(&self) -> bool {
        self.ids().all(|t| self.thread(t).phase != Phase::Alive)
    }
}
