//! Wakeup policies: the order in which waiting threads acquire an object. The command line sets the policy for each
//! kind of object, and the program can set it for a single object (`heddle_wakeup`). The model defines the policies
//! ([`heddle_model::primitive::queue`]). This module looks up the policy of an operation, and takes the operation that
//! enters the queue before the one that waits.

use core::cell::Cell;

use heddle_model::primitive::{condvar, mutex, queue, rwlock, semaphore};
use heddle_model::{Event, ObjectId, OpCode, Operation, Wakeup, WakeupOrder};

use crate::lifetime;
use crate::schedule::{self, visible};

/// Whether wakeup policies matter in this execution.
pub struct Policies {
    /// Some object may have a policy.
    in_use: Cell<bool>,
}

impl Policies {
    /// The state at the start of the process.
    pub const fn new() -> Policies {
        Policies { in_use: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Policies { in_use } = self;
        in_use.set(schedule::latitude().wakeup != Wakeup::default());
    }
}

#[inline(always)]
fn in_use() -> &'static Cell<bool> {
    &lifetime::execution().policies.in_use
}

/// The policy of `object`. `of_kind` picks the one for its kind.
#[inline(always)]
pub fn of(object: ObjectId, of_kind: impl FnOnce(&Wakeup) -> WakeupOrder) -> WakeupOrder {
    if in_use().get() { look_up(object, of_kind(&schedule::latitude().wakeup)) } else { WakeupOrder::Arbitrary }
}

#[cold]
fn look_up(object: ObjectId, otherwise: WakeupOrder) -> WakeupOrder {
    schedule::own_order(object).unwrap_or(otherwise)
}

/// `operation`, which may have to wait, with its policy. If the object has a queue, the thread enters it first.
#[inline(always)]
pub fn in_turn(operation: Operation, pc: u64) -> Operation {
    if in_use().get() { stand(operation, pc) } else { operation }
}

#[cold]
fn stand(operation: Operation, pc: u64) -> Operation {
    let (enqueue, order): (OpCode, WakeupOrder) = match operation.code.family() {
        mutex::FAMILY => (mutex::ENQUEUE, of(operation.object, |w| w.mutex)),
        semaphore::FAMILY => (semaphore::ENQUEUE, of(operation.object, |w| w.sem)),
        rwlock::FAMILY => (rwlock::ENQUEUE, of(operation.object, |w| w.rwlock)),
        _ => return operation,
    };
    if order == WakeupOrder::Arbitrary {
        return operation;
    }
    let place = Operation { detail: operation.detail, ..Operation::new(enqueue, operation.object) };
    visible(place.patient().in_order(order), pc, |_| {});
    operation.in_order(order)
}

/// Sets the policy of `object` for the program. The program must do so before other threads exist or know the object.
pub fn set(object: ObjectId, order: WakeupOrder, pc: u64) {
    let made = |event: &Event| event.thread == schedule::current() && is_init(event.operation.code);
    let on_it = |event: &&Event| event.operation.object == object;
    // An operation has the policy of its object at the time when it began. That must not depend on the order of
    // threads.
    if schedule::has_others() && !schedule::events_so_far().iter().filter(on_it).any(made) {
        too_late(pc);
    }
    in_use().set(true);
    visible(Operation::new(queue::SET, object).with_argument(order as u64), pc, |_| {});
    let names = |operation: &Operation| operation.object == object || operation.argument == object.0;
    let used = |event: &Event| event.thread != schedule::current() && names(&event.operation);
    if schedule::events_so_far().iter().any(used) || schedule::others_are_about_to(names) {
        too_late(pc);
    }
}

fn is_init(code: OpCode) -> bool {
    matches!(code, mutex::INIT | semaphore::INIT | rwlock::INIT | condvar::INIT)
}

fn too_late(pc: u64) -> ! {
    schedule::unsupported("heddle_wakeup of an object that other threads may use already", pc)
}
