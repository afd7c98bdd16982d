//! The end of the process.
//!
//! `exit` from any thread, a return from `main`, a failed assertion, `abort` and a crash all stop every other thread
//! wherever it is. The end of the process therefore depends on everything that other threads could still do. It is an
//! operation like any other, taken when the schedule says so. A thread whose assertion has failed waits at this
//! operation while other threads run, so the search also explores what they would have done.

use super::Primitive;
use crate::world::Effect;
use crate::{Ending, Event, Footprint, Misuse, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of the end of the process.
pub const FAMILY: u8 = 5;
/// Ends the process. `argument` and `detail` say how ([`Ending::to_numbers`]). `object` is the address that a crash
/// accessed, the object that was misused, or the address of an assertion's text.
pub const END: OpCode = OpCode::new(FAMILY, 1);

/// The operation that ends the process in the way of `ending`.
pub const fn end(ending: Ending) -> Operation {
    let (argument, detail) = ending.to_numbers();
    Operation { object: ObjectId::NONE, argument, code: END, size: 0, detail }
}

/// The operation that ends the process because `object`, which belongs to `family`, was misused.
pub const fn misused(misuse: Misuse, object: ObjectId, family: u8) -> Operation {
    Operation { object, ..end(Ending::Misuse { misuse, family }) }
}

/// How `operation` ends the process. `None` if it does not end it.
pub fn ending(operation: &Operation) -> Option<Ending> {
    if operation.code == END { Ending::from_numbers(operation.argument, operation.detail) } else { None }
}

/// The semantics of the end of the process.
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
