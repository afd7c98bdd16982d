//! Custom primitives, which the program defines itself: a state, and operations that are enabled in some states and
//! change it.
//!
//! This follows G. Pirtle, L. Jovanovic, G. Cooperman, *McMini: a programmable DPOR-based model checker* (2022),
//! section 3, with two departures:
//!
//! 1. An operation consists of two functions of the program, `enabled` and `effect`, over a state in the program's
//!    memory. The program does not declare which operations are dependent or co-enabled. All operations on one object
//!    are dependent, so every trace orders them.
//! 2. The search never calls the program. Because the operations on an object are ordered, the search only needs to
//!    know in which states of the object an operation was enabled. The runtime keeps those states, tries the operation
//!    on copies of them, and stores the answers in the event (`possible_before`).
//!
//! State: the number of operations so far. The object is the address of the program's state.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World};

/// The family of custom primitives.
pub const FAMILY: u8 = 17;
/// The largest number of different operations of a custom primitive.
pub const MOST_OPERATIONS: u32 = 200;
/// The largest number of operations on one object in an execution: one bit of `argument` for each.
pub const MOST_STEPS: u32 = 64;

/// The code of operation `number` of a custom primitive.
///
/// While the operation is pending, its `argument` belongs to the runtime. Once it was taken, or at the end of the
/// execution, bit n of `argument` says whether it was enabled before the object's n-th operation, counted from 0.
/// `detail` is then the number of operations on the object before this one. The result is the return value of the
/// program's function.
pub const fn operation(number: u32) -> OpCode {
    OpCode::new(FAMILY, 1 + number as u8)
}

/// The number of operations on `object` so far.
pub fn steps(world: &World, object: ObjectId) -> u32 {
    world.objects.get(object, FAMILY).map_or(0, |slot| slot.words[0] as u32)
}

/// Whether `operation` was enabled in the state before operation number `step` on its object.
const fn possible_before(operation: &Operation, step: u32) -> bool {
    step < MOST_STEPS && operation.argument >> step & 1 != 0
}

/// The semantics of custom primitives.
pub struct Custom;

impl Primitive for Custom {
    fn name(&self) -> &'static str {
        "primitive"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "use"
    }

    fn enabled(&self, world: &World, _: ThreadId, operation: &Operation) -> bool {
        let asked = world.memory().custom_enabled(operation);
        asked.unwrap_or_else(|| possible_before(operation, steps(world, operation.object)))
    }

    fn take(&self, world: &mut World, _: ThreadId, operation: &Operation, _: u16) -> Effect {
        world.objects.get_mut(operation.object, FAMILY).words[0] += 1;
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        into.touch(event.operation.object, Mode::Write);
    }

    fn canonical(&self, _: &ObjectSlot) -> [u64; 3] {
        // The state is in the program's memory. The number of operations bounds an execution, not the program.
        [0; 3]
    }

    fn bare(&self, event: &Event) -> Event {
        // Whether it was enabled is known by the number of operations before it, which is not part of a state.
        Event { operation: Operation::new(OpCode::ANY, event.operation.object), result: 0, ..*event }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        is_on_the_same(earlier, later) && !possible_before(&later.operation, earlier.operation.detail)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        is_on_the_same(earlier, later) && possible_before(&later.operation, earlier.operation.detail)
    }

    fn continues(&self, earlier: &Event, later: &Event) -> bool {
        // It was disabled there too. Continue with the operation before.
        !self.disabled_by(earlier, later)
    }
}

fn is_on_the_same(earlier: &Event, later: &Event) -> bool {
    earlier.operation.code.family() == FAMILY && earlier.operation.object == later.operation.object
}
