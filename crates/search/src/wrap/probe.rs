//! An executor that puts the identity of states to the test.
//!
//! A search over states relies on it that equal states have equal futures. Whatever was left out of a state by mistake (something of the
//! kernel's, a counter of the runtime's) makes two different states one, and what follows from the second is never seen. So on a sample
//! of the matches, the first, second, fourth, ... and every [`EVERY`]th, both ways to the state are run with the same continuation: the same
//! lots draw the next [`STEPS`] steps. Events, their values and the states on the way must be the same. A difference is an error of
//! whoever computes the fingerprints.
//!
//! This executor only watches: it keeps the ways to a sample of the states, chosen by their fingerprints, and compares further ways to them. It
//! knows nothing of the search. The probes are run when the search is over ([`Probed::finish`]).

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use heddle_model::content::{PartKind, parts};
use heddle_model::follow::{Policy, Step};
use heddle_model::immediate::Immediate;
use heddle_model::{Event, EventFlags, Execution, Executor, ExecutorError, Facts, Fingerprint, Outcome, Plan, States};

use super::exact;
use crate::after::apart::Differs;

/// At least one of this many matches is probed.
pub const EVERY: u64 = 1000;
/// How many steps of the two futures are compared.
pub const STEPS: usize = 64;
/// The seeds of the continuations.
const SEEDS: [u64; 2] = [1, 2];
/// How many states have ways that are kept, how long these may be, and how many matches are probed.
const KEPT: usize = 512;
const LONGEST: usize = 4096;
const MOST: usize = 256;

/// Two ways to one state that go on differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// How many steps the two ways have.
    pub steps: [usize; 2],
    /// How many steps behind the state the first difference is.
    pub at: usize,
    /// The event of each way there, if there is one. If both are the same, the states behind them differ.
    pub events: [Option<Event>; 2],
    /// What the states behind these events differ in, if the events are the same and the states tell what they consist of.
    pub part: Option<Differs>,
}

/// A match that is to be probed: two ways to one state.
struct Match {
    state: Fingerprint,
    ways: [Vec<Step>; 2],
    how: How,
}

/// What of a plan decides which states its execution has.
#[derive(Clone, Copy)]
struct How {
    /// Which of the next steps are no decisions.
    immediate: Immediate,
    /// Whether it tells what threads do with plain memory: what the race detector knows counts for less then.
    tells: bool,
}

/// An [`Executor`] that watches the states of the executions of another one.
pub struct Probed<'e> {
    inner: &'e mut dyn Executor,
    /// For each plan under way, if its execution ends at known states: how many steps it has, and how its states come about.
    under_way: VecDeque<Option<(usize, How)>>,
    notes: Notes,
}

/// What was seen of states.
#[derive(Default)]
struct Notes {
    /// Ways to states whose fingerprints end with so many zeroes.
    ways: HashMap<Fingerprint, Vec<Step>>,
    zeroes: u32,
    matches: u64,
    /// The limit of the plans, which states depend on.
    max_steps: u32,
    sampled: Vec<Match>,
}

impl Notes {
    /// Takes note of the states of an execution whose schedule had `from` steps.
    fn add(&mut self, from: usize, how: How, execution: &Execution<'_>) {
        for (number, &state) in execution.states.iter().enumerate() {
            let at = from + number;
            if state == Fingerprint::NONE {
                // Nothing was decided there.
                continue;
            }
            if state.0.trailing_zeros() < self.zeroes || at > execution.events.len() || at > LONGEST {
                continue;
            }
            // Inside an atomic section nobody else can go on: these states have one future.
            if at > 0 && execution.events[at - 1].flags.contains(EventFlags::INSIDE) {
                continue;
            }
            let way = || execution.events[..at].iter().map(Step::of).collect::<Vec<Step>>();
            let Some(known) = self.ways.get(&state) else {
                self.ways.insert(state, way());
                continue;
            };
            if known.len() == at && known.iter().zip(execution.events).all(|(step, event)| *step == Step::of(event)) {
                continue;
            }
            self.matches += 1;
            if (self.matches.is_power_of_two() || self.matches.is_multiple_of(EVERY)) && self.sampled.len() < MOST {
                self.sampled.push(Match { state, ways: [known.clone(), way()], how });
            }
        }
        while self.ways.len() > KEPT {
            self.zeroes += 1;
            let zeroes = self.zeroes;
            self.ways.retain(|state, _| state.0.trailing_zeros() >= zeroes);
        }
    }
}

impl<'e> Probed<'e> {
    /// An executor that runs the plans of `inner`.
    pub fn new(inner: &'e mut dyn Executor) -> Probed<'e> {
        Probed { inner, under_way: VecDeque::new(), notes: Notes::default() }
    }

    /// How often a state was met in another way than before, among those whose ways are kept.
    pub fn matches(&self) -> u64 {
        self.notes.matches
    }

    /// Runs the probes, and makes the executor forget all states. Returns the first difference, if there was one. No plan may be under way.
    ///
    /// # Errors
    ///
    /// When the executor fails.
    pub fn finish(self) -> Result<Option<Mismatch>, ExecutorError> {
        self.inner.forget_states();
        for sampled in &self.notes.sampled {
            for seed in SEEDS {
                if let Some(mismatch) = probe(self.inner, sampled, seed, self.notes.max_steps)? {
                    return Ok(Some(mismatch));
                }
            }
        }
        Ok(None)
    }
}

/// What follows behind a way.
struct Future {
    events: Vec<Event>,
    states: Vec<Fingerprint>,
    /// What each state consists of, by its number.
    contents: HashMap<usize, Box<[u64]>>,
}

fn probe(
    executor: &mut dyn Executor,
    sampled: &Match,
    seed: u64,
    max_steps: u32,
) -> Result<Option<Mismatch>, ExecutorError> {
    let steps = sampled.ways.each_ref().map(Vec::len);
    let mut futures = Vec::with_capacity(2);
    for way in &sampled.ways {
        // No state is known any more: it ends where it comes to a state again.
        let (schedule, policy, states) = (way.clone(), Policy::Random, States::Stop);
        let How { immediate, tells } = sampled.how;
        let touches = tells.then_some(way.len() as u32);
        let plan =
            Plan { schedule, policy, seed, max_steps, states, immediate, touches, contents: true, ..Plan::default() };
        let execution = executor.run(&plan)?;
        use Outcome::{Assumed, Deadlock, Ended, Race, StepLimit, Visited};
        let ended =
            matches!(execution.outcome, Ended { .. } | Deadlock | Assumed | Race(_) | StepLimit { .. } | Visited);
        if matches!(execution.outcome, Outcome::Diverged { .. }) {
            // The way to the state is no way any more.
            return Ok(Some(Mismatch { steps, at: 0, events: [None; 2], part: None }));
        }
        if !ended {
            // The process was killed, or the machine is too busy: nothing can be said.
            return Ok(None);
        }
        let events = execution.events.get(way.len()..).unwrap_or_default().to_vec();
        let contents = exact::states(execution.contents).map(|(number, content)| (number, content.into())).collect();
        futures.push(Future { events, states: execution.states.to_vec(), contents });
    }
    let [one, other] = &futures[..] else { return Ok(None) };
    let differ = |at: usize, state: usize| {
        let contents = one.contents.get(&state).zip(other.contents.get(&state));
        let part = contents.and_then(|(one, other)| exact::compare(one, other));
        Mismatch { steps, at, events: [one.events.get(at).copied(), other.events.get(at).copied()], part }
    };
    if one.states.first() != Some(&sampled.state) || other.states.first() != Some(&sampled.state) {
        return Ok(Some(differ(0, 0)));
    }
    for at in 0..STEPS {
        let same_event = match (one.events.get(at), other.events.get(at)) {
            (Some(first), Some(second)) => first.is_same_after(steps[0], second, steps[1]),
            (None, None) => break,
            _ => false,
        };
        let state = |future: &Future| future.states.get(at + 1).copied();
        let same_state = state(one).zip(state(other)).is_none_or(|(first, second)| first == second)
            || has_begun_to_differ(one, other, at + 1);
        if !same_event || !same_state {
            return Ok(Some(differ(at, at + 1)));
        }
    }
    Ok(None)
}

/// Whether the states with this number differ only in their [histories](PartKind::History), and these have begun on the way. What is not
/// understood makes all events before part of a state, also those that led to the two in different ways. That keeps states apart, and says nothing
/// against those before.
fn has_begun_to_differ(one: &Future, other: &Future, number: usize) -> bool {
    let had_none = |future: &Future| {
        let content = future.contents.get(&0);
        content.is_some_and(|content| parts(content).all(|part| part.kind != PartKind::History))
    };
    let besides = |future: &Future| {
        let content = future.contents.get(&number)?;
        let others = parts(content).filter(|part| part.kind != PartKind::History);
        Some(others.flat_map(|part| [&[part.kind.head(part.words.len()), part.key], part.words].concat()).collect())
    };
    let contents: Option<(Vec<u64>, Vec<u64>)> = besides(one).zip(besides(other));
    had_none(one) && had_none(other) && contents.is_some_and(|(one, other)| exact::compare(&one, &other).is_none())
}

impl Executor for Probed<'_> {
    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)?;
        let is_watched = plan.states == States::Stop && plan.max_switches.is_none();
        let how = How { immediate: plan.immediate, tells: plan.touches.is_some() };
        self.under_way.push_back(is_watched.then_some((plan.schedule.len(), how)));
        self.notes.max_steps = plan.max_steps;
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let Probed { inner, under_way, notes } = self;
        let execution = inner.receive()?;
        if let Some(Some((from, how))) = under_way.pop_front() {
            notes.add(from, how, &execution);
        }
        Ok(execution)
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.inner.wait_until(deadline);
    }

    fn abandon(&mut self) {
        self.under_way.clear();
        self.inner.abandon();
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.inner.remember(states);
    }

    fn forget_states(&mut self) {
        // The search begins anew.
        self.notes = Notes::default();
        self.inner.forget_states();
    }

    fn facts(&mut self) -> Facts {
        self.inner.facts()
    }

    fn learn(&mut self, facts: &Facts) -> Result<(), ExecutorError> {
        self.inner.learn(facts)
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        // With other visible places, schedules are others. Plans under way may see them or not.
        self.notes = Notes::default();
        self.under_way.iter_mut().for_each(|plan| *plan = None);
        self.inner.reveal(places)
    }
}
