//! Explains a livelock: threads that repeat the same steps forever.

use std::collections::BTreeSet;

use heddle_model::finding::{Location, Note};
use heddle_model::primitive::{atomic, mutex, rwlock, semaphore, spin, yielding};
use heddle_model::{Event, EventFlags, Outcome, ThreadId};

use crate::names::Names;
use crate::{Recording, steps, words};

/// The largest number of steps that the explanation names.
const NAMED: usize = 8;

/// The explanation of a livelock.
pub struct Explanation {
    /// The livelock in one line.
    pub message: String,
    /// The source location at which the round begins.
    pub location: Option<Location>,
    /// What each thread does in the round, and where.
    pub notes: Vec<Note>,
    /// The threads that run in the round.
    pub threads: Vec<ThreadId>,
}

/// What the threads of a round do that can repeat for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoundKind {
    /// No thread gets anywhere: a livelock.
    InVain,
    /// Some threads get where they want again and again, and others never: they starve.
    Starves,
    /// Every thread gets where it wants, again and again: the program is endless.
    Passes,
}

/// What the threads of `round`, the events that can repeat for ever, do.
///
/// A thread passes if it acquires a lock, changes an atomic by a read-modify-write, or waits for a value and sees it: a look at the
/// same place has two results in the round, or could have been in vain. But it does not pass if it tries something in vain that it never
/// gets in the round: an attempt that fails, a read-modify-write that changes nothing, or a look at what another thread changes.
pub fn kind_of(round: &[Event]) -> RoundKind {
    let changes = |event: &Event| {
        let code = event.operation.code;
        let writes = code == atomic::STORE || code == atomic::RMW || code == atomic::COMPARE_EXCHANGE;
        writes && !event.failed() && !event.flags.contains(EventFlags::UNCHANGED)
    };
    let passes = |thread: ThreadId| {
        let own = || round.iter().filter(|event| event.thread == thread);
        let acquires = |event: &Event| match event.operation.code.family() {
            _ if event.failed() => false,
            mutex::FAMILY => event.operation.code != mutex::UNLOCK,
            rwlock::FAMILY => event.operation.code != rwlock::UNLOCK,
            spin::FAMILY => event.operation.code != spin::UNLOCK,
            semaphore::FAMILY => event.operation.code != semaphore::POST,
            atomic::FAMILY => event.operation.code != atomic::STORE && changes(event),
            _ => false,
        };
        let looks = |event: &&Event| event.operation.code == atomic::LOAD;
        let sees = own().filter(looks).any(|event| {
            // A look that can be in vain is an event only if it is not.
            let got_through = event.state != 0;
            let same_place = |other: &&Event| (other.operation.object, other.pc) == (event.operation.object, event.pc);
            got_through || own().filter(looks).filter(same_place).any(|other| other.result != event.result)
        });
        let gets =
            |tried: &Event| own().any(|event| event.operation.object == tried.operation.object && acquires(event));
        let in_vain = |event: &Event| {
            let code = event.operation.code;
            let looks_at = |other: &Event| other.thread != thread && other.operation.object == event.operation.object;
            let same = code == atomic::RMW && event.flags.contains(EventFlags::UNCHANGED);
            let looked = code == atomic::LOAD && !sees && round.iter().any(|other| looks_at(other) && changes(other));
            (event.failed() || same || looked) && !gets(event)
        };
        (sees || own().any(acquires)) && !own().any(in_vain)
    };
    let threads: BTreeSet<ThreadId> = round.iter().map(|event| event.thread).collect();
    match threads.iter().filter(|thread| passes(**thread)).count() {
        0 => RoundKind::InVain,
        all if all == threads.len() => RoundKind::Passes,
        _ => RoundKind::Starves,
    }
}

/// Explains the livelock at the end of `recording`.
pub fn explain(recording: &Recording, names: &Names) -> Explanation {
    let events = recording.events.len();
    let length = match recording.outcome {
        Outcome::Livelock { length } => (length as usize).min(events),
        _ => events,
    };
    let from = events - length;
    let round = || recording.events.iter().enumerate().skip(from);
    let mut threads: Vec<ThreadId> = round().map(|(_, event)| event.thread).collect();
    threads.sort();
    threads.dedup();
    let mut notes: Vec<Note> = Vec::new();
    for &thread in &threads {
        for (index, event) in round().filter(|(_, event)| event.thread == thread) {
            if event.operation.code.family() == yielding::FAMILY {
                continue;
            }
            let what =
                format!("{} {}", words::operation(&event.operation), steps::object(&event.operation, names).full);
            let in_vain = if event.failed() { ", which fails" } else { "" };
            let message = format!("{}: {}{in_vain}", names.thread(thread), what.trim_end());
            let note = Note { message, location: recording.place(index).cloned() };
            if !notes.contains(&note) && notes.len() < NAMED {
                notes.push(note);
            }
        }
    }
    let who: Vec<String> = threads.iter().map(|&thread| names.thread(thread)).collect();
    let message = match who.as_slice() {
        [one] => format!("{one} loops for ever: after {length} steps the state is the same again"),
        _ => format!("{} loop for ever: after {length} steps the state is the same again", who.join(" and ")),
    };
    let location = round().find_map(|(index, _)| recording.place(index)).cloned();
    Explanation { message, location, notes, threads }
}
