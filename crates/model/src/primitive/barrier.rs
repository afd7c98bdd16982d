//! Barriers.
//!
//! A wait is two operations: [`ARRIVE`] is counted, [`LEAVE`] goes on once as many as the barrier is for have arrived. The
//! last one of a round is the serial thread, as in glibc; with it the next round begins. State: how many the barrier
//! is for, how many of this round have arrived, and how many rounds were completed.
//!
//! The order of arrivals matters, because it decides who is last; so arrivals do not commute. To leave looks at whether the
//! round was completed, and only the last arrival of a round changes that. So these touch a second thing, the gate, and
//! who leaves a round does not conflict with those that arrive for the next one.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 12;
/// Made, for `argument` threads.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// One more is there. The result is the round. [`EventFlags::COMPLETES`]: it was the last one.
pub const ARRIVE: OpCode = OpCode::new(FAMILY, 2);
/// All of round `argument` are there: goes on.
pub const LEAVE: OpCode = OpCode::new(FAMILY, 3);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 4);

const SIZE: usize = 0;
const ARRIVED: usize = 1;
const ROUND: usize = 2;

/// What the last arrival of a round changes: a place in the barrier's own memory that is no object of its own.
fn gate(barrier: ObjectId) -> ObjectId {
    ObjectId(barrier.0 + 8)
}

fn words(world: &World, barrier: ObjectId) -> [u64; 3] {
    world.objects.get(barrier).map_or([0; 3], |slot| slot.words)
}

/// How many `barrier` is for, and how many of them have arrived in this round.
pub fn state(world: &World, barrier: ObjectId) -> (u64, u64) {
    let words = words(world, barrier);
    (words[SIZE], words[ARRIVED])
}

/// The meaning of this family.
pub struct Barriers;

impl Primitive for Barriers {
    fn name(&self) -> &'static str {
        "barrier"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            ARRIVE => "arrive",
            LEAVE => "leave",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, _by: ThreadId, operation: &Operation) -> bool {
        operation.code != LEAVE || words(world, operation.object)[ROUND] > operation.argument
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let flags = self.foresee(world, by, operation, &crate::NoMemory);
        match operation.code {
            INIT => world.make(operation.object),
            DESTROY if state(world, operation.object).1 > 0 => world.accuse(Misuse::DestroyWaited),
            DESTROY => world.unmake(operation.object),
            LEAVE => {}
            _ => world.touch(operation.object),
        }
        let slot = world.objects.get_mut(operation.object);
        slot.family = FAMILY as u32;
        let round = slot.words[ROUND];
        match operation.code {
            ARRIVE if flags.contains(EventFlags::COMPLETES) => slot.words = [slot.words[SIZE], 0, round + 1],
            ARRIVE => slot.words[ARRIVED] += 1,
            LEAVE => return Effect::default(),
            _ => slot.words = [operation.argument, 0, round],
        }
        Effect { result: round, flags }
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let (size, arrived) = state(world, operation.object);
        let completes = operation.code == ARRIVE && arrived + 1 >= size;
        if completes { EventFlags::COMPLETES } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let barrier = event.operation.object;
        if event.operation.code == LEAVE {
            into.touch(gate(barrier), Mode::Read);
            return;
        }
        into.touch(barrier, Mode::Write);
        if event.flags.contains(EventFlags::COMPLETES) {
            into.touch(gate(barrier), Mode::Write);
        }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // Not the last arrival of a later round, which a slow thread may have missed.
        later.operation.code == LEAVE && earlier.operation.code == ARRIVE && earlier.result == later.operation.argument
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, ARRIVE | LEAVE)
    }
}
