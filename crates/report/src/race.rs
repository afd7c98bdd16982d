//! A data race, told.

use heddle_model::finding::{Location, Note};
use heddle_model::race::Race;
use heddle_model::trace::{Action, TraceStep};
use heddle_model::wire;
use heddle_model::{ObjectId, ThreadId};

use crate::names::{Names, short};
use crate::recording::{is_user, user_frame};
use crate::{Recording, words};

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
    let race = recording.outcome.race()?;
    let name = name(race, recording, names);
    let later_at = user_frame(&recording.end_stack).cloned();
    let earlier_at = user_frame(&recording.earlier_stack).cloned();
    let (later_who, earlier_who) = (names.thread(race.later_thread), names.thread(race.earlier_thread));
    let mut notes = vec![
        Note {
            message: format!("{later_who} {} {name} here", words::accesses(race.later)),
            location: later_at.clone(),
        },
        Note {
            message: format!("{earlier_who} {} it here, and nothing orders the two", words::accesses(race.earlier)),
            location: earlier_at,
        },
    ];
    // How each of them came there, where that is more than one function.
    for (who, stack) in [(&later_who, &recording.end_stack), (&earlier_who, &recording.earlier_stack)] {
        let frames = stack.iter().filter(|at| is_user(at)).skip(1);
        notes.extend(frames.map(|at| Note {
            message: format!("{who}: called from {}", short(&at.function)),
            location: Some(at.clone()),
        }));
    }
    if let Some(at) = recording.block.and(recording.more_stacks.first()).and_then(|stack| user_frame(stack)) {
        notes.push(Note { message: "the block was allocated here".to_string(), location: Some(at.clone()) });
    }
    if race.later.is_volatile() || race.earlier.is_volatile() {
        notes
            .push(Note { message: "it is volatile, which orders nothing between threads".to_string(), location: None });
    }
    let message = format!(
        "{name}: {later_who} {} it, {earlier_who} {} it, and nothing orders the two",
        words::accesses(race.later),
        words::accesses(race.earlier)
    );
    Some(Told { message, location: later_at, notes, threads: vec![race.later_thread, race.earlier_thread] })
}

/// The two accesses as steps: neither is a step of the schedule, for nothing orders them.
pub fn accesses(recording: &Recording, names: &Names) -> Vec<TraceStep> {
    let Some(race) = recording.outcome.race() else { return Vec::new() };
    let object = name(race, recording, names);
    let access = |thread, how, stack: &[Location]| TraceStep {
        object: object.clone(),
        at: user_frame(stack).cloned(),
        ..TraceStep::new(thread, Action::Access(how))
    };
    vec![
        access(race.earlier_thread, race.earlier, &recording.earlier_stack),
        access(race.later_thread, race.later, &recording.end_stack),
    ]
}

/// What is accessed: a variable by its name, a part of a block of the heap, of a thread's stack, or some bytes.
fn name(race: &Race, recording: &Recording, names: &Names) -> String {
    if let Some(name) = recording.objects.get(&ObjectId(race.address)) {
        return format!("`{name}`");
    }
    let size = bytes(race.size);
    if let Some((block, length)) = recording.block {
        let offset = race.address.saturating_sub(block);
        return format!("{size} at offset {offset} of a heap block of {}", bytes(length));
    }
    if let Some(place) = recording.whereabouts.get(&ObjectId(race.address)) {
        return format!("{size} {place}");
    }
    let stacks = wire::STACKS..wire::STACKS + wire::STACK_STRIDE * (u16::MAX as u64 + 1);
    if stacks.contains(&race.address) {
        let thread = ThreadId(((race.address - wire::STACKS) / wire::STACK_STRIDE) as u16);
        return format!("{size} on the stack of {}", names.thread(thread));
    }
    format!("{size} at {:#x}", race.address)
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_string() } else { format!("{count} bytes") }
}
