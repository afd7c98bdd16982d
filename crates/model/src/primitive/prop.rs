//! Propositions and progress: what a program says about itself, for questions about executions that go on for ever.
//!
//! A proposition has a name and holds or does not ([`SET`]). It is a part of the state. In the beginning none holds. Nobody waits for
//! one. To say that the program makes progress ([`PROGRESS`]) changes nothing and touches nothing.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of propositions.
pub const FAMILY: u8 = 21;
/// Says whether the proposition `object` holds: `argument` is 1 or 0.
pub const SET: OpCode = OpCode::new(FAMILY, 1);
/// Says that the program makes progress.
pub const PROGRESS: OpCode = OpCode::new(FAMILY, 2);

/// Objects with this number are propositions. It is above all addresses and all shares of threads.
const NAMED: u64 = 1 << 60 | 1 << 57;

/// The proposition with this name. Two names share an object with a probability of about 2^-44.
pub const fn object(name: &[u8]) -> ObjectId {
    let hash = crate::wire::label(name);
    // Eight apart, as if they were words of memory.
    ObjectId(NAMED | ((hash ^ hash >> 44) & ((1 << 44) - 1)) << 3)
}

/// The semantics of propositions.
pub struct Propositions;

impl Primitive for Propositions {
    fn name(&self) -> &'static str {
        "proposition"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        if code == PROGRESS { "progress" } else { "set" }
    }

    fn take(&self, world: &mut World, _: ThreadId, operation: &Operation, _: u16) -> Effect {
        if operation.code == SET {
            world.objects.get_mut(operation.object, FAMILY).words[0] = (operation.argument != 0).into();
        }
        Effect { result: operation.argument, flags: EventFlags::NONE }
    }

    fn bare(&self, event: &Event) -> Event {
        // The value stays: whoever asks about propositions needs it.
        *event
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.code == SET {
            into.touch(event.operation.object, Mode::Write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_objects_of_their_own() {
        let (one, other) = (object(b"request"), object(b"answer"));
        assert_ne!(one, other);
        assert_eq!(one, object(b"request"));
        assert_eq!((one.shared(), one.as_thread(), one.life_of()), (None, None, None));
    }
}
