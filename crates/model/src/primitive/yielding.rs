//! `sched_yield` and sleeping: a hint that other threads may run first. The footprint is empty.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// The family of yielding and sleeping.
pub const FAMILY: u8 = 4;
/// Lets other threads run first.
pub const YIELD: OpCode = OpCode::new(FAMILY, 1);
/// Lets other threads run first, and advances virtual time. `argument` is the duration in nanoseconds.
pub const SLEEP: OpCode = OpCode::new(FAMILY, 2);

/// The semantics of yielding and sleeping.
pub struct Yielding;

impl Primitive for Yielding {
    fn name(&self) -> &'static str {
        "thread"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        if code == SLEEP { "sleep" } else { "yield" }
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
