//! Timeouts: which one expires when no thread is enabled.

use super::{Phase, World};
use crate::primitive;
use crate::{EventFlags, Operation, ThreadId};

impl World<'_> {
    /// Advances time to the earliest deadline and enables the thread that waits for it. If several threads have that
    /// deadline, it is the one with the lowest id. Call this only if no thread is enabled.
    ///
    /// Returns `None` if no thread has a deadline, or if a thread stands at an assumption that does not hold: such an
    /// execution ends here.
    #[cold]
    pub fn expire(&mut self) -> Option<ThreadId> {
        if self.is_assumed_away() {
            return None;
        }
        // Inside a section nobody else can go on, whatever the time is.
        let inside = self.exclusive;
        let waits = |thread: ThreadId| {
            let state = self.thread(thread);
            let deadline = primitive::of(state.pending.code).deadline(&state.pending);
            deadline
                .filter(|_| state.phase == Phase::Alive && !self.is_stopped(thread))
                .map(|deadline| (deadline, thread))
        };
        let may = |thread: &ThreadId| inside.is_none_or(|inside| inside == *thread);
        let (_, first) = self.ids().filter(may).filter_map(waits).min()?;
        self.threads[first.index()].expired = true;
        Some(first)
    }

    /// Whether a thread stands at an assumption that does not hold. If no thread is enabled, the execution is assumed
    /// away.
    #[cold]
    pub(crate) fn is_assumed_away(&self) -> bool {
        self.ids().any(|thread| {
            let state = self.thread(thread);
            state.phase == Phase::Alive && state.pending.fails_assumption()
        })
    }

    /// The first thread that runs for ever without a visible operation. If no thread is enabled, the execution is a hang.
    #[cold]
    pub fn running_forever(&self) -> Option<ThreadId> {
        self.ids().find(|&thread| {
            let state = self.thread(thread);
            state.phase == Phase::Alive && state.pending.runs_forever()
        })
    }

    /// Calls [`expire`](Self::expire) if no thread is enabled. Otherwise returns `None`.
    #[cold]
    pub fn expire_if_quiescent(&mut self) -> Option<ThreadId> {
        if self.ids().any(|t| self.enabled(t)) { None } else { self.expire() }
    }

    /// Predicts the flags of an operation of `thread` that would have to wait. They are those of a timeout if the
    /// operation would time out now. Otherwise they are empty: it waits and succeeds later.
    pub(crate) fn foresee_timeout(&self, thread: ThreadId, operation: &Operation) -> EventFlags {
        let now = operation.is_impatient() || self.thread(thread).expired;
        if now { timed_out(operation) } else { EventFlags::NONE }
    }
}

/// The flags of an event in which `operation` timed out.
pub(crate) const fn timed_out(operation: &Operation) -> EventFlags {
    let flags = EventFlags::FAILED.union(EventFlags::TIMED_OUT);
    if operation.is_impatient() { flags } else { flags.union(EventFlags::QUIESCENT) }
}
