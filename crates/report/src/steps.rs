//! The steps of an execution as data. [`crate::words`] puts them into words.

use std::collections::BTreeMap;

use heddle_model::primitive::{
    atomic, barrier, choice, condvar, futex, memory, mutex, once, process, process_state, prop, rwlock, section,
    semaphore, spin, thread, yielding,
};
use heddle_model::trace::{Action, StepResult, TraceStep};
use heddle_model::{Event, EventFlags, Operation, Outcome, ThreadId};

use crate::names::{Name, Names};
use crate::walk::{Change, Walk};
use crate::{Recording, causes, race, values};

/// The steps of `recording`, one for each event.
pub fn steps(recording: &Recording, names: &Names, walk: &Walk) -> Vec<TraceStep> {
    let mut causes = causes::causes(&recording.events);
    let describe = |(index, event): (usize, &Event)| {
        let result = result(event, recording.written.get(index).copied().flatten());
        let Change { holds, blocks, frees } = walk.changes.get(index).cloned().unwrap_or_default();
        let (object, short) = object(&event.operation, names).of_step();
        TraceStep {
            thread: event.thread,
            action: action(&event.operation),
            object,
            short,
            result,
            values: result.map_or(BTreeMap::new(), |result| values::of(result, &event.operation, recording)),
            waits: false,
            at: recording.place(index).cloned(),
            preempts: walk.preemptions.get(index).copied().unwrap_or(false),
            after: std::mem::take(&mut causes[index]),
            holds: holds.map(|held| held.into_iter().map(|object| names.object(object)).collect()),
            creates: created(event),
            blocks,
            frees,
        }
    };
    recording.events.iter().enumerate().map(describe).collect()
}

/// The thread that `event` created.
fn created(event: &Event) -> Option<ThreadId> {
    let creates = event.operation.code == thread::CREATE && !event.failed();
    event.operation.object.as_thread().filter(|_| creates)
}

/// What the remaining threads were doing or about to do at the end, in order of their ids.
pub fn last(recording: &Recording, names: &Names) -> Vec<TraceStep> {
    let mut last: Vec<TraceStep> = Vec::new();
    for (index, pending) in recording.pending.iter().enumerate() {
        let hangs = recording.outcome == Outcome::Hang && pending.thread == recording.thread;
        let runs = hangs || pending.operation.runs_forever();
        let action = if runs { Action::Run } else { action(&pending.operation) };
        let name = if runs { Name::default() } else { object(&pending.operation, names) };
        let (object, short) = name.of_step();
        last.push(TraceStep {
            object,
            short,
            waits: pending.enabled == 0 && !runs,
            at: recording.pending_place(index).cloned(),
            ..TraceStep::new(pending.thread, action)
        });
    }
    if recording.outcome.race().is_some() {
        for access in race::accesses(recording, names) {
            last.retain(|step| step.thread != access.thread);
            last.push(access);
        }
        // The two accesses of a race have replaced the next operations of their threads, so each thread is listed once.
        last.sort_by_key(|step| step.thread);
    }
    last
}

/// The name of the object that `operation` acts on.
pub fn object(operation: &Operation, names: &Names) -> Name {
    match operation.code {
        // The start or end of a thread needs no object: it is the thread itself.
        thread::START | thread::EXIT | process::END | atomic::FENCE => Name::default(),
        yielding::YIELD
        | yielding::SLEEP
        | choice::CHOOSE
        | choice::INPUT
        | prop::PROGRESS
        | section::BEGIN
        | section::END => Name::default(),
        code if process_state::State::of(code).is_some_and(|state| state.is_whole()) => Name::default(),
        condvar::WAIT | condvar::REACQUIRE => {
            names.name(operation.object).with(names.name(heddle_model::ObjectId(operation.argument)))
        }
        _ => names.name(operation.object),
    }
}

/// What `operation` does.
pub fn action(operation: &Operation) -> Action {
    match process::ending(operation) {
        Some(ending) => Action::End(ending),
        None => Action::Operation(operation.code),
    }
}

/// The result of `event`, if it is worth showing. `written`: the value that it has written, if that is known and the event does not say it.
pub fn result(event: &Event, written: Option<u64>) -> Option<StepResult> {
    let has = |flag| event.flags.contains(flag);
    let order = atomic::order;
    Some(match event.operation.code {
        _ if has(EventFlags::QUIESCENT) => StepResult::TimedOutAlone,
        _ if has(EventFlags::TIMED_OUT) => StepResult::TimedOut,
        choice::ATTEMPT if event.result != 0 => StepResult::AttemptFailed,
        _ if has(EventFlags::SPURIOUS) => StepResult::Spurious,
        futex::WAIT if event.failed() => StepResult::NotAsleep(event.result),
        futex::WAKE | futex::REQUEUE if has(EventFlags::MISMATCH) => StepResult::OtherValue,
        futex::WAKE if event.failed() => StepResult::WokeNobody,
        futex::WAKE | futex::REQUEUE => StepResult::WokeMany(futex::woken(event).into()),
        once::BEGIN if event.failed() => StepResult::AlreadyDone,
        mutex::TRYLOCK | mutex::DESTROY | spin::TRYLOCK if event.failed() => StepResult::Locked,
        rwlock::TRY_READ_LOCK | rwlock::TRY_WRITE_LOCK if event.failed() => StepResult::Locked,
        mutex::LOCK | mutex::TIMEDLOCK | rwlock::READ_LOCK | rwlock::WRITE_LOCK if event.failed() => {
            StepResult::LockedByItself
        }
        mutex::UNLOCK | rwlock::UNLOCK | spin::UNLOCK if event.failed() => StepResult::NotLockedByIt,
        mutex::LOCK | mutex::TRYLOCK if has(EventFlags::NESTED) => StepResult::LockedAgain,
        barrier::LEAVE if has(EventFlags::COMPLETES) => StepResult::SerialThread,
        semaphore::TRYWAIT if event.failed() => StepResult::NoneLeft,
        condvar::SIGNAL | condvar::BROADCAST if event.failed() => StepResult::WokeNobody,
        condvar::SIGNAL => StepResult::Woke(ThreadId((event.result as u16).saturating_sub(1))),
        thread::TRYJOIN | thread::JOIN | thread::TIMEDJOIN | thread::DETACH if event.failed() => StepResult::Failed,
        atomic::LOAD => StepResult::Value { value: event.result, order: Some(order(event)) },
        atomic::STORE => {
            let value = event.operation.without_await().argument;
            StepResult::Value { value, order: Some(order(event)) }
        }
        atomic::COMPARE_EXCHANGE if event.failed() => StepResult::Mismatch { value: event.result, order: order(event) },
        atomic::RMW | atomic::COMPARE_EXCHANGE => {
            StepResult::Replaced { value: event.result, new: written, order: order(event) }
        }
        atomic::FENCE => StepResult::Fence(order(event)),
        prop::SET => StepResult::Value { value: event.operation.argument, order: None },
        memory::READ => StepResult::Value { value: event.result, order: None },
        choice::CHOOSE => StepResult::Chosen { value: event.result, of: event.operation.argument },
        choice::INPUT => StepResult::Input { value: event.result, of: choice::input_type(&event.operation)? },
        _ => return None,
    })
}
