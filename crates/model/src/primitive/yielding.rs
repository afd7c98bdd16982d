//! `sched_yield` and sleeping: a hint that others may go first, which touches nothing.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 4;
/// Lets others go first.
pub const YIELD: OpCode = OpCode::new(FAMILY, 1);
/// Lets others go first, and virtual time pass; `argument` is nanoseconds.
pub const SLEEP: OpCode = OpCode::new(FAMILY, 2);

/// The meaning of this family.
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
