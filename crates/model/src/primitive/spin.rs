//! Spin locks.
//!
//! State: the thread that has locked it, or none. A spin lock is like a normal mutex without ownership: any thread may
//! unlock it, and its holder is stored for reports and misuse only. Waiting threads do not spin: they are disabled
//! until the lock is free, which the program cannot distinguish.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of the operations on spin locks.
pub const FAMILY: u8 = 11;
/// Initialises the lock, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until the lock is unlocked, and locks it.
pub const LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks the lock if it is unlocked. The result is 0 or `EBUSY`.
pub const TRYLOCK: OpCode = OpCode::new(FAMILY, 3);
/// Unlocks the lock.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 4);
/// Destroys the lock.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 5);

/// The error number if the lock is locked.
pub const EBUSY: u64 = 16;

const OWNER: usize = 0;

/// The thread that has locked `lock`.
pub fn owner_of(world: &World, lock: ObjectId) -> Option<ThreadId> {
    let owner = world.objects.get(lock, FAMILY)?.words[OWNER];
    (owner != 0).then(|| ThreadId((owner - 1) as u16))
}

/// The semantics of spin locks.
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
            INIT => world.make(operation.object, FAMILY),
            DESTROY if owner.is_some() => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(operation.object, FAMILY),
            _ => world.touch(operation.object, FAMILY),
        }
        match owner {
            None if operation.code == UNLOCK => world.accuse(Misuse::UnlockNotLocked),
            Some(owner) if operation.code == UNLOCK && owner != by => world.accuse(Misuse::UnlockNotOwned),
            _ => {}
        }
        if flags.contains(EventFlags::FAILED) {
            return Effect::failed(if operation.code == TRYLOCK { EBUSY } else { 0 });
        }
        let slot = world.objects.get_mut(operation.object, FAMILY);
        let found = !slot.is_used && operation.code != INIT;
        slot.is_used = true;
        let locks = matches!(operation.code, LOCK | TRYLOCK);
        let (before, after) = (slot.words[OWNER], if locks { by.0 as u64 + 1 } else { 0 });
        slot.words[OWNER] = after;
        world.change_owner(operation.object, before, after);
        if found {
            world.note_uninitialised_use(operation.object);
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let locked = owner_of(world, operation.object).is_some();
        let fails = match operation.code {
            TRYLOCK => locked,
            // Misuse without effect.
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
