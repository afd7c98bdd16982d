//! Threads that go round for ever, told.

use heddle_model::finding::{Location, Note};
use heddle_model::primitive::yielding;
use heddle_model::{Outcome, ThreadId};

use crate::names::Names;
use crate::{Recording, steps, words};

/// So many places are named.
const NAMED: usize = 8;

/// A livelock in words.
pub struct Told {
    /// In one line.
    pub message: String,
    /// Where the round begins.
    pub location: Option<Location>,
    /// What each thread does in it, and where.
    pub notes: Vec<Note>,
    /// Who takes part.
    pub threads: Vec<ThreadId>,
}

/// The livelock that `recording` ends with.
pub fn explain(recording: &Recording, names: &Names) -> Told {
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
            let what = format!("{} {}", words::operation(&event.operation), steps::object(&event.operation, names));
            let in_vain = if event.failed() { ", in vain" } else { "" };
            let message = format!("{}: {}{in_vain}", names.thread(thread), what.trim_end());
            let note = Note { message, location: recording.place(index).cloned() };
            if !notes.contains(&note) && notes.len() < NAMED {
                notes.push(note);
            }
        }
    }
    let who: Vec<String> = threads.iter().map(|&thread| names.thread(thread)).collect();
    let message = match who.as_slice() {
        [one] => format!("{one} goes round for ever: after {length} steps everything is as it was"),
        _ => format!("{} go round for ever: after {length} steps everything is as it was", who.join(" and ")),
    };
    let location = round().find_map(|(index, _)| recording.place(index)).cloned();
    Told { message, location, notes, threads }
}
