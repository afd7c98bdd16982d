//! Explains a livelock: threads that repeat the same steps forever.

use std::collections::BTreeSet;

use heddle_model::finding::{Location, Note};
use heddle_model::primitive::{atomic, mutex, rwlock, semaphore, spin, yielding};
use heddle_model::round::Claim;
use heddle_model::{Event, EventFlags, Footprint, Mode, Outcome, Pending, ThreadId};

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

/// Explains the cycle at the end of `recording`.
pub fn explain(recording: &Recording, names: &Names) -> Explanation {
    let events = recording.events.len();
    let (length, claim) = match recording.outcome {
        Outcome::Cycle { length, claim } => ((length as usize).min(events), claim),
        _ => (events, Claim::Suspected),
    };
    let from = events - length;
    let round = || recording.events.iter().enumerate().skip(from);
    let mut threads: Vec<ThreadId> = round().map(|(_, event)| event.thread).collect();
    threads.sort();
    threads.dedup();
    let starving = if claim == Claim::Starvation { starving(recording, from) } else { Vec::new() };
    let mut notes: Vec<Note> = Vec::new();
    for &thread in starving.iter().chain(threads.iter().filter(|thread| !starving.contains(thread))) {
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
    let told = |threads: &[ThreadId]| -> String {
        threads.iter().map(|&thread| names.thread(thread)).collect::<Vec<_>>().join(" and ")
    };
    let others: Vec<ThreadId> = threads.iter().copied().filter(|thread| !starving.contains(thread)).collect();
    let who = told(&threads);
    let (loops, looks) = if threads.len() == 1 { ("loops", "looks") } else { ("loop", "look") };
    let steps = if length == 1 { "1 step".to_owned() } else { format!("{length} steps") };
    let again = format!("after {steps} the state is the same again");
    let message = match claim {
        Claim::Suspected | Claim::Livelock => format!("{who} {loops} for ever: {again}"),
        Claim::Endless => format!("the program does not end: {who} {loops} for ever; {again}"),
        Claim::Idle => format!("no progress: {who} {loops} for ever without heddle_progress(); {again}"),
        Claim::Starvation => {
            let starves = if starving.len() == 1 { "starves" } else { "starve" };
            let go = if others.len() == 1 { "goes" } else { "go" };
            format!("{} {starves} while {} {go} on for ever: {again}", told(&starving), told(&others))
        }
        Claim::Formula if length == 0 => "the program ends, and it did not hold until then".to_owned(),
        Claim::Formula => format!("{who} {loops} for ever; {again}"),
        Claim::Stuck => format!("some threads wait for ever while {who} {loops}; {again}"),
        Claim::Vain => format!("{who} {looks} for ever for what nobody does: {again}"),
    };
    let location = round().find_map(|(index, _)| recording.place(index)).cloned();
    let waits = starving.first().and_then(|thread| recording.pending.iter().position(|one| one.thread == *thread));
    let location = waits.and_then(|index| recording.pending_place(index)).cloned().or(location);
    if claim == Claim::Starvation {
        for &thread in &starving {
            if let Some(index) = recording.pending.iter().position(|one| one.thread == thread) {
                let pending = &recording.pending[index];
                let object = steps::object(&pending.operation, names).full;
                let message = format!(
                    "{} never gets on: {} {object}",
                    names.thread(thread),
                    words::operation(&pending.operation)
                );
                notes.insert(
                    0,
                    Note { message: message.trim_end().to_owned(), location: recording.pending_place(index).cloned() },
                );
            }
        }
    }
    threads.extend(starving);
    threads.sort();
    threads.dedup();
    Explanation { message, location, notes, threads }
}

/// The threads that never get on in the cycle that begins at event `from`: they wait, or only look. A thread that waits for the end of another
/// one is none of them if there are others.
fn starving(recording: &Recording, from: usize) -> Vec<ThreadId> {
    let only_looks = |event: &Event| {
        let footprint = Footprint::of(event);
        let reads = footprint.accesses().iter().all(|access| access.mode == Mode::Read);
        !footprint.is_everything() && (reads || event.flags.contains(EventFlags::UNCHANGED))
    };
    let never = recording.pending.iter().filter(|pending| {
        let mut own = recording.events[from..].iter().filter(|event| event.thread == pending.thread);
        own.all(only_looks)
    });
    let (joining, others): (Vec<&Pending>, Vec<&Pending>) =
        never.partition(|pending| pending.operation.object.as_thread().is_some());
    let chosen = if others.is_empty() { joining } else { others };
    chosen.into_iter().map(|pending| pending.thread).collect()
}
