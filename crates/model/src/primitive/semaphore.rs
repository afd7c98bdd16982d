//! Semaphores.
//!
//! State: the count. Posting never waits and never reads the count, so posts commute. Waits do not.
//!
//! **Named semaphores** exist within one execution: no file is created, and none exists at the start. A name is an
//! object of its own. Its address depends only on the name and has room for the semaphores that use the name one after
//! the other, because an unlinked name can be used again for another semaphore.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{
    Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World,
};

/// The family of the operations on semaphores.
pub const FAMILY: u8 = 7;
/// Initialises the semaphore with the count `argument`.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until the count is not zero, and decrements it. The result is the count before.
pub const WAIT: OpCode = OpCode::new(FAMILY, 2);
/// Decrements the count if it is not zero. The result is 0 or `EAGAIN`.
pub const TRYWAIT: OpCode = OpCode::new(FAMILY, 3);
/// Increments the count.
pub const POST: OpCode = OpCode::new(FAMILY, 4);
/// Reads the count. It is the result.
pub const GETVALUE: OpCode = OpCode::new(FAMILY, 5);
/// Destroys the semaphore.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 6);
/// Opens the semaphore with the name `object`. A new semaphore gets the count `argument`. `detail` is [`CREATE`],
/// perhaps with [`EXCLUSIVE`], or 0. The result is the semaphore's address, or an error number if the operation failed.
pub const OPEN: OpCode = OpCode::new(FAMILY, 7);
/// Closes the semaphore at address `argument`, whose name is or was `object`. The result is 0 or an error number.
pub const CLOSE: OpCode = OpCode::new(FAMILY, 8);
/// Frees the name `object`. The result is 0 or an error number.
pub const UNLINK: OpCode = OpCode::new(FAMILY, 9);

/// A flag of [`OPEN`]: creates the semaphore if the name has none.
pub const CREATE: u32 = 1;
/// A flag of [`OPEN`]: fails if the name has a semaphore.
pub const EXCLUSIVE: u32 = 2;

/// The size in bytes of a name's object with the semaphores that can have the name.
pub const NAME_SIZE: u64 = 1024;
const SEMAPHORE_SIZE: u64 = 32;

/// The error number if the name has no semaphore.
pub const ENOENT: u64 = 2;
/// The error number if the name has a semaphore already.
pub const EEXIST: u64 = 17;
/// The error number if the semaphore is not open.
pub const EINVAL: u64 = 22;
/// The error number if the name was used for too many semaphores.
pub const ENOSPC: u64 = 28;

/// Waits until the count is not zero and decrements it, or times out. `detail` says whether the operation is
/// [impatient](Operation::is_impatient). `argument` is the deadline. The result is the count before, or `ETIMEDOUT`.
pub const TIMEDWAIT: OpCode = OpCode::new(FAMILY, 16);
/// Enters the [queue] of the threads that wait for the semaphore. A [`WAIT`] or [`TIMEDWAIT`] of the thread follows.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 17);
/// The largest count: `SEM_VALUE_MAX`.
pub const MOST: u64 = i32::MAX as u64;
/// The error number if the count is at its maximum.
pub const EOVERFLOW: u64 = 75;

/// The error number if the count is zero.
pub const EAGAIN: u64 = 11;

const COUNT: usize = 0;
/// The word of a named semaphore that counts how often it is open.
const OPENED: usize = 1;
/// The words of a name: whether it has a semaphore, and the number of semaphores that it has had.
const LINKED: usize = 0;
const MADE: usize = 1;

/// The semaphore that has the name `name` now.
fn named(world: &World, name: ObjectId) -> Option<ObjectId> {
    let words = world.objects.get(name, FAMILY)?.words;
    (words[LINKED] != 0).then(|| ObjectId(name.0 + words[MADE] * SEMAPHORE_SIZE))
}

/// How often `semaphore` is open.
fn opened(world: &World, semaphore: ObjectId) -> u64 {
    world.objects.get(semaphore, FAMILY).map_or(0, |slot| slot.words[OPENED])
}

/// The error number with which an operation on a name would fail now. `None` if it would succeed.
fn refusal(world: &World, operation: &Operation) -> Option<u64> {
    let name = operation.object;
    let there = named(world, name).is_some();
    let made = world.objects.get(name, FAMILY).map_or(0, |slot| slot.words[MADE]);
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
                let slot = world.objects.get_mut(name, FAMILY);
                slot.words[LINKED] = 1;
                slot.words[MADE] += 1;
                let semaphore = ObjectId(name.0 + slot.words[MADE] * SEMAPHORE_SIZE);
                let made = world.objects.get_mut(semaphore, FAMILY);
                made.is_used = true;
                made.words[COUNT] = operation.argument;
                semaphore
            });
            world.objects.get_mut(semaphore, FAMILY).words[OPENED] += 1;
            Effect::result(semaphore.0)
        }
        CLOSE => {
            world.objects.get_mut(ObjectId(operation.argument), FAMILY).words[OPENED] -= 1;
            Effect::default()
        }
        _ => {
            world.objects.get_mut(name, FAMILY).words[LINKED] = 0;
            Effect::default()
        }
    }
}

/// The count that `operation` finds. Before its first use, a semaphore has the count in the program's memory. The
/// operation carries that count in its `argument`, unless the argument is a deadline.
fn count(world: &World, operation: &Operation) -> u64 {
    world
        .objects
        .get(operation.object, FAMILY)
        .filter(|slot| slot.is_used)
        .map_or(brought(operation), |slot| slot.words[COUNT])
}

/// The count of the semaphore with this state.
pub(super) fn count_of(slot: &ObjectSlot) -> u64 {
    slot.words[COUNT]
}

fn brought(operation: &Operation) -> u64 {
    if operation.code == TIMEDWAIT { 0 } else { operation.argument }
}

/// The semantics of semaphores.
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
            INIT => world.make(operation.object, FAMILY),
            DESTROY => world.unmake(operation.object, FAMILY),
            POST if count(world, operation) >= MOST => {
                world.accuse(Misuse::SemaphoreOverflow);
                return Effect::failed(EOVERFLOW);
            }
            _ => world.touch(operation.object, FAMILY),
        }
        let mut slot = world.objects.get_mut(operation.object, FAMILY);
        if !slot.is_used && operation.code != INIT {
            slot.words[COUNT] = brought(operation);
            world.note_uninitialised_use(operation.object);
            slot = world.objects.get_mut(operation.object, FAMILY);
        }
        slot.is_used = true;
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

    fn foresee_bare(&self, world: &World, _: ThreadId, operation: &Operation, flags: EventFlags) -> (EventFlags, u64) {
        (flags, count(world, operation))
    }

    fn bare(&self, event: &Event) -> Event {
        let result = if waits(&event.operation) { event.result.min(2) } else { 0 };
        Event { operation: Operation { argument: 0, ..event.operation }, result, ..*event }
    }

    fn canonical(&self, slot: &ObjectSlot) -> [u64; 3] {
        // A count of zero is not the same as a semaphore that was never used, whose count is in the program's memory.
        let mut words = slot.words;
        words[COUNT] += 1;
        words
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // With a count of two or more, the wait did not need this post.
        waits(&later.operation) && earlier.operation.code == POST && later.result < 2
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let queued = earlier.operation.code == ENQUEUE && earlier.operation.object == later.operation.object;
        waits(&later.operation) && (takes(earlier) || queued)
    }

    fn continues(&self, _: &Event, later: &Event) -> bool {
        // The thread that decremented the count may have entered the queue first.
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

/// Whether `operation` of thread `by` decrements the count if it is taken now.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    count(world, operation) > 0 && queue::is_next(world, by, operation)
}

/// Whether `operation` is disabled while the count is zero.
fn waits(operation: &Operation) -> bool {
    operation.code == WAIT || (operation.code == TIMEDWAIT && !operation.is_impatient())
}

/// Whether `event` decremented the count.
fn takes(event: &Event) -> bool {
    matches!(event.operation.code, WAIT | TRYWAIT | TIMEDWAIT) && !event.failed()
}
