//! Primitives that the program defines itself: a state, and operations that are possible in some states and change it.
//!
//! After G. Pirtle, L. Jovanovic, G. Cooperman, *McMini: a programmable DPOR-based model checker* (2022), section 3, with these
//! departures:
//!
//! 1. An operation is two functions of the program's, `enabled` and `effect`, over a state in the program's memory, and nothing else:
//!    which operations depend on each other and which are possible at the same time is not declared. All operations on one object
//!    depend on each other, so that they have an order in every trace.
//! 2. The search never calls the program. Since they have an order, all that it must know of an operation is in which of
//!    the states that the object went through it was possible: whoever runs the program keeps those states, tries the operation on
//!    copies of them, and writes down the answers (`possible_before`).
//!
//! State here: how many operations there were. The object is the address of the program's state.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 17;
/// The most operations that a primitive can have.
pub const MOST_OPERATIONS: u32 = 200;
/// The most operations on one object in an execution: as many as there are bits for the answers.
pub const MOST_STEPS: u32 = 64;

/// Operation `number` of a primitive. While a thread is about to take it, `argument` is whoever runs the program's own business. When
/// it is taken, or at the end of the execution, it says in which states of the object it was possible: bit n is about the
/// state before the object's n-th operation, counted from 0; and `detail` says how many operations there were before. The result is
/// what the program's function returned.
pub const fn operation(number: u32) -> OpCode {
    OpCode::new(FAMILY, 1 + number as u8)
}

/// How many operations there were on `object`.
pub fn steps(world: &World, object: ObjectId) -> u32 {
    world.objects.get(object).map_or(0, |slot| slot.words[0] as u32)
}

/// Whether `operation` was possible in the state before step `step` of its object.
const fn possible_before(operation: &Operation, step: u32) -> bool {
    step < MOST_STEPS && operation.argument >> step & 1 != 0
}

/// The meaning of this family.
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
        let slot = world.objects.get_mut(operation.object);
        slot.family = FAMILY as u32;
        slot.words[0] += 1;
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        into.touch(event.operation.object, Mode::Write);
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        is_on_the_same(earlier, later) && !possible_before(&later.operation, earlier.operation.detail)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        is_on_the_same(earlier, later) && possible_before(&later.operation, earlier.operation.detail)
    }

    fn continues(&self, earlier: &Event, later: &Event) -> bool {
        // It was not possible there either: on to the operation before.
        !self.disabled_by(earlier, later)
    }
}

fn is_on_the_same(earlier: &Event, later: &Event) -> bool {
    earlier.operation.code.family() == FAMILY && earlier.operation.object == later.operation.object
}
