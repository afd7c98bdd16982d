//! The state of one execution: what every thread is about to do, and what state every object is in.

mod awaits;
mod effect;
mod expire;
mod memory;
mod table;
mod thread;

pub use effect::Effect;
pub(crate) use expire::timed_out;
pub use memory::{Memory, NoMemory, Recorded};
pub use table::{ObjectSlot, ObjectTable};
pub use thread::{Phase, ThreadState};

use crate::primitive::{self, cancellation, choice, futex, section, thread as lives};
use crate::{Event, EventFlags, Footprint, Misuse, ObjectId, Operation, ThreadId};

/// The state of one execution. Owns no memory: the runtime lends it private pages, others lend vectors.
pub struct World<'m> {
    threads: &'m mut [ThreadState],
    /// One past the highest thread of this execution.
    extent: usize,
    /// The objects of this execution.
    pub objects: ObjectTable<'m>,
    /// How many events there were.
    pub events: u32,
    /// Who is inside a section that runs as one step: nobody else can go on.
    pub(crate) exclusive: Option<ThreadId>,
    /// Tickets given out to threads that wait.
    pub(crate) tickets: u32,
    /// How many objects were destroyed in this execution.
    pub(crate) destroyed: u32,
    /// What was wrong with the last operation that was taken.
    pub misuse: Option<Misuse>,
    /// Stands for what is left behind so far: locks that are locked, objects that were made; 0 if nothing is.
    pub left: u64,
    memory: &'m dyn Memory,
}

impl<'m> World<'m> {
    /// A world over lent memory, at the start of an execution: only the main thread, about to start.
    pub fn new(threads: &'m mut [ThreadState], objects: &'m mut [ObjectSlot], memory: &'m dyn Memory) -> Self {
        let extent = threads.len();
        let mut world = World {
            threads,
            extent,
            objects: ObjectTable::new(objects),
            events: 0,
            exclusive: None,
            tickets: 0,
            misuse: None,
            destroyed: 0,
            left: 0,
            memory,
        };
        world.reset();
        world
    }

    /// The same over memory that is zero and was never touched, which costs nothing until it is: a process that runs
    /// one execution would otherwise spend most of its time here.
    pub fn over_zeroes(threads: &'m mut [ThreadState], objects: &'m mut [ObjectSlot], memory: &'m dyn Memory) -> Self {
        let objects = ObjectTable::over_zeroes(objects);
        let mut world = World {
            threads,
            extent: 0,
            objects,
            events: 0,
            exclusive: None,
            tickets: 0,
            misuse: None,
            destroyed: 0,
            left: 0,
            memory,
        };
        world.admit(ThreadId::MAIN);
        world
    }

    /// Back to the start of an execution.
    pub fn reset(&mut self) {
        self.threads[..self.extent].fill(ThreadState::default());
        self.objects.clear();
        self.extent = 0;
        self.events = 0;
        self.exclusive = None;
        self.tickets = 0;
        self.destroyed = 0;
        self.left = 0;
        self.admit(ThreadId::MAIN);
    }

    /// The most threads that there is room for.
    pub fn thread_capacity(&self) -> usize {
        self.threads.len()
    }

    /// A new thread, about to start.
    pub(crate) fn admit(&mut self, thread: ThreadId) {
        self.threads[thread.index()] = ThreadState {
            phase: Phase::Alive,
            pending: Operation::new(lives::START, ObjectId::thread(thread)),
            ..ThreadState::default()
        };
        self.extent = self.extent.max(thread.index() + 1);
    }

    /// The threads that this execution may know: ids from 0 to this, some of them absent.
    #[inline]
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// Every id from 0 to [`extent`](Self::extent).
    pub fn ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.extent as u16).map(ThreadId)
    }

    /// The program's memory, as far as it can be looked into.
    #[inline]
    pub(crate) fn memory(&self) -> &'m dyn Memory {
        self.memory
    }

    /// One thread.
    #[inline]
    pub fn thread(&self, thread: ThreadId) -> &ThreadState {
        &self.threads[thread.index()]
    }

    /// One thread, to change.
    #[inline]
    pub fn thread_mut(&mut self, thread: ThreadId) -> &mut ThreadState {
        &mut self.threads[thread.index()]
    }

    /// Says what `thread` is about to do, and where it asked for that.
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

    /// The same inside a section: nobody else can go on, so nothing will make possible what is not possible now.
    #[cold]
    fn announce_inside(&mut self, thread: ThreadId) {
        if self.exclusive == Some(thread) && !self.enabled(thread) {
            let state = &mut self.threads[thread.index()];
            state.pending = section::instead_of(&state.pending);
        }
    }

    /// Who is inside a section that runs as one step.
    #[inline]
    pub fn exclusive(&self) -> Option<ThreadId> {
        self.exclusive
    }

    /// The section is over whatever happens: for who looks at what the others could do after the end.
    pub fn end_section(&mut self) {
        self.exclusive = None;
    }

    /// Whether `thread` can take what it is about to do.
    #[inline]
    pub fn enabled(&self, thread: ThreadId) -> bool {
        let state = &self.threads[thread.index()];
        matches!(state.phase, Phase::Alive | Phase::Lingering)
            && self.exclusive.is_none_or(|inside| inside == thread)
            && (!state.pending.is_await() || state.stirs > 0)
            && (state.expired
                || primitive::of(state.pending.code).enabled(self, thread, &state.pending)
                || cancellation::is_pending(self, thread, &state.pending))
    }

    /// How many ways there are to take it now.
    #[inline]
    pub fn alternatives(&self, thread: ThreadId) -> u16 {
        let state = &self.threads[thread.index()];
        let own = primitive::of(state.pending.code).alternatives(self, thread, &state.pending);
        cancellation::alternatives(self, thread, &state.pending, own)
    }

    /// What `thread` would touch if it went on now.
    pub fn foresee(&self, thread: ThreadId) -> Footprint {
        let state = &self.threads[thread.index()];
        let flags = self.foresee_flags(thread);
        let result = self.foresee_result(thread).unwrap_or(0);
        let operation = self.located(thread, state.pending);
        Footprint::of(&Event { operation, result, thread, flags, alternatives: 1, ..Event::default() })
    }

    /// The result of what `thread` would do if it went on now, where what it touches depends on it.
    pub fn foresee_result(&self, thread: ThreadId) -> Option<u64> {
        let state = &self.threads[thread.index()];
        primitive::of(state.pending.code).foresee_result(self, thread, &state.pending)
    }

    /// `operation`, which `thread` is about to take, on the object that it is about now: others may have changed that.
    #[inline]
    pub fn located(&self, thread: ThreadId, operation: Operation) -> Operation {
        if operation.code == futex::AWAKEN { futex::located(self, thread, &operation) } else { operation }
    }

    /// The flags of what `thread` would do if it went on now, as far as what it touches depends on them.
    pub fn foresee_flags(&self, thread: ThreadId) -> EventFlags {
        let state = &self.threads[thread.index()];
        let own = primitive::of(state.pending.code).foresee(self, thread, &state.pending, self.memory);
        own.union(cancellation::foresee(self, thread, &state.pending))
    }

    /// Takes what `thread` is about to do, the way that `choice` says. The thread must be enabled.
    ///
    /// Operations on memory have no effect on the world: who owns the memory performs them, and completes the
    /// result and the flags of the event.
    #[inline]
    pub fn take(&mut self, thread: ThreadId, choice: u16) -> Event {
        let mut event = Event::default();
        self.take_into(thread, choice, &mut event);
        event
    }

    /// The same, with the event written where it is to be.
    pub fn take_into(&mut self, thread: ThreadId, choice: u16, event: &mut Event) {
        let ThreadState { pending, pc, stirs, .. } = self.threads[thread.index()];
        let pending = self.located(thread, pending);
        let inside = self.exclusive.is_some();
        let primitive = primitive::of(pending.code);
        self.misuse = None;
        let own = primitive.alternatives(self, thread, &pending);
        let alternatives = cancellation::alternatives(self, thread, &pending, own);
        let effect = match cancellation::is_pending(self, thread, &pending) {
            false => primitive.take(self, thread, &pending, choice),
            true => cancellation::take(self, thread, &pending, choice, own),
        };
        let state = &mut self.threads[thread.index()];
        state.steps += 1;
        state.stirs = 0;
        state.expired = false;
        if effect.flags.contains(EventFlags::TIMED_OUT) && !effect.flags.contains(EventFlags::QUIESCENT) {
            state.timeouts += 1;
        }
        if effect.flags.contains(EventFlags::SPURIOUS) {
            let attempt = pending.code == choice::ATTEMPT;
            *(if attempt { &mut state.failures } else { &mut state.spurious }) += 1;
        }
        self.events += 1;
        let once = pending.is_await() && stirs == 1;
        let flags = if once { effect.flags.union(EventFlags::STIRRED_ONCE) } else { effect.flags };
        let flags = if self.misuse.is_some() { flags.union(EventFlags::MISUSE) } else { flags };
        let flags = if inside { flags.union(EventFlags::INSIDE) } else { flags };
        *event = Event { operation: pending, result: effect.result, pc, thread, choice, alternatives, flags };
    }

    /// Whether every thread has ended.
    pub fn all_finished(&self) -> bool {
        self.ids().all(|t| self.thread(t).phase != Phase::Alive)
    }
}
