//! Time-outs: which one passes when nobody can go on.

use super::{Phase, World};
use crate::primitive::{self, assume};
use crate::{EventFlags, Operation, ThreadId};

impl World<'_> {
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

    /// The flags of what `thread` would do if it went on now and would have to wait: it times out, if that is possible now,
    /// or waits, and gets what it waits for in the end.
    pub(crate) fn foresee_timeout(&self, thread: ThreadId, operation: &Operation) -> EventFlags {
        let now = operation.is_impatient() || self.thread(thread).expired;
        if now { timed_out(operation) } else { EventFlags::NONE }
    }
}

/// The flags of `operation`, which would have to wait, if it is taken all the same.
pub(crate) const fn timed_out(operation: &Operation) -> EventFlags {
    let flags = EventFlags::FAILED.union(EventFlags::TIMED_OUT);
    if operation.is_impatient() { flags } else { flags.union(EventFlags::QUIESCENT) }
}
