//! Threads that wait for each other for ever while others go on.
//!
//! A thread that waits for a lock waits for everybody who holds it, one that joins for the thread that it joins: only those can end its
//! wait. So threads in a circle of such waits, and those that wait for one of them, never go on, whatever the others do. Waits that
//! anybody could end (for a signal, a post, a barrier), or that can end by themselves (a time-out, a cancellation), are in no
//! circle: what is not certain is not claimed.

use crate::primitive::{condvar, mutex, rwlock, spin, thread};
use crate::{ObjectId, Operation, Phase, ThreadId, World};

/// Whether `waiter`, which cannot go on, must wait for `other`.
fn waits_for(world: &World, waiter: ThreadId, other: ThreadId) -> bool {
    let Operation { code, object, argument, .. } = world.thread(waiter).pending;
    let cancellable = world.thread(waiter).pending.is_cancellable();
    match code {
        _ if cancellable => false,
        mutex::LOCK => mutex::owner_of(world, object) == Some(other),
        condvar::REACQUIRE => {
            world.thread(waiter).woken_by != 0 && mutex::owner_of(world, ObjectId(argument)) == Some(other)
        }
        spin::LOCK => spin::owner_of(world, object) == Some(other),
        rwlock::READ_LOCK => rwlock::writer_of(world, object) == Some(other),
        rwlock::WRITE_LOCK => {
            rwlock::writer_of(world, object) == Some(other) || rwlock::holds(world, object, other) > 0
        }
        thread::JOIN => object.as_thread() == Some(other),
        _ => false,
    }
}

/// Whether there is a circle of threads that wait for each other.
pub fn exists(world: &World) -> bool {
    let stuck = |thread: ThreadId| world.thread(thread).phase == Phase::Alive && !world.enabled(thread);
    world.ids().filter(|&thread| stuck(thread)).any(|start| {
        // From each thread along its first wait for another one that is stuck: a walk longer than there are threads has
        // gone round. (Where a thread waits for several, any one of them that never goes on is enough.)
        let mut at = start;
        for _ in 0..=world.extent() {
            match world.ids().find(|&other| stuck(other) && waits_for(world, at, other)) {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    })
}
