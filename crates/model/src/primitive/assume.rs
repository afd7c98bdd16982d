//! What the program takes for granted: an execution in which it does not hold is none.
//!
//! A condition that holds is no operation. One that does not is an operation that is never possible: the thread stands
//! before it for ever, and the others go on, since all that they do could have happened before it got there. When nobody can
//! go on and somebody stands here, the execution is **assumed away** ([`crate::Outcome::Assumed`]): no deadlock, and no
//! finding. What others do wrong until then is real: it happened while this thread had not come to its condition. So is a
//! process that ends meanwhile.
//!
//! It touches nothing. What the condition was computed from has been read by operations of their own, whose order with others
//! is explored as always; so an execution that is assumed away hides none that is not.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 13;
/// The condition does not hold.
pub const FALSE: OpCode = OpCode::new(FAMILY, 1);

/// The meaning of this family.
pub struct Assumptions;

impl Primitive for Assumptions {
    fn name(&self) -> &'static str {
        "assumption"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "assume"
    }

    fn enabled(&self, _: &World, _: ThreadId, _: &Operation) -> bool {
        false
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
