//! What a child of `fork` finds of the objects that a process uses: the state of each that has one without the threads that use it.

use super::{mutex, rwlock, semaphore, spin};
use crate::misuse::DESTROYED;
use crate::{ObjectId, ObjectSlot, World};

/// The state of an object, as a process sees it in which one thread is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inherited {
    /// A mutex that is locked so often.
    Mutex(u64),
    /// A read-write lock that a writer holds.
    Written,
    /// A read-write lock that is held so often by readers.
    Read(u64),
    /// A semaphore with this count.
    Semaphore(u64),
    /// A spin lock, and whether it is held.
    Spin(bool),
}

/// Calls `each` with the objects whose states a child of `fork` must be told.
pub fn each_inherited(world: &World, mut each: impl FnMut(ObjectId, Inherited)) {
    for (object, slot) in world.objects.iter().filter(|(object, slot)| object.is_address() && slot.life != DESTROYED) {
        if let Some(state) = inherited(world, object, slot) {
            each(object, state);
        }
    }
}

fn inherited(world: &World, object: ObjectId, slot: &ObjectSlot) -> Option<Inherited> {
    match slot.family() {
        mutex::FAMILY => mutex::locks(slot).map(Inherited::Mutex),
        rwlock::FAMILY if rwlock::writer_of(world, object).is_some() => Some(Inherited::Written),
        rwlock::FAMILY => Some(rwlock::readers(world, object)).filter(|&readers| readers > 0).map(Inherited::Read),
        semaphore::FAMILY if slot.is_used => Some(Inherited::Semaphore(semaphore::count_of(slot))),
        spin::FAMILY => Some(Inherited::Spin(spin::owner_of(world, object).is_some())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, NoMemory, ObjectSlot, Operation, ThreadId, ThreadState};

    #[test]
    fn held_locks_and_counts_are_told() {
        let (mut threads, mut objects) = (vec![ThreadState::default(); 2], vec![ObjectSlot::default(); 64]);
        let mut world = World::new(&mut threads, &mut objects, &NoMemory);
        let mut take = |code, object, argument| {
            let operation = Operation::new(code, ObjectId(object)).with_argument(argument);
            world.announce(ThreadId::MAIN, operation, 0);
            world.take(ThreadId::MAIN, Choice::FIRST);
        };
        take(mutex::LOCK, 0x1000, 0);
        take(mutex::LOCK, 0x2000, 0);
        take(mutex::UNLOCK, 0x2000, 0);
        take(rwlock::WRITE_LOCK, 0x3000, 0);
        take(rwlock::READ_LOCK, 0x4000, 0);
        take(semaphore::INIT, 0x5000, 3);
        take(semaphore::WAIT, 0x5000, 0);
        take(semaphore::INIT, 0x6000, 3);
        take(semaphore::DESTROY, 0x6000, 0);
        take(spin::LOCK, 0x7000, 0);
        take(spin::INIT, 0x8000, 0);
        let mut told = Vec::new();
        each_inherited(&world, |object, state| told.push((object.0, state)));
        told.sort_by_key(|&(object, _)| object);
        assert_eq!(
            told,
            [
                (0x1000, Inherited::Mutex(1)),
                (0x3000, Inherited::Written),
                (0x4000, Inherited::Read(1)),
                (0x5000, Inherited::Semaphore(2)),
                (0x7000, Inherited::Spin(true)),
                (0x8000, Inherited::Spin(false)),
            ]
        );
    }
}
