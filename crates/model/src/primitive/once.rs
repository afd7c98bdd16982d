//! Initialisation that happens once: `pthread_once`, `call_once`, static locals of C++.
//!
//! State: untouched, running, done. Whoever comes first runs it; the others wait until it is done, or until it was given up
//! (an exception), when the next one runs it.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 9;
/// Waits while another thread runs the initialisation. The result is 1 for who has to run it now, 0 if it is done.
pub const BEGIN: OpCode = OpCode::new(FAMILY, 1);
/// It is done.
pub const DONE: OpCode = OpCode::new(FAMILY, 2);
/// It was given up: whoever comes next tries again.
pub const GIVE_UP: OpCode = OpCode::new(FAMILY, 3);

const STATE: usize = 0;
const UNTOUCHED: u64 = 0;
const RUNNING: u64 = 1;
const FINISHED: u64 = 2;

fn state(world: &World, once: ObjectId) -> u64 {
    world.objects.get(once).map_or(UNTOUCHED, |slot| slot.words[STATE])
}

/// The meaning of this family.
pub struct Once;

impl Primitive for Once {
    fn name(&self) -> &'static str {
        "once"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            BEGIN => "begin",
            DONE => "done",
            GIVE_UP => "give up",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, _by: ThreadId, operation: &Operation) -> bool {
        operation.code != BEGIN || state(world, operation.object) != RUNNING
    }

    fn take(&self, world: &mut World, _by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let slot = world.objects.get_mut(operation.object);
        slot.family = FAMILY as u32;
        let state = &mut slot.words[STATE];
        match operation.code {
            // Only looked, and saw that there is nothing to do.
            BEGIN if *state == FINISHED => return Effect::failed(0),
            BEGIN => {
                *state = RUNNING;
                return Effect::result(1);
            }
            DONE => *state = FINISHED,
            _ => *state = UNTOUCHED,
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let done = operation.code == BEGIN && state(world, operation.object) == FINISHED;
        if done { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        into.touch(event.operation.object, if event.failed() { Mode::Read } else { Mode::Write });
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // Until then it was running.
        later.operation.code == BEGIN && matches!(earlier.operation.code, DONE | GIVE_UP)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // Who came first could have come later, and the other one would have run it.
        later.operation.code == BEGIN && earlier.operation.code == BEGIN && !earlier.failed()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        code == BEGIN
    }
}
