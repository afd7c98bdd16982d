//! A choice: every value is explored.
//!
//! The program's own ([`CHOOSE`]), and that of the machine, whether an attempt that may fail for no reason does so
//! ([`ATTEMPT`]). The second comes before the attempt, as an operation of its own, which touches nothing; if it fails, the attempt is
//! not made (a weak compare-exchange has still read). So an attempt that was made is what it always is, and no operation
//! has ways that touch different things.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 8;
/// Picks a number below `argument`; it is the result.
pub const CHOOSE: OpCode = OpCode::new(FAMILY, 1);
/// Whether the attempt on `object` that comes next fails for no reason (the result is 1) or is made (0).
pub const ATTEMPT: OpCode = OpCode::new(FAMILY, 2);

/// The meaning of this family.
pub struct Choices;

impl Primitive for Choices {
    fn name(&self) -> &'static str {
        "data"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        if code == ATTEMPT { "attempt" } else { "choose" }
    }

    fn alternatives(&self, _: &World, _: ThreadId, operation: &Operation) -> u16 {
        if operation.code == ATTEMPT { 2 } else { operation.argument.clamp(1, u16::MAX as u64) as u16 }
    }

    fn take(&self, _: &mut World, _: ThreadId, operation: &Operation, choice: u16) -> Effect {
        let fails = operation.code == ATTEMPT && choice != 0;
        Effect { result: choice as u64, flags: if fails { EventFlags::SPURIOUS } else { EventFlags::NONE } }
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
