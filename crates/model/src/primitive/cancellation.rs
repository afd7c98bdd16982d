//! Cancellation points: operations at which a thread ends if its cancellation was requested.
//!
//! Cancellation is not a family of its own. An operation that [can be cancelled](Operation::cancellable) belongs to its
//! own family and has one more alternative: after a [request](super::thread::CANCEL) the thread may end here, even if
//! the operation is disabled. If the operation is enabled too, both alternatives are explored, because POSIX does not
//! specify whether a thread acts on a request when the event that it waits for has also happened. A request that was
//! made before the thread reached the cancellation point must take effect. The runtime therefore takes a
//! [`TESTCANCEL`](super::thread::TESTCANCEL) before.
//!
//! Only a thread itself can enable or disable its cancellation. Whether it is enabled is therefore part of the
//! operation, not of the state.
//!
//! **Dependence.** A cancellation point reads the requests for its thread. If the thread ends because the operation is
//! disabled, it has read what it waits for and undone what it had begun ([`abandon`](super::Primitive::abandon)). If
//! both alternatives exist, each has the accesses of both, because the search covers the alternatives of one operation
//! in one state together.

use super::{of, thread};
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Mode, ObjectId, Operation, ThreadId, World};

/// Whether `by` may end instead of taking `operation`.
#[inline]
pub(crate) fn is_pending(world: &World, by: ThreadId, operation: &Operation) -> bool {
    operation.is_cancellable() && world.thread(by).requests > 0
}

/// The number of alternatives of `operation`, of which `own` do not cancel the thread.
#[inline]
pub(crate) fn alternatives(world: &World, by: ThreadId, operation: &Operation, own: u16) -> u16 {
    if !is_pending(world, by, operation) {
        own
    } else if of(operation.code).enabled(world, by, operation) {
        own + 1
    } else {
        1
    }
}

/// Predicts the flags that cancellation adds to the event.
pub(crate) fn foresee(world: &World, by: ThreadId, operation: &Operation) -> EventFlags {
    if !is_pending(world, by, operation) {
        EventFlags::NONE
    } else if of(operation.code).enabled(world, by, operation) {
        EventFlags::CANCEL_PENDING
    } else {
        EventFlags::CANCEL_PENDING.union(EventFlags::CANCELLED)
    }
}

/// Takes `operation`, or cancels the thread at it. Cancelling is the last alternative, after the `own` alternatives of
/// the operation. It is the only one if the operation is disabled.
pub(crate) fn take(world: &mut World, by: ThreadId, operation: &Operation, choice: u16, own: u16) -> Effect {
    let family = of(operation.code);
    if family.enabled(world, by, operation) && choice < own {
        let effect = family.take(world, by, operation, choice);
        return Effect { flags: effect.flags.union(EventFlags::CANCEL_PENDING), ..effect };
    }
    let once = if world.thread(by).requests == 1 { EventFlags::STIRRED_ONCE } else { EventFlags::NONE };
    let Effect { result, flags } = family.abandon(world, by, operation);
    Effect { result, flags: flags.union(EventFlags::CANCEL_PENDING).union(EventFlags::CANCELLED).union(once) }
}

/// Adds the accesses of a cancellation point to `into`.
pub(crate) fn footprint(event: &Event, into: &mut Footprint) {
    if event.flags.contains(EventFlags::CANCELLED) && event.alternatives <= 1 {
        into.only_look();
    }
    if event.flags.contains(EventFlags::CANCEL_PENDING) {
        of(event.operation.code).abandon_footprint(event, into);
    }
    into.touch(ObjectId::cancellation(event.thread), Mode::Read);
}

/// Whether the request `earlier` enabled `later`. `None` if no request was pending at `later`.
pub(crate) fn enabled_by(earlier: &Event, later: &Event) -> Option<bool> {
    if !later.flags.contains(EventFlags::CANCEL_PENDING) {
        return None;
    }
    // With a pending request, the thread could have ended before any other event enabled the operation.
    let only_way = later.flags.contains(EventFlags::CANCELLED) && later.alternatives <= 1;
    // If there were several requests, each of them could have come later.
    Some(only_way && earlier.operation.code == thread::CANCEL && later.flags.contains(EventFlags::STIRRED_ONCE))
}
