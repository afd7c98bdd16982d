//! Mutexes: normal, recursive, error-checking; each of them robust or not.
//!
//! State: the owner, how often it has locked the mutex beyond the first time, and whether a robust one is in order. All zero is an unlocked mutex:
//! statically initialised ones are used without a call, and zero-filled memory works with every C library that Heddle
//! runs on. The kind is no state: whoever runs the program reads it where the program keeps it, and every operation
//! carries it in its `detail`.
//!
//! A relock of a recursive mutex and the unlock that belongs to it are [nested](EventFlags::NESTED): the mutex is the
//! thread's own before and after, so nobody else can tell, and that it is its own can be changed by nobody else. They
//! commute with all that other threads can do to a mutex in use, and count as looks. Whether an operation is nested, and
//! whether an error-checking mutex refuses it, depends only on what the thread itself did before, and so stays the same
//! wherever the operation is moved.
//!
//! **Robust mutexes.** When the owner of a robust mutex ends, the next thread that locks it gets it with `EOWNERDEAD`. That
//! thread is to call it consistent; if it unlocks it before it has, nobody gets it ever again (`ENOTRECOVERABLE`). Nothing
//! happens to the mutex when a thread ends: that its owner is dead is seen by who locks it. So to lock a robust mutex that
//! has an owner looks at the life of the owner, whose id stands above the error number in the result.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{
    Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, ObjectSlot, OpCode, Operation, Phase, ThreadId, World,
};

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
/// Waits until it is unlocked, and locks it, or times out. `detail` is the kind and whether it is
/// [impatient](Operation::is_impatient), `argument` the deadline. The result is 0 or an error number.
pub const TIMEDLOCK: OpCode = OpCode::new(FAMILY, 16);
/// Stands in the [queue] of those that wait for it. Its [`LOCK`] or [`TIMEDLOCK`] follows.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 17);
/// What a robust mutex protects is in order again. `detail` is the kind. The result is 0 or an error number.
pub const CONSISTENT: OpCode = OpCode::new(FAMILY, 6);

/// The kind of a mutex that never looks at who locks and unlocks it.
pub const NORMAL: u32 = 0;
/// The kind of a mutex that its owner can lock again.
pub const RECURSIVE: u32 = 1;
/// The kind of a mutex that refuses to be locked again by its owner or unlocked by a stranger.
pub const ERRORCHECK: u32 = 2;

/// With any of these: a mutex that can be had when its owner has ended.
pub const ROBUST: u32 = 4;
/// With any of these: a mutex that refuses to be unlocked by a stranger, and is as it is otherwise.
pub const CHECKS_OWNER: u32 = 8;
const BASE: u32 = 3;
/// The part of `detail` that is the kind.
const KINDS: u32 = 0xff;

/// Not the owner.
pub const EPERM: u64 = 1;
/// Locked too often.
pub const EAGAIN: u64 = 11;
/// Locked by another, or by oneself.
pub const EBUSY: u64 = 16;
/// Locked by oneself.
pub const EDEADLK: u64 = 35;

/// The owner has ended.
pub const EOWNERDEAD: u64 = 130;
/// The owner has ended, and the next one has not put things in order.
pub const ENOTRECOVERABLE: u64 = 131;
/// Not a robust mutex that is out of order.
pub const EINVAL: u64 = 22;

/// Above this bit of the result of locking a robust mutex: who owned it, plus one.
const FORMER: u32 = 32;

/// The most locks beyond the first: glibc counts all of them in 32 bits.
const MOST_NESTED: u64 = u32::MAX as u64 - 1;

const OWNER: usize = 0;
const NESTED: usize = 1;
/// Of a robust mutex: one of the following.
const ORDER: usize = 2;
const IN_ORDER: u64 = 0;
/// Its owner has it from a dead one.
const OUT_OF_ORDER: u64 = 1;
const LOST: u64 = 2;

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
    let before = slot.words[OWNER];
    let after = owner.map_or(0, |t| t.0 as u64 + 1);
    slot.words[OWNER] = after;
    slot.words[NESTED] = 0;
    world.passes(mutex, before, after);
}

/// What locking or unlocking a mutex comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// It changes hands.
    Changes,
    /// It only counts.
    Counts,
    /// It changes hands, from one who has ended.
    Inherits(ThreadId),
    /// It cannot be had now, or there is nothing to unlock.
    Fails(u64),
}

impl Case {
    fn flags(self) -> EventFlags {
        match self {
            Case::Changes | Case::Inherits(_) => EventFlags::NONE,
            Case::Counts => EventFlags::NESTED,
            Case::Fails(_) => EventFlags::FAILED,
        }
    }

    fn effect(self) -> Effect {
        let result = match self {
            Case::Fails(error) => error,
            Case::Inherits(owner) => EOWNERDEAD | former(owner),
            Case::Changes | Case::Counts => 0,
        };
        Effect { result, flags: self.flags() }
    }
}

/// What it comes to if `by` locks it now.
fn locking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let Some(slot) = world.objects.get(mutex) else { return Case::Changes };
    match (owner(slot), kind & BASE) {
        _ if slot.words[ORDER] == LOST => Case::Fails(ENOTRECOVERABLE),
        (None, _) => Case::Changes,
        (Some(owner), RECURSIVE) if owner == by && slot.words[NESTED] == MOST_NESTED => Case::Fails(EAGAIN),
        (Some(owner), RECURSIVE) if owner == by => Case::Counts,
        (Some(owner), ERRORCHECK) if owner == by => Case::Fails(EDEADLK),
        (Some(owner), _) if kind & ROBUST != 0 && owner != by => match world.thread(owner).phase {
            Phase::Finished | Phase::Lingering => Case::Inherits(owner),
            _ => Case::Fails(EBUSY | former(owner)),
        },
        _ => Case::Fails(EBUSY),
    }
}

/// What the result of locking a robust mutex says of its owner.
const fn former(owner: ThreadId) -> u64 {
    (owner.0 as u64 + 1) << FORMER
}

/// The thread whose life the outcome of locking a robust mutex depended on.
const fn looked_at(result: u64) -> Option<ThreadId> {
    match (result >> FORMER) as u16 {
        0 => None,
        owner => Some(ThreadId(owner - 1)),
    }
}

/// Whether this result of locking says that another thread has it.
const fn is_busy(result: u64) -> bool {
    result as u32 as u64 == EBUSY
}

/// What it comes to if `by` unlocks it now.
fn unlocking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let slot = world.objects.get(mutex).copied().unwrap_or_default();
    match owner(&slot) {
        Some(owner) if owner != by && kind != NORMAL => Case::Fails(EPERM),
        // Who has lost it, or is not its owner any more, has nothing to unlock.
        None if slot.words[ORDER] == LOST => Case::Fails(EPERM),
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
    !matches!(locking(world, by, mutex, kind), Case::Fails(error) if is_busy(error))
}

/// The flags of an event that locks `mutex`, now or when it can be had.
pub(crate) fn foresee_lock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> EventFlags {
    match locking(world, by, mutex, kind) {
        // It waits, and gets it in the end.
        Case::Fails(error) if is_busy(error) => EventFlags::NONE,
        case => case.flags(),
    }
}

/// The result of locking `mutex` now, as far as it says what was looked at.
pub(crate) fn foresee_result(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Option<u64> {
    (kind & ROBUST != 0).then(|| locking(world, by, mutex, kind).effect().result)
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
        Case::Inherits(_) => {
            set_owner(world, mutex, Some(by));
            world.objects.get_mut(mutex).words[ORDER] = OUT_OF_ORDER;
        }
        Case::Counts => world.objects.get_mut(mutex).words[NESTED] += 1,
        Case::Fails(_) => {}
    }
    case.effect()
}

/// Unlocks `mutex`, or fails.
pub(crate) fn unlock(world: &mut World, by: ThreadId, mutex: ObjectId, kind: u32) -> Effect {
    let case = unlocking(world, by, mutex, kind);
    if kind == NORMAL {
        match owner_of(world, mutex) {
            None => world.accuse(Misuse::UnlockNotLocked),
            Some(owner) if owner != by => world.accuse(Misuse::UnlockNotOwned),
            _ => {}
        }
    }
    match case {
        Case::Changes | Case::Inherits(_) => {
            set_owner(world, mutex, None);
            let order = &mut world.objects.get_mut(mutex).words[ORDER];
            *order = if *order == OUT_OF_ORDER { LOST } else { IN_ORDER };
        }
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
            TIMEDLOCK => "timedlock",
            UNLOCK => "unlock",
            CONSISTENT => "consistent",
            ENQUEUE => "queue for",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        let waits = operation.code == LOCK || (operation.code == TIMEDLOCK && !operation.is_impatient());
        !waits || obtains(world, by, operation)
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let Operation { object: mutex, code, .. } = *operation;
        let kind = kind(operation);
        if queue::queues(operation) {
            match code {
                ENQUEUE => {
                    queue::enter(world, by, mutex);
                    return Effect::default();
                }
                TIMEDLOCK if !obtains(world, by, operation) => {}
                _ => queue::leave(world, by),
            }
        }
        match code {
            INIT => world.make(mutex),
            DESTROY if owner_of(world, mutex).is_some() => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(mutex),
            _ => world.touch(mutex),
        }
        match code {
            LOCK => lock(world, by, mutex, kind),
            TIMEDLOCK if !obtains(world, by, operation) => {
                queue::leave(world, by);
                let Effect { result, flags } = Effect::timed_out(operation);
                // Of a robust mutex it also says who was looked at.
                let former = match locking(world, by, mutex, kind) {
                    Case::Fails(error) => error >> FORMER << FORMER,
                    // Nobody has it, but others stand in front.
                    _ => 0,
                };
                Effect { result: result | former, flags }
            }
            TIMEDLOCK => lock(world, by, mutex, kind),
            TRYLOCK => match lock(world, by, mutex, kind) {
                effect if effect.result == EDEADLK => Effect::failed(EBUSY),
                effect => effect,
            },
            CONSISTENT => match world.objects.get_mut(mutex) {
                slot if slot.words[ORDER] == OUT_OF_ORDER && owner(slot) == Some(by) => {
                    slot.words[ORDER] = IN_ORDER;
                    Effect::default()
                }
                _ => Effect::failed(EINVAL),
            },
            UNLOCK => unlock(world, by, mutex, kind),
            DESTROY if owner_of(world, mutex).is_some() => Effect::failed(EBUSY),
            _ => {
                set_owner(world, mutex, None);
                world.objects.get_mut(mutex).words[ORDER] = IN_ORDER;
                Effect::default()
            }
        }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let Operation { object: mutex, code, .. } = *operation;
        match code {
            TIMEDLOCK if !obtains(world, by, operation) => world.foresee_timeout(by, operation),
            LOCK | TIMEDLOCK => foresee_lock(world, by, mutex, kind(operation)),
            TRYLOCK => locking(world, by, mutex, kind(operation)).flags(),
            UNLOCK => foresee_unlock(world, by, mutex, kind(operation)),
            DESTROY if owner_of(world, mutex).is_some() => EventFlags::FAILED,
            _ => EventFlags::NONE,
        }
    }

    fn foresee_result(&self, world: &World, by: ThreadId, operation: &Operation) -> Option<u64> {
        let locks = matches!(operation.code, LOCK | TRYLOCK | TIMEDLOCK);
        locks.then(|| foresee_result(world, by, operation.object, kind(operation))).flatten()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.code == ENQUEUE {
            return queue::touch_entering(&event.operation, into);
        }
        // To put things in order is the owner's own business, like a nested lock.
        let mode = if event.operation.code == CONSISTENT { Mode::Read } else { mode(event.flags) };
        into.touch(event.operation.object, mode);
        touch_owner(event, into);
        queue::touch_leaving(&event.operation, event.flags.contains(EventFlags::TIMED_OUT), into);
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        (waits(later) && (releases(earlier, later.operation.object) || bequeathes(earlier, later)))
            || super::stirs(earlier, later)
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let mutex = later.operation.object;
        waits(later)
            && (acquires(earlier, mutex) || earlier.operation.code == ENQUEUE && earlier.operation.object == mutex)
    }

    fn continues(&self, _: &Event, later: &Event) -> bool {
        // Whoever has it may have had to stand in the queue first.
        queue::queues(&later.operation)
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        (operation.code == TIMEDLOCK && !operation.is_impatient()).then_some(operation.argument)
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, TRYLOCK | TIMEDLOCK | UNLOCK | DESTROY)
    }
}

/// Whether `by` gets the mutex by `operation` if it is taken now, or fails for another reason than that it would have to wait.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    match locking(world, by, operation.object, kind(operation)) {
        Case::Changes | Case::Inherits(_) => queue::is_next(world, by, operation),
        Case::Fails(error) => !is_busy(error),
        Case::Counts => true,
    }
}

/// Whether what came of `operation` depends on who has ended: it locks a robust mutex.
pub(crate) fn locks_robust(operation: &Operation) -> bool {
    matches!(operation.code, LOCK | TRYLOCK | TIMEDLOCK | super::condvar::REACQUIRE) && kind(operation) & ROBUST != 0
}

/// What an event that locks a robust mutex has looked at besides: whether its owner had ended.
pub(crate) fn touch_owner(event: &Event, into: &mut Footprint) {
    if locks_robust(&event.operation)
        && let Some(owner) = looked_at(event.result)
    {
        into.touch(ObjectId::thread(owner), Mode::Read);
    }
}

/// Whether `earlier` is the end of the thread that `later` has a robust mutex from.
pub(crate) fn bequeathes(earlier: &Event, later: &Event) -> bool {
    let error = match later.operation.code {
        super::condvar::REACQUIRE => super::condvar::error(later.result),
        _ => later.result as u32 as u64,
    };
    earlier.operation.code == super::thread::EXIT && error == EOWNERDEAD
}

/// The kind of the mutex that `operation` is about. (A trylock that awaits has other bits set.)
fn kind(operation: &Operation) -> u32 {
    operation.without_await().detail & KINDS
}

/// Whether `event` could not have been taken while the mutex was locked by another.
fn waits(event: &Event) -> bool {
    match event.operation.code {
        LOCK => true,
        TIMEDLOCK => !event.operation.is_impatient(),
        _ => false,
    }
}

/// Whether `event` locks `mutex` (a lock, a trylock that got it, or the end of a condition wait).
pub(crate) fn acquires(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        LOCK | TRYLOCK | TIMEDLOCK => event.operation.object == mutex && mode(event.flags) == Mode::Write,
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
