//! The end of the process.
//!
//! `exit` from any thread, `main` returning, an assertion, an abort, a crash: each cuts all other threads off
//! wherever they are. So each depends on everything that the others could still do, and is an operation like any
//! other: taken when the schedule says so. A thread whose assertion has failed stands before its end while others
//! may go on, and what they would have done is not hidden behind it.

use super::Primitive;
use crate::world::Effect;
use crate::{Ending, Event, Footprint, Misuse, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 5;
/// The process ends; `argument` says how ([`Ending`]), `detail` is the status or the signal, `object` the address that a
/// crash was about or of an assertion's text.
pub const END: OpCode = OpCode::new(FAMILY, 1);

/// In the detail of a crash: the thread ran off its stack.
pub const STACK_OVERFLOW: u32 = 1 << 8;

/// The operation that ends the process like this.
pub const fn end(ending: Ending, detail: u32) -> Operation {
    Operation { object: ObjectId::NONE, argument: ending as u64, code: END, size: 0, detail }
}

/// The operation that ends the process because `object`, of this family, was misused.
pub const fn misused(misuse: Misuse, object: ObjectId, family: u8) -> Operation {
    Operation { object, ..end(Ending::Misuse, misuse as u32 | (family as u32) << 8) }
}

/// How `operation` ends the process, if it does.
pub const fn ending(operation: &Operation) -> Option<Ending> {
    if operation.code.0 == END.0 { Ending::from_code(operation.argument as u8) } else { None }
}

/// The meaning of this family.
pub struct Process;

impl Primitive for Process {
    fn name(&self) -> &'static str {
        "process"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "end"
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, _: &Event, into: &mut Footprint) {
        into.touch_everything();
    }
}
