//! Queues of those that wait for a mutex, a semaphore or a reader-writer lock with a wakeup policy.
//!
//! The standards leave open who gets a lock next, and so do executions: by default there is no queue, and whoever waits can
//! come next. Libraries do keep queues, and a program that is right with those only is worth knowing. After G. Pirtle,
//! L. Jovanovic, G. Cooperman, *McMini: a programmable DPOR-based model checker* (2022), sections 4.2 and 5.6: an object with
//! a policy is waited for in two operations, to stand in the queue and to get it, because who stands where is decided before anybody
//! gets anything. Getting it is possible for the first in the queue (`fifo`) or the last (`lifo`). Whoever only tries
//! does not stand in the queue, and gets what is free. The policy is in the `detail` of all these operations.
//!
//! **What commutes.** The queue has two ends, each a thing that is touched. To stand in it changes the back: the order of two
//! who do so matters. To get it changes the front, and to leave it at a time-out adds to the front. With `fifo`, who comes
//! behind changes nothing for those in front, so that is all. With `lifo`, who comes last stands in front of all others, so
//! that adds to the front too, and a time-out, which may be one because somebody came, changes it. So does a time-out in the queue
//! of a reader-writer lock: whoever stands first there may wait for what the next does not wait for (a writer for a reader, and a
//! reader behind it), and when it leaves, the next comes in instead of timing out. For a mutex or a semaphore, what
//! the first waits for all wait for.
//!
//! Departures from the paper: there every operation of the library comes with a list of the operations that it depends on; here
//! dependence follows from what is touched. Its policies are those of the whole run; here each object can have its own.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, OpCode, Operation, Order, Phase, ThreadId, World};

/// The number of the family that [`SET`] belongs to.
pub const FAMILY: u8 = 16;
/// Gives `object` the policy `argument`.
pub const SET: OpCode = OpCode::new(FAMILY, 1);

/// Where the policy is in the `detail` of an operation: two bits.
const POLICY: u32 = 16;

impl Operation {
    /// The same, on an object with this wakeup policy.
    #[inline]
    pub const fn in_order(self, order: Order) -> Operation {
        Operation { detail: self.detail | (order as u32) << POLICY, ..self }
    }

    /// The same, on an object without a policy.
    #[inline]
    pub const fn in_any_order(self) -> Operation {
        Operation { detail: self.detail & !(3 << POLICY), ..self }
    }

    /// The wakeup policy of its object.
    #[inline]
    pub const fn order(&self) -> Order {
        Order::from_code((self.detail >> POLICY) & 3)
    }
}

/// Whether `operation` stands in the queue of its object, or is about to.
#[inline]
pub fn queues(operation: &Operation) -> bool {
    let family = operation.code.family();
    let can = family == super::mutex::FAMILY || family == super::semaphore::FAMILY || family == super::rwlock::FAMILY;
    can && !operation.is_await() && operation.order() as u8 != Order::Arbitrary as u8
}

/// Whether [`without_queue`] may say something else than `event`.
#[inline]
pub const fn may_queue(event: &Event) -> bool {
    event.operation.detail >> POLICY & 3 != 0 || event.operation.code.family() == FAMILY
}

/// What of `event` makes threads know of each other: all but its place in a queue, by which nobody learns what others have written.
/// None if it is nothing else.
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

/// Setting policies.
pub struct Policies;

impl Primitive for Policies {
    fn name(&self) -> &'static str {
        "wakeup policy"
    }

    fn operation_name(&self, _: OpCode) -> &'static str {
        "set wakeup policy of"
    }

    fn take(&self, world: &mut World, _: ThreadId, operation: &Operation, _: u16) -> Effect {
        world.objects.get_mut(operation.object).order = operation.argument as u32 + 1;
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

/// Stands in the queue.
pub(crate) fn enter(world: &mut World, by: ThreadId, object: ObjectId) {
    world.tickets += 1;
    let ticket = world.tickets;
    let state = world.thread_mut(by);
    state.queued_on = object;
    state.ticket = ticket;
}

/// Stands in no queue any more.
#[inline]
pub(crate) fn leave(world: &mut World, by: ThreadId) {
    world.thread_mut(by).queued_on = ObjectId::NONE;
}

/// Whether it is the turn of `by`, as far as the queue goes.
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
            Order::Fifo => !waits || ticket < state.ticket,
            _ => !waits || ticket > state.ticket,
        }
    })
}

/// What standing in the queue touches.
pub(crate) fn touch_entering(operation: &Operation, into: &mut Footprint) {
    into.touch(back(operation.object), Mode::Write);
    if operation.order() == Order::Lifo {
        into.touch(front(operation.object), Mode::Add);
    }
}

/// What getting it touches besides, or `giving_up`.
pub(crate) fn touch_leaving(operation: &Operation, giving_up: bool, into: &mut Footprint) {
    if queues(operation) {
        let alike = operation.code.family() != super::rwlock::FAMILY;
        let adds = giving_up && alike && operation.order() == Order::Fifo;
        into.touch(front(operation.object), if adds { Mode::Add } else { Mode::Write });
    }
}
