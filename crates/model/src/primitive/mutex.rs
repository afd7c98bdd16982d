//! Mutexes: normal, recursive or error-checking, each robust or not.
//!
//! State: the owner, the number of locks beyond the first, and the consistency of a robust mutex. The state of an
//! unlocked mutex is all zeroes. This fits static initialisation, which makes no call, and the zero-filled memory of
//! every C library that Heddle supports. The kind is not part of the state: the runtime reads it from the program's
//! mutex, and every operation carries it in its `detail`.
//!
//! **Nested operations.** A relock of a recursive mutex, and the unlock that belongs to it, are
//! [nested](EventFlags::NESTED). The thread owns the mutex before and after, so no other thread can observe or change
//! that. Nested operations commute with everything that other threads can do to a mutex in use, and their footprint is
//! a read. Whether an operation is nested, and whether an error-checking mutex refuses it, depends only on what the
//! thread itself did before. It stays the same wherever the search moves the operation.
//!
//! **Robust mutexes.** When the owner of a robust mutex ends, the next thread that locks the mutex acquires it with
//! `EOWNERDEAD`. That thread must mark the mutex consistent. If it unlocks the mutex before that, the mutex can never
//! be acquired again (`ENOTRECOVERABLE`). The end of a thread does not change its mutexes: the thread that locks a
//! mutex looks whether the owner is dead. Locking a robust mutex that has an owner therefore reads the life cycle of
//! the owner. The result holds the owner's id in its upper bits and the error number below.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{
    Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, ObjectSlot, OpCode, Operation, Phase, ThreadId, World,
};

/// The family of the operations on mutexes.
pub const FAMILY: u8 = 2;
/// Initialises the mutex, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until the mutex is unlocked, and locks it. `detail` is the kind. The result is 0 or an error number.
pub const LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks the mutex if it is unlocked. `detail` is the kind. The result is 0 or an error number.
pub const TRYLOCK: OpCode = OpCode::new(FAMILY, 3);
/// Unlocks the mutex. `detail` is the kind. The result is 0 or an error number.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 4);
/// Destroys the mutex.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 5);
/// Waits until the mutex is unlocked and locks it, or times out. `detail` is the kind, and whether the operation is
/// [impatient](Operation::is_impatient). `argument` is the deadline. The result is 0 or an error number.
pub const TIMEDLOCK: OpCode = OpCode::new(FAMILY, 16);
/// Enters the [queue] of the threads that wait for the mutex. A [`LOCK`] or [`TIMEDLOCK`] of the thread follows.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 17);
/// Marks the state that a robust mutex protects as consistent again. `detail` is the kind. The result is 0 or an error
/// number.
pub const CONSISTENT: OpCode = OpCode::new(FAMILY, 6);

/// Waits, before a [`LOCK`], until another thread has changed something under the mutex. Only as an [await](Operation::is_await): the thread is
/// in a loop that locks the mutex, looks at what it protects, and unlocks it.
pub const POLL: OpCode = OpCode::new(FAMILY, 18);

/// The kind of a mutex that does not check which thread locks and unlocks it.
pub const NORMAL: u32 = 0;
/// The kind of a mutex that its owner can lock again.
pub const RECURSIVE: u32 = 1;
/// The kind of a mutex that refuses a second lock by its owner and an unlock by another thread.
pub const ERRORCHECK: u32 = 2;

/// A flag beside the kind: the mutex can be acquired after its owner has ended.
pub const ROBUST: u32 = 4;
/// A flag beside the kind: the mutex refuses an unlock by another thread. Otherwise it behaves as its kind says.
pub const CHECKS_OWNER: u32 = 8;
/// A bit of `detail` of an [`UNLOCK`]: the thread has changed nothing since it last unlocked the mutex. Whoever [polls](POLL) need not look again.
/// Of a [`TRYLOCK`]: the thread has tried before in the same state, in vain, and has changed nothing since.
pub const QUIET: u32 = 1 << 20;
/// The part of a kind without the flags.
const BASE: u32 = 3;
/// The part of `detail` that is the kind with its flags.
const KINDS: u32 = 0xff;

/// The error number if the thread is not the owner.
pub const EPERM: u64 = 1;
/// The error number if the mutex was locked too often.
pub const EAGAIN: u64 = 11;
/// The error number if the mutex is locked.
pub const EBUSY: u64 = 16;
/// The error number if the thread itself owns the mutex.
pub const EDEADLK: u64 = 35;

/// The error number of a lock that acquired the mutex from an owner that has ended.
pub const EOWNERDEAD: u64 = 130;
/// The error number if a thread unlocked the mutex without marking it consistent after its owner had ended.
pub const ENOTRECOVERABLE: u64 = 131;
/// The error number if there is no robust mutex to mark consistent.
pub const EINVAL: u64 = 22;

/// The lowest bit of the former owner's id plus one, in the result of locking a robust mutex.
const FORMER: u32 = 32;

/// The largest number of locks beyond the first. glibc counts all locks in 32 bits.
const MOST_NESTED: u64 = u32::MAX as u64 - 1;

const OWNER: usize = 0;
const NESTED: usize = 1;
/// The word with the consistency of a robust mutex: one of the values that follow.
const ORDER: usize = 2;
const IN_ORDER: u64 = 0;
/// The owner acquired the mutex from a thread that had ended, and has not marked it consistent.
const OUT_OF_ORDER: u64 = 1;
/// The mutex can never be acquired again.
const LOST: u64 = 2;

/// What an operation touches that fails because a mutex is locked, and whoever must know that somebody has noticed that: see [`crate::Looks`].
#[inline]
pub const fn noticed(mutex: ObjectId) -> ObjectId {
    ObjectId(mutex.0 + 1)
}

/// The owner of the mutex with this state.
#[inline]
pub fn owner(slot: &ObjectSlot) -> Option<ThreadId> {
    (slot.words[OWNER] != 0).then(|| ThreadId((slot.words[OWNER] - 1) as u16))
}

/// How often the mutex with this state is locked. `None` if it is not.
pub(super) fn locks(slot: &ObjectSlot) -> Option<u64> {
    owner(slot).map(|_| slot.words[NESTED] + 1)
}

/// The owner of `mutex`.
#[inline]
pub fn owner_of(world: &World, mutex: ObjectId) -> Option<ThreadId> {
    world.objects.get(mutex, FAMILY).and_then(owner)
}

/// Sets the owner of `mutex`. `None` unlocks it.
#[inline]
fn set_owner(world: &mut World, mutex: ObjectId, owner: Option<ThreadId>) {
    let slot = world.objects.get_mut(mutex, FAMILY);
    let before = slot.words[OWNER];
    let after = owner.map_or(0, |t| t.0 as u64 + 1);
    slot.words[OWNER] = after;
    slot.words[NESTED] = 0;
    world.change_owner(mutex, before, after);
}

/// What locking or unlocking a mutex does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    /// The owner changes.
    Changes,
    /// Only the count of nested locks changes.
    Counts,
    /// The owner changes, and the former owner has ended.
    Inherits(ThreadId),
    /// Nothing changes, with this error number.
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

/// What happens if `by` locks `mutex` now.
fn locking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let Some(slot) = world.objects.get(mutex, FAMILY) else { return Case::Changes };
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

/// The bits of a result that name `owner` as the former owner.
const fn former(owner: ThreadId) -> u64 {
    (owner.0 as u64 + 1) << FORMER
}

/// The thread whose life cycle decided this result of locking a robust mutex.
const fn looked_at(result: u64) -> Option<ThreadId> {
    match (result >> FORMER) as u16 {
        0 => None,
        owner => Some(ThreadId(owner - 1)),
    }
}

/// Whether this result of locking says that another thread owns the mutex.
const fn is_busy(result: u64) -> bool {
    result as u32 as u64 == EBUSY
}

/// What happens if `by` unlocks `mutex` now.
fn unlocking(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Case {
    let slot = world.objects.get(mutex, FAMILY).copied().unwrap_or_default();
    match owner(&slot) {
        Some(owner) if owner != by && kind != NORMAL => Case::Fails(EPERM),
        // Nobody owns a mutex that can never be acquired again.
        None if slot.words[ORDER] == LOST => Case::Fails(EPERM),
        Some(_) if slot.words[NESTED] > 0 => Case::Counts,
        Some(_) => Case::Changes,
        // Misuse without effect. It must not count as the event that enabled a later lock.
        None if kind == NORMAL => Case::Fails(0),
        None => Case::Fails(EPERM),
    }
}

/// Whether `by` can lock `mutex` without waiting. Other primitives, such as condition variables, use this function and
/// those below.
pub(crate) fn can_lock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> bool {
    !matches!(locking(world, by, mutex, kind), Case::Fails(error) if is_busy(error))
}

/// Predicts the flags of an event in which `by` locks `mutex`, now or after waiting.
pub(crate) fn foresee_lock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> EventFlags {
    match locking(world, by, mutex, kind) {
        // It waits and then acquires the mutex.
        Case::Fails(error) if is_busy(error) => EventFlags::NONE,
        case => case.flags(),
    }
}

/// Predicts the result if `by` locks `mutex` now. `None` if the mutex is not robust, because then no footprint depends
/// on it.
pub(crate) fn foresee_result(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> Option<u64> {
    (kind & ROBUST != 0).then(|| locking(world, by, mutex, kind).effect().result)
}

/// Predicts the flags of an event in which `by` unlocks `mutex` now.
pub(crate) fn foresee_unlock(world: &World, by: ThreadId, mutex: ObjectId, kind: u32) -> EventFlags {
    unlocking(world, by, mutex, kind).flags()
}

/// Locks `mutex` for `by`, or fails.
pub(crate) fn lock(world: &mut World, by: ThreadId, mutex: ObjectId, kind: u32) -> Effect {
    let case = locking(world, by, mutex, kind);
    match case {
        Case::Changes => set_owner(world, mutex, Some(by)),
        Case::Inherits(_) => {
            set_owner(world, mutex, Some(by));
            world.objects.get_mut(mutex, FAMILY).words[ORDER] = OUT_OF_ORDER;
        }
        Case::Counts => world.objects.get_mut(mutex, FAMILY).words[NESTED] += 1,
        Case::Fails(_) => {}
    }
    case.effect()
}

/// Unlocks `mutex` for `by`, or fails.
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
            let order = &mut world.objects.get_mut(mutex, FAMILY).words[ORDER];
            *order = if *order == OUT_OF_ORDER { LOST } else { IN_ORDER };
        }
        Case::Counts => world.objects.get_mut(mutex, FAMILY).words[NESTED] -= 1,
        Case::Fails(_) => {}
    }
    case.effect()
}

/// How an event with these flags that locks or unlocks a mutex touches it. A failed event only reads: two failed
/// trylocks commute, a failed trylock and an unlock do not. A nested event also only reads, because no other thread can
/// observe it.
pub(crate) fn mode(flags: EventFlags) -> Mode {
    let looks = flags.contains(EventFlags::FAILED) || flags.contains(EventFlags::NESTED);
    if looks { Mode::Read } else { Mode::Write }
}

/// The semantics of mutexes.
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
            POLL => "poll",
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
            INIT => world.make(mutex, FAMILY),
            DESTROY if owner_of(world, mutex).is_some() => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(mutex, FAMILY),
            _ => world.touch(mutex, FAMILY),
        }
        match code {
            POLL => Effect::default(),
            LOCK => lock(world, by, mutex, kind),
            TIMEDLOCK if !obtains(world, by, operation) => {
                queue::leave(world, by);
                let Effect { result, flags } = Effect::timed_out(operation);
                // For a robust mutex the result also names the owner whose life cycle was read.
                let former = match locking(world, by, mutex, kind) {
                    Case::Fails(error) => error >> FORMER << FORMER,
                    // The mutex is free, but other threads are ahead in the queue.
                    _ => 0,
                };
                Effect { result: result | former, flags }
            }
            TIMEDLOCK => lock(world, by, mutex, kind),
            TRYLOCK => match lock(world, by, mutex, kind) {
                effect if effect.result == EDEADLK => Effect::failed(EBUSY),
                effect => effect,
            },
            CONSISTENT => match world.objects.get_mut(mutex, FAMILY) {
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
                world.objects.get_mut(mutex, FAMILY).words[ORDER] = IN_ORDER;
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
        if event.operation.code == POLL {
            into.touch(event.operation.object, Mode::Read);
            into.touch(noticed(event.operation.object), Mode::Read);
            if let Some((place, size)) = event.operation.also_awaited() {
                into.touch_bytes(place, size as u32, Mode::Read);
            }
            return;
        }
        if event.failed() && event.operation.detail & QUIET == 0 {
            into.touch(noticed(event.operation.object), Mode::Add);
        }
        // Only the owner can observe its mark, as with a nested lock.
        let mode = if event.operation.code == CONSISTENT { Mode::Read } else { mode(event.flags) };
        into.touch(event.operation.object, mode);
        touch_owner(event, into);
        queue::touch_leaving(&event.operation, event.flags.contains(EventFlags::TIMED_OUT), into);
    }

    fn bare(&self, event: &Event) -> Event {
        let inherits = waits(event) && event.result as u32 as u64 == EOWNERDEAD;
        let result = if inherits { EOWNERDEAD } else { 0 };
        Event { operation: Operation { argument: 0, ..event.operation }, result, ..*event }
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
        // The owner may have entered the queue first.
        queue::queues(&later.operation)
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        (operation.code == TIMEDLOCK && !operation.is_impatient()).then_some(operation.argument)
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, TRYLOCK | TIMEDLOCK | UNLOCK | DESTROY)
    }
}

/// Whether `operation` of thread `by` need not wait if it is taken now: it acquires the mutex, or fails for another
/// reason.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    match locking(world, by, operation.object, kind(operation)) {
        Case::Changes | Case::Inherits(_) => queue::is_next(world, by, operation),
        Case::Fails(error) => !is_busy(error),
        Case::Counts => true,
    }
}

/// Whether a round of a loop may have `operation` and still change nothing: it locks, tries or unlocks a mutex that nobody is queued for, that its
/// owner cannot lock again, and that does not outlive its owner. Such a round must unlock what it locks.
pub fn can_poll(operation: &Operation) -> bool {
    let kind = kind(operation);
    matches!(operation.code, LOCK | TRYLOCK | UNLOCK) && kind & (BASE | ROBUST) == NORMAL && !queue::queues(operation)
}

/// Whether `operation` locks a robust mutex, so that its result depends on which threads have ended.
pub(crate) fn locks_robust(operation: &Operation) -> bool {
    matches!(operation.code, LOCK | TRYLOCK | TIMEDLOCK | super::condvar::REACQUIRE) && kind(operation) & ROBUST != 0
}

/// Adds the read of the owner's life cycle, if `event` locks a robust mutex that had an owner.
pub(crate) fn touch_owner(event: &Event, into: &mut Footprint) {
    if locks_robust(&event.operation)
        && let Some(owner) = looked_at(event.result)
    {
        into.touch(ObjectId::thread(owner), Mode::Read);
    }
}

/// Whether `earlier` is the end of the thread from which `later` acquired a robust mutex.
pub(crate) fn bequeathes(earlier: &Event, later: &Event) -> bool {
    let error = match later.operation.code {
        super::condvar::REACQUIRE => super::condvar::error(later.result),
        _ => later.result as u32 as u64,
    };
    earlier.operation.code == super::thread::EXIT && error == EOWNERDEAD
}

/// The kind of the mutex of `operation`. An await has other bits set, which are removed first.
fn kind(operation: &Operation) -> u32 {
    operation.without_await().detail & KINDS
}

/// Whether `event` was disabled while another thread owned the mutex.
fn waits(event: &Event) -> bool {
    match event.operation.code {
        LOCK => true,
        TIMEDLOCK => !event.operation.is_impatient(),
        _ => false,
    }
}

/// Whether `event` acquires `mutex`: a lock, a successful trylock, or the end of a condition wait.
pub(crate) fn acquires(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        LOCK | TRYLOCK | TIMEDLOCK => event.operation.object == mutex && mode(event.flags) == Mode::Write,
        super::condvar::REACQUIRE => event.operation.argument == mutex.0 && mode(event.flags) == Mode::Write,
        _ => false,
    }
}

/// Whether `event` releases `mutex`: an unlock, or the beginning of a condition wait.
pub(crate) fn releases(event: &Event, mutex: ObjectId) -> bool {
    match event.operation.code {
        UNLOCK => event.operation.object == mutex && mode(event.flags) == Mode::Write,
        // A wait by a thread without the mutex is misuse and enables nothing.
        super::condvar::WAIT => {
            event.operation.argument == mutex.0 && mode(event.flags) == Mode::Write && event.result != 0
        }
        _ => false,
    }
}
