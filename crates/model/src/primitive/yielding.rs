//! Threads without a next operation of their own: `sched_yield` and sleeping, hints that other threads may run first, and a
//! thread that runs for ever without a visible operation. The footprint is empty.
//!
//! A thread that runs for ever stops at an operation that is never enabled, and the other threads continue. What it has
//! read so far may be what they write: then there is a data race, and once its place is visible the thread waits at an
//! operation. If nobody ever writes it, nobody can release the thread: the execution ends as a hang
//! ([`crate::Outcome::Hang`]) when no other thread can go on.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// The family of yielding and sleeping.
pub const FAMILY: u8 = 4;
/// Lets other threads run first.
pub const YIELD: OpCode = OpCode::new(FAMILY, 1);
/// Lets other threads run first, and advances virtual time. `argument` is the duration in nanoseconds.
pub const SLEEP: OpCode = OpCode::new(FAMILY, 2);
/// Runs for ever without a visible operation.
pub const FOREVER: OpCode = OpCode::new(FAMILY, 3);

/// The semantics of yielding and sleeping.
pub struct Yielding;

impl Primitive for Yielding {
    fn name(&self) -> &'static str {
        "thread"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            SLEEP => "sleep",
            FOREVER => "run for ever",
            _ => "yield",
        }
    }

    fn enabled(&self, _: &World, _: ThreadId, operation: &Operation) -> bool {
        operation.code != FOREVER
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
