//! Explains the misuse of a primitive: which thread, which operation, which earlier event made it wrong, and the rule
//! of the standard.

use heddle_model::finding::{Location, Note};
use heddle_model::primitive::{barrier, condvar, mutex, rwlock, semaphore, spin, thread};
use heddle_model::{Ending, Event, Misuse, ObjectId, OpCode, ThreadId};

use crate::Recording;
use crate::names::Names;
use crate::walk::{self, Walk};

/// The explanation of a misuse.
pub struct Explanation {
    /// The misuse in one line.
    pub message: String,
    /// The source location of the misuse.
    pub location: Option<Location>,
    /// The earlier events that made it wrong, and the rule of the standard.
    pub notes: Vec<Note>,
    /// The threads that are involved, the one that made the mistake first.
    pub threads: Vec<ThreadId>,
}

/// Explains the misuse that ended `recording`. `None` if none did.
pub fn explain(recording: &Recording, names: &Names) -> Option<Explanation> {
    let end = recording.events.last()?;
    let Some(Ending::Misuse { misuse, .. }) = recording.outcome.ending() else { return None };
    let last = recording.events.len() - 1;
    // The wrong operation is the thread's last event before the end, unless it was never taken.
    let wrong = recording.events[..last]
        .iter()
        .rposition(|event| event.thread == end.thread)
        .filter(|&at| recording.events[at].operation.object == end.operation.object);
    let before = &recording.events[..wrong.unwrap_or(last)];
    let walk = walk::walk(before, &[]);
    let object = end.operation.object;
    let (who, what) = (names.thread(end.thread), names.object(object));
    let holder = walk.holder(object, end.thread);
    let holder_name = holder.map_or("somebody".to_string(), |holder| names.thread(holder.thread));
    let mut threads = vec![end.thread];
    threads.extend(holder.map(|holder| holder.thread).filter(|&thread| thread != end.thread));

    let argument = wrong.map(|at| ObjectId(recording.events[at].operation.argument));
    let other_wait = other_wait(before, &walk, object);
    let message = match misuse {
        Misuse::Uninitialised => format!("{who} uses {what}, which was never initialised"),
        Misuse::DoubleInitialisation => format!("{who} initialises {what}, which is initialised already"),
        Misuse::DestroyInUse => format!("{who} destroys {what}, which {holder_name} has locked"),
        Misuse::DestroyWaited => format!("{who} destroys {what} while others wait on it"),
        Misuse::UseAfterDestroy => format!("{who} uses {what} after it was destroyed"),
        Misuse::UnlockNotLocked => format!("{who} unlocks {what}, which is not locked"),
        Misuse::UnlockNotOwned => format!("{who} unlocks {what}, which {holder_name} has locked"),
        Misuse::WaitWithoutMutex => {
            let mutex = argument.map_or(String::new(), |mutex| names.object(mutex));
            format!("{who} waits on {what} with {mutex}, which it has not locked")
        }
        Misuse::WaitTwoMutexes => format!("{who} signals {what}, on which threads wait with different mutexes"),
        Misuse::JoinTwice => format!("{who} uses the id of {what}, which was joined already"),
        Misuse::JoinDetached => format!("{who} joins or detaches {what}, which is detached"),
        Misuse::BarrierZero => format!("{who} initialises {what} with a count of 0"),
        Misuse::SemaphoreOverflow => format!("{who} posts {what}, whose count is as large as it can be"),
    };

    let mut notes = Vec::new();
    let place = |at: usize| recording.place(at).cloned();
    let mut note = |message: String, at: Option<usize>| {
        if let Some(at) = at {
            notes.push(Note { message, location: place(at) });
        }
    };
    let on_object = |codes: &[OpCode]| {
        before.iter().rposition(|event| event.operation.object == object && codes.contains(&event.operation.code))
    };
    let by = |at: Option<usize>| at.map_or(String::new(), |at| names.thread(before[at].thread));
    match misuse {
        Misuse::DoubleInitialisation => {
            let at = on_object(&INITS);
            note(format!("{} initialised it here", by(at)), at);
        }
        Misuse::UseAfterDestroy => {
            let at = on_object(&DESTROYS);
            note(format!("{} destroyed it here", by(at)), at);
        }
        Misuse::DestroyInUse | Misuse::UnlockNotOwned => {
            note(format!("{holder_name} locked it here"), holder.map(|holder| holder.since));
        }
        Misuse::UnlockNotLocked => {
            let at = on_object(&UNLOCKS);
            note(format!("{} unlocked it here, and nobody has locked it since", by(at)), at);
        }
        Misuse::DestroyWaited => note(format!("{} waits on it since here", by(other_wait)), other_wait),
        Misuse::WaitTwoMutexes => {
            for (at, event) in before.iter().enumerate() {
                let waits = event.operation.code == condvar::WAIT && event.operation.object == object;
                if waits && walk.asleep.contains(&event.thread) {
                    let mutex = names.object(ObjectId(event.operation.argument));
                    note(format!("{} waits on it with {mutex} since here", names.thread(event.thread)), Some(at));
                }
            }
        }
        Misuse::JoinTwice => {
            let at = on_object(&[thread::JOIN, thread::TRYJOIN, thread::TIMEDJOIN]);
            note(format!("{} joined it here", by(at)), at);
        }
        Misuse::JoinDetached => {
            let at = on_object(&[thread::DETACH, thread::CREATE]);
            note(format!("{} detached it here", by(at)), at);
        }
        _ => {}
    }
    notes.push(Note { message: misuse.standard().to_string(), location: None });
    Some(Explanation { message, location: place(last), notes, threads })
}

/// The operations that initialise objects.
pub const INITS: [OpCode; 6] = [mutex::INIT, condvar::INIT, rwlock::INIT, spin::INIT, semaphore::INIT, barrier::INIT];
/// The operations that destroy objects.
pub const DESTROYS: [OpCode; 6] =
    [mutex::DESTROY, condvar::DESTROY, rwlock::DESTROY, spin::DESTROY, semaphore::DESTROY, barrier::DESTROY];
const UNLOCKS: [OpCode; 3] = [mutex::UNLOCK, rwlock::UNLOCK, spin::UNLOCK];

/// The index of the event with which another thread began to wait on `object`, a condition variable or a barrier.
fn other_wait(before: &[Event], walk: &Walk, object: ObjectId) -> Option<usize> {
    before.iter().rposition(|event| {
        event.operation.object == object
            && match event.operation.code {
                condvar::WAIT => walk.asleep.contains(&event.thread),
                barrier::ARRIVE => true,
                _ => false,
            }
    })
}
