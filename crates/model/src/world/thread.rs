//! One thread of an execution.

use crate::{ObjectId, Operation};

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
