//! Facts about an event that decide what it touched.

/// A small set of facts about an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct EventFlags(pub u16);

impl EventFlags {
    /// Nothing special.
    pub const NONE: EventFlags = EventFlags(0);
    /// The operation did not get what it wanted and changed nothing: a `trylock` of a locked mutex, a
    /// compare-exchange that found another value, a signal that nobody waited for.
    pub const FAILED: EventFlags = EventFlags(1);
    /// A timed operation that timed out.
    pub const TIMED_OUT: EventFlags = EventFlags(2);

    /// An await that exactly one write has made possible, or a thread's end at its only request: the order of the two cannot
    /// be reversed.
    pub const STIRRED_ONCE: EventFlags = EventFlags(4);

    /// The result of a store is the value that it replaced: with it, the search knows what a compare-exchange would have
    /// found there.
    pub const KNOWS_OLD: EventFlags = EventFlags(8);

    /// A lock, an unlock or a condition wait of a recursive mutex that was the thread's own before and after: it only
    /// counted.
    pub const NESTED: EventFlags = EventFlags(16);

    /// An unlock by one of several readers.
    pub const SHARED: EventFlags = EventFlags(32);

    /// An arrival at a barrier that was the last one of its round.
    pub const COMPLETES: EventFlags = EventFlags(64);

    /// The thread was asked to end, and this is a [cancellation point](crate::primitive::cancellation): it could end here.
    pub const CANCEL_PENDING: EventFlags = EventFlags(128);

    /// A cancellation point at which the thread ends: the operation itself was not taken.
    pub const CANCELLED: EventFlags = EventFlags(256);

    /// A store or a read-modify-write that wrote what was there already. It is a write all the same (whoever reads it
    /// synchronises with it), but nobody who awaits another value is woken by it.
    pub const UNCHANGED: EventFlags = EventFlags(512);

    /// A time-out that happened because nobody could go on any more, and not because somebody chose it. It comes after
    /// everything that happened before it, and before everything that happens after it.
    pub const QUIESCENT: EventFlags = EventFlags(1 << 15);

    /// A signal that woke a thread whose wait can also end by itself.
    pub const WAKES: EventFlags = EventFlags(1 << 14);

    /// A wait that ended although nobody woke the thread and no time-out passed, or an attempt that failed for no reason.
    pub const SPURIOUS: EventFlags = EventFlags(1 << 13);

    /// A futex operation that found another value than it expects.
    pub const MISMATCH: EventFlags = EventFlags(1 << 12);

    /// The operation must not have been done: see [`crate::misuse`].
    pub const MISUSE: EventFlags = EventFlags(1 << 11);

    /// Inside a section that runs as one step: what it touches is part of the event that began it.
    pub const INSIDE: EventFlags = EventFlags(1024);

    /// Whether all of `other` is in this set.
    #[inline]
    pub const fn contains(self, other: EventFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets.
    #[inline]
    pub const fn union(self, other: EventFlags) -> EventFlags {
        EventFlags(self.0 | other.0)
    }
}
