//! Semaphores.
//!
//! State: the count. Posting never waits and never looks, so posts commute; waits take turns.
//!
//! **Named semaphores** live as long as the execution: no file is made, and at the start there are none. A name is an object of its own,
//! at an address that depends on nothing but the name, with room for the semaphores that have it one after the other: a
//! name that was unlinked can be used again, for another semaphore.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 7;
/// Made, with the count `argument`.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until the count is not zero, and takes one. The result is the count before.
pub const WAIT: OpCode = OpCode::new(FAMILY, 2);
/// Takes one if there is one. The result is 0, or `EAGAIN`.
pub const TRYWAIT: OpCode = OpCode::new(FAMILY, 3);
/// Adds one.
pub const POST: OpCode = OpCode::new(FAMILY, 4);
/// Looks at the count; it is the result.
pub const GETVALUE: OpCode = OpCode::new(FAMILY, 5);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 6);
/// Opens the semaphore with the name `object`, with the count `argument` if it is made. `detail` is [`CREATE`], perhaps with
/// [`EXCLUSIVE`]. The result is its address; if it failed, an error number.
pub const OPEN: OpCode = OpCode::new(FAMILY, 7);
/// Closes the semaphore at `argument`, whose name is or was `object`. The result is 0 or an error number.
pub const CLOSE: OpCode = OpCode::new(FAMILY, 8);
/// The name `object` is free again. The result is 0 or an error number.
pub const UNLINK: OpCode = OpCode::new(FAMILY, 9);

/// Make it if there is none.
pub const CREATE: u32 = 1;
/// Fail if there is one.
pub const EXCLUSIVE: u32 = 2;

/// Bytes of a name and the semaphores that can have it.
pub const NAME_SIZE: u64 = 1024;
const SEMAPHORE_SIZE: u64 = 32;

/// There is none with this name.
pub const ENOENT: u64 = 2;
/// There is one with this name.
pub const EEXIST: u64 = 17;
/// Not open.
pub const EINVAL: u64 = 22;
/// The name was used too often.
pub const ENOSPC: u64 = 28;

/// Waits until the count is not zero, and takes one, or times out. `detail` says whether it is
/// [impatient](Operation::is_impatient), `argument` is the deadline. The result is the count before, or `ETIMEDOUT`.
pub const TIMEDWAIT: OpCode = OpCode::new(FAMILY, 16);
/// Stands in the [queue] of those that wait for it. Its [`WAIT`] or [`TIMEDWAIT`] follows.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 17);
/// `SEM_VALUE_MAX`.
pub const MOST: u64 = i32::MAX as u64;
/// The count is as large as it can be.
pub const EOVERFLOW: u64 = 75;

/// There is none to take.
pub const EAGAIN: u64 = 11;

const COUNT: usize = 0;
/// Of a named semaphore: how often it is open.
const OPENED: usize = 1;
/// Of a name: whether there is a semaphore with it, and how many there have been.
const LINKED: usize = 0;
const MADE: usize = 1;

/// The semaphore that has the name `name` now.
fn named(world: &World, name: ObjectId) -> Option<ObjectId> {
    let words = world.objects.get(name)?.words;
    (words[LINKED] != 0).then(|| ObjectId(name.0 + words[MADE] * SEMAPHORE_SIZE))
}

/// How often the semaphore is open.
fn opened(world: &World, semaphore: ObjectId) -> u64 {
    world.objects.get(semaphore).map_or(0, |slot| slot.words[OPENED])
}

/// Why an operation on a name fails now, if it does.
fn refusal(world: &World, operation: &Operation) -> Option<u64> {
    let name = operation.object;
    let there = named(world, name).is_some();
    let made = world.objects.get(name).map_or(0, |slot| slot.words[MADE]);
    match operation.code {
        OPEN if there => (operation.detail == CREATE | EXCLUSIVE).then_some(EEXIST),
        OPEN if operation.detail & CREATE == 0 => Some(ENOENT),
        OPEN => ((made + 2) * SEMAPHORE_SIZE > NAME_SIZE).then_some(ENOSPC),
        CLOSE => (opened(world, ObjectId(operation.argument)) == 0).then_some(EINVAL),
        UNLINK => (!there).then_some(ENOENT),
        _ => None,
    }
}

/// Takes an operation on a name.
fn take_named(world: &mut World, operation: &Operation) -> Effect {
    if let Some(error) = refusal(world, operation) {
        return Effect::failed(error);
    }
    let name = operation.object;
    match operation.code {
        OPEN => {
            let semaphore = named(world, name).unwrap_or_else(|| {
                let slot = world.objects.get_mut(name);
                slot.family = FAMILY as u32;
                slot.words[LINKED] = 1;
                slot.words[MADE] += 1;
                let semaphore = ObjectId(name.0 + slot.words[MADE] * SEMAPHORE_SIZE);
                let made = world.objects.get_mut(semaphore);
                made.family = FAMILY as u32;
                made.words[COUNT] = operation.argument;
                semaphore
            });
            world.objects.get_mut(semaphore).words[OPENED] += 1;
            Effect::result(semaphore.0)
        }
        CLOSE => {
            world.objects.get_mut(ObjectId(operation.argument)).words[OPENED] -= 1;
            Effect::default()
        }
        _ => {
            world.objects.get_mut(name).words[LINKED] = 0;
            Effect::default()
        }
    }
}

/// The count that `operation` finds. One that nobody has used yet has the count that its memory says: the operation brings it
/// along, unless it brings a deadline.
fn count(world: &World, operation: &Operation) -> u64 {
    world
        .objects
        .get(operation.object)
        .filter(|slot| slot.family != 0)
        .map_or(brought(operation), |slot| slot.words[COUNT])
}

fn brought(operation: &Operation) -> u64 {
    if operation.code == TIMEDWAIT { 0 } else { operation.argument }
}

/// The meaning of this family.
pub struct Semaphores;

impl Primitive for Semaphores {
    fn name(&self) -> &'static str {
        "semaphore"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            WAIT => "wait",
            TRYWAIT => "trywait",
            TIMEDWAIT => "timedwait",
            POST => "post",
            GETVALUE => "getvalue",
            DESTROY => "destroy",
            OPEN => "open",
            CLOSE => "close",
            UNLINK => "unlink",
            ENQUEUE => "queue for",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        !waits(operation) || obtains(world, by, operation)
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let gives_up = operation.code == TIMEDWAIT && !obtains(world, by, operation);
        if queue::queues(operation) {
            if operation.code == ENQUEUE {
                queue::enter(world, by, operation.object);
                return Effect::default();
            }
            queue::leave(world, by);
        }
        if matches!(operation.code, OPEN | CLOSE | UNLINK) {
            return take_named(world, operation);
        }
        match operation.code {
            INIT => world.make(operation.object),
            DESTROY => world.unmake(operation.object),
            POST if count(world, operation) >= MOST => {
                world.accuse(Misuse::SemaphoreOverflow);
                return Effect::failed(EOVERFLOW);
            }
            _ => world.touch(operation.object),
        }
        let mut slot = world.objects.get_mut(operation.object);
        if slot.family == 0 && operation.code != INIT {
            slot.words[COUNT] = brought(operation);
            world.is_found(operation.object);
            slot = world.objects.get_mut(operation.object);
        }
        slot.family = FAMILY as u32;
        let count = &mut slot.words[COUNT];
        let before = *count;
        match operation.code {
            INIT => *count = operation.argument,
            TIMEDWAIT if gives_up => return Effect::timed_out(operation),
            WAIT | TIMEDWAIT => {
                *count -= 1;
                return Effect::result(before);
            }
            TRYWAIT if before == 0 => return Effect::failed(EAGAIN),
            TRYWAIT => *count -= 1,
            POST => *count += 1,
            GETVALUE => return Effect::result(before),
            _ => {}
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let fails = match operation.code {
            TRYWAIT => count(world, operation) == 0,
            TIMEDWAIT if !obtains(world, by, operation) => return world.foresee_timeout(by, operation),
            POST => count(world, operation) >= MOST,
            _ => refusal(world, operation).is_some(),
        };
        if fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.code == ENQUEUE {
            return queue::touch_entering(&event.operation, into);
        }
        let mode = match event.operation.code {
            _ if event.failed() => Mode::Read,
            POST => Mode::Add,
            GETVALUE => Mode::Read,
            _ => Mode::Write,
        };
        into.touch(event.operation.object, mode);
        queue::touch_leaving(&event.operation, event.flags.contains(EventFlags::TIMED_OUT), into);
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // With two or more there, the wait could have done without this post.
        waits(&later.operation) && earlier.operation.code == POST && later.result < 2
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let queued = earlier.operation.code == ENQUEUE && earlier.operation.object == later.operation.object;
        waits(&later.operation) && (takes(earlier) || queued)
    }

    fn continues(&self, _: &Event, later: &Event) -> bool {
        // Whoever took one may have had to stand in the queue first.
        queue::queues(&later.operation)
    }

    fn abandon(&self, world: &mut World, by: ThreadId, _: &Operation) -> Effect {
        queue::leave(world, by);
        Effect::default()
    }

    fn abandon_footprint(&self, event: &Event, into: &mut Footprint) {
        queue::touch_leaving(&event.operation, true, into);
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, TRYWAIT | TIMEDWAIT | OPEN | CLOSE | UNLINK)
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        (operation.code == TIMEDWAIT && !operation.is_impatient()).then_some(operation.argument)
    }
}

/// Whether `by` has one by `operation` if it is taken now.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    count(world, operation) > 0 && queue::is_next(world, by, operation)
}

/// Whether `operation` cannot be taken while the count is zero.
fn waits(operation: &Operation) -> bool {
    operation.code == WAIT || (operation.code == TIMEDWAIT && !operation.is_impatient())
}

/// Whether `event` has taken one.
fn takes(event: &Event) -> bool {
    matches!(event.operation.code, WAIT | TRYWAIT | TIMEDWAIT) && !event.failed()
}
