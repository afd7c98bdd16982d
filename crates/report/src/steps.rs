//! An execution step by step, in words.

use heddle_model::primitive::{
    OperationName, atomic, barrier, choice, condvar, file, futex, memory, mutex, once, process, rwlock, section,
    semaphore, spin, thread, yielding,
};
use heddle_model::trace::TraceStep;
use heddle_model::{Ending, Event, EventFlags, OpCode, Operation, Outcome, ThreadId};

use crate::names::Names;
use crate::outcome::signal_name;
use crate::walk::{Change, Walk};
use crate::{Recording, causes, race};

/// Every event of `recording`, in words.
pub fn steps(recording: &Recording, names: &Names, walk: &Walk) -> Vec<TraceStep> {
    let mut causes = causes::causes(&recording.events);
    let describe = |(index, event): (usize, &Event)| {
        let Change { holds, blocks, frees } = walk.changes.get(index).cloned().unwrap_or_default();
        TraceStep {
            thread: event.thread,
            operation: operation(&event.operation),
            object: object(&event.operation, names),
            result: result(event, names),
            at: recording.place(index).cloned(),
            preempts: walk.preemptions.get(index).copied().unwrap_or(false),
            after: std::mem::take(&mut causes[index]),
            holds: holds.map(|held| held.into_iter().map(|object| names.object(object)).collect()),
            blocks,
            frees,
        }
    };
    recording.events.iter().enumerate().map(describe).collect()
}

/// What the threads that are left were doing or about to do at the end, in the order of their ids.
pub fn last(recording: &Recording, names: &Names) -> Vec<TraceStep> {
    let mut last: Vec<TraceStep> = Vec::new();
    for (index, pending) in recording.pending.iter().enumerate() {
        let runs = recording.outcome == Outcome::Hang && pending.thread == recording.thread;
        last.push(TraceStep {
            thread: pending.thread,
            operation: if runs { "runs without end".to_string() } else { operation(&pending.operation) },
            object: if runs { String::new() } else { object(&pending.operation, names) },
            result: if pending.enabled == 0 { WAITS.to_string() } else { String::new() },
            at: recording.pending_place(index).cloned(),
            ..TraceStep::default()
        });
    }
    if recording.outcome.race().is_some() {
        for access in race::accesses(recording, names) {
            last.retain(|step| step.thread != access.thread);
            last.push(access);
        }
        // Stable: the two accesses stand for their threads.
        last.sort_by_key(|step| step.thread);
    }
    last
}

/// What [`last`] says of a thread that cannot go on.
pub const WAITS: &str = "waits";

/// What an operation is called: `lock`, `create`. The object says of what.
pub fn operation(operation: &Operation) -> String {
    match operation.code {
        process::END => match process::ending(operation) {
            Some(Ending::Exit { status }) => format!("exit with status {status}"),
            Some(Ending::Abort) => "abort".to_string(),
            Some(Ending::Assertion) => "assertion fails".to_string(),
            Some(Ending::Crash { overflow: true, .. }) => "crash: stack overflow".to_string(),
            Some(Ending::Crash { signal, .. }) => format!("crash: {}", signal_name(signal)),
            Some(Ending::Memory) => "memory error".to_string(),
            Some(Ending::Undefined) => "undefined behaviour".to_string(),
            Some(Ending::Misuse { .. }) => "misuse".to_string(),
            Some(Ending::Waits { code }) => format!("{} would wait for ever", full_name(code)),
            Some(Ending::Assumed) => "assumption does not hold".to_string(),
            None => "end of the process".to_string(),
        },
        thread::START => "begin".to_string(),
        thread::EXIT => "end".to_string(),
        code => short(code),
    }
}

/// The name of an operation without its primitive's.
fn short(code: OpCode) -> String {
    heddle_model::primitive::of(code).operation_name(code).to_string()
}

/// The full name of an operation, for messages about divergence: `mutex lock`.
pub fn full_name(code: OpCode) -> String {
    OperationName(code).to_string()
}

/// What an operation is done to.
pub fn object(operation: &Operation, names: &Names) -> String {
    match operation.code {
        // A thread that begins or ends says so itself.
        thread::START | thread::EXIT | process::END | atomic::FENCE => String::new(),
        yielding::YIELD | yielding::SLEEP | choice::CHOOSE | section::BEGIN | section::END => String::new(),
        file::FIND | file::NAME => String::new(),
        condvar::WAIT | condvar::REACQUIRE => {
            let mutex = names.object(heddle_model::ObjectId(operation.argument));
            format!("{} with {mutex}", names.object(operation.object))
        }
        _ => names.object(operation.object),
    }
}

/// What came of an event, where that is not a matter of course.
pub fn result(event: &Event, names: &Names) -> String {
    match event.operation.code {
        _ if event.flags.contains(EventFlags::QUIESCENT) => "times out: nobody else can go on".to_string(),
        _ if event.flags.contains(EventFlags::TIMED_OUT) => "times out".to_string(),
        choice::ATTEMPT if event.result != 0 => "fails for no reason".to_string(),
        _ if event.flags.contains(EventFlags::SPURIOUS) => "for no reason".to_string(),
        futex::WAIT if event.failed() => format!("does not sleep: it is {}", event.result),
        futex::WAKE | futex::REQUEUE if event.flags.contains(EventFlags::MISMATCH) => {
            "fails: another value".to_string()
        }
        futex::WAKE if event.failed() => "wakes nobody".to_string(),
        futex::WAKE | futex::REQUEUE => format!("wakes {}", futex::woken(event)),
        once::BEGIN if event.failed() => "already done".to_string(),
        mutex::TRYLOCK | mutex::DESTROY | spin::TRYLOCK if event.failed() => "fails: locked".to_string(),
        rwlock::TRY_READ_LOCK | rwlock::TRY_WRITE_LOCK if event.failed() => "fails: locked".to_string(),
        mutex::LOCK | mutex::TIMEDLOCK | rwlock::READ_LOCK | rwlock::WRITE_LOCK if event.failed() => {
            "fails: locked by itself".to_string()
        }
        mutex::UNLOCK | rwlock::UNLOCK | spin::UNLOCK if event.failed() => "fails: not locked by it".to_string(),
        mutex::LOCK | mutex::TRYLOCK if event.flags.contains(EventFlags::NESTED) => "again".to_string(),
        barrier::LEAVE if event.flags.contains(EventFlags::COMPLETES) => "as the serial thread".to_string(),
        thread::TRYJOIN if event.failed() => "fails".to_string(),
        semaphore::TRYWAIT if event.failed() => "fails: none left".to_string(),
        condvar::SIGNAL | condvar::BROADCAST if event.failed() => "wakes nobody".to_string(),
        condvar::SIGNAL => {
            format!("wakes {}", names.thread(ThreadId((event.result as u16).saturating_sub(1))))
        }
        thread::JOIN | thread::TIMEDJOIN | thread::DETACH if event.failed() => "fails".to_string(),
        atomic::LOAD => format!("= {}{}", event.result, weaker(event)),
        atomic::STORE => format!("= {}{}", event.operation.without_await().argument, weaker(event)),
        atomic::RMW => format!("was {}{}", event.result, weaker(event)),
        atomic::COMPARE_EXCHANGE if event.failed() => format!("fails: was {}{}", event.result, weaker(event)),
        atomic::COMPARE_EXCHANGE => format!("was {}{}", event.result, weaker(event)),
        atomic::FENCE => weaker(event).trim_start_matches(", ").to_string(),
        memory::READ => format!("= {}", event.result),
        choice::CHOOSE => format!("= {} of {}", event.result, event.operation.argument),
        _ => String::new(),
    }
}

/// The memory order of an atomic that asks for less than all: it may be why two accesses are not ordered.
fn weaker(event: &Event) -> &'static str {
    match atomic::order(event) {
        atomic::Order::Relaxed => ", relaxed",
        atomic::Order::Acquire => ", acquire",
        atomic::Order::Release => ", release",
        atomic::Order::AcquireRelease => ", acquire and release",
        atomic::Order::SequentiallyConsistent => "",
    }
}
