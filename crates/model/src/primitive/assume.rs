//! Assumptions of the program (`heddle_assume`). An execution in which one does not hold is discarded.
//!
//! An assumption that holds is no operation. One that does not hold is an operation that is never enabled. The thread
//! stops there, and the other threads continue, because everything that they do could have happened before the thread
//! got there. When no thread is enabled and one stands at an assumption, the execution is **assumed away**
//! ([`crate::Outcome::Assumed`]): it is neither a deadlock nor a finding. Errors of other threads before that are real,
//! and so is an end of the process, because they could happen before the thread reaches its assumption.
//!
//! The footprint is empty. The values that the condition depends on were read by operations of their own, and the
//! search reverses those as usual. Thus an execution that is assumed away hides no other execution.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, OpCode, Operation, ThreadId, World};

/// The family of assumptions.
pub const FAMILY: u8 = 13;
/// An assumption that does not hold.
pub const FALSE: OpCode = OpCode::new(FAMILY, 1);

/// The semantics of assumptions.
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
