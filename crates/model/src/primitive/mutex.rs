//! Plain mutexes.
//!
//! State: the owner. All zero is an unlocked mutex: statically initialised ones are used without a call, and
//! zero-filled memory works with every C library that Heddle runs on.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 2;
/// Made, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until it is unlocked, and locks it.
pub const LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks it if it is unlocked.
pub const TRYLOCK: OpCode = OpCode::new(FAMILY, 3);
/// Unlocks it.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 4);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 5);

/// Locked by another, or by oneself.
pub const EBUSY: u64 = 16;

const OWNER: usize = 0;

/// Who holds the mutex with this state.
#[inline]
pub fn owner(slot: &ObjectSlot) -> Option<ThreadId> {
    (slot.words[OWNER] != 0).then(|| ThreadId((slot.words[OWNER] - 1) as u16))
}

/// Who holds `mutex`.
#[inline]
pub fn owner_of(world: &World, mutex: ObjectId) -> Option<ThreadId> {
    world.objects.get(mutex).and_then(owner)
}

/// Gives `mutex` to `owner`, or to nobody. For the primitives that lock and unlock mutexes on the way.
#[inline]
pub(crate) fn set_owner(world: &mut World, mutex: ObjectId, owner: Option<ThreadId>) {
    let slot = world.objects.get_mut(mutex);
    slot.family = FAMILY as u32;
    slot.words[OWNER] = owner.map_or(0, |t| t.0 as u64 + 1);
}

/// The meaning of this family.
pub struct Mutexes;

impl Primitive for Mutexes {
    fn name(&self) -> &'static str {
        "mutex"
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
        let mutex = operation.object;
        match operation.code {
            LOCK => set_owner(world, mutex, Some(by)),
            TRYLOCK if owner_of(world, mutex).is_some() => return Effect::failed(EBUSY),
            TRYLOCK => set_owner(world, mutex, Some(by)),
            DESTROY if owner_of(world, mutex).is_some() => return Effect::failed(EBUSY),
            // Misuse that changes nothing: it must not count as what made a later lock possible.
            UNLOCK if owner_of(world, mutex).is_none() => return Effect::failed(0),
            _ => set_owner(world, mutex, None),
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, _by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let locked = owner_of(world, operation.object).is_some();
        let fails = match operation.code {
            TRYLOCK | DESTROY => locked,
            UNLOCK => !locked,
            _ => false,
        };
        if fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        // One that failed has only looked: two failed trylocks commute, a failed one and an unlock do not.
        into.touch(event.operation.object, if event.failed() { Mode::Read } else { Mode::Write });
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        (later.operation.code == LOCK && releases(earlier, later.operation.object))
            || later.flags.contains(EventFlags::STIRRED_ONCE)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        later.operation.code == LOCK && acquires(earlier, later.operation.object)
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, TRYLOCK | UNLOCK | DESTROY)
    }
}

/// Whether `event` locks `mutex` (a lock, a trylock that got it, or the end of a condition wait).
pub(crate) fn acquires(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        LOCK | TRYLOCK => event.operation.object == mutex && !event.failed(),
        super::condvar::REACQUIRE => event.operation.argument == mutex.0,
        _ => false,
    }
}

/// Whether `event` frees `mutex` (an unlock, or the beginning of a condition wait).
pub(crate) fn releases(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        UNLOCK => !event.failed() && event.operation.object == mutex,
        // A wait without the mutex is misuse, and has made nothing possible.
        super::condvar::WAIT => event.operation.argument == mutex.0 && event.result != 0,
        _ => false,
    }
}
