//! What a search and a world ask of operations and events. They name no primitive: each question is about scheduling, and
//! the primitives answer it.

use super::{assume, condvar, mutex, of, process, prop, queue, section, semaphore, thread, yielding};
use crate::{Event, EventIndex, ObjectId, OpCode, Operation, ThreadId};

impl OpCode {
    /// Whether a thread often has to wait at this operation. A guess from the operation alone, for estimates. True for
    /// [`OpCode::ANY`], of which nothing is known.
    #[inline]
    pub const fn often_waits(self) -> bool {
        matches!(self, OpCode::ANY | mutex::LOCK | condvar::REACQUIRE | semaphore::WAIT | thread::JOIN)
    }
}

impl Operation {
    /// Whether the operation ends the process. It conflicts with every other operation.
    #[inline]
    pub fn ends_process(&self) -> bool {
        self.code == process::END
    }

    /// Whether the operation begins an atomic section: see [`section`].
    #[inline]
    pub fn begins_section(&self) -> bool {
        self.code == section::BEGIN
    }

    /// Whether the operation is an assumption that does not hold: see [`assume`].
    #[inline]
    pub(crate) fn fails_assumption(&self) -> bool {
        self.code == assume::FALSE
    }

    /// Whether the thread of the operation runs for ever without a visible operation: see [`yielding::FOREVER`].
    #[inline]
    pub fn runs_forever(&self) -> bool {
        self.code == yielding::FOREVER
    }

    /// The thread that the operation creates.
    pub fn creates(&self) -> Option<ThreadId> {
        if self.code == thread::CREATE { self.object.as_thread() } else { None }
    }

    /// Whether the thread of the operation stands in the queue of its object or is about to enter it: see [`queue`].
    #[inline]
    pub fn queues(&self) -> bool {
        queue::queues(self)
    }

    /// Whether the operation can be taken only after another thread has woken its own: the second half of a wait on a
    /// condition variable.
    #[inline]
    pub fn needs_wakeup(&self) -> bool {
        self.code == condvar::REACQUIRE
    }

    /// Whether the operation must be asked of a world again when it is moved to another place: what it touches, or
    /// whether it can be taken, depends on the state that it finds. See
    /// [`Primitive::depends_on_state`](super::Primitive::depends_on_state).
    #[inline]
    pub fn depends_on_state(&self) -> bool {
        super::depends_on_state(self)
    }

    /// Whether the operation is an access to plain memory that touches one of `places`: granules of eight bytes, by their
    /// addresses.
    #[cfg(feature = "std")]
    pub fn touches_any(&self, places: &std::collections::BTreeSet<u64>) -> bool {
        super::memory::touches_any(self, places)
    }
}

impl Event {
    /// The proposition that the event sets, and whether it holds from now on: see [`prop`].
    #[inline]
    pub fn proposition(&self) -> Option<(ObjectId, bool)> {
        (self.operation.code == prop::SET).then_some((self.operation.object, self.operation.argument != 0))
    }

    /// Whether the program says that it makes progress: see [`prop`].
    #[inline]
    pub fn is_progress(&self) -> bool {
        self.operation.code == prop::PROGRESS
    }

    /// The event that woke the thread so that it could take this one, where footprints do not show it.
    #[inline]
    pub fn cause(&self) -> Option<EventIndex> {
        of(self.operation.code).cause(self)
    }

    /// Whether this event, of an execution that passed a state before event number `from`, is the same as `other`, of an execution that passed that
    /// state before event number `others`. What their threads were woken by is the same, or came before.
    pub fn is_same_after(&self, from: usize, other: &Event, others: usize) -> bool {
        let cause = |event: &Event, from: usize| event.cause().map(|cause| (cause.0 as usize).checked_sub(from));
        let rest = |event: &Event| Event { state: 0, ..of(event.operation.code).without_cause(event) };
        cause(self, from) == cause(other, others) && rest(self) == rest(other)
    }

    /// Whether this event, which depends on `earlier` directly, was not possible before it. Example: a `lock`, and the
    /// `unlock` that freed the mutex. The order of such a pair cannot be reversed.
    #[inline]
    pub fn enabled_by(&self, earlier: &Event) -> bool {
        super::enabled_by(earlier, self)
    }

    /// This event, reduced to what decides which other events it depends on and which it was enabled by: without values
    /// and places in the program, and without what depends on how the state before it was reached.
    pub fn bare(&self) -> Event {
        Event { pc: 0, way: 0, ..of(self.operation.code).bare(self) }
    }

    /// Whether `earlier` gave back what this event, or waiting operation, needs. Unlike in [`enabled_by`](Self::enabled_by),
    /// a request to end the thread does not count.
    #[inline]
    pub fn freed_by(&self, earlier: &Event) -> bool {
        of(self.operation.code).enabled_by(earlier, self)
    }

    /// Whether `earlier` took away what this event, or waiting operation, needs: right before `earlier` it was possible.
    /// Example: two `lock` of one mutex.
    #[inline]
    pub fn disabled_by(&self, earlier: &Event) -> bool {
        of(self.operation.code).disabled_by(earlier, self)
    }

    /// Whether `earlier`, which changed what this event needs, only went on with what its thread had begun before. Then
    /// that beginning has taken it away.
    #[inline]
    pub fn waits_since_before(&self, earlier: &Event) -> bool {
        of(self.operation.code).continues(earlier, self)
    }

    /// Whether this event wakes the thread of `waiting`, an operation that [needs a wakeup](Operation::needs_wakeup).
    pub fn wakes(&self, waiting: &Event) -> bool {
        self.operation.object == waiting.operation.object
            && match self.operation.code {
                condvar::SIGNAL => self.result == waiting.thread.0 as u64 + 1,
                condvar::BROADCAST => !self.failed(),
                _ => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventFlags, ObjectId};

    fn event(thread: u16, code: OpCode) -> Event {
        Event { operation: Operation::new(code, ObjectId(0x100)), thread: ThreadId(thread), ..Event::default() }
    }

    #[test]
    fn locks_take_away_and_unlocks_give_back() {
        let (lock, unlock) = (event(1, mutex::LOCK), event(1, mutex::UNLOCK));
        let other = event(2, mutex::LOCK);
        assert!(other.disabled_by(&lock) && !other.disabled_by(&unlock));
        assert!(other.enabled_by(&unlock) && other.freed_by(&unlock) && !other.enabled_by(&lock));
    }

    #[test]
    fn a_signal_wakes_one_thread_and_a_broadcast_all() {
        let waiting = event(2, condvar::REACQUIRE);
        assert!(waiting.operation.needs_wakeup());
        let signal = Event { result: 3, ..event(1, condvar::SIGNAL) };
        assert!(signal.wakes(&waiting) && !Event { result: 2, ..signal }.wakes(&waiting));
        assert!(event(1, condvar::BROADCAST).wakes(&waiting));
        assert!(!Event { flags: EventFlags::FAILED, ..event(1, condvar::BROADCAST) }.wakes(&waiting));
    }

    #[test]
    fn only_a_creation_creates() {
        let operation = |code| Operation::new(code, ObjectId::thread(ThreadId(4)));
        assert_eq!(operation(thread::CREATE).creates(), Some(ThreadId(4)));
        assert_eq!(operation(thread::JOIN).creates(), None);
    }
}
