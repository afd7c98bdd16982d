//! Turns a recorded execution into a finding.

use std::collections::BTreeMap;

use heddle_model::finding::{Cycle, Finding, FindingKind, FindingThread, Given, Location, Note};
use heddle_model::primitive::thread;
use heddle_model::round::Claim;
use heddle_model::trace::{StepResult, TraceStep};
use heddle_model::{Death, Ending, Execution, ObjectId, Outcome, Properties, ThreadId};

use crate::deadlock::{self, Wait};
use crate::names::Names;
use crate::outcome::{Class, classify, signal_name};
use crate::recording::user_frame;
use crate::walk::{self, Walk};
use crate::{Recording, fault, race, steps, words};
use crate::{livelock, misuse};

/// A finding with its steps, and a key that identifies the bug.
#[derive(Clone, Debug)]
pub struct Recognised {
    /// The finding. The caller adds its id, count and files.
    pub finding: Finding,
    /// The start function of each thread.
    pub threads: BTreeMap<ThreadId, String>,
    /// The steps of the execution.
    pub steps: Vec<TraceStep>,
    /// What the remaining threads were doing at the end.
    pub last: Vec<TraceStep>,
    /// The indices of the steps at which the explanation of the finding begins.
    pub focus: Vec<u32>,
    /// The identity of the bug, made of kind, source locations and effect. Two findings with equal keys are one.
    pub key: String,
}

/// The finding of `recording`. `None` if the execution shows no violation of `properties`.
pub fn recognise(recording: &Recording, properties: &Properties) -> Option<Recognised> {
    let Class::Finding(kind) = classify(&view(recording), properties) else { return None };
    let walk = walk::walk(&recording.events, &recording.pending);
    let names = Names::of(recording);
    let What { message, location, notes, named, involved } = what(kind, recording, &names, &walk);

    let mut key = format!("{kind}|{message}");
    // The message of a deadlock names threads. If the threads exchange roles at the same locations, it is still one
    // bug.
    if matches!(kind, FindingKind::Deadlock | FindingKind::PartialDeadlock) {
        let mut places: Vec<String> = involved.iter().map(|&thread| waiting_place(recording, thread)).collect();
        places.sort();
        key = format!("{kind}|{}", places.join("|"));
    } else if kind == FindingKind::DataRace {
        // One finding for each pair of locations, in either order.
        let mut places: Vec<String> = notes.iter().take(2).map(|note| place(&note.location)).collect();
        places.sort();
        key = format!("{kind}|{}", places.join("|"));
    } else if matches!(kind, FindingKind::Memory | FindingKind::Leak) {
        // One finding for each effect and its locations, whatever the thread and the block.
        let what = message.split(':').next().unwrap_or_default();
        let places: Vec<String> = notes.iter().map(|note| place(&note.location)).collect();
        key = format!("{kind}|{what}|{}|{}", place(&location), places.join("|"));
    } else {
        key.push('|');
        key.push_str(&place(&location));
    }

    let mut finding = Finding {
        id: String::new(),
        kind,
        message,
        location,
        count: 1,
        execution: 0,
        sample: None,
        threads: threads(recording, &names, &walk, &involved),
        switches: count(&walk.switches),
        preemptions: count(&walk.preemptions),
        minimal: false,
        certain: true,
        inputs: Vec::new(),
        cycle: cycle(recording),
        trace: None,
        notes,
    };
    let steps = steps::steps(recording, &names, &walk);
    finding.inputs = inputs(&steps);
    let last = steps::last(recording, &names);
    let focus = focus(recording, &walk, &involved, &named);
    Some(Recognised { finding, threads: names.functions().clone(), steps, last, focus, key })
}

/// The values that the program was given.
fn inputs(steps: &[TraceStep]) -> Vec<Given> {
    let mut inputs: Vec<Given> = Vec::new();
    for step in steps {
        let Some(StepResult::Input { value, of }) = step.result else { continue };
        let index = inputs.iter().filter(|input| input.thread == step.thread).count() as u32;
        inputs.push(Given { thread: step.thread, index, value: words::input(value, of), at: step.at.clone() });
    }
    inputs
}

/// The steps at which the explanation of a finding about `involved` begins: the last step of each of these threads, the
/// acquisitions of the locks that they wait for, and the steps that its notes have `named`.
fn focus(recording: &Recording, walk: &Walk, involved: &[ThreadId], named: &[usize]) -> Vec<u32> {
    let mut focus: Vec<u32> = named.iter().map(|&index| index as u32).collect();
    for &thread in involved {
        focus.extend(recording.events.iter().rposition(|event| event.thread == thread).map(|index| index as u32));
        let pending = recording.pending.iter().find(|pending| pending.thread == thread);
        if let Some(Wait::Mutex(object, Some(_))) = pending.and_then(|pending| Wait::of(pending, walk)) {
            focus.extend(walk.holder(object, thread).map(|holder| holder.since as u32));
        }
    }
    focus.sort_unstable();
    focus.dedup();
    focus
}

/// The steps that are repeated for ever.
fn cycle(recording: &Recording) -> Option<Cycle> {
    match recording.outcome {
        Outcome::Cycle { length, .. } if length > 0 => {
            Some(Cycle { first: (recording.events.len() as u32).saturating_sub(length) + 1, length })
        }
        _ => None,
    }
}

/// The message and the source location of an end that is not a finding, such as an unsupported call.
pub fn describe_end(recording: &Recording) -> (String, Option<Location>) {
    (recording.message.clone(), user_frame(&recording.end_stack).cloned())
}

fn view(recording: &Recording) -> Execution<'_> {
    Execution {
        events: &recording.events,
        pending: &recording.pending,
        outcome: recording.outcome,
        circle: recording.circle,
        left: 0,
        thread: recording.thread,
        message: &recording.message,
        output: &recording.output,
        races: &[],
        states: &[],
        touches: &[],
        contents: &[],
    }
}

/// The source location at which a thread waits. If it is unknown, what the thread waits for.
fn waiting_place(recording: &Recording, thread: ThreadId) -> String {
    let Some(index) = recording.pending.iter().position(|pending| pending.thread == thread) else {
        return String::new();
    };
    match recording.pending_place(index) {
        Some(at) => place(&Some(at.clone())),
        None => format!("{:x}", recording.pending[index].pc),
    }
}

fn place(location: &Option<Location>) -> String {
    location.as_ref().map_or(String::new(), |at| format!("{}:{}:{}", at.file, at.line, at.column))
}

fn count(marks: &[bool]) -> u32 {
    marks.iter().filter(|mark| **mark).count() as u32
}

struct What {
    message: String,
    location: Option<Location>,
    notes: Vec<Note>,
    /// The indices of the events that the notes name.
    named: Vec<usize>,
    /// The threads that the finding concerns.
    involved: Vec<ThreadId>,
}

fn what(kind: FindingKind, recording: &Recording, names: &Names, walk: &Walk) -> What {
    let in_vain = matches!(recording.outcome, Outcome::Cycle { claim: Claim::Vain, .. });
    if matches!(kind, FindingKind::Deadlock | FindingKind::PartialDeadlock) && !in_vain {
        let deadlock = deadlock::explain(recording, names, walk);
        let while_others = if kind == FindingKind::Deadlock { "" } else { ", while other threads run" };
        return What {
            message: deadlock.message + while_others,
            location: deadlock.location,
            notes: deadlock.notes,
            named: deadlock.named,
            involved: deadlock.threads,
        };
    }
    if kind == FindingKind::DataRace
        && let Some(told) = race::explain(recording, names)
    {
        return What {
            message: told.message,
            location: told.location,
            notes: told.notes,
            named: Vec::new(),
            involved: told.threads,
        };
    }
    if matches!(recording.outcome, Outcome::Cycle { .. }) {
        let told = livelock::explain(recording, names);
        return What {
            message: told.message,
            location: told.location,
            notes: told.notes,
            named: Vec::new(),
            involved: told.threads,
        };
    }
    if kind == FindingKind::Misuse
        && let Some(told) = misuse::explain(recording, names)
    {
        return What {
            message: told.message,
            location: told.location,
            notes: told.notes,
            named: Vec::new(),
            involved: told.threads,
        };
    }
    let last = recording.events.len().checked_sub(1);
    let at_last = last.and_then(|index| recording.place(index)).cloned();
    let at_end = user_frame(&recording.end_stack).cloned();
    let location = if recording.outcome.is_ended() { at_last.or(at_end) } else { at_end.or(at_last) };
    let who = names.thread(recording.thread);
    if matches!(kind, FindingKind::Memory | FindingKind::Leak)
        && let Some(told) = fault::explain(recording, names, &who)
    {
        let location = if kind == FindingKind::Leak {
            told.notes.first().and_then(|note| note.location.clone())
        } else {
            location
        };
        let involved = [vec![recording.thread], told.threads].concat();
        return What { message: told.message, location, notes: told.notes, named: Vec::new(), involved };
    }
    if let (FindingKind::Failed, Some(status)) = (kind, recording.outcome.ending().and_then(Ending::exit_status)) {
        let message = format!("the program exits with status {status}");
        let printed = recording.printed.as_ref();
        let location = printed.map(|printed| printed.location.clone()).or(location);
        let notes = printed.map(|printed| Note { message: printed.text.clone(), location: location.clone() });
        return What {
            message,
            location,
            notes: notes.into_iter().collect(),
            named: Vec::new(),
            involved: vec![recording.thread],
        };
    }
    let message = match kind {
        FindingKind::Assertion => match recording.message.as_str() {
            "" => "an assertion failed".to_string(),
            text => format!("assertion `{text}` failed"),
        },
        FindingKind::Abort => match recording.message.as_str() {
            "" => format!("{who} called abort"),
            text => format!("{who} called abort: {text}"),
        },
        FindingKind::Crash => crash(recording, names, &who),
        FindingKind::Undefined => recording.message.clone(),
        FindingKind::Misuse if let Some(Ending::Waits { code }) = recording.outcome.ending() => {
            let what = words::full_name(code);
            format!("{who} blocks inside an atomic section, where no other thread can run: {what}")
        }
        FindingKind::Hang => format!("{who} keeps running without a visible operation"),
        other => format!("{other}: {}", recording.message),
    };
    What { message, location, notes: Vec::new(), named: Vec::new(), involved: vec![recording.thread] }
}

/// The signal of an invalid instruction.
const SIGILL: u8 = 4;

/// What killed the process, and the address that it accessed, if known.
fn crash(recording: &Recording, names: &Names, who: &str) -> String {
    let signal = match recording.outcome {
        Outcome::Ended { ending: Ending::Crash { overflow: true, .. }, .. } => {
            return format!("{who} overflowed its stack");
        }
        Outcome::Ended { ending: Ending::Crash { signal, .. }, .. } => signal,
        Outcome::Killed(Death::Signal(signal)) => return format!("{who} was killed by {}", signal_name(signal)),
        _ => return format!("{who} was killed"),
    };
    let object = recording.events.last().map_or(ObjectId::NONE, |end| end.operation.object);
    // Only these two signals report an address.
    let fault = match fault::of_crash(recording, names, who) {
        text if text.is_empty() && matches!(signal, 7 | 11) => format!(" at address {:#x}", object.0),
        text => text,
    };
    // Both compilers put an invalid instruction where the program cannot go on.
    let why = match signal {
        SIGILL => {
            ": a function that must return a value ended without `return`, or the program called `__builtin_trap`"
        }
        _ => "",
    };
    format!("{who} was killed by {}{fault}{why}", signal_name(signal))
}

/// Every thread that had not ended, and the threads in `involved` even if they have ended.
fn threads(recording: &Recording, names: &Names, walk: &Walk, involved: &[ThreadId]) -> Vec<FindingThread> {
    let holds = |thread: ThreadId| {
        let mut held: Vec<_> = walk.held().filter(|(_, holder)| holder.thread == thread).collect();
        held.sort_by_key(|(_, holder)| holder.since);
        held.into_iter().map(|(object, _)| names.object(object)).collect::<Vec<_>>()
    };
    let mut threads: Vec<FindingThread> = Vec::new();
    for (index, pending) in recording.pending.iter().enumerate() {
        // The thread has taken its last announced operation and is running.
        let at_end =
            matches!(recording.outcome, Outcome::Hang | Outcome::Race(_)) && pending.thread == recording.thread;
        let runs = at_end || pending.operation.runs_forever();
        let state = match Wait::of(pending, walk) {
            _ if runs => "runs".to_string(),
            Some(wait) => wait.describe(names),
            None if matches!(recording.outcome, Outcome::Cycle { claim: Claim::Suspected, .. })
                && pending.thread == recording.thread =>
            {
                "runs".to_string()
            }
            None if pending.operation.code == thread::START => "has not begun".to_string(),
            None => {
                let (verb, object) =
                    (words::operation(&pending.operation), steps::object(&pending.operation, names).full);
                format!("is about to {verb} {object}").trim_end().to_string()
            }
        };
        threads.push(FindingThread {
            id: pending.thread,
            name: names.function(pending.thread).to_string(),
            state,
            holds: holds(pending.thread),
            at: recording.pending_place(index).cloned(),
            stack: recording.pending_stacks.get(index).cloned().unwrap_or_default(),
        });
    }
    for &thread in involved {
        if threads.iter().any(|known| known.id == thread) {
            continue;
        }
        let last = recording.events.iter().rposition(|event| event.thread == thread);
        threads.push(FindingThread {
            id: thread,
            name: names.function(thread).to_string(),
            state: last.map_or(String::new(), |i| match &recording.events[i].operation {
                operation if operation.code == thread::EXIT => "has ended".to_string(),
                operation => words::operation(operation),
            }),
            holds: holds(thread),
            at: last.and_then(|i| recording.place(i)).cloned(),
            stack: last.and_then(|i| recording.stacks.get(i)).cloned().unwrap_or_default(),
        });
    }
    // A thread that has ended can still hold a mutex that others wait for.
    let mut ended: Vec<ThreadId> = walk.held().map(|(_, holder)| holder.thread).collect();
    ended.sort();
    ended.dedup();
    for thread in ended {
        if threads.iter().any(|known| known.id == thread) {
            continue;
        }
        threads.push(FindingThread {
            id: thread,
            name: names.function(thread).to_string(),
            state: "has ended".to_string(),
            holds: holds(thread),
            ..FindingThread::default()
        });
    }
    threads.sort_by_key(|thread| thread.id);
    threads
}
