//! The effect of an operation.

use super::timed_out;
use crate::primitive::ETIMEDOUT;
use crate::{EventFlags, Operation};

/// The effect of an operation, as its primitive reports it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effect {
    /// The value for [`Event::result`](crate::Event::result).
    pub result: u64,
    /// The flags for [`Event::flags`](crate::Event::flags).
    pub flags: EventFlags,
}

impl Effect {
    /// The effect of an operation that succeeded with this result.
    #[inline]
    pub const fn result(result: u64) -> Effect {
        Effect { result, flags: EventFlags::NONE }
    }

    /// The effect of an operation that failed with this result and changed nothing.
    #[inline]
    pub const fn failed(result: u64) -> Effect {
        Effect { result, flags: EventFlags::FAILED }
    }

    /// The effect of an operation that would have had to wait and timed out instead. It is impatient, or no thread was
    /// enabled.
    #[inline]
    pub const fn timed_out(operation: &Operation) -> Effect {
        Effect { result: ETIMEDOUT, flags: timed_out(operation) }
    }
}
