//! Operations: what threads are about to do.

use crate::ObjectId;

/// The largest number of looks in one iteration of a loop that can be an await.
pub const MOST_LOOKS: usize = 16;

/// The code of an operation. The high byte is the family (the primitive), the low byte the operation within it.
///
/// [`crate::primitive`] lists the families. The file of each family defines its operations. `0` is no operation; in a
/// plan it matches any operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct OpCode(pub u16);

impl OpCode {
    /// No operation. In a plan it matches any operation.
    pub const ANY: OpCode = OpCode(0);

    /// The code of operation `operation` in family `family`.
    pub const fn new(family: u8, operation: u8) -> OpCode {
        OpCode((family as u16) << 8 | operation as u16)
    }

    /// The family that this operation belongs to.
    #[inline]
    pub const fn family(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The number of this operation within its family.
    #[inline]
    pub const fn operation(self) -> u8 {
        self.0 as u8
    }
}

const AWAIT: u32 = 1 << 31;
const IMPATIENT: u32 = 1 << 30;
/// The lowest of the bits of an await's `Operation::argument` that hold the size of the other places. Addresses are smaller.
const ALSO_SIZE: u32 = 48;
/// The value of `Operation::size` that marks a cancellation point. It is used only by operations that do not access
/// memory.
const CANCELLABLE: u16 = 1 << 15;
/// The lowest of the bits of `Operation::detail` that hold the number of looks of an await, minus one.
const ROUND: u32 = 21;
/// A bit of `Operation::detail`: the argument of an await says which other places it reads.
const ALSO: u32 = 1 << 29;
/// A bit of `Operation::detail`: the loop of an await locks mutexes.
const LOCKS: u32 = 1 << 28;

/// An operation that a thread is about to take, and the object it acts on.
///
/// The layout is part of the wire format and of trace files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// The object that the operation acts on.
    pub object: ObjectId,
    /// A second object (the mutex of a condition wait) or a number. Each primitive defines it.
    pub argument: u64,
    /// Which operation it is.
    pub code: OpCode,
    /// The number of bytes accessed, for locations in memory. Otherwise 0, or a mark for cancellation points; see
    /// [`bytes`](Self::bytes).
    pub size: u16,
    /// Further details. Each primitive defines them, except for the highest bits, which mark awaits and timeouts.
    pub detail: u32,
}

impl Operation {
    /// An operation on one object, without argument or details.
    #[inline]
    pub const fn new(code: OpCode, object: ObjectId) -> Operation {
        Operation { object, argument: 0, code, size: 0, detail: 0 }
    }

    /// All of it as words.
    #[inline(always)]
    pub const fn to_words(&self) -> [u64; 3] {
        let &Operation { object, argument, code, size, detail } = self;
        [object.0, argument, code.0 as u64 | (size as u64) << 16 | (detail as u64) << 32]
    }

    /// Marks this operation as an await: see [`is_await`](Self::is_await).
    ///
    /// `round` is the number of looks in one iteration of the loop, 1 to [`MOST_LOOKS`]. `also` is the part of memory that has the
    /// other places that the loop reads, with its size in bytes. It is stored in the argument, so the operation must not
    /// have one.
    pub const fn awaiting(self, round: u32, also: Option<(ObjectId, u16)>) -> Operation {
        let detail = self.detail | AWAIT | (round - 1) << ROUND;
        match also {
            Some((place, size)) => {
                Operation { argument: place.0 | (size as u64) << ALSO_SIZE, detail: detail | ALSO, ..self }
            }
            None => Operation { detail, ..self },
        }
    }

    /// Whether the thread is in a loop that only reads.
    ///
    /// Such a thread has come back to this operation in exactly the state that it was in before. It has read a few
    /// places and changed nothing. Without a write to those places it would loop forever. An await is therefore enabled
    /// only after another thread has written to one of them ([`stirs`](Self::stirs)). Whether an operation is an await
    /// depends only on the thread's own past, so equivalent executions agree on it.
    #[inline]
    pub const fn is_await(&self) -> bool {
        self.detail & AWAIT != 0
    }

    /// This operation without its await mark. Returns it unchanged if it is no await.
    pub const fn without_await(self) -> Operation {
        if !self.is_await() {
            return self;
        }
        let argument = if self.also_awaited().is_some() { 0 } else { self.argument };
        Operation { argument, detail: self.detail & ((1 << ROUND) - 1), ..self }
    }

    /// The number of looks in one iteration of this await's loop, 1 to [`MOST_LOOKS`].
    #[inline]
    pub const fn looks(&self) -> u32 {
        (self.detail >> ROUND) % MOST_LOOKS as u32 + 1
    }

    /// The part of memory that has the places that an await reads beside its own, with its size in bytes. `None` if it reads one
    /// place only.
    #[inline]
    pub const fn also_awaited(&self) -> Option<(ObjectId, u16)> {
        if self.detail & (AWAIT | ALSO) != AWAIT | ALSO {
            return None;
        }
        Some((ObjectId(self.argument & ((1 << ALSO_SIZE) - 1)), (self.argument >> ALSO_SIZE) as u16))
    }

    /// Marks this await as one whose loop locks mutexes, and unlocks them again: see [`is_under_lock`](Self::is_under_lock).
    pub const fn under_lock(self) -> Operation {
        Operation { detail: self.detail | LOCKS, ..self }
    }

    /// Whether the loop of this await locks mutexes, and unlocks them again. What other threads do to them in loops of this kind is no
    /// news to it: they would wake each other for ever.
    #[inline]
    pub const fn is_under_lock(&self) -> bool {
        self.detail & (AWAIT | LOCKS) == AWAIT | LOCKS
    }

    /// Whether a place can be one that an await reads beside its own.
    #[inline]
    pub const fn can_also_await(place: ObjectId) -> bool {
        place.0 >> ALSO_SIZE == 0
    }

    /// Marks this operation as a [cancellation point](crate::primitive::cancellation).
    #[inline]
    pub const fn cancellable(self) -> Operation {
        Operation { size: CANCELLABLE, ..self }
    }

    /// Whether this operation is a [cancellation point](crate::primitive::cancellation) of a thread whose cancellation
    /// is enabled.
    #[inline]
    pub const fn is_cancellable(&self) -> bool {
        self.size == CANCELLABLE && self.code.family() != crate::primitive::atomic::FAMILY
    }

    /// Marks this operation as impatient: it times out if it is scheduled while it would have to wait. See
    /// [`is_impatient`](Self::is_impatient).
    #[inline]
    pub const fn impatient(self) -> Operation {
        Operation { detail: self.detail | IMPATIENT, ..self }
    }

    /// Removes the mark of [`impatient`](Self::impatient): the operation times out only if no thread is enabled.
    #[inline]
    pub const fn patient(self) -> Operation {
        Operation { detail: self.detail & !IMPATIENT, ..self }
    }

    /// Whether a timed operation times out as soon as it is scheduled while it would have to wait.
    ///
    /// Waiting longer is the same as being scheduled later, so the set of all schedules covers every outcome and the
    /// timeout needs no alternative of its own. A patient operation waits like one without a timeout. It times out only
    /// if no thread is enabled ([`crate::World::expire`]). An await is never impatient.
    #[inline]
    pub const fn is_impatient(&self) -> bool {
        self.detail & (AWAIT | IMPATIENT) == IMPATIENT
    }

    /// The number of bytes accessed, for locations in memory. 0 for any other object.
    #[inline]
    pub const fn bytes(&self) -> u16 {
        if self.is_cancellable() { 0 } else { self.size }
    }

    /// This operation with `argument` as its argument: a second object or a number.
    #[inline]
    pub const fn with_argument(self, argument: u64) -> Operation {
        Operation { argument, ..self }
    }
}
