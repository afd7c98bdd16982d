//! Read-write locks.
//!
//! State: the writer, the number of readers (a thread that has locked twice counts twice), and for each thread how
//! often it holds the lock as a reader. The last prevents a thread from unlocking for another one, which is misuse and
//! changes nothing. A reader waits while there is a writer. A writer waits while any thread holds the lock. This covers
//! glibc's default, which prefers readers: a thread that waits for the lock cannot be distinguished from one that is
//! about to ask for it, so the default excludes no order of acquisition.
//!
//! **Preferring writers.** With `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP` a reader also waits while a writer
//! waits. A thread that locks twice as a reader may then wait for a writer that waits for this thread. The moment at
//! which a writer begins to wait is therefore an event: the writer takes two operations, [`WRITE_ARRIVE`] and
//! [`WRITE_LOCK`]. A writer that times out stops waiting, and this may enable readers. The `detail` of every operation
//! contains the preference.
//!
//! **Readers commute.** Locking as a reader reads the writer and increments the number of readers. Unlocking as a
//! reader decrements that number, which is not zero because the thread itself holds the lock. Neither reads the number,
//! and neither changes the writer, so any two of them can be swapped. In footprints the writer and the readers are two
//! objects. Locking as a reader [reads](Mode::Read) the writer and [adds](Mode::Add) to the readers. Unlocking as a
//! reader adds to the readers. Locking and unlocking as the writer, initialising and destroying [write](Mode::Write)
//! both. A failed attempt only reads: a reader's attempt reads the writer, a writer's attempt reads both. A failed
//! attempt of a writer thus conflicts with readers, one of which may be the cause of the failure. The two objects also
//! give the right happens-before order: a reader is ordered after the last writer, a writer after all readers, and
//! readers are not ordered with each other.
//!
//! Several readers can therefore block a writer together, without any order among them.
//! [`disabled_by`](Primitive::disabled_by) then holds for each of them: the writer could have acquired the lock before
//! that reader if the others had not been there.

use super::{Primitive, queue};
use crate::world::Effect;
use crate::{
    Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, ObjectSlot, OpCode, Operation, ThreadId, World,
};

/// The family of the operations on read-write locks.
pub const FAMILY: u8 = 10;
/// Initialises the lock, unlocked.
pub const INIT: OpCode = OpCode::new(FAMILY, 1);
/// Waits until there is no writer, and locks as a reader. The result is 0 or an error number.
pub const READ_LOCK: OpCode = OpCode::new(FAMILY, 2);
/// Locks as a reader if there is no writer. The result is 0 or an error number.
pub const TRY_READ_LOCK: OpCode = OpCode::new(FAMILY, 3);
/// Waits until no thread holds the lock, and locks as the writer. The result is 0 or an error number.
pub const WRITE_LOCK: OpCode = OpCode::new(FAMILY, 4);
/// Locks as the writer if no thread holds the lock. The result is 0 or an error number.
pub const TRY_WRITE_LOCK: OpCode = OpCode::new(FAMILY, 5);
/// Unlocks: as the writer if the thread is the writer, otherwise as a reader.
pub const UNLOCK: OpCode = OpCode::new(FAMILY, 6);
/// Destroys the lock.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 7);
/// Begins to wait as a writer, for a lock that prefers writers: from now on readers wait for this writer. Its
/// [`WRITE_LOCK`] or [`TIMED_WRITE_LOCK`] follows.
pub const WRITE_ARRIVE: OpCode = OpCode::new(FAMILY, 8);

/// A flag in the `detail`: the lock prefers writers.
pub const PREFERS_WRITERS: u32 = 1;

/// Like [`READ_LOCK`], but may time out. `detail` says whether the operation is [impatient](Operation::is_impatient).
/// `argument` is the deadline.
pub const TIMED_READ_LOCK: OpCode = OpCode::new(FAMILY, 16);
/// Like [`WRITE_LOCK`], but may time out. `detail` says whether the operation is [impatient](Operation::is_impatient).
/// `argument` is the deadline.
pub const TIMED_WRITE_LOCK: OpCode = OpCode::new(FAMILY, 17);

/// Enters the [queue] of the threads that wait for the lock. Readers and writers share one queue. The operation that
/// acquires the lock follows. A lock with a queue does not prefer writers.
pub const ENQUEUE: OpCode = OpCode::new(FAMILY, 18);

/// The error number if the lock is held.
pub const EBUSY: u64 = 16;
/// The error number if the thread itself is the writer.
pub const EDEADLK: u64 = 35;

/// The word with the writer's id plus one in its lower half, and the number of waiting writers in its upper half.
const WRITER: usize = 0;
const ONE_WAITS: u64 = 1 << 32;
const READERS: usize = 1;
/// The word that counts how often the lock was initialised and destroyed. Locks held before that do not count.
const LIFE: usize = 2;

/// The words of a thread's share in a lock: how often it holds the lock as a reader, and the value of [`LIFE`] at that
/// time.
const HOLDS: usize = 0;
const HOLDS_LIFE: usize = 1;

/// The readers of a lock, as an object in footprints: an address inside the lock's own memory that no other object has.
fn readers_of(lock: ObjectId) -> ObjectId {
    ObjectId(lock.0 + 8)
}

/// How often `reader` holds `lock` as a reader.
pub fn holds(world: &World, lock: ObjectId, reader: ThreadId) -> u64 {
    let life = world.objects.get(lock, FAMILY).map_or(0, |slot| slot.words[LIFE]);
    let held = world.objects.get(ObjectId::share(lock, reader), FAMILY).map_or([0; 3], |slot| slot.words);
    if held[HOLDS_LIFE] == life { held[HOLDS] } else { 0 }
}

/// Sets how often `reader` holds `lock` as a reader.
fn set_holds(world: &mut World, lock: ObjectId, reader: ThreadId, holds: u64) {
    let before = self::holds(world, lock, reader);
    let slot = world.objects.get_mut(lock, FAMILY);
    slot.words[READERS] = slot.words[READERS] + holds - before;
    let life = slot.words[LIFE];
    let held = &mut world.objects.get_mut(ObjectId::share(lock, reader), FAMILY).words;
    (held[HOLDS], held[HOLDS_LIFE]) = (holds, life);
    if (holds == 0) != (before == 0) {
        world.toggle_reader(lock, reader.0);
    }
}

/// The writer that holds `lock`.
pub fn writer_of(world: &World, lock: ObjectId) -> Option<ThreadId> {
    let writer = world.objects.get(lock, FAMILY)?.words[WRITER] as u32;
    (writer != 0).then(|| ThreadId((writer - 1) as u16))
}

/// How often `lock` is held by readers.
pub(super) fn readers(world: &World, lock: ObjectId) -> u64 {
    world.objects.get(lock, FAMILY).map_or(0, |slot| slot.words[READERS])
}

/// Whether a writer waits and the lock of `operation` prefers writers.
fn writer_waits(world: &World, operation: &Operation) -> bool {
    let words = world.objects.get(operation.object, FAMILY).map_or(0, |slot| slot.words[WRITER]);
    prefers_writers(operation) && words >= ONE_WAITS
}

/// Whether `operation` locks as a reader and may have to wait for several writers.
pub(crate) fn waits_for_writers(operation: &Operation) -> bool {
    matches!(operation.code, READ_LOCK | TIMED_READ_LOCK) && prefers_writers(operation)
}

fn prefers_writers(operation: &Operation) -> bool {
    operation.without_await().detail & PREFERS_WRITERS != 0
}

/// Whether `operation` could acquire the lock now, if it were operation `code`. The queue is not considered.
fn is_free(world: &World, code: OpCode, operation: &Operation) -> bool {
    let lock = operation.object;
    let alone = matches!(code, WRITE_LOCK | TRY_WRITE_LOCK | TIMED_WRITE_LOCK);
    let others = if alone { readers(world, lock) != 0 } else { writer_waits(world, operation) };
    writer_of(world, lock).is_none() && !others
}

/// Whether `by` acquires the lock if `operation` is taken now.
fn obtains(world: &World, by: ThreadId, operation: &Operation) -> bool {
    is_free(world, operation.code, operation) && queue::is_next(world, by, operation)
}

/// Whether `event` acquired the lock as the writer.
fn enters_alone(event: &Event) -> bool {
    matches!(event.operation.code, WRITE_LOCK | TRY_WRITE_LOCK | TIMED_WRITE_LOCK) && !event.failed()
}

/// Whether `event` acquired the lock, as the writer or as a reader.
fn enters(event: &Event) -> bool {
    let reads = matches!(event.operation.code, READ_LOCK | TRY_READ_LOCK | TIMED_READ_LOCK) && !event.failed();
    reads || enters_alone(event)
}

/// Whether `operation` is disabled while it cannot acquire the lock.
fn waits(operation: &Operation) -> bool {
    match operation.code {
        READ_LOCK | WRITE_LOCK => true,
        TIMED_READ_LOCK | TIMED_WRITE_LOCK => !operation.is_impatient(),
        _ => false,
    }
}

/// Whether `event` is the timeout of a writer that blocked readers while it waited.
fn leaves_waiting(event: &Event) -> bool {
    let timed_out = event.operation.code == TIMED_WRITE_LOCK && event.flags.contains(EventFlags::TIMED_OUT);
    timed_out && prefers_writers(&event.operation)
}

/// The semantics of read-write locks.
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
                // The writer no longer waits and no longer blocks readers.
                let words = &mut world.objects.get_mut(lock, FAMILY).words;
                words[WRITER] = words[WRITER].saturating_sub(ONE_WAITS);
            }
            return Effect::timed_out(operation);
        }
        match code {
            INIT => world.make(lock, FAMILY),
            DESTROY if flags.contains(EventFlags::FAILED) => world.accuse(Misuse::DestroyInUse),
            DESTROY => world.unmake(lock, FAMILY),
            _ => world.touch(lock, FAMILY),
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
                let slot = world.objects.get_mut(lock, FAMILY);
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
                    world.change_owner(lock, before.into(), after.into());
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
            // Misuse without effect.
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
            // Only the number of waiting writers changes.
            WRITE_ARRIVE => into.touch(writer, Mode::Add),
            UNLOCK if event.flags.contains(EventFlags::SHARED) => into.touch(readers, Mode::Add),
            _ => {
                into.touch(readers, Mode::Write);
                into.touch(writer, Mode::Write);
            }
        }
        queue::touch_leaving(&event.operation, event.flags.contains(EventFlags::TIMED_OUT), into);
    }

    fn canonical(&self, slot: &ObjectSlot) -> [u64; 3] {
        // How often it was initialised only tells which shares still count.
        [slot.words[WRITER], slot.words[READERS], 0]
    }

    fn canonical_share(&self, owner: &ObjectSlot, share: &ObjectSlot) -> [u64; 3] {
        let holds = if share.words[HOLDS_LIFE] == owner.words[LIFE] { share.words[HOLDS] } else { 0 };
        // The last word is left from a barrier at the same address, if there was one.
        [holds, 0, share.words[2]]
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
        // The holder may have entered the queue first.
        queue::queues(&later.operation)
        // This writer has blocked readers since its arrival.
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
