//! Mutexes: normal, recursive, error-checking.
//!
//! State: the owner, and how often it has locked the mutex beyond the first time. All zero is an unlocked mutex:
//! statically initialised ones are used without a call, and zero-filled memory works with every C library that Heddle
//! runs on. The kind is no state: whoever runs the program reads it where the program keeps it, and every operation
//! carries it in its `detail`.
//!
//! A relock of a recursive mutex and the unlock that belongs to it are [nested](EventFlags::NESTED): the mutex is the
//! thread's own before and after, so nobody else can tell, and that it is its own can be changed by nobody else. They
//! commute with all that other threads can do to a mutex in use, and count as looks. Whether an operation is nested, and
//! whether an error-checking mutex refuses it, depends only on what the thread itself did before, and so stays the same
//! wherever the operation is moved.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 2;
/// Made, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until it is unlocked, and locks it. `detail` is the kind. The result is 0 or an error number.
pub const LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks it if it is unlocked. `detail` is the kind. The result is 0 or an error number.
pub const TRYLOCK: OpCode = OpCode::new(FAMILY, 3);
/// Unlocks it. `detail` is the kind. The result is 0 or an error number.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 4);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 5);

/// The kind of a mutex that never looks at who locks and unlocks it.
pub const NORMAL: u32 = 0;
/// The kind of a mutex that its owner can lock again.
pub const RECURSIVE: u32 = 1;
/// The kind of a mutex that refuses to be locked again by its owner or unlocked by a stranger.
pub const ERRORCHECK: u32 = 2;

/// Not the owner.
pub const EPERM: u64 = 1;
/// Locked too often.
pub const EAGAIN: u64 = 11;
/// Locked by another, or by oneself.
pub const EBUSY: u64 = 16;
/// Locked by oneself.
pub const EDEADLK: u64 = 35;

/// The most locks beyond the first: glibc counts all of them in 32 bits.
const MOST_NESTED: u64 = u32::MAX as u64 - 1;

const OWNER: usize = 0;
const NESTED: usize = 1;

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

/// Gives `mutex` to `owner`, or to nobody.
#[inline]
fn set_owner(world: &mut World, mutex: ObjectId, owner: Option<ThreadId>) {
    let slot = world.objects.get_mut(mutex);
    slot.family = FAMILY as u32;
    slot.words[OWNER] = owner.map_or(0, |t| t.0 as u64 + 1);
    slot.words[NESTED] = 0;
}

/// What locking or unlocking a mutex comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// It changes hands.
    Changes,
    /// It only counts.
    Counts,
    /// It cannot be had now, or there is nothing to unlock.
    Fails(u64),
}

impl Case {
    fn flags(self) -> EventFlags {
        match self {
            Case::Changes => EventFlags::NONE,
            Case::Counts => EventFlags::NESTED,
            Case::Fails(_) => EventFlags::FAILED,
        }
    }

    fn effect(self) -> Effect {
        let result = if let Case::Fails(error) = self { error } else { 0 };
        Effect { result, flags: self.flags() }
    }
}

/// What it comes to if `by` locks it now.
fn locking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let Some(slot) = world.objects.get(mutex) else { return Case::Changes };
    match (owner(slot), kind) {
        (None, _) => Case::Changes,
        (Some(owner), RECURSIVE) if owner == by && slot.words[NESTED] == MOST_NESTED => Case::Fails(EAGAIN),
        (Some(owner), RECURSIVE) if owner == by => Case::Counts,
        (Some(owner), ERRORCHECK) if owner == by => Case::Fails(EDEADLK),
        _ => Case::Fails(EBUSY),
    }
}

/// What it comes to if `by` unlocks it now.
fn unlocking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let slot = world.objects.get(mutex).copied().unwrap_or_default();
    match owner(&slot) {
        Some(owner) if owner != by && kind != NORMAL => Case::Fails(EPERM),
        Some(_) if slot.words[NESTED] > 0 => Case::Counts,
        Some(_) => Case::Changes,
        // Misuse that changes nothing: it must not count as what made a later lock possible.
        None if kind == NORMAL => Case::Fails(0),
        None => Case::Fails(EPERM),
    }
}

/// Whether `by` would not have to wait to lock `mutex`. For the primitives that lock and unlock mutexes on the way, like
/// the following.
pub(crate) fn can_lock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> bool {
    locking(world, by, mutex, kind) != Case::Fails(EBUSY)
}

/// The flags of an event that locks `mutex`, now or when it can be had.
pub(crate) fn foresee_lock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> EventFlags {
    match locking(world, by, mutex, kind) {
        // It waits, and gets it in the end.
        Case::Fails(EBUSY) => EventFlags::NONE,
        case => case.flags(),
    }
}

/// The flags of an event that unlocks `mutex` now.
pub(crate) fn foresee_unlock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> EventFlags {
    unlocking(world, by, mutex, kind).flags()
}

/// Locks `mutex`, or fails.
pub(crate) fn lock(world: &mut World, by: ThreadId, mutex: ObjectId, kind: u32) -> Effect {
    let case = locking(world, by, mutex, kind);
    match case {
        Case::Changes => set_owner(world, mutex, Some(by)),
        Case::Counts => world.objects.get_mut(mutex).words[NESTED] += 1,
        Case::Fails(_) => {}
    }
    case.effect()
}

/// Unlocks `mutex`, or fails.
pub(crate) fn unlock(world: &mut World, by: ThreadId, mutex: ObjectId, kind: u32) -> Effect {
    let case = unlocking(world, by, mutex, kind);
    match case {
        Case::Changes => set_owner(world, mutex, None),
        Case::Counts => world.objects.get_mut(mutex).words[NESTED] -= 1,
        Case::Fails(_) => {}
    }
    case.effect()
}

/// How an event with these flags, that locks or unlocks a mutex, touches it. One that failed has only looked: two
/// failed trylocks commute, a failed one and an unlock do not. One that is nested is nobody else's business.
pub(crate) fn mode(flags: EventFlags) -> Mode {
    let looks = flags.contains(EventFlags::FAILED) || flags.contains(EventFlags::NESTED);
    if looks { Mode::Read } else { Mode::Write }
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

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        operation.code != LOCK || can_lock(world, by, operation.object, kind(operation))
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let Operation { object: mutex, code, .. } = *operation;
        let kind = kind(operation);
        match code {
            LOCK => lock(world, by, mutex, kind),
            TRYLOCK => match lock(world, by, mutex, kind) {
                effect if effect.result == EDEADLK => Effect::failed(EBUSY),
                effect => effect,
            },
            UNLOCK => unlock(world, by, mutex, kind),
            DESTROY if owner_of(world, mutex).is_some() => Effect::failed(EBUSY),
            _ => {
                set_owner(world, mutex, None);
                Effect::default()
            }
        }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let Operation { object: mutex, code, .. } = *operation;
        match code {
            LOCK => foresee_lock(world, by, mutex, kind(operation)),
            TRYLOCK => locking(world, by, mutex, kind(operation)).flags(),
            UNLOCK => foresee_unlock(world, by, mutex, kind(operation)),
            DESTROY if owner_of(world, mutex).is_some() => EventFlags::FAILED,
            _ => EventFlags::NONE,
        }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        into.touch(event.operation.object, mode(event.flags));
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

/// The kind of the mutex that `operation` is about. (A trylock that awaits has other bits set.)
fn kind(operation: &Operation) -> u32 {
    operation.without_await().detail
}

/// Whether `event` locks `mutex` (a lock, a trylock that got it, or the end of a condition wait).
pub(crate) fn acquires(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        LOCK | TRYLOCK => event.operation.object == mutex && mode(event.flags) == Mode::Write,
        super::condvar::REACQUIRE => event.operation.argument == mutex.0 && mode(event.flags) == Mode::Write,
        _ => false,
    }
}

/// Whether `event` frees `mutex` (an unlock, or the beginning of a condition wait).
pub(crate) fn releases(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        UNLOCK => event.operation.object == mutex && mode(event.flags) == Mode::Write,
        // A wait without the mutex is misuse, and has made nothing possible.
        super::condvar::WAIT => {
            event.operation.argument == mutex.0 && mode(event.flags) == Mode::Write && event.result != 0
        }
        _ => false,
    }
}
