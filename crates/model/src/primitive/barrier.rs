//! Barriers.
//!
//! A wait is two operations. [`ARRIVE`] counts the thread. [`LEAVE`] is enabled once as many threads have arrived as
//! the barrier is for. The first thread of a round that leaves is the serial thread, and it makes the round: it chooses
//! the members of the round, itself included, among the threads that have arrived. State: the number of threads that
//! the barrier is for, the number of threads that have arrived and are in no round yet, and for each thread whether it
//! waits and whether its round was made.
//!
//! **Arrivals commute.** In glibc the serial thread is the one that arrives last, and a round consists of the threads
//! that arrived first. But a thread that has arrived waits and does nothing observable, so no thread can tell the order
//! of arrivals. What the library decides by that order is therefore a choice among the waiting threads: any of them may
//! have been the last. If more threads have arrived than the barrier is for, any subset of the right size may have been
//! first. With N threads at a barrier for N, there is one trace for each possible serial thread, not one for each order
//! of arrivals.
//!
//! In footprints a barrier is two objects. An arrival [adds](Mode::Add) to the barrier. The thread that makes a round
//! [writes](Mode::Write) the barrier and the gate. A thread that leaves a round that was made only reads the gate, so
//! it does not conflict with arrivals for the next round. If more threads had arrived than the round needed, the round
//! did not need any single one of them, as with the posts of a semaphore.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of the operations on barriers.
pub const FAMILY: u8 = 12;
/// Initialises the barrier for `argument` threads.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Counts the thread as arrived.
pub const ARRIVE: OpCode = OpCode::new(FAMILY, 2);
/// Waits until enough threads have arrived, and leaves. With [`EventFlags::COMPLETES`] the thread is the first of its
/// round to leave and is the serial thread. The result is then the number of threads that had arrived beyond those that
/// the round needs.
pub const LEAVE: OpCode = OpCode::new(FAMILY, 3);
/// Destroys the barrier.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 4);

const SIZE: usize = 0;
const ARRIVED: usize = 1;

/// The word of a thread's share in a barrier: one of the values that follow. (The other words may be left from a
/// read-write lock at the same address.)
const PART: usize = 2;
const AWAY: u64 = 0;
const WAITS: u64 = 1;
/// The thread's round was made, so it can leave.
const FREE: u64 = 2;

/// The gate of a barrier, as an object in footprints: an address inside the barrier's own memory that no other object
/// has.
fn gate(barrier: ObjectId) -> ObjectId {
    ObjectId(barrier.0 + 8)
}

/// The number of threads that `barrier` is for, and the number of threads that have arrived and are in no round yet.
pub fn state(world: &World, barrier: ObjectId) -> (u64, u64) {
    let words = world.objects.get(barrier, FAMILY).map_or([0; 3], |slot| slot.words);
    // A barrier without initialisation is for one thread.
    (words[SIZE].max(1), words[ARRIVED])
}

fn part(world: &World, barrier: ObjectId, thread: ThreadId) -> u64 {
    world.objects.get(ObjectId::share(barrier, thread), FAMILY).map_or(AWAY, |slot| slot.words[PART])
}

fn set_part(world: &mut World, barrier: ObjectId, thread: ThreadId, part: u64) {
    world.objects.get_mut(ObjectId::share(barrier, thread), FAMILY).words[PART] = part;
}

/// The number of ways to choose `some` of `all`. Saturates.
fn ways(all: u64, some: u64) -> u64 {
    let some = some.min(all - some.min(all));
    (0..some).fold(1u64, |ways, taken| ways.saturating_mul(all - taken) / (taken + 1))
}

/// Whether `barrier` has more possible rounds than there are numbers for alternatives.
pub fn is_crowded(world: &World, barrier: ObjectId) -> bool {
    let (size, arrived) = state(world, barrier);
    arrived > size && ways(arrived - 1, size - 1) > u64::from(u16::MAX)
}

/// Makes the round with number `choice` among those that contain `by`.
fn make_round(world: &mut World, barrier: ObjectId, by: ThreadId, choice: u16) {
    let (size, arrived) = state(world, barrier);
    let (mut others, mut wanted, mut number) = (arrived - 1, size - 1, u64::from(choice));
    set_part(world, barrier, by, FREE);
    for thread in world.ids() {
        if wanted == 0 {
            break;
        }
        if part(world, barrier, thread) != WAITS {
            continue;
        }
        others -= 1;
        // The rounds with this thread have lower numbers than those without it.
        let with = ways(others, wanted - 1);
        if number < with || others < wanted {
            set_part(world, barrier, thread, FREE);
            wanted -= 1;
        } else {
            number -= with;
        }
    }
    world.objects.get_mut(barrier, FAMILY).words[ARRIVED] -= size;
}

/// The semantics of barriers.
pub struct Barriers;

impl Primitive for Barriers {
    fn name(&self) -> &'static str {
        "barrier"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            ARRIVE => "arrive",
            LEAVE => "leave",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        let (size, arrived) = state(world, operation.object);
        operation.code != LEAVE || arrived >= size || part(world, operation.object, by) != WAITS
    }

    fn alternatives(&self, world: &World, by: ThreadId, operation: &Operation) -> u16 {
        let (size, arrived) = state(world, operation.object);
        if operation.code != LEAVE || arrived <= size || part(world, operation.object, by) != WAITS {
            return 1;
        }
        ways(arrived - 1, size - 1).min(u64::from(u16::MAX)) as u16
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, choice: u16) -> Effect {
        let barrier = operation.object;
        let flags = self.foresee(world, by, operation, &crate::NoMemory);
        let (size, arrived) = state(world, barrier);
        match operation.code {
            INIT => world.make(barrier, FAMILY),
            // The threads of a complete round count as leaving, even if the round was not made yet.
            DESTROY if arrived % size > 0 => world.accuse(Misuse::DestroyWaited),
            DESTROY => world.unmake(barrier, FAMILY),
            LEAVE => {}
            _ => world.touch(barrier, FAMILY),
        }
        match operation.code {
            ARRIVE => {
                world.objects.get_mut(barrier, FAMILY).words[ARRIVED] += 1;
                set_part(world, barrier, by, WAITS);
            }
            LEAVE => {
                if flags.contains(EventFlags::COMPLETES) {
                    make_round(world, barrier, by, choice);
                }
                set_part(world, barrier, by, AWAY);
                return Effect { result: arrived.saturating_sub(size), flags };
            }
            _ => {
                for thread in world.ids() {
                    if part(world, barrier, thread) == WAITS {
                        set_part(world, barrier, thread, FREE);
                    }
                }
                world.objects.get_mut(barrier, FAMILY).words = [operation.argument, 0, 0];
            }
        }
        Effect { result: 0, flags }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let makes = operation.code == LEAVE && part(world, operation.object, by) == WAITS;
        if makes { EventFlags::COMPLETES } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let barrier = event.operation.object;
        match event.operation.code {
            ARRIVE => into.touch(barrier, Mode::Add),
            LEAVE if event.flags.contains(EventFlags::COMPLETES) => {
                into.touch(barrier, Mode::Write);
                into.touch(gate(barrier), Mode::Write);
            }
            LEAVE => into.touch(gate(barrier), Mode::Read),
            _ => into.touch(barrier, Mode::Write),
        }
    }

    fn foresee_bare(&self, world: &World, _: ThreadId, operation: &Operation, flags: EventFlags) -> (EventFlags, u64) {
        let (size, arrived) = state(world, operation.object);
        (flags, arrived.saturating_sub(size))
    }

    fn bare(&self, event: &Event) -> Event {
        let result = if makes_round(event) { event.result.min(1) } else { 0 };
        Event { operation: Operation { argument: 0, ..event.operation }, result, ..*event }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        makes_round(later) && earlier.operation.code == ARRIVE && later.result == 0
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        makes_round(later) && makes_round(earlier) && earlier.operation.object == later.operation.object
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        code == LEAVE
    }
}

/// Whether `event` is the first of its round to leave.
fn makes_round(event: &Event) -> bool {
    event.operation.code == LEAVE && event.flags.contains(EventFlags::COMPLETES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_counted() {
        for (all, some, count) in [(0, 0, 1), (4, 0, 1), (4, 4, 1), (4, 2, 6), (5, 3, 10), (20, 10, 184_756), (2, 3, 1)]
        {
            assert_eq!(ways(all, some), count, "{some} of {all}");
        }
    }
}
