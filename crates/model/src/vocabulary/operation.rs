//! What a thread is about to do.

use crate::ObjectId;

/// The most looks of one round of a loop that can be an await.
pub const MOST_LOOKS: usize = 8;

/// Which operation of which primitive: the family in the high byte, the operation in the low byte.
///
/// The families are listed in [`crate::primitive`]; the operations of a family stand in its own file. `0` is no
/// operation: in a plan it stands for "any".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct OpCode(pub u16);

impl OpCode {
    /// No operation; in a plan, any operation.
    pub const ANY: OpCode = OpCode(0);

    /// Operation `operation` of family `family`.
    pub const fn new(family: u8, operation: u8) -> OpCode {
        OpCode((family as u16) << 8 | operation as u16)
    }

    /// The primitive that this belongs to.
    #[inline]
    pub const fn family(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The operation among those of its primitive.
    #[inline]
    pub const fn operation(self) -> u8 {
        self.0 as u8
    }
}

const AWAIT: u32 = 1 << 31;
const IMPATIENT: u32 = 1 << 30;
const ALSO_SIZE: u32 = 24;
/// In the size of an operation that is no access to memory.
const CANCELLABLE: u16 = 1 << 15;
/// How many looks a round has, less one: three bits below the size.
const ROUND: u32 = 21;

/// What a thread is about to do: which operation, on what.
///
/// The layout is part of the wire format and of trace files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Operation {
    /// What it is done to.
    pub object: ObjectId,
    /// A second object (the mutex of a condition wait) or a number, as the primitive says.
    pub argument: u64,
    /// Which operation.
    pub code: OpCode,
    /// Bytes touched, for locations in memory; else 0.
    pub size: u16,
    /// Free for the primitive.
    pub detail: u32,
}

impl Operation {
    /// An operation on one object, nothing else.
    #[inline]
    pub const fn new(code: OpCode, object: ObjectId) -> Operation {
        Operation { object, argument: 0, code, size: 0, detail: 0 }
    }

    /// The same, as an await: see [`is_await`](Self::is_await). `round` is how many looks (1 to [`MOST_LOOKS`]) the thread has
    /// taken since it stood here before. `also`, where there is one, is a second place that the loop looks at, with its
    /// size in bytes; it takes the argument, so only an operation that has none can have it.
    pub const fn awaiting(self, round: u32, also: Option<(ObjectId, u16)>) -> Operation {
        let detail = self.detail | AWAIT | (round - 1) << ROUND;
        match also {
            Some((place, size)) => Operation { argument: place.0, detail: detail | (size as u32) << ALSO_SIZE, ..self },
            None => Operation { detail, ..self },
        }
    }

    /// Whether the thread is in a loop that only looks: it stands at this operation in the very state in which it stood
    /// here before, having looked at one or two places and changed nothing. Until one of those is written to it
    /// would go round and round. So it waits for that: an await is possible only once something that it looks at has been
    /// written since it was looked at ([`stirs`](Self::stirs)). Whether an operation is an await depends on nothing but
    /// what the thread itself did, so it is the same in all executions of a trace.
    #[inline]
    pub const fn is_await(&self) -> bool {
        self.detail & AWAIT != 0
    }

    /// The same operation, taken by a thread that does not wait.
    pub const fn without_await(self) -> Operation {
        if !self.is_await() {
            return self;
        }
        let argument = if self.also_awaited().is_some() { 0 } else { self.argument };
        Operation { argument, detail: self.detail & ((1 << ROUND) - 1), ..self }
    }

    /// How many looks a round of this await has: 1 to [`MOST_LOOKS`].
    #[inline]
    pub const fn looks(&self) -> u32 {
        ((self.detail >> ROUND) & 7) + 1
    }

    /// The second place that an await looks at, and its size in bytes.
    #[inline]
    pub const fn also_awaited(&self) -> Option<(ObjectId, u16)> {
        let size = (self.detail & !AWAIT) >> ALSO_SIZE;
        if self.is_await() && size != 0 { Some((ObjectId(self.argument), size as u16)) } else { None }
    }

    /// The same as a [cancellation point](crate::primitive::cancellation).
    #[inline]
    pub const fn cancellable(self) -> Operation {
        Operation { size: CANCELLABLE, ..self }
    }

    /// Whether it is a [cancellation point](crate::primitive::cancellation) of a thread that can be cancelled.
    #[inline]
    pub const fn is_cancellable(&self) -> bool {
        self.size == CANCELLABLE && self.code.family() != crate::primitive::atomic::FAMILY
    }

    /// The same, as one that may time out whenever it would have to wait: see [`is_impatient`](Self::is_impatient).
    #[inline]
    pub const fn impatient(self) -> Operation {
        Operation { detail: self.detail | IMPATIENT, ..self }
    }

    /// The same as one that never times out.
    #[inline]
    pub const fn patient(self) -> Operation {
        Operation { detail: self.detail & !IMPATIENT, ..self }
    }

    /// Whether a timed operation, which is never an await, times out whenever it is taken and would have to wait. To be
    /// taken later is to wait, so between them the schedules contain every outcome, and there is nothing to choose. One that
    /// is not impatient waits like an operation without a time-out; it times out only when nobody can go on any more
    /// ([`crate::World::expire`]).
    #[inline]
    pub const fn is_impatient(&self) -> bool {
        self.detail & (AWAIT | IMPATIENT) == IMPATIENT
    }

    /// Bytes touched, for locations in memory; else 0.
    #[inline]
    pub const fn bytes(&self) -> u16 {
        if self.is_cancellable() { 0 } else { self.size }
    }

    /// The same with a second object or a number.
    #[inline]
    pub const fn with_argument(self, argument: u64) -> Operation {
        Operation { argument, ..self }
    }
}
