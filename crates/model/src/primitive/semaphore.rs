//! Semaphores.
//!
//! State: the count. Posting never waits and never looks, so posts commute; waits take turns.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 7;
/// Made, with the count `argument`.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until the count is not zero, and takes one. The result is the count before.
pub const WAIT: OpCode = OpCode::new(FAMILY, 2);
/// Takes one if there is one. The result is 0, or `EAGAIN`.
pub const TRYWAIT: OpCode = OpCode::new(FAMILY, 3);
/// Adds one.
pub const POST: OpCode = OpCode::new(FAMILY, 4);
/// Looks at the count; it is the result.
pub const GETVALUE: OpCode = OpCode::new(FAMILY, 5);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 6);

/// There is none to take.
pub const EAGAIN: u64 = 11;

const COUNT: usize = 0;

fn count(world: &World, semaphore: ObjectId) -> u64 {
    world.objects.get(semaphore).map_or(0, |slot| slot.words[COUNT])
}

/// The meaning of this family.
pub struct Semaphores;

impl Primitive for Semaphores {
    fn name(&self) -> &'static str {
        "semaphore"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            WAIT => "wait",
            TRYWAIT => "trywait",
            POST => "post",
            GETVALUE => "getvalue",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, _by: ThreadId, operation: &Operation) -> bool {
        operation.code != WAIT || count(world, operation.object) > 0
    }

    fn take(&self, world: &mut World, _by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let slot = world.objects.get_mut(operation.object);
        slot.family = FAMILY as u32;
        let count = &mut slot.words[COUNT];
        let before = *count;
        match operation.code {
            INIT => *count = operation.argument,
            WAIT => {
                *count -= 1;
                return Effect::result(before);
            }
            TRYWAIT if before == 0 => return Effect::failed(EAGAIN),
            TRYWAIT => *count -= 1,
            POST => *count += 1,
            GETVALUE => return Effect::result(before),
            _ => {}
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let fails = operation.code == TRYWAIT && count(world, operation.object) == 0;
        if fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let mode = match event.operation.code {
            POST => Mode::Add,
            GETVALUE => Mode::Read,
            TRYWAIT if event.failed() => Mode::Read,
            _ => Mode::Write,
        };
        into.touch(event.operation.object, mode);
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // With two or more there, the wait could have done without this post.
        later.operation.code == WAIT && earlier.operation.code == POST && later.result < 2
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        later.operation.code == WAIT && matches!(earlier.operation.code, WAIT | TRYWAIT) && !earlier.failed()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        code == TRYWAIT
    }
}
