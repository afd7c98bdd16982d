//! Executions made by hand: a script of steps is taken through the model, so that the events are what a program that
//! does this would leave behind.

use std::collections::HashMap;

use heddle_model::finding::Location;
use heddle_model::follow::Step;
use heddle_model::primitive::{mutex, process, thread};
use heddle_model::trace::{FORMAT, Program, TRACE_VERSION, Trace, TraceEnd};
use heddle_model::{
    Choice, Ending, Event, NoMemory, ObjectId, ObjectSlot, Operation, Outcome, Pending, Properties, ThreadId,
    ThreadState, World,
};
use heddle_report::Recording;
use heddle_report::recognise::Recognised;

/// What is recognised in `recording` by default.
pub fn recognise(recording: &Recording) -> Option<Recognised> {
    heddle_report::recognise(recording, &Properties::default())
}

pub const A: ObjectId = ObjectId(0x4000);
pub const B: ObjectId = ObjectId(0x4040);
pub const C: ObjectId = ObjectId(0x4080);

/// A program and what each of its lines does.
pub const SOURCE: &str = include_str!("abba.c");

/// An operation, and the line it stands in.
pub type Scripted = (u16, Operation, u32);

pub fn start(t: u16) -> Scripted {
    (t, Operation::new(thread::START, ObjectId::thread(ThreadId(t))), 0)
}
pub fn create(t: u16, child: u16, line: u32) -> Scripted {
    (t, Operation::new(thread::CREATE, ObjectId::thread(ThreadId(child))), line)
}
pub fn join(t: u16, child: u16, line: u32) -> Scripted {
    (t, Operation::new(thread::JOIN, ObjectId::thread(ThreadId(child))), line)
}
pub fn end(t: u16) -> Scripted {
    (t, Operation::new(thread::EXIT, ObjectId::thread(ThreadId(t))), 0)
}
pub fn lock(t: u16, mutex: ObjectId, line: u32) -> Scripted {
    (t, Operation::new(mutex::LOCK, mutex), line)
}
pub fn unlock(t: u16, mutex: ObjectId, line: u32) -> Scripted {
    (t, Operation::new(mutex::UNLOCK, mutex), line)
}
pub fn finish(t: u16, ending: Ending, line: u32) -> Scripted {
    (t, process::end(ending), line)
}
pub fn ended(ending: Ending) -> Outcome {
    Outcome::Ended { ending, fault: None }
}

fn stack(thread: u16, line: u32) -> Vec<Location> {
    if line == 0 {
        return Vec::new();
    }
    let functions = ["main", "left", "right"];
    let function = functions.get(thread as usize).unwrap_or(&"right").to_string();
    let column = SOURCE.lines().nth(line as usize - 1).map_or(0, |l| (l.len() - l.trim_start().len()) as u32 + 1);
    vec![Location { file: "abba.c".into(), line, column, function }]
}

/// Takes `script` through the model; at its end the threads were about to do `left`.
pub fn record(script: &[Scripted], left: &[Scripted], outcome: Outcome, message: &str) -> Recording {
    let mut threads = vec![ThreadState::default(); 8];
    let mut slots = vec![ObjectSlot::default(); 256];
    let mut world = World::new(&mut threads, &mut slots, &NoMemory);
    let mut events: Vec<Event> = Vec::new();
    let mut stacks = Vec::new();
    for &(t, operation, line) in script {
        world.announce(ThreadId(t), operation, line as u64);
        assert!(world.enabled(ThreadId(t)), "the script takes a step that is not possible: {operation:?}");
        events.push(world.take(ThreadId(t), Choice::FIRST));
        stacks.push(stack(t, line));
    }
    let mut pending = Vec::new();
    for &(t, operation, line) in left {
        world.announce(ThreadId(t), operation, line as u64);
        let enabled = world.enabled(ThreadId(t)) as u8;
        pending.push(Pending { operation, pc: line as u64, thread: ThreadId(t), enabled, ..Pending::default() });
    }
    let lines = SOURCE.lines().enumerate().map(|(i, l)| (i as u32 + 1, l.to_string())).collect();
    Recording {
        thread: events.last().map_or(ThreadId::MAIN, |e| e.thread),
        pending_stacks: left.iter().map(|&(t, _, line)| stack(t, line)).collect(),
        events,
        pending,
        outcome,
        circle: false,
        message: message.to_string(),
        output: Vec::new(),
        stacks,
        end_stack: Vec::new(),
        earlier_stack: Vec::new(),
        more_stacks: Vec::new(),
        block: None,
        whereabouts: HashMap::new(),
        made_before: Vec::new(),
        printed: None,
        objects: [(A, "a".to_string()), (B, "b".to_string())].into(),
        scalars: HashMap::new(),
        pointees: HashMap::new(),
        written: Vec::new(),
        called: Default::default(),
        lines: [("abba.c".to_string(), lines)].into(),
    }
}

/// What a check makes of a recording.
pub fn trace(recording: &Recording) -> Trace {
    let Recognised { mut finding, threads, steps, last, focus, .. } = recognise(recording).expect("there is a finding");
    finding.id = format!("{}-1", finding.kind);
    finding.execution = 3;
    finding.trace = Some(format!("heddle-out/{}.json", finding.id));
    Trace {
        format: FORMAT.into(),
        version: TRACE_VERSION,
        heddle: "0.0.0".into(),
        program: Program { build: vec!["abba.c".into()], ..Program::default() },
        settings: heddle_model::Settings::default(),
        restart: heddle_model::Restart::Snapshot,
        places: Vec::new(),
        created: Vec::new(),
        inputs: Vec::new(),
        rounds: false,
        threads,
        schedule: recording.events.iter().map(Step::of).collect(),
        continuation: None,
        steps,
        last,
        focus,
        end: TraceEnd { outcome: recording.outcome, thread: recording.thread, message: recording.message.clone() },
        finding,
        output: String::from_utf8_lossy(&recording.output).into_owned(),
        lines: recording.lines.clone(),
    }
}

/// Two threads that lock two mutexes in opposite orders.
pub fn abba() -> Recording {
    record(
        &[start(0), create(0, 1, 27), create(0, 2, 28), start(1), lock(1, A, 8), start(2), lock(2, B, 17)],
        &[join(0, 1, 29), lock(1, B, 9), lock(2, A, 18)],
        Outcome::Deadlock,
        "",
    )
}
