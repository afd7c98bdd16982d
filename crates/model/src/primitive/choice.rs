//! A choice of the program's: every value is explored.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 8;
/// Picks a number below `argument`; it is the result.
pub const CHOOSE: OpCode = OpCode::new(FAMILY, 1);

/// The meaning of this family.
pub struct Choices;

impl Primitive for Choices {
    fn name(&self) -> &'static str {
        "data"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "choose"
    }

    fn alternatives(&self, _: &World, _: ThreadId, operation: &Operation) -> u16 {
        operation.argument.clamp(1, u16::MAX as u64) as u16
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, choice: u16) -> Effect {
        Effect::result(choice as u64)
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
