//! Cancellation points: operations at which a thread that was asked to end does so.
//!
//! No family of its own. An operation that [can be cancelled](Operation::cancellable) is what it is otherwise, and one way
//! more: if somebody has [asked](super::thread::CANCEL) the thread to end, it may end here instead, whether the operation is
//! possible or not. Where both are possible both are explored: POSIX leaves it open whether a thread acts on a request
//! when what it waits for has happened too. A request that was there before the thread came to its cancellation point is
//! not left open, and so whoever runs the program takes a [look](super::thread::TESTCANCEL) before.
//!
//! Whether a thread can be cancelled at all is nobody else's business (it alone can change that), so it is part of the
//! operation and not of the state.
//!
//! **Dependence.** A cancellation point looks at whether its thread was asked to end. If it ends because nothing else was
//! possible, it has looked at what it waits for, and left undone what it had begun ([`abandon`](super::Primitive::abandon)). If both were
//! possible, both ways touch what either would: alternatives of one operation in one state are covered together.

use super::{of, thread};
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Mode, ObjectId, Operation, ThreadId, World};

/// Whether `by` may end instead of taking `operation`.
#[inline]
pub(crate) fn is_pending(world: &World, by: ThreadId, operation: &Operation) -> bool {
    operation.is_cancellable() && world.thread(by).requests > 0
}

/// How many ways there are to take `operation`, `own` of them its own.
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

/// What the flags of such an event say beyond its own.
pub(crate) fn foresee(world: &World, by: ThreadId, operation: &Operation) -> EventFlags {
    if !is_pending(world, by, operation) {
        EventFlags::NONE
    } else if of(operation.code).enabled(world, by, operation) {
        EventFlags::CANCEL_PENDING
    } else {
        EventFlags::CANCEL_PENDING.union(EventFlags::CANCELLED)
    }
}

/// Takes `operation`, or ends at it: that is the way after its `own`, or the only one.
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

/// Completes what a cancellation point touches.
pub(crate) fn footprint(event: &Event, into: &mut Footprint) {
    if event.flags.contains(EventFlags::CANCELLED) && event.alternatives <= 1 {
        into.only_look();
    }
    if event.flags.contains(EventFlags::CANCEL_PENDING) {
        of(event.operation.code).abandon_footprint(event, into);
    }
    into.touch(ObjectId::cancellation(event.thread), Mode::Read);
}

/// Whether the request `earlier` made `later` possible; none if it is no question of cancellation.
pub(crate) fn enabled_by(earlier: &Event, later: &Event) -> Option<bool> {
    if !later.flags.contains(EventFlags::CANCEL_PENDING) {
        return None;
    }
    // With a request there, the thread could have ended before whatever else made the operation possible.
    let only_way = later.flags.contains(EventFlags::CANCELLED) && later.alternatives <= 1;
    // Of several requests, each could have come after it.
    Some(only_way && earlier.operation.code == thread::CANCEL && later.flags.contains(EventFlags::STIRRED_ONCE))
}
