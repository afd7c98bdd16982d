//! Queues of the threads that wait for a mutex, a semaphore or a read-write lock with a wakeup policy.
//!
//! The standards leave open which thread gets a lock next. By default Heddle does too: there is no queue, and any
//! waiting thread can be next. Libraries do keep queues, and it is worth knowing that a program is correct only with
//! them. The model follows G. Pirtle, L. Jovanovic, G. Cooperman, *McMini: a programmable DPOR-based model checker*
//! (2022), sections 4.2 and 5.6. Acquiring an object with a policy takes two operations: entering the queue and
//! acquiring the object. They are separate because the order of the queue is decided before any thread acquires the
//! object. The first thread in the queue (`fifo`) or the last (`lifo`) can acquire it. An attempt such as `trylock`
//! does not enter the queue and succeeds if the object is free. All these operations carry the policy in their
//! `detail`.
//!
//! **What commutes.** The queue has two ends, and each is an object in footprints. Entering writes the back, because
//! the order of two arrivals matters. Acquiring writes the front. Leaving after a timeout adds to the front.
//!
//! With `fifo` that is all, because an arrival does not affect the threads before it. With `lifo` an arrival is first
//! in line, so it adds to the front too. A timeout may then be the consequence of an arrival, so it writes the front.
//!
//! A timeout in the queue of a read-write lock also writes the front. The first thread may wait for something that the
//! next one does not wait for: a writer waits for a reader, and a reader is behind it. When the writer leaves, the
//! reader acquires the lock instead of timing out. In the queue of a mutex or a semaphore all threads wait for one
//! thing.
//!
//! Departures from the paper: there, every operation lists the operations that it depends on. Here, dependence follows
//! from footprints. There, a policy applies to the whole run. Here, each object can have its own.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, OpCode, Operation, Phase, ThreadId, WakeupOrder, World};

/// The family of [`SET`].
pub const FAMILY: u8 = 16;
/// Sets the wakeup policy of `object` to `argument`.
pub const SET: OpCode = OpCode::new(FAMILY, 1);

/// The lowest of the two bits of `Operation::detail` that hold the wakeup policy.
const POLICY: u32 = 16;

impl Operation {
    /// This operation, on an object with wakeup policy `order`. The operation must not have a policy yet.
    #[inline]
    pub const fn in_order(self, order: WakeupOrder) -> Operation {
        Operation { detail: self.detail | (order as u32) << POLICY, ..self }
    }

    /// This operation, on an object without a wakeup policy.
    #[inline]
    pub const fn in_any_order(self) -> Operation {
        Operation { detail: self.detail & !(3 << POLICY), ..self }
    }

    /// The wakeup policy of the operation's object.
    #[inline]
    pub const fn order(&self) -> WakeupOrder {
        WakeupOrder::from_code((self.detail >> POLICY) & 3)
    }
}

/// The word with the wakeup policy of an object, plus one. 0 if it has none of its own.
const ORDER: usize = 0;

/// The wakeup policy that the program has given to `object`.
pub fn policy_of(world: &World, object: ObjectId) -> Option<WakeupOrder> {
    let word = world.objects.get(object, FAMILY)?.words[ORDER];
    word.checked_sub(1).map(|order| WakeupOrder::from_code(order as u32))
}

/// Forgets the wakeup policy of `object`, which is made anew.
pub(crate) fn forget_policy(world: &mut World, object: ObjectId) {
    if world.objects.get(object, FAMILY).is_some() {
        world.objects.get_mut(object, FAMILY).words[ORDER] = 0;
    }
}

/// Whether the thread of `operation` stands in the queue of its object or is about to enter it.
#[inline]
pub fn queues(operation: &Operation) -> bool {
    let family = operation.code.family();
    let can = family == super::mutex::FAMILY || family == super::semaphore::FAMILY || family == super::rwlock::FAMILY;
    can && !operation.is_await() && operation.order() as u8 != WakeupOrder::Arbitrary as u8
}

/// Whether [`without_queue`] may differ from `event`.
#[inline]
pub const fn may_queue(event: &Event) -> bool {
    event.operation.detail >> POLICY & 3 != 0 || event.operation.code.family() == FAMILY
}

/// The part of `event` that synchronises threads: `event` without its position in a queue. A position tells nothing
/// about what other threads have written. `None` if `event` only concerns the queue.
#[inline]
pub fn without_queue(event: &Event) -> Option<Event> {
    match event.operation.code {
        SET | super::mutex::ENQUEUE | super::semaphore::ENQUEUE | super::rwlock::ENQUEUE => None,
        code => match code.family() {
            super::mutex::FAMILY | super::semaphore::FAMILY | super::rwlock::FAMILY | super::condvar::FAMILY => {
                Some(Event { operation: event.operation.in_any_order(), ..*event })
            }
            _ => Some(*event),
        },
    }
}

/// The primitive that sets wakeup policies.
pub struct Policies;

impl Primitive for Policies {
    fn name(&self) -> &'static str {
        "wakeup policy"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "set wakeup policy of"
    }

    fn take(&self, world: &mut World, _: ThreadId, operation: &Operation, _: u16) -> Effect {
        world.objects.get_mut(operation.object, FAMILY).words[ORDER] = operation.argument + 1;
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        // All that operations on it touch: the first bytes, and both ends of its queue.
        into.touch_bytes(event.operation.object, 32, Mode::Write);
    }
}

fn back(object: ObjectId) -> ObjectId {
    ObjectId(object.0 + 16)
}

fn front(object: ObjectId) -> ObjectId {
    ObjectId(object.0 + 24)
}

/// Adds `by` to the back of the queue of `object`.
pub(crate) fn enter(world: &mut World, by: ThreadId, object: ObjectId) {
    world.tickets += 1;
    let ticket = world.tickets;
    let state = world.thread_mut(by);
    state.queued_on = object;
    state.ticket = ticket;
}

/// Removes `by` from the queue that it stands in.
#[inline]
pub(crate) fn leave(world: &mut World, by: ThreadId) {
    world.thread_mut(by).queued_on = ObjectId::NONE;
}

/// Whether the queue lets `by` take `operation` now.
#[inline]
pub(crate) fn is_next(world: &World, by: ThreadId, operation: &Operation) -> bool {
    !queues(operation) || is_at_the_front(world, by, operation)
}

fn is_at_the_front(world: &World, by: ThreadId, operation: &Operation) -> bool {
    let ticket = world.thread(by).ticket;
    world.ids().all(|other| {
        let state = world.thread(other);
        let waits = other != by && state.phase == Phase::Alive && state.queued_on == operation.object;
        match operation.order() {
            WakeupOrder::Fifo => !waits || ticket < state.ticket,
            _ => !waits || ticket > state.ticket,
        }
    })
}

/// Adds the accesses of entering the queue.
pub(crate) fn touch_entering(operation: &Operation, into: &mut Footprint) {
    into.touch(back(operation.object), Mode::Write);
    if operation.order() == WakeupOrder::Lifo {
        into.touch(front(operation.object), Mode::Add);
    }
}

/// Adds the accesses of leaving the queue, either by acquiring the object or, if `giving_up`, by a timeout.
pub(crate) fn touch_leaving(operation: &Operation, giving_up: bool, into: &mut Footprint) {
    if queues(operation) {
        let alike = operation.code.family() != super::rwlock::FAMILY;
        let adds = giving_up && alike && operation.order() == WakeupOrder::Fifo;
        into.touch(front(operation.object), if adds { Mode::Add } else { Mode::Write });
    }
}
