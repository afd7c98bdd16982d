//! The bound on operations: a thread that has taken as many as it may takes no more.
//!
//! The bound stops a thread, not the execution. The thread is disabled from then on, and the others go on. How many
//! operations a thread has taken depends on its own past only. So equivalent executions stop the same threads, and a
//! search within the bound is a search of the program whose threads end there.

use super::{Phase, World};
use crate::ThreadId;

impl World<'_> {
    /// Sets the largest number of operations of each thread in this execution. 0 means no limit.
    pub fn limit_steps(&mut self, most: u32) {
        self.most_steps = if most == 0 { u32::MAX } else { most };
    }

    /// Whether `thread` has not finished and has taken as many operations as it may. The end of the process is always
    /// allowed: it comes once, and it may be what somebody looks for. So is the wait of a thread that lingers.
    #[cold]
    pub fn is_stopped(&self, thread: ThreadId) -> bool {
        let state = self.thread(thread);
        state.phase == Phase::Alive && state.steps >= self.most_steps && !state.pending.ends_process()
    }

    /// Whether the next operation of `thread` is enabled, or would be without the [limit](Self::limit_steps).
    #[cold]
    pub fn enabled_without_limit(&mut self, thread: ThreadId) -> bool {
        let limit = core::mem::replace(&mut self.most_steps, u32::MAX);
        let enabled = self.enabled(thread);
        self.most_steps = limit;
        enabled
    }

    /// The first thread that would be enabled without the [limit](Self::limit_steps), if it is the limit that stops it.
    /// Where nobody is enabled, such a thread tells an execution that was cut off from a deadlock.
    #[cold]
    pub fn stopped_by_limit(&mut self) -> Option<ThreadId> {
        self.ids().find(|&thread| self.is_stopped(thread) && self.enabled_without_limit(thread))
    }
}
