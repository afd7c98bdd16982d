//! The state of one thread in an execution.

use crate::{ObjectId, OpCode, Operation};

/// The phase of a thread's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// The thread does not exist in this execution.
    #[default]
    Absent,
    /// The thread was created and has not finished.
    Alive,
    /// The thread has finished for all others, but takes one more step after they have finished. Example: the main
    /// thread after `pthread_exit`.
    Lingering,
    /// The thread has finished.
    Finished,
}

impl ThreadState {
    /// The state of a thread that does not exist in an execution.
    pub(crate) const ABSENT: ThreadState = ThreadState {
        pending: Operation::new(OpCode::ANY, ObjectId::NONE),
        pc: 0,
        state: 0,
        waits_on: ObjectId::NONE,
        waits_with: ObjectId::NONE,
        queued_on: ObjectId::NONE,
        ticket: 0,
        woken_by: 0,
        children: 0,
        steps: 0,
        stirs: 0,
        timeouts: 0,
        spurious: 0,
        failures: 0,
        inputs: 0,
        mask: 0,
        priority: 0,
        phase: Phase::Absent,
        detached: false,
        joined: false,
        requests: 0,
        woken_alone: false,
        asleep: false,
        expired: false,
    };
}

/// The state of one thread. Reset for each execution.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ThreadState {
    /// The next operation, while the thread is alive.
    pub pending: Operation,
    /// The return address of the program's call of the next operation.
    pub pc: u64,
    /// The state of the thread before its next operation, if that is a look that could be in vain: see [`crate::vain`]. 0 otherwise.
    pub state: u64,
    /// The condition variable that the thread waits on, or [`ObjectId::NONE`].
    pub waits_on: ObjectId,
    /// The mutex of that condition wait.
    pub waits_with: ObjectId,
    /// The object in whose [queue](crate::primitive::queue) the thread stands, or [`ObjectId::NONE`].
    pub queued_on: ObjectId,
    /// The thread's position in arrival order among waiting threads, for the wakeup policies. Smaller is earlier.
    pub ticket: u32,
    /// The index of the event that woke the thread, plus one. 0 if it was not woken.
    pub woken_by: u32,
    /// The number of threads that this thread has created.
    pub children: u32,
    /// The number of operations that this thread has taken.
    pub steps: u32,
    /// The number of writes by other threads to the places that the thread's pending await reads. See
    /// [`Operation::is_await`].
    pub stirs: u32,
    /// The number of the thread's timeouts, without those that happened because no thread was enabled.
    pub timeouts: u32,
    /// The number of the thread's spurious wakeups.
    pub spurious: u32,
    /// The number of the thread's attempts that failed spuriously.
    pub failures: u32,
    /// The number of given inputs ([`crate::Input`]) that the thread has asked for.
    pub inputs: u32,
    /// Data of a waiting thread. Each primitive defines it. A futex stores its bit set here.
    pub mask: u32,
    /// The thread's priority. Reserved for the scheduling policy that follows the plan.
    pub priority: u64,
    /// The phase of the thread's life.
    pub phase: Phase,
    /// Whether the thread is detached.
    pub detached: bool,
    /// Whether the thread was joined.
    pub joined: bool,
    /// The number of cancellation requests for this thread.
    pub requests: u32,
    /// Whether the waker woke only this thread: a signal, not a broadcast.
    pub woken_alone: bool,
    /// Whether the thread is in the sleep set. Its next operation is explored elsewhere until a dependent event
    /// happens.
    pub asleep: bool,
    /// Whether no thread is enabled and this thread's timeout is the next to expire.
    pub expired: bool,
}
