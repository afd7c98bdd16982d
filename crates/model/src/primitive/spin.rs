//! Spin locks.
//!
//! State: whether it is locked. Like a normal mutex, but that it is nobody's: any thread may unlock it, and whoever holds it
//! is known only for reports. That threads spin while they wait cannot be seen.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 11;
/// Made, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until it is unlocked, and locks it.
pub const LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks it if it is unlocked. The result is 0 or `EBUSY`.
pub const TRYLOCK: OpCode = OpCode::new(FAMILY, 3);
/// Unlocks it.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 4);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 5);

/// Locked.
pub const EBUSY: u64 = 16;

const OWNER: usize = 0;

/// Who has locked `lock`.
pub fn owner_of(world: &World, lock: ObjectId) -> Option<ThreadId> {
    let owner = world.objects.get(lock)?.words[OWNER];
    (owner != 0).then(|| ThreadId((owner - 1) as u16))
}

/// The meaning of this family.
pub struct SpinLocks;

impl Primitive for SpinLocks {
    fn name(&self) -> &'static str {
        "spin lock"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            LOCK => "lock",
            TRYLOCK => "trylock",
            UNLOCK => "unlock",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, _by: ThreadId, operation: &Operation) -> bool {
        operation.code != LOCK || owner_of(world, operation.object).is_none()
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let flags = self.foresee(world, by, operation, &crate::NoMemory);
        let owner = owner_of(world, operation.object);
        match operation.code {
            INIT => world.make(operation.object),
            DESTROY if owner.is_some() => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(operation.object),
            _ => world.touch(operation.object),
        }
        match owner {
            None if operation.code == UNLOCK => world.accuse(Misuse::UnlockNotLocked),
            Some(owner) if operation.code == UNLOCK && owner != by => world.accuse(Misuse::UnlockNotOwned),
            _ => {}
        }
        if flags.contains(EventFlags::FAILED) {
            return Effect::failed(if operation.code == TRYLOCK { EBUSY } else { 0 });
        }
        let slot = world.objects.get_mut(operation.object);
        let found = slot.family == 0 && operation.code != INIT;
        slot.family = FAMILY as u32;
        let locks = matches!(operation.code, LOCK | TRYLOCK);
        let (before, after) = (slot.words[OWNER], if locks { by.0 as u64 + 1 } else { 0 });
        slot.words[OWNER] = after;
        world.passes(operation.object, before, after);
        if found {
            world.is_found(operation.object);
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let locked = owner_of(world, operation.object).is_some();
        let fails = match operation.code {
            TRYLOCK => locked,
            // Misuse that changes nothing.
            UNLOCK => !locked,
            _ => false,
        };
        if fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        into.touch(event.operation.object, if event.failed() { Mode::Read } else { Mode::Write });
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let frees = earlier.operation.code == UNLOCK && !earlier.failed();
        (later.operation.code == LOCK && frees) || super::stirs(earlier, later)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let takes = matches!(earlier.operation.code, LOCK | TRYLOCK) && !earlier.failed();
        later.operation.code == LOCK && takes
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, TRYLOCK | UNLOCK)
    }
}
