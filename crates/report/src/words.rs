//! The words for operations and their results.
//!
//! Everything that a person reads about a step is made here, from the [codes and
//! numbers](heddle_model::trace::TraceStep) of the step. No other code depends on these words, so they can be changed
//! freely.

use std::collections::BTreeMap;

use heddle_model::finding::Given;
use heddle_model::primitive::atomic::MemoryOrder;
use heddle_model::primitive::choice::InputType;
use heddle_model::primitive::{self, OperationName, atomic, thread};
use heddle_model::race::Access;
use heddle_model::trace::{Action, StepResult, TraceStep};
use heddle_model::{Ending, Location, OpCode, Operation, ThreadId, Trace};
use serde_json::{Value, json};

use crate::names::thread_label;
use crate::outcome::signal_name;
use crate::steps;

/// The start function of each thread.
pub type Functions = BTreeMap<ThreadId, String>;

/// Steps of `trace` as JSON, each with a field `words` that puts its operation and result into words, at length and briefly. For programs that
/// show steps but do not know the codes: the HTML page and the debugger commands.
pub fn worded(trace: &Trace, steps: &[TraceStep]) -> Vec<Value> {
    let with_words = |step: &TraceStep| {
        let mut data = json!(step);
        data["words"] = json!({
            "operation": action(step.action),
            "result": result_of(step, &trace.threads),
            "brief": brief(step),
            "after": value_after(step),
        });
        data
    };
    steps.iter().map(with_words).collect()
}

/// The value of the object of `step` after it, as the program writes it, if the step says it.
fn value_after(step: &TraceStep) -> Option<String> {
    let value = match step.result? {
        StepResult::Value { value, .. } | StepResult::Mismatch { value, .. } => value,
        StepResult::Replaced { new, .. } => new?,
        _ => return None,
    };
    Some(step.values.get(&value).cloned().unwrap_or_else(|| value.to_string()))
}

/// `trace` as JSON, with [words](worded) for each step.
pub fn document(trace: &Trace) -> Vec<u8> {
    let mut data = json!(trace);
    data["steps"] = json!(worded(trace, &trace.steps));
    data["last"] = json!(worded(trace, &trace.last));
    data.to_string().into_bytes()
}

/// The name of an operation without its object: `lock`, `create`.
pub fn operation(operation: &Operation) -> String {
    action(steps::action(operation))
}

/// The name of an action: `lock`, `exit with status 1`.
pub fn action(action: Action) -> String {
    match action {
        Action::Operation(thread::START) => "begin".to_string(),
        Action::Operation(thread::EXIT) => "end".to_string(),
        Action::Operation(atomic::COMPARE_EXCHANGE) => "cas".to_string(),
        Action::Operation(atomic::RMW) => "update".to_string(),
        Action::Operation(code) => primitive::of(code).operation_name(code).to_string(),
        Action::Planned(code) => full_name(code),
        Action::End(ending) => end(ending),
        Action::Access(access) => accesses(access).to_string(),
        Action::Run => "keeps running".to_string(),
    }
}

fn end(ending: Ending) -> String {
    match ending {
        Ending::Exit { status } => format!("exit with status {status}"),
        Ending::Abort => "abort".to_string(),
        Ending::Assertion => "assertion fails".to_string(),
        Ending::Crash { overflow: true, .. } => "crash: stack overflow".to_string(),
        Ending::Crash { signal, .. } => format!("crash: {}", signal_name(signal)),
        Ending::Memory => "memory error".to_string(),
        Ending::Undefined => "undefined behaviour".to_string(),
        Ending::Misuse { .. } => "misuse".to_string(),
        Ending::Waits { code } => format!("{} would wait for ever", full_name(code)),
        Ending::Assumed => "assumption does not hold".to_string(),
    }
}

/// The verb for an access to memory: `reads`.
pub fn accesses(how: Access) -> &'static str {
    match (how.writes(), how.is_atomic()) {
        _ if how.frees() => "frees",
        _ if how.ends() => "ends the life of",
        (false, false) => "reads",
        (true, false) => "writes",
        (false, true) => "atomically reads",
        (true, true) => "atomically writes",
    }
}

/// The name of an operation together with its primitive: `mutex lock`.
pub fn full_name(code: OpCode) -> String {
    OperationName(code).to_string()
}

/// The result of a step in words. `functions` provides the names of threads, and `values` says how the program writes values.
pub fn result(result: StepResult, functions: &Functions, values: &BTreeMap<u64, String>) -> String {
    let written = |value: u64| values.get(&value).cloned().unwrap_or_else(|| value.to_string());
    match result {
        StepResult::TimedOutAlone => "times out: no other thread can run".to_string(),
        StepResult::TimedOut => "times out".to_string(),
        StepResult::AttemptFailed => "fails spuriously".to_string(),
        StepResult::Spurious => "spuriously".to_string(),
        StepResult::NotAsleep(value) => format!("does not sleep: it is {}", written(value)),
        StepResult::OtherValue => "fails: another value".to_string(),
        StepResult::WokeNobody => "wakes nobody".to_string(),
        StepResult::WokeMany(count) => format!("wakes {count}"),
        StepResult::Woke(thread) => {
            format!("wakes {}", thread_label(thread, functions.get(&thread).map_or("", String::as_str)))
        }
        StepResult::AlreadyDone => "already done".to_string(),
        StepResult::Locked => "fails: locked".to_string(),
        StepResult::LockedByItself => "fails: locked by itself".to_string(),
        StepResult::NotLockedByIt => "fails: not locked by it".to_string(),
        StepResult::LockedAgain => "again".to_string(),
        StepResult::NoneLeft => "fails: none left".to_string(),
        StepResult::SerialThread => "as the serial thread".to_string(),
        StepResult::Failed => "fails".to_string(),
        StepResult::Value { value, order } => {
            format!("= {}{}", written(value), order.map_or(String::new(), after_comma))
        }
        StepResult::Replaced { value, new: Some(new), order } => {
            format!("{} -> {}{}", written(value), written(new), after_comma(order))
        }
        StepResult::Replaced { value, new: None, order } => format!("was {}{}", written(value), after_comma(order)),
        StepResult::Mismatch { value, order } => format!("failed, was {}{}", written(value), after_comma(order)),
        StepResult::Fence(order) => weaker(order).unwrap_or_default().to_string(),
        StepResult::Chosen { value, of } => format!("= {value} of {of}"),
        StepResult::Input { value, of } => format!("= {}", input(value, of)),
    }
}

/// An input as its type writes it.
pub fn input(value: u64, of: InputType) -> String {
    match of {
        InputType::Unsigned(_) => value.to_string(),
        InputType::Signed(bits) => {
            let unused = 64 - u32::from(bits.clamp(1, 64));
            ((value << unused) as i64 >> unused).to_string()
        }
        // The shortest digits that give the same number again.
        InputType::Float(32) => format!("{:?}", f32::from_bits(value as u32)),
        InputType::Float(_) => format!("{:?}", f64::from_bits(value)),
    }
}

/// The most inputs that are named one by one.
const INPUTS: usize = 16;

/// The values that the program was given, one after the other. Empty if there are none.
pub fn inputs(given: &[Given]) -> String {
    let one = |input: &Given| {
        let place = input.at.as_ref().map_or_else(|| format!("call {}", input.index + 1), Location::to_string);
        let thread = if input.thread == ThreadId::MAIN { String::new() } else { format!(" (thread {})", input.thread) };
        format!("{place}{thread} = {}", input.value)
    };
    let mut words: Vec<String> = given.iter().take(INPUTS).map(one).collect();
    if given.len() > INPUTS {
        words.push(format!("and {} more", given.len() - INPUTS));
    }
    words.join(", ")
}

/// The result of `step` in words. Empty if it is not worth showing.
pub fn result_of(step: &TraceStep, functions: &Functions) -> String {
    step.result.map_or(String::new(), |came| result(came, functions, &step.values))
}

/// `step` in few words, for tables: object and threads by their short names.
pub fn brief(step: &TraceStep) -> String {
    parts([action(step.action), step.short_name().to_string(), result_of(step, &Functions::new())])
}

/// `step` in words: operation, object and result.
pub fn step(step: &TraceStep, trace: &Trace) -> String {
    parts([action(step.action), step.object.clone(), result_of(step, &trace.threads)])
}

/// Joins the parts that are not empty with spaces.
pub fn parts(parts: [String; 3]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn after_comma(order: MemoryOrder) -> String {
    weaker(order).map_or(String::new(), |order| format!(", {order}"))
}

/// The memory order of an atomic operation, if it is weaker than sequential consistency. It may explain why two
/// accesses are not ordered.
fn weaker(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::Relaxed => Some("relaxed"),
        MemoryOrder::Acquire => Some("acquire"),
        MemoryOrder::Release => Some("release"),
        MemoryOrder::AcquireRelease => Some("acquire and release"),
        MemoryOrder::SequentiallyConsistent => None,
    }
}
