//! One-time initialisation: `pthread_once`, `call_once`, static local variables of C++.
//!
//! State: not begun, running or done. The first thread runs the initialisation. Other threads wait until it is done, or
//! until an exception ends it, in which case the next thread runs it.
//!
//! The memory of a control can get another use: its block is freed, or its function returns and another one is called. Whoever
//! overwrites a control that is done says so ([`RENEW`]), and the next control at the same address begins untouched.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World};

/// The family of one-time initialisation.
pub const FAMILY: u8 = 9;
/// Waits while another thread runs the initialisation. The result is 1 if this thread must run it, and 0 if it is done.
pub const BEGIN: OpCode = OpCode::new(FAMILY, 1);
/// Completes the initialisation.
pub const DONE: OpCode = OpCode::new(FAMILY, 2);
/// Ends the initialisation without completing it. The next thread runs it again.
pub const GIVE_UP: OpCode = OpCode::new(FAMILY, 3);
/// Overwrites or frees the control. If it was done, that is forgotten.
pub const RENEW: OpCode = OpCode::new(FAMILY, 4);

const STATE: usize = 0;
const UNTOUCHED: u64 = 0;
const RUNNING: u64 = 1;
const FINISHED: u64 = 2;

/// How far an initialisation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing is known of it.
    Untouched,
    /// A thread runs it.
    Running,
    /// It is done.
    Finished,
}

/// How far the initialisation with this control is.
pub fn phase(world: &World, once: ObjectId) -> Phase {
    match state(world, once) {
        UNTOUCHED => Phase::Untouched,
        RUNNING => Phase::Running,
        _ => Phase::Finished,
    }
}

/// A control among these bytes whose initialisation is done. A control is an aligned `int`.
pub fn finished(world: &World, from: u64, to: u64) -> Option<ObjectId> {
    const SIZE: u64 = 4;
    /// Up to so many bytes are looked up. For more, which are set or freed as a whole, all objects are looked at.
    const FEW: u64 = 64;
    let from = from & !(SIZE - 1);
    if to - from <= FEW {
        let mut controls = (from..to).step_by(SIZE as usize).map(ObjectId);
        return controls.find(|&control| state(world, control) == FINISHED);
    }
    let is_one = |slot: &ObjectSlot| slot.family() == FAMILY && slot.words[STATE] == FINISHED;
    let mut all = world.objects.iter().filter(|(object, slot)| is_one(slot) && (from..to).contains(&object.0));
    all.next().map(|(object, _)| object)
}

fn state(world: &World, once: ObjectId) -> u64 {
    world.objects.get(once, FAMILY).map_or(UNTOUCHED, |slot| slot.words[STATE])
}

/// The semantics of one-time initialisation.
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
            RENEW => "renew",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, _by: ThreadId, operation: &Operation) -> bool {
        operation.code != BEGIN || state(world, operation.object) != RUNNING
    }

    fn take(&self, world: &mut World, _by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let slot = world.objects.get_mut(operation.object, FAMILY);
        let state = &mut slot.words[STATE];
        match operation.code {
            // Only a read: there is nothing to do.
            BEGIN if *state == FINISHED => return Effect::failed(0),
            BEGIN => {
                *state = RUNNING;
                return Effect::result(1);
            }
            DONE => *state = FINISHED,
            RENEW if *state == RUNNING => {}
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
        // The initialisation was running until then.
        later.operation.code == BEGIN && matches!(earlier.operation.code, DONE | GIVE_UP)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // The first thread could have come later, and the other one would have run the initialisation.
        later.operation.code == BEGIN && earlier.operation.code == BEGIN && !earlier.failed()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        code == BEGIN
    }
}
