//! Finds the loop at the end of an execution that was cut off: which threads loop, and where.
//!
//! If the last operations repeat, by the same threads at the same places, they are the loop. This does not prove that the loop never
//! ends, because a thread may count the iterations in memory that is not visible. `heddle_search::livelock` proves livelocks; this
//! module explains the verdict *incomplete*.

use std::collections::BTreeMap;

use heddle_model::primitive::yielding;
use heddle_model::{Event, Execution, ThreadId};
use heddle_report::words;
use serde::{Deserialize, Serialize};

use crate::engine::Names;

/// The last iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    events: Vec<Event>,
    /// Whether all compared iterations had the same values.
    same_values: bool,
    /// Whether another thread, which is not in the loop, was enabled.
    others: bool,
}

/// The most operations of an iteration that is recognised.
const LONGEST: usize = 512;
/// The least iterations that make a loop.
const TIMES: usize = 4;
/// The most places that are named.
const NAMED: usize = 6;

/// The loop at the end of an execution that was cut off, if there is one.
pub fn find(execution: &Execution<'_>) -> Option<Iteration> {
    let events = execution.events;
    let place = |e: &Event| (e.thread, e.operation.code, e.operation.object, e.pc);
    let repeats = |length: usize, same: &dyn Fn(&Event, &Event) -> bool| {
        let tail = &events[events.len() - TIMES * length..];
        tail.iter().zip(&tail[length..]).all(|(one, other)| same(one, other))
    };
    let same_place = |one: &Event, other: &Event| place(one) == place(other);
    let length = (1..=LONGEST.min(events.len() / TIMES)).find(|&length| repeats(length, &same_place))?;
    let round = events[events.len() - length..].to_vec();
    let same = |one: &Event, other: &Event| {
        same_place(one, other) && (one.operation.argument, one.result) == (other.operation.argument, other.result)
    };
    let takes_part = |thread: ThreadId| round.iter().any(|event| event.thread == thread);
    let others = execution.pending.iter().any(|pending| pending.enabled != 0 && !takes_part(pending.thread));
    Some(Iteration { same_values: repeats(length, &same), others, events: round })
}

impl Iteration {
    /// Describes the loop: its threads and their places. `endless` says why it is no livelock.
    pub fn tell(&self, symbols: &dyn Names, endless: Option<&str>) -> String {
        let mut by_thread: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        let (mut named, mut left) = (0, 0);
        for event in self.events.iter().filter(|event| event.operation.code.family() != yielding::FAMILY) {
            let known = by_thread.entry(event.thread.0).or_default();
            let name = words::full_name(event.operation.code);
            let object = symbols.object(event.operation.object).map_or(String::new(), |object| format!(" {object}"));
            let at = symbols.location(&[event.pc]).map_or(String::new(), |at| format!(" at {at}"));
            let words = format!("{name}{object}{at}");
            if known.contains(&words) {
                continue;
            }
            if named < NAMED {
                known.push(words);
                named += 1;
            } else {
                left += 1;
            }
        }
        let threads: Vec<String> = by_thread
            .iter()
            .filter(|(_, places)| !places.is_empty())
            .map(|(thread, places)| format!("thread {thread} ({})", places.join(", ")))
            .collect();
        let verb = if threads.len() == 1 { "loops" } else { "loop" };
        let more = if left == 0 { String::new() } else { format!(" and {left} more places") };
        let round = format!("{}{more} {verb}", threads.join(" and "));
        match (self.same_values, self.others) {
            _ if let Some(endless) = endless => format!("{round}: {endless}"),
            (true, false) => format!("{round} with the same values"),
            (_, true) => format!("{round} while other threads could run"),
            (false, false) => round,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use heddle_model::primitive::atomic;
    use heddle_model::{ObjectId, Operation, Outcome, Pending};

    fn event(thread: u16, object: u64, value: u64) -> Event {
        let operation = Operation::new(atomic::STORE, ObjectId(object)).with_argument(value);
        Event { operation, thread: ThreadId(thread), pc: object, ..Event::default() }
    }

    pub(crate) fn execution<'e>(events: &'e [Event], pending: &'e [Pending]) -> Execution<'e> {
        let (outcome, thread) = (Outcome::StepLimit { thread: ThreadId::MAIN }, ThreadId::MAIN);
        Execution {
            events,
            pending,
            outcome,
            circle: false,
            left: 0,
            thread,
            message: "",
            output: &[],
            races: &[],
            states: &[],
            touches: &[],
            contents: &[],
        }
    }

    #[test]
    fn the_shortest_round_is_found() {
        let mut events: Vec<Event> = (0..7).map(|i| event(0, 100 + i, i)).collect();
        for _ in 0..TIMES {
            events.extend([event(1, 8, 1), event(2, 16, 1), event(1, 8, 0)]);
        }
        let round = find(&execution(&events, &[])).expect("a loop");
        assert_eq!((round.events.len(), round.same_values, round.others), (3, true, false));
        // One of the values counts.
        let at = events.len() - 1;
        events[at].operation.argument = 7;
        let round = find(&execution(&events, &[])).expect("a loop");
        assert_eq!((round.events.len(), round.same_values), (3, false));
        // Somebody stands by.
        let by = Pending { thread: ThreadId(3), enabled: 1, ..Pending::default() };
        assert!(find(&execution(&events, &[by])).expect("a loop").others);
    }

    #[test]
    fn what_does_not_repeat_is_no_loop() {
        let events: Vec<Event> = (0..100).map(|i| event(0, 8 * i * i, 0)).collect();
        assert_eq!(find(&execution(&events, &[])), None);
        assert_eq!(find(&execution(&events[..2], &[])), None);
    }
}
