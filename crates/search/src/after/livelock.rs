//! Livelocks: threads that act for ever and get nowhere.
//!
//! A search without states sees only that an execution does not end. Mostly one thread goes round in a loop while the
//! others are not scheduled. That is no error of the program. It is one if all threads act and still go round. So such an
//! execution is continued in other ways, from several points of the loop and before it, with all threads taking turns
//! ([`Policy::Turns`]), until equal operations with equal values repeat. The operations do not tell whether the round can
//! be repeated for ever, because a thread's own memory may count. So the execution is run once more, and the runtime
//! compares the state of the whole program before and after the round ([`Round`]).
//!
//! Compare M. Musuvathi, S. Qadeer, *Fair stateless model checking*, PLDI 2008, a systematic search with fair schedules.
//!
//! Departures:
//!
//! 1. The paper asks for yields in the program and calls every long fair execution an error. Here nothing is assumed of
//!    the program, and only a round that provably repeats is an error.
//! 2. Only a few continuations are tried. A livelock may exist although none is found.
//! 3. As in [`crate::liveness`], the program must say somewhere that it makes progress, and not in the round, or it must
//!    still be able to end: a program that is made to go on for ever has no livelock.

use std::collections::HashSet;
use std::time::Instant;

use heddle_model::follow::{Policy, Step};
use heddle_model::round::{Claim, Round};
use heddle_model::{Event, Execution, Executor, ExecutorError, Outcome, Plan, ThreadId};

/// The most operations of a round.
const LONGEST: usize = 512;
/// How often operations must have repeated to count as a round.
const TIMES: usize = 4;
/// The most points of a loop from which an execution is continued.
const PLACES: usize = 16;
/// The most points before a loop from which an execution is continued.
const BEFORE: usize = 48;
/// The most operations that a thread takes in one turn.
const TURNS: u32 = 4;
/// How many operations each thread may take after the point where an execution is continued.
const OPERATIONS: u32 = 160;

/// How many random ways to go on are tried, to see whether a program can still end.
const DRAWN: u64 = 24;

/// An execution that goes round.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Suspect {
    /// The steps of the execution, up to the end of the second round.
    steps: Vec<Step>,
    /// Where the first round begins.
    begin: usize,
    /// How many steps a round has.
    length: usize,
}

/// Where the operations at the end of an execution begin to repeat, and how many operations a round has. `None` if they
/// do not repeat. With `values`, operations are equal only if their values are.
fn tail(events: &[Event], values: bool) -> Option<(usize, usize)> {
    let same = |one: &Event, other: &Event| {
        let place = |e: &Event| (e.thread, e.operation.code, e.operation.object, e.pc, e.way);
        let value = |e: &Event| (e.operation.argument, e.operation.detail, e.result, e.flags);
        place(one) == place(other) && (!values || value(one) == value(other))
    };
    let repeats = |length: usize| {
        let tail = &events[events.len() - TIMES * length..];
        tail.iter().zip(&tail[length..]).all(|(one, other)| same(one, other))
    };
    let length = (1..=LONGEST.min(events.len() / TIMES)).find(|&length| repeats(length))?;
    let differs = |&at: &usize| !same(&events[at], &events[at + length]);
    let begin = (0..events.len() - length).rev().find(differs).map_or(0, |at| at + 1);
    Some((begin, length))
}

impl Suspect {
    /// Whether the numbers fit the steps. A suspect that comes from a file may be anything.
    pub fn is_sound(&self) -> bool {
        self.begin <= self.steps.len() && self.length <= self.steps.len()
    }

    /// Makes a suspect of an execution that was cut off, if it goes round at its end.
    pub fn of(execution: &Execution<'_>) -> Option<Suspect> {
        let (begin, length) = tail(execution.events, false)?;
        let steps = execution.events[..begin + 2 * length].iter().map(Step::of).collect();
        Some(Suspect { steps, begin, length })
    }

    /// Looks for a plan that ends in a livelock, until `deadline`.
    ///
    /// # Errors
    ///
    /// When the executor fails.
    pub fn livelock(&self, executor: &mut dyn Executor, deadline: Instant) -> Result<Option<Plan>, ExecutorError> {
        let mut known = HashSet::new();
        let last = (self.begin + self.length.min(PLACES)).min(self.steps.len());
        // Then from before the loop: who goes round may do so because another one has what it wants already.
        for at in (self.begin..=last).chain((0..self.begin).rev().take(BEFORE)) {
            for operations in 1..=TURNS {
                if Instant::now() > deadline {
                    return Ok(None);
                }
                if let Some(plan) = probe(executor, &self.steps[..at], operations, &mut known)? {
                    return Ok(Some(plan));
                }
            }
        }
        Ok(None)
    }
}

/// The most steps that one thread takes in `schedule`.
pub(crate) fn longest(schedule: &[Step]) -> u32 {
    let mut taken: Vec<u32> = Vec::new();
    for step in schedule {
        let thread = usize::from(step.thread.0);
        if taken.len() <= thread {
            taken.resize(thread + 1, 0);
        }
        taken[thread] += 1;
    }
    taken.into_iter().max().unwrap_or(0)
}

/// Continues `schedule` with turns of `operations`. Returns a plan that ends in a livelock, if that leads into one. Rounds
/// that are no livelock are collected in `known`.
fn probe(
    executor: &mut dyn Executor,
    schedule: &[Step],
    operations: u32,
    known: &mut HashSet<Vec<(ThreadId, u64)>>,
) -> Result<Option<Plan>, ExecutorError> {
    let most = longest(schedule);
    let plan = Plan {
        schedule: schedule.to_vec(),
        policy: Policy::Turns { operations },
        max_steps: most + OPERATIONS,
        ..Plan::default()
    };
    let execution = executor.run(&plan)?;
    let bounded = matches!(execution.outcome, Outcome::StepLimit { .. });
    let Some((begin, length)) = tail(execution.events, true).filter(|_| bounded) else {
        return Ok(None);
    };
    let has_progress = execution.events.iter().any(Event::is_progress);
    let mut places: Vec<_> =
        execution.events[begin..begin + length].iter().map(|event| (event.thread, event.pc)).collect();
    places.sort_unstable();
    if !known.insert(places) {
        return Ok(None);
    }
    let steps: Vec<Step> = execution.events.iter().map(Step::of).collect();
    // What lies about on the stacks may still be of before the first round, or of before the loop.
    for first in (begin.saturating_sub(1)..).step_by(length).take(TIMES - 1) {
        let end = first + length + 1;
        if end > steps.len() {
            break;
        }
        let round = Round { first: first as u32, length: length as u32, claim: Claim::Suspected };
        let plan = Plan { schedule: steps[..end].to_vec(), record: true, round: Some(round), ..Plan::default() };
        if matches!(executor.run(&plan)?.outcome, Outcome::Cycle { .. }) {
            // A program that is not made to end has no livelock, unless it says what progress is.
            let counts = has_progress || could_end(executor, &steps[..=first])?;
            return Ok(counts.then_some(plan));
        }
    }
    Ok(None)
}

/// Whether the program can still end after these steps. A few ways to go on are tried.
fn could_end(executor: &mut dyn Executor, schedule: &[Step]) -> Result<bool, ExecutorError> {
    let drawn = (0..DRAWN).map(|seed| (Policy::Random, seed));
    for (policy, seed) in [(Policy::NonPreemptive, 0), (Policy::RoundRobin, 0)].into_iter().chain(drawn) {
        let max_steps = longest(schedule) + 4 * OPERATIONS;
        let plan = Plan { schedule: schedule.to_vec(), policy, seed, max_steps, ..Plan::default() };
        if executor.run(&plan)?.outcome.is_ended() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_model::primitive::atomic;
    use heddle_model::{ObjectId, Operation};

    fn event(thread: u16, object: u64, value: u64) -> Event {
        let operation = Operation::new(atomic::STORE, ObjectId(object)).with_argument(value);
        Event { operation, thread: ThreadId(thread), pc: object, ..Event::default() }
    }

    #[test]
    fn the_longest_thread_is_counted() {
        let steps: Vec<Step> = [0, 2, 2, 0, 2].map(|thread| Step::of(&event(thread, 8, 0))).to_vec();
        assert_eq!((longest(&steps), longest(&steps[..1]), longest(&[])), (3, 1, 0));
    }

    #[test]
    fn the_shortest_round_is_found_where_it_begins() {
        let mut events: Vec<Event> = (0..7).map(|i| event(0, 100 + i, i)).collect();
        for round in 0..TIMES as u64 + 1 {
            events.extend([event(1, 8, round.min(1)), event(2, 16, 1), event(1, 8, 0)]);
        }
        assert_eq!(tail(&events, false), Some((7, 3)));
        // The first round had another value.
        assert_eq!(tail(&events, true), Some((8, 3)));
        let at = events.len() - 1;
        events[at].operation.argument = 7;
        assert_eq!(tail(&events, true), None);
        assert_eq!(tail(&events[..2], true), None);
    }
}
