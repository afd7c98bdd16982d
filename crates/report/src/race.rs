//! A data race, told.

use heddle_model::finding::{Location, Note};
use heddle_model::race::{Access, Race};
use heddle_model::trace::TraceStep;
use heddle_model::{ObjectId, ThreadId};

use crate::Recording;
use crate::names::Names;
use crate::recording::user_frame;

/// A race in words.
pub struct Told {
    /// In one line.
    pub message: String,
    /// Where the later access is.
    pub location: Option<Location>,
    /// Both accesses, the later one first.
    pub notes: Vec<Note>,
    /// Who accessed.
    pub threads: Vec<ThreadId>,
}

/// The race that ended `recording`.
pub fn explain(recording: &Recording, names: &Names) -> Option<Told> {
    let race = Race::from_text(&recording.message)?;
    let name = name(recording, &race);
    let later_at = user_frame(&recording.end_stack).cloned();
    let earlier_at = user_frame(&recording.earlier_stack).cloned();
    let (later_who, earlier_who) = (names.thread(race.later_thread), names.thread(race.earlier_thread));
    let notes = vec![
        Note { message: format!("{later_who} {} {name} here", verb(race.later)), location: later_at.clone() },
        Note {
            message: format!("{earlier_who} {} it here, and nothing orders the two", verb(race.earlier)),
            location: earlier_at,
        },
    ];
    let message = format!(
        "{name}: {later_who} {} it, {earlier_who} {} it, and nothing orders the two",
        verb(race.later),
        verb(race.earlier)
    );
    Some(Told { message, location: later_at, notes, threads: vec![race.later_thread, race.earlier_thread] })
}

/// The two accesses as steps: neither is a step of the schedule, for nothing orders them.
pub fn accesses(recording: &Recording) -> Vec<TraceStep> {
    let Some(race) = Race::from_text(&recording.message) else { return Vec::new() };
    let object = name(recording, &race);
    let access = |thread, how, stack: &[Location]| TraceStep {
        thread,
        operation: verb(how).to_string(),
        object: object.clone(),
        at: user_frame(stack).cloned(),
        ..TraceStep::default()
    };
    vec![
        access(race.earlier_thread, race.earlier, &recording.earlier_stack),
        access(race.later_thread, race.later, &recording.end_stack),
    ]
}

/// What the race is on.
fn name(recording: &Recording, race: &Race) -> String {
    match recording.objects.get(&ObjectId(race.address)) {
        Some(name) => format!("`{name}`"),
        None => match recording.whereabouts.get(&ObjectId(race.address)) {
            Some(place) => format!("{} {place}", bytes(race.size)),
            None => format!("{} at {:#x}", bytes(race.size), race.address),
        },
    }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_string() } else { format!("{count} bytes") }
}

fn verb(how: Access) -> &'static str {
    match (how.writes(), how.is_atomic()) {
        _ if how.frees() => "frees",
        (false, false) => "reads",
        (true, false) => "writes",
        (false, true) => "atomically reads",
        (true, true) => "atomically writes",
    }
}
