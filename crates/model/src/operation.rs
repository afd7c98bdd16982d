//! What a thread is about to do.

use crate::ObjectId;

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
const ALSO_SIZE: u32 = 24;
/// In the size of an operation that is no access to memory.
const CANCELLABLE: u16 = 1 << 15;

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

    /// The same, as an await: see [`is_await`](Self::is_await). `also`, where there is one, is a second place that the
    /// loop reads, with its size in bytes; it takes the argument, so only an operation that has none can have it.
    pub const fn awaiting(self, also: Option<(ObjectId, u16)>) -> Operation {
        match also {
            Some((place, size)) => {
                Operation { argument: place.0, detail: self.detail | AWAIT | (size as u32) << ALSO_SIZE, ..self }
            }
            None => Operation { detail: self.detail | AWAIT, ..self },
        }
    }

    /// Whether the thread is in a loop that only looks: it stands at this operation in the very state in which it stood
    /// here before, having read since then only places that hold what it read, and having changed nothing. Until one of
    /// those places is written to it would go round and round. So it waits for that: an await is possible only once
    /// something that it looks at has been written since the thread's last operation.
    #[inline]
    pub const fn is_await(&self) -> bool {
        self.detail & AWAIT != 0
    }

    /// The same operation, taken by a thread that does not wait.
    pub const fn without_await(self) -> Operation {
        if self.also_awaited().is_some() {
            Operation { argument: 0, detail: self.detail & ((1 << ALSO_SIZE) - 1), ..self }
        } else {
            Operation { detail: self.detail & !AWAIT, ..self }
        }
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
