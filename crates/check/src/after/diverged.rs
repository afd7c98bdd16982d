//! Messages about executions that behaved differently under the same schedule: the first operation that differed, its place, and a
//! possible cause.

use heddle_model::follow::Step;
use heddle_model::primitive::atomic;
use heddle_model::{Event, ObjectId, Pending};
use heddle_report::words;
use heddle_search::exact::Collision;
use heddle_search::probe::Mismatch;
use heddle_search::repeat::Divergence;
use serde::{Deserialize, Serialize};

use crate::engine::Names;

/// An execution that could not follow its schedule.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Strayed {
    /// The number of the execution.
    pub execution: u64,
    /// The position of the step that could not be taken.
    pub at: usize,
    /// The step that could not be taken.
    pub expected: Step,
    /// What the thread of that step was about to do instead. `None` if the thread did not exist.
    pub pending: Option<Pending>,
}

/// Numbers in this range are likely to be addresses, because programs, libraries, heaps and stacks lie there.
const ADDRESSES: std::ops::Range<u64> = 0x5500_0000_0000..0x8000_0000_0000;

/// Examples of what Heddle does not control, for the user's search for the cause.
const CAUSES: &str = "(a clock, random numbers, a file that changes, uninitialised memory)";

/// The message about an execution that was run twice with different results. `beside`: executions that were drawn are samples
/// beside an exhaustive search.
pub fn twice(divergence: &Divergence, beside: bool, symbols: &dyn Names) -> String {
    let what = match (&divergence.first, &divergence.second) {
        (Some(first), Some(second)) => {
            format!("the first run did {}; the second did {}", words(first, symbols), words(second, symbols))
        }
        (Some(first), None) => format!("the first run did {}; the second had ended", words(first, symbols)),
        (None, Some(second)) => format!("the first run had ended; the second did {}", words(second, symbols)),
        (None, None) => "the two ended in different ways".to_string(),
    };
    format!(
        "{} {} was run twice under the same schedule, and the runs differ from step {} on: {what}; {}",
        if beside && divergence.drawn { "sample" } else { "execution" },
        divergence.execution,
        divergence.at + 1,
        cause(divergence.first.as_ref(), divergence.second.as_ref())
    )
}

/// What shows that an exploration cannot be relied on.
#[derive(Clone, Debug)]
pub enum Doubt {
    /// An execution was run twice with different results.
    Twice(Divergence),
    /// Two ways to one state go on differently.
    States(Mismatch),
    /// Two states have one fingerprint.
    Collided(Collision),
}

/// The message about two ways to one state that go on differently.
pub fn states(mismatch: &Mismatch, symbols: &dyn Names) -> String {
    let [one, other] = mismatch.events.map(|event| event.map_or("nothing".to_owned(), |event| words(&event, symbols)));
    let what = if one == other {
        format!("behind {one} the states differ")
    } else {
        format!("one goes on with {one}, the other with {other}")
    };
    format!(
        "two states were taken for one: ways of {} and {} steps lead to it, and {} steps behind it {what}; this is a bug in heddle",
        mismatch.steps[0], mismatch.steps[1], mismatch.at
    )
}

/// The message about an execution that could not follow its schedule.
pub fn strayed(strayed: &Strayed, symbols: &dyn Names) -> String {
    let Step { thread, code, .. } = strayed.expected;
    let instead = match &strayed.pending {
        None => "there is no such thread".to_string(),
        Some(pending) => {
            let event = Event { operation: pending.operation, pc: pending.pc, ..Event::default() };
            let verb = if pending.enabled != 0 { "is about to" } else { "waits to" };
            format!("it {verb} {}{}", operation(&event, symbols), place(&event, symbols))
        }
    };
    format!(
        "execution {} behaved differently under the same schedule: at step {} thread {} was expected to do \
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

/// Guesses why the two runs differ, from the first events that do.
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
        "another path through the program"
    };
    format!("that is {kind}: it depends on something that heddle does not control {CAUSES}")
}
