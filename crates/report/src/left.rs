//! What an execution left when the process ended: locked mutexes, objects that were not destroyed, threads that still
//! ran. None of this is an error, but it deserves a note.
//!
//! [`find`] uses events only, so a search can ask of any execution whether it shows something new. [`tell`] adds names
//! and source locations once the execution was recorded. Only `tell` can exclude objects that were initialised before
//! `main` began, because that is known from the program's memory.

use std::collections::{HashMap, HashSet};

use heddle_model::primitive::{process, semaphore, spin, thread};
use heddle_model::{Ending, Event, ObjectId, Pending, Remark, RemarkKind, ThreadId};

use crate::Recording;
use crate::misuse::{DESTROYS, INITS};
use crate::names::Names;
use crate::walk;

/// One thing that was left. [`tell`] puts it into words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Left {
    /// The index of the event to show: the initialisation, the lock, the end of the process, the creation of the
    /// thread, or the first use.
    pub event: usize,
    /// The kind of the note.
    pub kind: RemarkKind,
    /// The object. For a thread, its life cycle.
    pub object: ObjectId,
    /// The thread that initialised, locked or used the object, or the thread that still ran.
    pub thread: ThreadId,
}

/// What was left after `events`, ordered by event. `pending` are the next operations of the remaining threads. Empty if
/// the process did not exit normally.
pub fn find(events: &[Event], pending: &[Pending]) -> Vec<Left> {
    let Some(end) = events.last().filter(|end| matches!(process::ending(&end.operation), Some(Ending::Exit { .. })))
    else {
        return Vec::new();
    };
    let mut left = Vec::new();
    let mut made: HashMap<ObjectId, usize> = HashMap::new();
    let mut known: HashSet<ObjectId> = HashSet::new();
    let mut detached: HashSet<ThreadId> = HashSet::new();
    let mut created: HashMap<ThreadId, usize> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        let object = event.operation.object;
        let code = event.operation.code;
        match code {
            _ if INITS.contains(&code) && !event.failed() => {
                made.insert(object, index);
                known.insert(object);
            }
            _ if DESTROYS.contains(&code) && !event.failed() => {
                made.remove(&object);
                known.insert(object);
            }
            semaphore::OPEN | semaphore::CLOSE | semaphore::UNLINK => {
                known.insert(ObjectId(event.result));
            }
            thread::CREATE | thread::DETACH => {
                let Some(thread) = object.as_thread() else { continue };
                if code == thread::CREATE {
                    created.insert(thread, index);
                }
                if (code == thread::DETACH && !event.failed()) || event.operation.argument == 1 {
                    detached.insert(thread);
                }
            }
            _ if matches!(code.family(), semaphore::FAMILY | spin::FAMILY) && known.insert(object) => {
                // A semaphore with another count was initialised before `main`.
                let zero = code.family() == spin::FAMILY
                    || code == semaphore::TIMEDWAIT
                    || (event.operation.argument == 0 && code != semaphore::ENQUEUE);
                if zero {
                    left.push(Left { event: index, kind: RemarkKind::ZeroInitialised, object, thread: event.thread });
                }
            }
            _ => {}
        }
    }
    for (object, event) in made {
        left.push(Left { event, kind: RemarkKind::NeverDestroyed, object, thread: events[event].thread });
    }
    let runs = |thread: ThreadId| pending.iter().any(|pending| pending.thread == thread);
    for (object, holder) in walk::walk(events, pending).held() {
        // A thread that still runs might have unlocked it later.
        if !runs(holder.thread) {
            left.push(Left { event: holder.since, kind: RemarkKind::LeftLocked, object, thread: holder.thread });
        }
    }
    for pending in pending.iter().filter(|pending| pending.thread != end.thread) {
        let thread = pending.thread;
        let (kind, event) = match detached.contains(&thread) {
            true => (RemarkKind::DetachedRunning, created.get(&thread).copied().unwrap_or(0)),
            false => (RemarkKind::StillRunning, events.len() - 1),
        };
        left.push(Left { event, kind, object: ObjectId::thread(thread), thread });
    }
    left.sort();
    left
}

/// What was left at the end of `recording`, in words.
pub fn tell(recording: &Recording) -> Vec<Remark> {
    let names = Names::of(recording);
    find(&recording.events, &recording.pending)
        .into_iter()
        .filter(|left| left.kind != RemarkKind::ZeroInitialised || is_zero(recording, left.object))
        .map(|left| {
            let (who, what) = (names.thread(left.thread), names.object(left.object));
            let message = match left.kind {
                RemarkKind::NeverDestroyed => format!("{what} is never destroyed; {who} initialises it here"),
                RemarkKind::LeftLocked => format!("{what} is still locked when the process ends; {who} locks it here"),
                RemarkKind::StillRunning => {
                    let ender = names.thread(recording.events[left.event].thread);
                    format!("{who} {} when {ender} ends the process", its_place(recording, left.thread))
                }
                RemarkKind::DetachedRunning => {
                    let place = its_place(recording, left.thread);
                    format!("{who}, which is detached, {place} when the process ends")
                }
                RemarkKind::ZeroInitialised => {
                    format!("{what} was never initialised by a call; {who} uses it here as zero-initialised")
                }
            };
            Remark {
                kind: left.kind,
                message,
                location: recording.place(left.event).cloned(),
                standard: left.kind.standard().to_string(),
            }
        })
        .collect()
}

/// Whether `object`, which no event initialises, is a named variable that was not initialised before `main` either.
fn is_zero(recording: &Recording, object: ObjectId) -> bool {
    let before = &recording.made_before;
    recording.objects.contains_key(&object) && !before.contains(&object) && !before.contains(&ObjectId::NONE)
}

/// The source location of `thread` at the end, in words.
fn its_place(recording: &Recording, thread: ThreadId) -> String {
    let Some(index) = recording.pending.iter().position(|pending| pending.thread == thread) else {
        return "still runs".to_string();
    };
    match recording.pending_place(index) {
        _ if recording.pending[index].operation.code == thread::START => "has not started yet".to_string(),
        Some(place) => format!("still runs (at {place})"),
        None => "still runs".to_string(),
    }
}
