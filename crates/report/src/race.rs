//! Explains a data race.

use heddle_model::finding::{Location, Note};
use heddle_model::race::Race;
use heddle_model::trace::{Action, TraceStep};
use heddle_model::wire;
use heddle_model::{ObjectId, ThreadId};

use crate::names::{Name, Names, short};
use crate::recording::{is_user, user_frame};
use crate::{Recording, words};

/// The explanation of a data race.
pub struct Explanation {
    /// The race in one line.
    pub message: String,
    /// The source location of the later access.
    pub location: Option<Location>,
    /// Both accesses, the later one first, with their call stacks.
    pub notes: Vec<Note>,
    /// The threads of the two accesses, the later one first.
    pub threads: Vec<ThreadId>,
}

/// Explains the data race that ended `recording`. `None` if none did.
pub fn explain(recording: &Recording, names: &Names) -> Option<Explanation> {
    let race = recording.outcome.race()?;
    let name = name(race, recording, names).full;
    let later_at = user_frame(&recording.end_stack).cloned();
    let earlier_at = user_frame(&recording.earlier_stack).cloned();
    let (later_who, earlier_who) = (names.thread(race.later_thread), names.thread(race.earlier_thread));
    let mut notes = vec![
        Note {
            message: format!("{later_who} {} {name} here", words::accesses(race.later)),
            location: later_at.clone(),
        },
        Note { message: format!("{earlier_who} {} it here", words::accesses(race.earlier)), location: earlier_at },
    ];
    // The callers of each access, if there are any.
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
    if race.later.ends() || race.earlier.ends() {
        notes.push(Note {
            message: "a local variable lives until its function returns or its thread ends".to_string(),
            location: None,
        });
    }
    let message = format!(
        "{name}: {later_who} {} it, {earlier_who} {} it, and nothing orders the two",
        words::accesses(race.later),
        words::accesses(race.earlier)
    );
    Some(Explanation { message, location: later_at, notes, threads: vec![race.later_thread, race.earlier_thread] })
}

/// The two accesses as steps. Neither is a step of the schedule, because nothing orders them.
pub fn accesses(recording: &Recording, names: &Names) -> Vec<TraceStep> {
    let Some(race) = recording.outcome.race() else { return Vec::new() };
    let (object, short) = name(race, recording, names).of_step();
    let access = |thread, how, stack: &[Location]| TraceStep {
        object: object.clone(),
        short: short.clone(),
        at: user_frame(stack).cloned(),
        ..TraceStep::new(thread, Action::Access(how))
    };
    vec![
        access(race.earlier_thread, race.earlier, &recording.earlier_stack),
        access(race.later_thread, race.later, &recording.end_stack),
    ]
}

/// The name of the memory that is accessed: a variable, a part of a heap block or of a thread's stack, or an address.
fn name(race: &Race, recording: &Recording, names: &Names) -> Name {
    if let Some(name) = recording.objects.get(&ObjectId(race.address)) {
        return Name { full: format!("`{name}`"), short: name.clone() };
    }
    let size = bytes(race.size);
    if let Some((block, length)) = recording.block {
        let offset = race.address.saturating_sub(block);
        return Name::plain(format!("{size} at offset {offset} of a heap block of {}", bytes(length)));
    }
    if let Some(place) = recording.whereabouts.get(&ObjectId(race.address)) {
        return Name::plain(format!("{size} {place}"));
    }
    let stacks = wire::STACKS..wire::ADDRESS as u64;
    if stacks.contains(&race.address) {
        let thread = ThreadId(((race.address - wire::STACKS) / wire::STACK_STRIDE) as u16);
        let Name { full, short } = names.name(ObjectId::thread(thread));
        return Name {
            full: format!("{size} on the stack of {full}"),
            short: format!("{size} on the stack of {short}"),
        };
    }
    Name::plain(format!("{size} at {:#x}", race.address))
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_string() } else { format!("{count} bytes") }
}
