//! The state of one execution: what every thread is about to do, and what state every object is in.

use crate::primitive::{self, assume, cancellation, choice, futex, section, thread};
use crate::{Event, EventFlags, Footprint, Misuse, ObjectId, ObjectSlot, ObjectTable, Operation, ThreadId};

/// Where a thread is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// Not created in this execution.
    #[default]
    Absent,
    /// Created, not ended.
    Alive,
    /// Ended for everybody else, but to act once more when all others have ended: the main thread after `pthread_exit`.
    Lingering,
    /// Ended.
    Finished,
}

/// One thread. Reset for each execution.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ThreadState {
    /// What it is about to do, while it is alive.
    pub pending: Operation,
    /// Where the program asked for that.
    pub pc: u64,
    /// The condition variable that it sleeps on, or none.
    pub waits_on: ObjectId,
    /// The mutex that it does that with.
    pub waits_with: ObjectId,
    /// What it stands in the [queue](crate::primitive::queue) of, or none.
    pub queued_on: ObjectId,
    /// When it began to sleep, or to stand in the queue, for the wakeup policies: smaller is earlier.
    pub ticket: u32,
    /// The event that woke it, plus one; 0 while nobody did.
    pub woken_by: u32,
    /// How many children it created.
    pub children: u32,
    /// How many operations it took.
    pub steps: u32,
    /// While it is about to await: how many writes to what it looks at there were since it looked. See
    /// [`Operation::is_await`].
    pub stirs: u32,
    /// How often it has timed out, other than when nobody could go on.
    pub timeouts: u32,
    /// How many of its waits have ended for no reason.
    pub spurious: u32,
    /// How many of its attempts have failed for no reason.
    pub failures: u32,
    /// While it sleeps, as the primitive says: on a futex, which wakers it listens to.
    pub mask: u32,
    /// Free for the scheduling policy that follows the plan.
    pub priority: u64,
    /// Where it is in its life.
    pub phase: Phase,
    /// Nobody will join it.
    pub detached: bool,
    /// Somebody did.
    pub joined: bool,
    /// How often it was asked to end.
    pub requests: u32,
    /// Who woke it meant it alone: a signal, not a broadcast.
    pub woken_alone: bool,
    /// What it is about to do is covered elsewhere, as long as nothing dependent happens.
    pub asleep: bool,
    /// Nobody can go on, and its time-out is the next to pass.
    pub expired: bool,
}

/// Looks into the program's memory, for what the model cannot know.
pub trait Memory {
    /// Whether this compare-exchange, taken now, would find another value than it expects.
    fn compare_fails(&self, operation: &Operation) -> bool;

    /// Whether this operation of a [primitive of the program's own](crate::primitive::custom) is possible now, where that can be
    /// asked. Who only has the events of an execution has the answers in them.
    fn custom_enabled(&self, _: &Operation) -> Option<bool> {
        None
    }
}

/// For those who only ask about synchronisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn compare_fails(&self, _: &Operation) -> bool {
        false
    }
}

/// For those who take events again that are over: it answers what was the answer then.
#[derive(Clone, Debug, Default)]
pub struct Recorded(core::cell::Cell<bool>);

impl Recorded {
    /// The next question is that of `event`.
    pub fn set(&self, event: &Event) {
        self.0.set(event.flags.contains(EventFlags::MISMATCH));
    }
}

impl Memory for Recorded {
    fn compare_fails(&self, _: &Operation) -> bool {
        self.0.get()
    }
}

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
            pending: Operation::new(thread::START, ObjectId::thread(thread)),
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

    /// The same for what may be an [await](Operation::is_await), after `events`.
    pub fn announce_look(&mut self, thread: ThreadId, operation: Operation, pc: u64, events: &[Event]) {
        self.announce(thread, operation, pc);
        if operation.is_await() {
            self.threads[thread.index()].stirs = operation.stirs(thread, events);
        }
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

    /// Lets time pass until somebody's time-out: to be asked when nobody can go on. The thread with the earliest deadline
    /// (of several, the lowest) can go on after this. None if nobody has a deadline, or if the program has assumed all this away:
    /// then it ends here.
    #[cold]
    pub fn expire(&mut self) -> Option<ThreadId> {
        let alive = |thread: ThreadId| self.thread(thread).phase == Phase::Alive;
        if self.ids().any(|thread| alive(thread) && self.thread(thread).pending.code == assume::FALSE) {
            return None;
        }
        // Inside a section nobody else can go on, whatever the time is.
        let inside = self.exclusive;
        let waits = |thread: ThreadId| {
            let state = self.thread(thread);
            let deadline = primitive::of(state.pending.code).deadline(&state.pending);
            deadline.filter(|_| state.phase == Phase::Alive).map(|deadline| (deadline, thread))
        };
        let may = |thread: &ThreadId| inside.is_none_or(|inside| inside == *thread);
        let (_, first) = self.ids().filter(may).filter_map(waits).min()?;
        self.threads[first.index()].expired = true;
        Some(first)
    }

    /// The same if nobody can go on.
    #[cold]
    pub fn expire_if_quiescent(&mut self) -> Option<ThreadId> {
        if self.ids().any(|t| self.enabled(t)) { None } else { self.expire() }
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

    /// The flags of what `thread` would do if it went on now and would have to wait: it times out, if that is possible now,
    /// or waits, and gets what it waits for in the end.
    pub(crate) fn foresee_timeout(&self, thread: ThreadId, operation: &Operation) -> EventFlags {
        let now = operation.is_impatient() || self.thread(thread).expired;
        if now { timed_out(operation) } else { EventFlags::NONE }
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

    /// Tells the threads that await something of `event`, which has just been taken and is complete.
    ///
    /// Needed only while somebody awaits; it looks at every thread.
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

    /// Whether every thread has ended.
    pub fn all_finished(&self) -> bool {
        self.ids().all(|t| self.thread(t).phase != Phase::Alive)
    }
}

/// What came of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effect {
    /// For [`Event::result`].
    pub result: u64,
    /// For [`Event::flags`].
    pub flags: EventFlags,
}

impl Effect {
    /// It worked, and there is this to say.
    #[inline]
    pub const fn result(result: u64) -> Effect {
        Effect { result, flags: EventFlags::NONE }
    }

    /// It did not get what it wanted and changed nothing.
    #[inline]
    pub const fn failed(result: u64) -> Effect {
        Effect { result, flags: EventFlags::FAILED }
    }

    /// It would have had to wait, and timed out: because it is impatient, or because nobody can go on.
    #[inline]
    pub const fn timed_out(operation: &crate::Operation) -> Effect {
        Effect { result: crate::primitive::ETIMEDOUT, flags: timed_out(operation) }
    }
}

/// The flags of `operation`, which would have to wait, if it is taken all the same.
pub(crate) const fn timed_out(operation: &Operation) -> EventFlags {
    let flags = EventFlags::FAILED.union(EventFlags::TIMED_OUT);
    if operation.is_impatient() { flags } else { flags.union(EventFlags::QUIESCENT) }
}
