//! Executions that were not the same under the same schedule, in words: the first operation that differed, where it is, and what
//! may be behind it.

use heddle_model::follow::Step;
use heddle_model::primitive::atomic;
use heddle_model::{Event, ObjectId, Pending};
use heddle_report::words;
use heddle_search::repeat::Divergence;
use serde::{Deserialize, Serialize};

use crate::engine::Names;

/// A schedule that could not be followed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Strayed {
    /// The number of the execution.
    pub execution: u64,
    /// The position of the step that could not be taken.
    pub at: usize,
    /// That step.
    pub expected: Step,
    /// What its thread was about to do instead, if it was there.
    pub pending: Option<Pending>,
}

/// Numbers from here on are likely to be addresses: programs, libraries, heaps and stacks lie there.
const ADDRESSES: std::ops::Range<u64> = 0x5500_0000_0000..0x8000_0000_0000;

/// What heddle does not control, for somebody who looks for it.
const CAUSES: &str = "(a clock, random numbers, a file that changes, memory that was never written)";

/// An execution that was run twice and was not the same.
pub fn twice(divergence: &Divergence, symbols: &dyn Names) -> String {
    let what = match (&divergence.first, &divergence.second) {
        (Some(first), Some(second)) => {
            format!("first it did: {}; then: {}", words(first, symbols), words(second, symbols))
        }
        (Some(first), None) => format!("first it did: {}; then it had ended", words(first, symbols)),
        (None, Some(second)) => format!("first it ended; then it did: {}", words(second, symbols)),
        (None, None) => "the two did not end in the same way".to_string(),
    };
    format!(
        "execution {} was run twice under the same schedule, and was not the same from step {} on: {what}; {}",
        divergence.execution,
        divergence.at + 1,
        cause(divergence.first.as_ref(), divergence.second.as_ref())
    )
}

/// An execution that could not follow its schedule.
pub fn strayed(strayed: &Strayed, symbols: &dyn Names) -> String {
    let Step { thread, code, .. } = strayed.expected;
    let instead = match &strayed.pending {
        None => "it is not there".to_string(),
        Some(pending) => {
            let event = Event { operation: pending.operation, pc: pending.pc, ..Event::default() };
            let verb = if pending.enabled != 0 { "is about to" } else { "waits to" };
            format!("it {verb} {}{}", operation(&event, symbols), place(&event, symbols))
        }
    };
    format!(
        "execution {} did not do what it had done before under the same schedule: at step {} thread {} was expected to take its \
         {}, but {instead}; the program depends on something that heddle does not control {CAUSES}",
        strayed.execution,
        strayed.at + 1,
        thread.0,
        words::full_name(code),
    )
}

fn operation(event: &Event, symbols: &dyn Names) -> String {
    let name = words::full_name(event.operation.code);
    match symbols.object(event.operation.object).filter(|_| event.operation.object != ObjectId::NONE) {
        Some(object) => format!("{name} {object}"),
        None => name,
    }
}

fn place(event: &Event, symbols: &dyn Names) -> String {
    symbols.location(&[event.pc]).map_or(String::new(), |at| format!(" at {at}"))
}

fn words(event: &Event, symbols: &dyn Names) -> String {
    let value = match event.operation.code {
        atomic::STORE => format!(" = {}", number(event.operation.without_await().argument)),
        atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE => format!(" = {}", number(event.result)),
        _ => String::new(),
    };
    format!("thread {}: {}{value}{}", event.thread.0, operation(event, symbols), place(event, symbols))
}

fn number(value: u64) -> String {
    if ADDRESSES.contains(&value) { format!("{value:#x}") } else { value.to_string() }
}

/// A guess.
fn cause(first: Option<&Event>, second: Option<&Event>) -> String {
    let (Some(first), Some(second)) = (first, second) else {
        return format!("the program depends on something that heddle does not control {CAUSES}");
    };
    let (one, other) = (first.operation, second.operation);
    let same_place = (one.code, first.pc) == (other.code, second.pc);
    let values = (one.argument.max(first.result), other.argument.max(second.result));
    let kind = if same_place && ADDRESSES.contains(&values.0) && ADDRESSES.contains(&values.1) {
        "the same operation with another value, perhaps an address"
    } else if same_place && one.object == other.object {
        "the same operation with another value"
    } else if same_place {
        "the same operation on another object"
    } else {
        "another way through the program"
    };
    format!("that is {kind}: it depends on something that heddle does not control {CAUSES}")
}
