//! Explains a deadlock: which thread waits for which.
//!
//! Each remaining thread waits for one thing, so the wait-for graph has at most one edge out of each thread. Every path
//! ends in one of three ways: at a thread that waits for no particular thread (a signal that does not come), at a
//! thread that has ended, or in a cycle.

use heddle_model::finding::{Location, Note};
use heddle_model::primitive::{barrier, condvar, custom, futex, mutex, once, rwlock, semaphore, spin, thread};
use heddle_model::{Event, ObjectId, Pending, ThreadId};

use crate::Recording;
use crate::names::Names;
use crate::walk::Walk;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// A mutex or another lock, and the thread that holds it, which may be the waiting thread itself.
    Mutex(ObjectId, Option<ThreadId>),
    /// A read-write lock that the thread wants to write and itself holds as a reader.
    Upgrade(ObjectId, ThreadId),
    /// A waiting writer of a read-write lock that prefers writers.
    Writer(ObjectId, Option<ThreadId>),
    /// The end of a thread.
    End(ThreadId),
    /// A signal on a condition variable.
    Signal(ObjectId),
    /// A one-time initialisation, and the thread that runs it, which may be the waiting thread itself.
    Once(ObjectId, Option<ThreadId>),
    /// A write to a place that the thread reads in a loop.
    Change(ObjectId),
    /// A change under a mutex that the thread locks and unlocks in a loop.
    Poll(ObjectId),
    /// Other threads at a barrier.
    Others(ObjectId),
    /// A wake-up on a futex.
    Wakeup(ObjectId),
    /// Another state of a custom primitive.
    Turn(ObjectId),
    /// A post of a semaphore.
    Post(ObjectId),
    /// Anything else.
    Other,
}

impl Wait {
    /// What the thread of `pending` waits for. `None` if it is enabled.
    pub fn of(pending: &Pending, walk: &Walk) -> Option<Wait> {
        if pending.enabled != 0 {
            return None;
        }
        let operation = &pending.operation;
        let locked =
            |mutex: ObjectId| Wait::Mutex(mutex, walk.holder(mutex, pending.thread).map(|holder| holder.thread));
        if operation.code == mutex::POLL {
            return Some(Wait::Poll(operation.object));
        }
        if pending.waits_in_loop() {
            return Some(Wait::Change(operation.object));
        }
        Some(match operation.code {
            rwlock::READ_LOCK | rwlock::TIMED_READ_LOCK if !walk.holders.contains_key(&operation.object) => {
                // There is no writer, so the reader waits for a waiting writer.
                Wait::Writer(operation.object, walk.arrived.get(&operation.object).copied())
            }
            rwlock::WRITE_LOCK | rwlock::TIMED_WRITE_LOCK if walk.reads(operation.object, pending.thread) => {
                Wait::Upgrade(operation.object, pending.thread)
            }
            mutex::LOCK | mutex::TIMEDLOCK | spin::LOCK => locked(operation.object),
            rwlock::READ_LOCK | rwlock::WRITE_LOCK | rwlock::TIMED_READ_LOCK | rwlock::TIMED_WRITE_LOCK => {
                locked(operation.object)
            }
            barrier::LEAVE => Wait::Others(operation.object),
            thread::JOIN | thread::TIMEDJOIN => operation.object.as_thread().map_or(Wait::Other, Wait::End),
            futex::AWAKEN => Wait::Wakeup(operation.object),
            condvar::AWAKEN => Wait::Signal(operation.object),
            condvar::REACQUIRE if walk.sleepers.contains_key(&pending.thread) => Wait::Signal(operation.object),
            condvar::REACQUIRE => locked(ObjectId(operation.argument)),
            once::BEGIN => {
                Wait::Once(operation.object, walk.running.get(&operation.object).map(|holder| holder.thread))
            }
            semaphore::WAIT | semaphore::TIMEDWAIT => Wait::Post(operation.object),
            code if code.family() == custom::FAMILY => Wait::Turn(operation.object),
            _ => Wait::Other,
        })
    }

    /// The thread that could end the wait, if it is a particular one.
    pub fn on(self) -> Option<ThreadId> {
        match self {
            Wait::Mutex(_, holder) | Wait::Once(_, holder) => holder,
            Wait::Writer(_, writer) => writer,
            Wait::End(thread) | Wait::Upgrade(_, thread) => Some(thread),
            _ => None,
        }
    }

    /// The wait in words: "waits for mutex `a`".
    pub fn describe(self, names: &Names) -> String {
        match self {
            Wait::Mutex(mutex, _) => format!("waits for {}", names.object(mutex)),
            Wait::Upgrade(lock, _) => format!("waits to write-lock {}", names.object(lock)),
            Wait::Writer(lock, _) => format!("waits to read-lock {}", names.object(lock)),
            Wait::End(thread) => format!("waits for the end of {}", names.thread(thread)),
            Wait::Once(once, _) => format!("waits for the end of {}", names.object(once)),
            Wait::Signal(condvar) => format!("waits for a signal on {}", names.object(condvar)),
            Wait::Change(object) => format!("waits in a loop for a change of {}", names.object(object)),
            Wait::Poll(mutex) => format!("waits in a loop for a change under {}", names.object(mutex)),
            Wait::Others(barrier) => format!("waits for others at {}", names.object(barrier)),
            Wait::Wakeup(futex) => format!("waits to be woken on {}", names.object(futex)),
            Wait::Post(semaphore) => format!("waits for a post of {}", names.object(semaphore)),
            Wait::Turn(object) => format!("waits for another state of {}", names.object(object)),
            Wait::Other => "waits".to_string(),
        }
    }
}

/// The explanation of a deadlock.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// The deadlock in one line.
    pub message: String,
    /// The source location to show first.
    pub location: Option<Location>,
    /// The waits of the threads, and where the locks that they wait for were acquired.
    pub notes: Vec<Note>,
    /// The indices of the events that the notes name: the signal that was lost, the lock that is held.
    pub named: Vec<usize>,
    /// The threads that cause the deadlock: the cycle, or all threads that wait for no other waiting thread.
    pub threads: Vec<ThreadId>,
}

/// Explains the deadlock at the end of `recording`.
pub fn explain(recording: &Recording, names: &Names, walk: &Walk) -> Deadlock {
    let waits: Vec<(usize, Wait)> =
        recording.pending.iter().enumerate().filter_map(|(i, p)| Some((i, Wait::of(p, walk)?))).collect();
    let wait_of = |thread: ThreadId| waits.iter().find(|(i, _)| recording.pending[*i].thread == thread).copied();

    let cycle = cycle(&waits, recording, wait_of);
    let threads = match &cycle {
        Some(cycle) => cycle.clone(),
        None => roots(&waits, recording, wait_of),
    };
    let mut notes = Vec::new();
    let mut named = Vec::new();
    for &thread in &threads {
        let Some((index, wait)) = wait_of(thread) else { continue };
        let place = recording.pending_place(index).cloned();
        notes.push(Note {
            message: format!(
                "{} {}{}",
                names.thread(thread),
                wait.describe(names),
                because(wait, thread, names, recording)
            ),
            location: place,
        });
        if let Wait::Signal(condvar) = wait {
            let (note, signal) = lost_signal(condvar, thread, names, recording);
            notes.extend(note);
            named.extend(signal);
        }
        if let Wait::Once(once, _) = wait
            && let Some(runner) = walk.running.get(&once)
        {
            named.push(runner.since);
            notes.push(Note {
                message: format!("{} began {} here", names.thread(runner.thread), names.object(once)),
                location: recording.place(runner.since).cloned(),
            });
        }
        if let Wait::Mutex(mutex, _) = wait
            && let Some(holder) = walk.holder(mutex, thread)
        {
            named.push(holder.since);
            notes.push(Note {
                message: format!("{} locked {} here", names.thread(holder.thread), names.object(mutex)),
                location: recording.place(holder.since).cloned(),
            });
        }
    }
    let location = threads.first().and_then(|&t| wait_of(t)).and_then(|(i, _)| recording.pending_place(i).cloned());
    let message = headline(cycle.as_deref(), &threads, wait_of, names, recording);
    Deadlock { message, location, notes, named, threads }
}

/// Explains why `waiter` gets no signal: the signal came before any thread waited, or it woke another thread, or no
/// thread sent one. The second value is the index of the signal.
fn lost_signal(
    condvar: ObjectId,
    waiter: ThreadId,
    names: &Names,
    recording: &Recording,
) -> (Option<Note>, Option<usize>) {
    let events = &recording.events;
    let signals = |event: &Event| {
        event.operation.object == condvar && matches!(event.operation.code, condvar::SIGNAL | condvar::BROADCAST)
    };
    let Some(slept) = events.iter().rposition(|event| {
        event.thread == waiter && event.operation.code == condvar::WAIT && event.operation.object == condvar
    }) else {
        return (None, None);
    };
    let early = events[..slept].iter().rposition(|event| signals(event) && event.failed());
    let elsewhere = events[slept..].iter().rposition(|event| signals(event) && !event.failed()).map(|at| at + slept);
    let what = names.object(condvar);
    let note = match (elsewhere, early) {
        (Some(at), _) => {
            let woken = ThreadId(events[at].result.saturating_sub(1) as u16);
            let signaller = names.thread(events[at].thread);
            let message = format!("{signaller} signalled {what} here, which woke {} instead", names.thread(woken));
            Note { message, location: recording.place(at).cloned() }
        }
        (None, Some(at)) => {
            let signaller = names.thread(events[at].thread);
            let message = format!("{signaller} signalled {what} here, before anyone waited: the signal was lost");
            Note { message, location: recording.place(at).cloned() }
        }
        (None, None) => Note { message: format!("nobody signalled {what}"), location: None },
    };
    (Some(note), elsewhere.or(early))
}

/// The cycle that contains the thread with the lowest id among all cycles. It starts with that thread.
fn cycle(
    waits: &[(usize, Wait)],
    recording: &Recording,
    wait_of: impl Fn(ThreadId) -> Option<(usize, Wait)>,
) -> Option<Vec<ThreadId>> {
    for (index, _) in waits {
        let start = recording.pending[*index].thread;
        let mut path = vec![start];
        while let Some(next) = wait_of(path[path.len() - 1]).and_then(|(_, wait)| wait.on()) {
            if next == start {
                return Some(path);
            }
            if path.contains(&next) {
                // This thread leads into the cycle but is not part of it. The cycle is found from a thread inside it.
                break;
            }
            path.push(next);
        }
    }
    None
}

/// The threads that wait for no other waiting thread. Without a cycle they cause the deadlock.
fn roots(
    waits: &[(usize, Wait)],
    recording: &Recording,
    wait_of: impl Fn(ThreadId) -> Option<(usize, Wait)>,
) -> Vec<ThreadId> {
    let is_root = |wait: &Wait| wait.on().and_then(&wait_of).is_none();
    waits.iter().filter(|(_, wait)| is_root(wait)).map(|(i, _)| recording.pending[*i].thread).collect()
}

fn has_ended(thread: ThreadId, recording: &Recording) -> bool {
    recording.pending.iter().all(|p| p.thread != thread)
}

/// Why a wait does not end, in words.
fn because(wait: Wait, waiter: ThreadId, names: &Names, recording: &Recording) -> String {
    match wait {
        Wait::Mutex(_, Some(holder)) if holder == waiter => ", which it holds itself".to_string(),
        Wait::Once(_, Some(runner)) if runner == waiter => ", which it runs itself".to_string(),
        Wait::Once(_, Some(runner)) => format!(", run by {}", names.thread(runner)),
        // Where it was locked is a note of its own.
        Wait::Mutex(_, Some(holder)) => {
            let ended = if has_ended(holder, recording) { ", which has ended" } else { "" };
            format!(", held by {}{ended}", names.thread(holder))
        }
        Wait::Upgrade(..) => ", which it has read-locked itself: it must unlock it first".to_string(),
        Wait::Writer(_, Some(writer)) => {
            format!(", which prefers writers: {} waits to write-lock it", names.thread(writer))
        }
        Wait::End(thread) if thread == waiter => ", that is, for itself".to_string(),
        Wait::Others(_) => ", and no thread is left to arrive".to_string(),
        Wait::Change(_) | Wait::Poll(_) => ", and no thread is left to make it".to_string(),
        Wait::Wakeup(_) | Wait::Turn(_) => ", and no thread is left to do it".to_string(),
        Wait::Signal(_) | Wait::Post(_) => ", and no thread is left to give it".to_string(),
        _ => String::new(),
    }
}

fn headline(
    cycle: Option<&[ThreadId]>,
    threads: &[ThreadId],
    wait_of: impl Fn(ThreadId) -> Option<(usize, Wait)>,
    names: &Names,
    recording: &Recording,
) -> String {
    let first = threads.first().and_then(|&thread| Some((thread, wait_of(thread)?.1)));
    match (cycle, first) {
        (Some([thread]), Some((_, Wait::Mutex(mutex, _)))) => {
            format!("{} waits for {}, which it holds itself", names.thread(*thread), names.object(mutex))
        }
        (Some([thread]), Some((_, Wait::Upgrade(lock, _)))) => {
            format!(
                "{} waits to write-lock {}, which it has read-locked itself",
                names.thread(*thread),
                names.object(lock)
            )
        }
        (Some([thread]), _) => format!("{} waits for itself", names.thread(*thread)),
        (Some(cycle), _) => {
            let list: Vec<String> = cycle.iter().map(|t| t.to_string()).collect();
            let (last, rest) = list.split_last().expect("a cycle is not empty");
            format!("threads {} and {last} wait for each other", rest.join(", "))
        }
        (None, Some((thread, Wait::Mutex(mutex, Some(holder))))) if has_ended(holder, recording) => {
            let (waiter, holder) = (names.thread(thread), names.thread(holder));
            format!("{waiter} waits for {}, which {holder} held when it ended", names.object(mutex))
        }
        (None, Some((thread, wait))) => {
            format!("{} {}, and no thread is left that can run", names.thread(thread), wait.describe(names))
        }
        (None, None) => "no thread can run".to_string(),
    }
}
