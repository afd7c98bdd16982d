//! Threads that wait for each other forever while others run.
//!
//! A thread that waits for a lock waits for every holder of it. A thread that joins waits for the joined thread. Only
//! those can end its wait. Threads in a circle of such waits, and threads that wait for one of them, therefore stay
//! blocked whatever the others do.
//!
//! Some waits are never part of a circle: those that any thread could end (a signal, a post, a barrier) and those that
//! can end by themselves (a timeout, a cancellation). Only certain deadlocks are reported.

use crate::primitive::{condvar, mutex, rwlock, spin, thread};
use crate::{ObjectId, Operation, Phase, ThreadId, World};

/// Whether `waiter`, which is blocked, must wait for `other`.
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
