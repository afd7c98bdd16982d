//! Reader-writer locks.
//!
//! State: the writer, how many readers there are (one that has locked it twice counts twice), and for each thread how often
//! it is in as a reader, so that nobody leaves for another: that is misuse, and changes nothing. A reader waits for the writer, a writer for everybody. That is all that can be seen of glibc's default, which prefers readers: who
//! waits for a lock cannot be told from who is about to ask for it, so there is no order in which the lock could be
//! given that the default excludes.
//!
//! **Preferring writers.** With `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP` a reader waits for writers that wait, too, and so a
//! reader that comes in twice may wait for a writer that waits for it. That a writer has begun to wait must then be an event:
//! its lock is two operations, [`WRITE_ARRIVE`] and [`WRITE_LOCK`]. A writer that times out stops waiting, and so may let readers in. The preference is in the `detail` of every operation.
//!
//! **Readers commute.** To come in as a reader looks at the writer and adds to the readers; to leave as a reader takes one
//! off, which is there because it is one's own. Neither looks at how many there are, and neither changes the writer. So
//! any two of them can be swapped. In footprints the writer and the readers are two things: coming in as a reader
//! [reads](Mode::Read) the one and [adds](Mode::Add) to the other, leaving adds. Whoever comes in alone, leaves alone or
//! makes a lock changes both ([`Mode::Write`]). An attempt that failed has looked: a reader's at the writer, a
//! writer's at both, so that it does not commute with readers, one of whom may have been the reason. The same two things make
//! a reader know what the last writer did, a writer know what all readers did, and readers nothing of each other.
//!
//! Therefore several readers can keep a writer waiting together, without any order among them: see
//! [`disabled_by`](Primitive::disabled_by), which holds for each, and is true in the sense that the lock could have been
//! taken before it if it had not been for the others.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 10;
/// Made, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until there is no writer, and comes in as a reader. The result is 0 or an error number.
pub const READ_LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Comes in as a reader if there is no writer. The result is 0 or an error number.
pub const TRY_READ_LOCK: OpCode = OpCode::new(FAMILY, 3);
/// Waits until there is nobody, and comes in as the writer. The result is 0 or an error number.
pub const WRITE_LOCK: OpCode = OpCode::new(FAMILY, 4);
/// Comes in as the writer if there is nobody. The result is 0 or an error number.
pub const TRY_WRITE_LOCK: OpCode = OpCode::new(FAMILY, 5);
/// Leaves: as the writer, if it is the writer, else as a reader.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 6);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 7);
/// Of a lock that prefers writers: from now on readers wait for this writer. Its [`WRITE_LOCK`] follows.
pub const WRITE_ARRIVE: OpCode = OpCode::new(FAMILY, 8);

/// In the `detail`: the lock prefers writers.
pub const PREFERS_WRITERS: u32 = 1;

/// Like [`READ_LOCK`], or times out. `detail` says whether it is [impatient](Operation::is_impatient), `argument` is the
/// deadline.
pub const TIMED_READ_LOCK: OpCode = OpCode::new(FAMILY, 16);
/// Like [`WRITE_LOCK`], or times out.
pub const TIMED_WRITE_LOCK: OpCode = OpCode::new(FAMILY, 17);

/// Stands in the [queue] of those that wait for it, readers and writers in one. What it waits with follows.
/// A lock with a queue prefers nobody.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 18);

/// Locked.
pub const EBUSY: u64 = 16;
/// The thread is the writer.
pub const EDEADLK: u64 = 35;

/// Who is in alone, plus one; in the upper half how many writers have begun to wait.
const WRITER: usize = 0;
const ONE_WAITS: u64 = 1 << 32;
const READERS: usize = 1;
/// How often the lock was made and destroyed: what a thread held before counts no more.
const LIFE: usize = 2;

/// In the state of one thread's readings of one lock: how many, and in which of the lock's lives.
const HOLDS: usize = 0;
const HOLDS_LIFE: usize = 1;

/// The readers of a lock, as a thing that is touched: a place in the lock's own memory that is no object of its own.
fn readers_of(lock: ObjectId) -> ObjectId {
    ObjectId(lock.0 + 8)
}

/// How often `reader` is in as a reader.
pub fn holds(world: &World, lock: ObjectId, reader: ThreadId) -> u64 {
    let life = world.objects.get(lock).map_or(0, |slot| slot.words[LIFE]);
    let held = world.objects.get(ObjectId::share(lock, reader)).map_or([0; 3], |slot| slot.words);
    if held[HOLDS_LIFE] == life { held[HOLDS] } else { 0 }
}

/// One reader more, or one less.
fn set_holds(world: &mut World, lock: ObjectId, reader: ThreadId, holds: u64) {
    let before = self::holds(world, lock, reader);
    let slot = world.objects.get_mut(lock);
    slot.family = FAMILY as u32;
    slot.words[READERS] = slot.words[READERS] + holds - before;
    let life = slot.words[LIFE];
    let held = &mut world.objects.get_mut(ObjectId::share(lock, reader)).words;
    (held[HOLDS], held[HOLDS_LIFE]) = (holds, life);
    if (holds == 0) != (before == 0) {
        world.reads_or_not(lock, reader.0);
    }
}

/// The writer that `lock` belongs to now.
pub fn writer_of(world: &World, lock: ObjectId) -> Option<ThreadId> {
    let writer = world.objects.get(lock)?.words[WRITER] as u32;
    (writer != 0).then(|| ThreadId((writer - 1) as u16))
}

fn readers(world: &World, lock: ObjectId) -> u64 {
    world.objects.get(lock).map_or(0, |slot| slot.words[READERS])
}

/// Whether a writer has begun to wait, and readers let it go first.
fn writer_waits(world: &World, operation: &Operation) -> bool {
    let words = world.objects.get(operation.object).map_or(0, |slot| slot.words[WRITER]);
    prefers_writers(operation) && words >= ONE_WAITS
}

/// Whether a reader by `operation` may have to wait for several writers.
pub(crate) fn waits_for_writers(operation: &Operation) -> bool {
    matches!(operation.code, READ_LOCK | TIMED_READ_LOCK) && prefers_writers(operation)
}

fn prefers_writers(operation: &Operation) -> bool {
    operation.without_await().detail & PREFERS_WRITERS != 0
}

/// Whether nobody that `operation`, by `code`, would have to wait for is in.
fn is_free(world: &World, code: OpCode, operation: &Operation) -> bool {
    let lock = operation.object;
    let alone = matches!(code, WRITE_LOCK | TRY_WRITE_LOCK | TIMED_WRITE_LOCK);
    let others = if alone { readers(world, lock) != 0 } else { writer_waits(world, operation) };
    writer_of(world, lock).is_none() && !others
}

/// Whether `by` comes in by `operation` if it is taken now.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    is_free(world, operation.code, operation) && queue::is_next(world, by, operation)
}

/// Whether `event` has come in, and not beside others.
fn enters_alone(event: &Event) -> bool {
    matches!(event.operation.code, WRITE_LOCK | TRY_WRITE_LOCK | TIMED_WRITE_LOCK) && !event.failed()
}

/// Whether `event` has come in.
fn enters(event: &Event) -> bool {
    let reads = matches!(event.operation.code, READ_LOCK | TRY_READ_LOCK | TIMED_READ_LOCK) && !event.failed();
    reads || enters_alone(event)
}

/// Whether `operation` cannot be taken while the lock cannot be had.
fn waits(operation: &Operation) -> bool {
    match operation.code {
        READ_LOCK | WRITE_LOCK => true,
        TIMED_READ_LOCK | TIMED_WRITE_LOCK => !operation.is_impatient(),
        _ => false,
    }
}

/// Whether `event` is a writer that has kept readers out while it waited, and has given up.
fn leaves_waiting(event: &Event) -> bool {
    let timed_out = event.operation.code == TIMED_WRITE_LOCK && event.flags.contains(EventFlags::TIMED_OUT);
    timed_out && prefers_writers(&event.operation)
}

/// The meaning of this family.
pub struct ReaderWriterLocks;

impl Primitive for ReaderWriterLocks {
    fn name(&self) -> &'static str {
        "rwlock"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            INIT => "init",
            READ_LOCK => "rdlock",
            TRY_READ_LOCK => "tryrdlock",
            WRITE_LOCK => "wrlock",
            TRY_WRITE_LOCK => "trywrlock",
            UNLOCK => "unlock",
            DESTROY => "destroy",
            WRITE_ARRIVE => "wait for wrlock",
            TIMED_READ_LOCK => "timedrdlock",
            TIMED_WRITE_LOCK => "timedwrlock",
            ENQUEUE => "queue for",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        let lock = operation.object;
        !waits(operation) || obtains(world, by, operation) || writer_of(world, lock) == Some(by)
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        let Operation { code, object: lock, .. } = *operation;
        if code == ENQUEUE {
            queue::enter(world, by, lock);
            return Effect::default();
        }
        let flags = self.foresee(world, by, operation, &crate::NoMemory);
        let timed = matches!(code, TIMED_READ_LOCK | TIMED_WRITE_LOCK);
        let gives_up = timed && !obtains(world, by, operation) && writer_of(world, lock) != Some(by);
        if queue::queues(operation) {
            queue::leave(world, by);
        }
        if gives_up {
            if code == TIMED_WRITE_LOCK && prefers_writers(operation) {
                // It waits no more, and readers need not wait for it.
                let words = &mut world.objects.get_mut(lock).words;
                words[WRITER] = words[WRITER].saturating_sub(ONE_WAITS);
            }
            return Effect::timed_out(operation);
        }
        match code {
            INIT => world.make(lock),
            DESTROY if flags.contains(EventFlags::FAILED) => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(lock),
            _ => world.touch(lock),
        }
        if code == UNLOCK && flags.contains(EventFlags::FAILED) {
            let locked = writer_of(world, lock).is_some() || readers(world, lock) > 0;
            world.accuse(if locked { Misuse::UnlockNotOwned } else { Misuse::UnlockNotLocked });
        }
        if flags.contains(EventFlags::FAILED) {
            return Effect::failed(match code {
                READ_LOCK | WRITE_LOCK | WRITE_ARRIVE | TIMED_READ_LOCK | TIMED_WRITE_LOCK => EDEADLK,
                TRY_READ_LOCK | TRY_WRITE_LOCK | DESTROY => EBUSY,
                _ => 0,
            });
        }
        let held = holds(world, lock, by);
        match code {
            READ_LOCK | TRY_READ_LOCK | TIMED_READ_LOCK => set_holds(world, lock, by, held + 1),
            UNLOCK if flags.contains(EventFlags::SHARED) => set_holds(world, lock, by, held - 1),
            _ => {
                let slot = world.objects.get_mut(lock);
                slot.family = FAMILY as u32;
                let before = slot.words[WRITER] as u32;
                match code {
                    WRITE_ARRIVE => slot.words[WRITER] += ONE_WAITS,
                    WRITE_LOCK | TIMED_WRITE_LOCK if prefers_writers(operation) => {
                        slot.words[WRITER] = slot.words[WRITER].saturating_sub(ONE_WAITS) + by.0 as u64 + 1;
                    }
                    WRITE_LOCK | TRY_WRITE_LOCK | TIMED_WRITE_LOCK => slot.words[WRITER] += by.0 as u64 + 1,
                    UNLOCK => slot.words[WRITER] &= !(ONE_WAITS - 1),
                    _ => slot.words = [0, 0, slot.words[LIFE] + 1],
                }
                let after = slot.words[WRITER] as u32;
                if after != before {
                    world.passes(lock, before.into(), after.into());
                }
            }
        }
        Effect { result: 0, flags }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let Operation { code, object: lock, .. } = *operation;
        let writes = writer_of(world, lock) == Some(by);
        let fails = match code {
            READ_LOCK | WRITE_LOCK | WRITE_ARRIVE => writes,
            TIMED_READ_LOCK | TIMED_WRITE_LOCK if !writes && !obtains(world, by, operation) => {
                return world.foresee_timeout(by, operation);
            }
            TIMED_READ_LOCK | TIMED_WRITE_LOCK => writes,
            TRY_READ_LOCK | TRY_WRITE_LOCK => !is_free(world, code, operation),
            DESTROY => !is_free(world, TRY_WRITE_LOCK, operation),
            // Misuse that changes nothing.
            UNLOCK if !writes => holds(world, lock, by) == 0,
            _ => false,
        };
        match code {
            _ if fails => EventFlags::FAILED,
            UNLOCK if !writes => EventFlags::SHARED,
            _ => EventFlags::NONE,
        }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.code == ENQUEUE {
            return queue::touch_entering(&event.operation, into);
        }
        let writer = event.operation.object;
        let readers = readers_of(writer);
        match event.operation.code {
            _ if leaves_waiting(event) => {
                into.touch(readers, Mode::Read);
                into.touch(writer, Mode::Write);
            }
            TRY_WRITE_LOCK | TIMED_WRITE_LOCK | DESTROY | UNLOCK if event.failed() => {
                into.touch(readers, Mode::Read);
                into.touch(writer, Mode::Read);
            }
            _ if event.failed() => into.touch(writer, Mode::Read),
            READ_LOCK | TRY_READ_LOCK | TIMED_READ_LOCK => {
                into.touch(writer, Mode::Read);
                into.touch(readers, Mode::Add);
            }
            // How many wait only counts.
            WRITE_ARRIVE => into.touch(writer, Mode::Add),
            UNLOCK if event.flags.contains(EventFlags::SHARED) => into.touch(readers, Mode::Add),
            _ => {
                into.touch(readers, Mode::Write);
                into.touch(writer, Mode::Write);
            }
        }
        queue::touch_leaving(&event.operation, event.flags.contains(EventFlags::TIMED_OUT), into);
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        if super::stirs(earlier, later) {
            return true;
        }
        let same = earlier.operation.object == later.operation.object;
        let leaves = same && earlier.operation.code == UNLOCK && !earlier.failed();
        match later.operation.code {
            _ if !waits(&later.operation) => false,
            READ_LOCK | TIMED_READ_LOCK => {
                let gives_way = same && leaves_waiting(earlier) && prefers_writers(&later.operation);
                gives_way || leaves && !earlier.flags.contains(EventFlags::SHARED)
            }
            _ => leaves,
        }
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        match later.operation.code {
            _ if earlier.operation.object != later.operation.object => false,
            _ if queue::queues(&later.operation) => {
                waits(&later.operation) && (enters(earlier) || earlier.operation.code == ENQUEUE)
            }
            READ_LOCK | TIMED_READ_LOCK if prefers_writers(&later.operation) => {
                let begins = matches!(earlier.operation.code, WRITE_ARRIVE | TRY_WRITE_LOCK);
                waits(&later.operation) && begins && !earlier.failed()
            }
            _ if !waits(&later.operation) => false,
            READ_LOCK | TIMED_READ_LOCK => enters_alone(earlier),
            _ => enters(earlier),
        }
    }

    fn continues(&self, earlier: &Event, later: &Event) -> bool {
        // Whoever is in may have had to stand in the queue first.
        queue::queues(&later.operation)
        // This writer has kept readers out since it came.
            || waits_for_writers(&later.operation)
            && matches!(earlier.operation.code, WRITE_LOCK | TIMED_WRITE_LOCK)
            && !earlier.failed()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        // A writer may still have to wait for other readers.
        !matches!(code, INIT | READ_LOCK | WRITE_ARRIVE)
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        let timed = matches!(operation.code, TIMED_READ_LOCK | TIMED_WRITE_LOCK);
        (timed && !operation.is_impatient()).then_some(operation.argument)
    }
}
