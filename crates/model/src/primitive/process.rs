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
/// The process ends. `argument` and `detail` say how ([`Ending::to_numbers`]). `object` is the address that a crash was about,
/// the object that was misused, or the address of an assertion's text.
pub const END: OpCode = OpCode::new(FAMILY, 1);

/// The operation that ends the process like this.
pub const fn end(ending: Ending) -> Operation {
    let (argument, detail) = ending.to_numbers();
    Operation { object: ObjectId::NONE, argument, code: END, size: 0, detail }
}

/// The operation that ends the process because `object`, of this family, was misused.
pub const fn misused(misuse: Misuse, object: ObjectId, family: u8) -> Operation {
    Operation { object, ..end(Ending::Misuse { misuse, family }) }
}

/// How `operation` ends the process, if it does.
pub fn ending(operation: &Operation) -> Option<Ending> {
    if operation.code == END { Ending::from_numbers(operation.argument, operation.detail) } else { None }
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
