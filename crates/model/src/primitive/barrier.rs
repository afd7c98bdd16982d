//! Barriers.
//!
//! A wait is two operations: [`ARRIVE`] is counted, [`LEAVE`] goes on once as many as the barrier is for have arrived. The first of a
//! round that leaves is the serial thread, and makes the round: it takes as many as the barrier is for, itself one of them, from those
//! that have arrived. State: how many the barrier is for, how many have arrived and are in no round yet, and for each thread
//! whether it has arrived and whether its round was made.
//!
//! **Arrivals commute.** glibc's serial thread is the one that arrives last, and a round is of those that arrived first. But who has arrived
//! waits, and does nothing that others could see: nobody can tell in which order threads have arrived. So whatever the
//! library decides by that order is a choice among those that wait: any of them may have been the last one, and where more have
//! arrived than the barrier is for, any so many may have been the first. With N threads at a barrier for N there is one trace for each of them that
//! may be the serial thread, instead of one for each order of arrivals.
//!
//! In footprints there are two things. Arrivals [add](Mode::Add) to the barrier; who makes a round changes that and the gate
//! ([`Mode::Write`]), and who leaves a round that was made only looks at the gate. So who leaves does not conflict with those that arrive for the next
//! round. As with a semaphore, a round that was made while more had arrived than it took could have done without any of them.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 12;
/// Made, for `argument` threads.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// One more is there.
pub const ARRIVE: OpCode = OpCode::new(FAMILY, 2);
/// All are there: goes on. [`EventFlags::COMPLETES`]: it is the first of its round that does, and the serial thread; then the result is how many
/// more had arrived than the round is of.
pub const LEAVE: OpCode = OpCode::new(FAMILY, 3);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 4);

const SIZE: usize = 0;
const ARRIVED: usize = 1;

/// In the state of one thread's part in a barrier: one of the following. (A reader-writer lock that was in the same place before used other words.)
const PART: usize = 2;
const AWAY: u64 = 0;
const WAITS: u64 = 1;
/// Its round was made.
const FREE: u64 = 2;

/// What who makes a round changes: a place in the barrier's own memory that is no object of its own.
fn gate(barrier: ObjectId) -> ObjectId {
    ObjectId(barrier.0 + 8)
}

/// How many `barrier` is for, and how many have arrived and are in no round yet.
pub fn state(world: &World, barrier: ObjectId) -> (u64, u64) {
    let words = world.objects.get(barrier).map_or([0; 3], |slot| slot.words);
    // One that nobody has made is for whoever comes.
    (words[SIZE].max(1), words[ARRIVED])
}

fn part(world: &World, barrier: ObjectId, thread: ThreadId) -> u64 {
    world.objects.get(ObjectId::share(barrier, thread)).map_or(AWAY, |slot| slot.words[PART])
}

fn set_part(world: &mut World, barrier: ObjectId, thread: ThreadId, part: u64) {
    world.objects.get_mut(ObjectId::share(barrier, thread)).words[PART] = part;
}

/// How many ways there are to take `some` of `all`; no more than `u64` can count.
fn ways(all: u64, some: u64) -> u64 {
    let some = some.min(all - some.min(all));
    (0..some).fold(1u64, |ways, taken| ways.saturating_mul(all - taken) / (taken + 1))
}

/// Whether so many wait at `barrier` that there are more rounds to choose from than can be numbered.
pub fn is_crowded(world: &World, barrier: ObjectId) -> bool {
    let (size, arrived) = state(world, barrier);
    arrived > size && ways(arrived - 1, size - 1) > u64::from(u16::MAX)
}

/// `by` makes a round, the one with number `choice` of those that it can be in.
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
        // First come the rounds with this thread, then those without.
        let with = ways(others, wanted - 1);
        if number < with || others < wanted {
            set_part(world, barrier, thread, FREE);
            wanted -= 1;
        } else {
            number -= with;
        }
    }
    world.objects.get_mut(barrier).words[ARRIVED] -= size;
}

/// The meaning of this family.
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
            INIT => world.make(barrier),
            // A round that is complete and not made yet is one that leaves.
            DESTROY if arrived % size > 0 => world.accuse(Misuse::DestroyWaited),
            DESTROY => world.unmake(barrier),
            LEAVE => {}
            _ => world.touch(barrier),
        }
        world.objects.get_mut(barrier).family = FAMILY as u32;
        match operation.code {
            ARRIVE => {
                world.objects.get_mut(barrier).words[ARRIVED] += 1;
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
                world.objects.get_mut(barrier).words = [operation.argument, 0, 0];
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

/// Whether `event` is the first of its round that leaves.
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
