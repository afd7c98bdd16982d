//! Flags of an event. Together with the operation they decide the event's footprint.

/// A set of facts about an event, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct EventFlags(pub u16);

impl EventFlags {
    /// The empty set.
    pub const NONE: EventFlags = EventFlags(0);
    /// The operation failed and changed nothing. Examples: a `trylock` of a locked mutex, a compare-exchange that found
    /// another value, a signal that no thread waited for.
    pub const FAILED: EventFlags = EventFlags(1);
    /// A timed operation timed out.
    pub const TIMED_OUT: EventFlags = EventFlags(2);

    /// Exactly one earlier event enabled this one, so the two cannot be reversed. Set on an await that one write
    /// enabled, and on a thread's cancellation after a single request.
    pub const STIRRED_ONCE: EventFlags = EventFlags(4);

    /// The result of a store is the value that it replaced. The search uses it to predict a compare-exchange at that
    /// place.
    pub const KNOWS_OLD: EventFlags = EventFlags(8);

    /// A lock, unlock or condition wait of a recursive mutex that the thread owned before and still owns. It changed
    /// only the recursion count.
    pub const NESTED: EventFlags = EventFlags(16);

    /// An unlock of a read-write lock that other readers still hold.
    pub const SHARED: EventFlags = EventFlags(32);

    /// An arrival at a barrier that completed the current round.
    pub const COMPLETES: EventFlags = EventFlags(64);

    /// A cancellation request was pending at this [cancellation point](crate::primitive::cancellation), so the thread
    /// could have ended here.
    pub const CANCEL_PENDING: EventFlags = EventFlags(128);

    /// A cancellation point at which the thread was cancelled. The operation itself was not taken.
    pub const CANCELLED: EventFlags = EventFlags(256);

    /// A store or read-modify-write that wrote the value already there. It still is a write, and its readers
    /// synchronise with it, but it wakes no thread that awaits another value.
    pub const UNCHANGED: EventFlags = EventFlags(512);

    /// A timeout that happened because no thread was enabled, not because the scheduler chose it. It is ordered after
    /// every earlier event and before every later one.
    pub const QUIESCENT: EventFlags = EventFlags(1 << 15);

    /// A signal that woke a thread whose wait can also end by itself.
    pub const WAKES: EventFlags = EventFlags(1 << 14);

    /// A spurious wakeup, or an attempt that failed spuriously.
    pub const SPURIOUS: EventFlags = EventFlags(1 << 13);

    /// A futex operation that found another value than the one it expected.
    pub const MISMATCH: EventFlags = EventFlags(1 << 12);

    /// A misuse of the primitive, for example the unlock of a mutex that another thread owns. See [`crate::misuse`].
    pub const MISUSE: EventFlags = EventFlags(1 << 11);

    /// An event inside an atomic section. Its footprint belongs to the event that began the section.
    pub const INSIDE: EventFlags = EventFlags(1024);

    /// Whether this set contains every flag of `other`.
    #[inline]
    pub const fn contains(self, other: EventFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The union of the two sets.
    #[inline]
    pub const fn union(self, other: EventFlags) -> EventFlags {
        EventFlags(self.0 | other.0)
    }
}
