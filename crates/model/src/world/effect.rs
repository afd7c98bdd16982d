//! What came of an operation.

use super::timed_out;
use crate::primitive::ETIMEDOUT;
use crate::{EventFlags, Operation};

/// What came of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effect {
    /// For [`Event::result`](crate::Event::result).
    pub result: u64,
    /// For [`Event::flags`](crate::Event::flags).
    pub flags: EventFlags,
}

impl Effect {
    /// It worked, and there is this to say.
    #[inline]
    pub const fn result(result: u64) -> Effect {
        Effect { result, flags: EventFlags::NONE }
    }

    /// It did not get what it wanted and changed nothing.
    #[inline]
    pub const fn failed(result: u64) -> Effect {
        Effect { result, flags: EventFlags::FAILED }
    }

    /// It would have had to wait, and timed out: because it is impatient, or because nobody can go on.
    #[inline]
    pub const fn timed_out(operation: &Operation) -> Effect {
        Effect { result: ETIMEDOUT, flags: timed_out(operation) }
    }
}
