//! What is kept of the executions of a search: enough to reproduce the interesting ones.
//!
//! [`Tally::add`] is called for every execution, so the ordinary case is a few comparisons and no allocation. Names are resolved
//! only after the search. Until then, two findings are the same if they have the same addresses.

mod collector;
pub mod dump;
pub mod exits;
pub mod leftovers;
pub mod looping;
pub mod outcomes;
pub mod weaker;

pub use collector::Collector;

use std::collections::HashMap;
use std::rc::Rc;

use heddle_model::fault::Fault;
use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::{
    Attention, Death, Ending, Event, Execution, FindingKind, Outcome, Pending, Plan, Properties, Property, ThreadId,
};
use heddle_report::outcome::{Class, Lost, classify, message};
use heddle_search::Info;
use heddle_search::livelock::Suspect;
use serde::{Deserialize, Serialize};

use crate::after::diverged::Strayed;
use exits::Exits;
use leftovers::Leftovers;
use looping::Iteration;
use outcomes::Outcomes;
use weaker::Weaker;

/// An execution that can be reproduced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// The plan that reproduces the execution.
    pub plan: Plan,
    /// The number of the execution.
    pub execution: u64,
    /// The sampler that drew the execution if it is a sample beside an exhaustive search. `execution` and `count` are then numbers of
    /// samples.
    pub sample: Option<String>,
    /// How many executions had the same finding or problem.
    pub count: u64,
    /// What the execution showed.
    pub class: Class,
    /// The text that belongs to the outcome.
    pub message: String,
    /// Whether the events were lost with the process, so that only the plan is known.
    pub lost: bool,
    /// Whether the execution ended because a bound on operations had stopped threads.
    pub stopped: bool,
    /// Whether it is proven that no execution with fewer preemptions shows the finding.
    pub minimal: bool,
    /// The granules of plain memory whose accesses are visible when the plan runs.
    pub places: Rc<[u64]>,
}

/// The most different findings that are kept. More are only counted, because a longer report is of no use.
const KEPT: usize = 1000;

/// The most executions that are kept as suspects of a livelock.
const SUSPECTS: usize = 4;

/// What is kept of the executions of a search. A checkpoint saves all of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The distinct outcomes, if they are to be counted.
    pub outcomes: Option<Outcomes>,
    pub(crate) places: Rc<[u64]>,
    pub(crate) by_key: HashMap<Vec<u64>, usize>,
    /// The findings, one candidate for each.
    pub findings: Vec<Candidate>,
    /// Executions with findings that were not kept.
    pub not_kept: u64,
    /// The first execution that did something unsupported.
    pub unsupported: Option<Candidate>,
    /// The first lost execution of each kind.
    pub lost: Vec<Candidate>,
    /// The first execution that could not follow its schedule.
    pub strayed: Option<Strayed>,
    /// The loop at the end of the first execution that was cut off in one.
    pub iteration: Option<Iteration>,
    /// The exit statuses of the executions.
    pub exits: Exits,
    /// Why a loop that can go on for ever is no livelock, in words.
    pub endless: Option<String>,
    /// What executions that ended well left behind.
    pub leftovers: Leftovers,
    /// The first few executions that were cut off in a loop.
    pub suspects: Vec<Suspect>,
    /// Executions in which a bound on operations has stopped a thread.
    pub bounded: u64,
    /// The first of these threads, and what it would have done next.
    pub stopped: Option<Pending>,
    /// Atomics with weaker orders than sequential consistency.
    pub weaker: Weaker,
}

impl Tally {
    /// Keeps or counts a finding. An execution of an exhaustive search takes the place of `sample`s beside it, which do not count
    /// any more: what such a search finds is the same with samples and without.
    fn keep(&mut self, key: Vec<u64>, sample: bool, candidate: impl FnOnce() -> Candidate) {
        match self.by_key.get(&key) {
            Some(&known) if !sample && self.findings[known].sample.is_some() => {
                self.findings[known] = Candidate { places: Rc::clone(&self.places), ..candidate() };
            }
            Some(&known) if sample && self.findings[known].sample.is_none() => {}
            Some(&known) if self.findings[known].count > 0 => self.findings[known].count += 1,
            // It was found in an earlier round, and here it is again, with all that is visible now.
            Some(&known) => {
                self.findings[known] = Candidate { places: Rc::clone(&self.places), ..candidate() };
            }
            None if self.findings.len() >= KEPT => self.not_kept += 1,
            None => {
                self.by_key.insert(key, self.findings.len());
                self.findings.push(Candidate { places: Rc::clone(&self.places), ..candidate() });
            }
        }
    }

    /// Adds the data races of an execution that continued after them: one finding for each pair of places.
    fn found_races(&mut self, execution: &Execution<'_>, info: &Info<'_>) {
        let certain = || execution.races.iter().filter(|race| !race.is_suspected());
        for (index, race) in certain().enumerate() {
            let pair = |race: &Race| (race.later_pc.min(race.earlier_pc), race.later_pc.max(race.earlier_pc));
            if certain().take(index).any(|other| pair(other) == pair(race)) {
                continue;
            }
            let key = vec![pair(race).0, pair(race).1, FindingKind::DataRace as u64];
            self.keep(key, info.sample, || {
                let schedule = execution.events[..race.events as usize].iter().map(Step::of).collect();
                let (max_steps, states) = (info.plan.max_steps, info.plan.states.again());
                let plan = Plan { schedule, max_steps, aim: Some(*race), states, ..Plan::default() };
                Candidate { plan, ..candidate(Class::Finding(FindingKind::DataRace), execution, info) }
            });
        }
    }
}

impl Tally {
    /// Whether the parts are consistent. A tally from a file can hold anything.
    pub(crate) fn is_sound(&self) -> bool {
        let known = self.by_key.values().all(|&at| at < self.findings.len());
        known && self.suspects.iter().all(Suspect::is_sound)
    }

    /// Puts the findings of samples behind those of an exhaustive search, and these in the order of their executions. Called when
    /// the search is over.
    pub fn samples_last(&mut self) {
        self.by_key.clear();
        self.findings.sort_by_key(|found| (found.sample.is_some(), found.execution));
    }

    /// Adds an execution. Of a sample beside an exhaustive search only findings are kept, and what ends the search: all else is
    /// said of that search alone. Returns whether it shows a finding that ends a search for one finding. Data races of executions that
    /// continue after them are kept, unless `properties` ignore them, and do not end a search.
    pub fn add(&mut self, execution: &Execution<'_>, info: &Info<'_>, properties: &Properties) -> bool {
        if !properties.ignore(Property::Race) && !execution.races.is_empty() {
            self.found_races(execution, info);
        }
        self.weaker.look(execution);
        let class = classify(execution, properties);
        let stopped = execution.stopped().next().filter(|_| !info.sample && class != Class::Redundant);
        if let Some(stopped) = stopped {
            self.bounded += 1;
            self.stopped.get_or_insert(*stopped);
        }
        if let Some(status) = execution.outcome.ending().and_then(Ending::exit_status) {
            self.exits.add(status);
        }
        if let Some(outcomes) = &mut self.outcomes
            && !info.sample
            && matches!(class, Class::Fine | Class::Finding(_))
        {
            outcomes.add(execution);
        }
        match class {
            Class::Fine
            | Class::Bounded
            | Class::OutOfBounds
            | Class::Lost(Lost::Capacity | Lost::Killed | Lost::MemoryLimit)
                if info.sample => {}
            Class::Fine => {
                let places = &self.places;
                self.leftovers.look(execution, || Candidate {
                    places: Rc::clone(places),
                    ..candidate(Class::Fine, execution, info)
                });
            }
            Class::Redundant | Class::Assumed | Class::OutOfBounds => {}
            Class::Finding(kind) if properties.ignore(kind.property()) => return false,
            Class::Finding(kind) => {
                self.keep(key(kind, execution), info.sample, || candidate(Class::Finding(kind), execution, info));
            }
            Class::Bounded => self.look_for_loop(execution),
            Class::Unsupported => {
                if self.unsupported.is_none() {
                    self.unsupported = Some(candidate(Class::Unsupported, execution, info));
                }
            }
            Class::Lost(why) => {
                if why == Lost::Capacity {
                    self.look_for_loop(execution);
                }
                if let Outcome::Diverged { step } = execution.outcome
                    && let Some(&expected) = info.plan.schedule.get(step as usize)
                {
                    let pending = execution.pending.iter().find(|pending| pending.thread == expected.thread).copied();
                    let (execution, at) = (info.complete, step as usize);
                    self.strayed = Some(Strayed { execution, at, expected, pending });
                }
                self.keep_lost(why, execution, info);
            }
        }
        match class {
            // An execution that ends well can be the one that shows that another one does not.
            Class::Fine | Class::Finding(FindingKind::Failed) => self.exits.are_telling(properties.of(Property::Exit)),
            class => matches!(class, Class::Finding(_)),
        }
    }

    /// Called when the search is over. Keeps the findings about exit statuses that `attention` asks for: one in all if every
    /// execution ended with the same status, or none if only differences count.
    pub fn settle_exits(&mut self, attention: Attention) {
        if self.exits.differ() {
            return;
        }
        let mut wanted = attention != Attention::Differ;
        let all = self.exits.all();
        let mut moved = Vec::with_capacity(self.findings.len());
        let mut kept = 0;
        self.findings.retain_mut(|found| {
            let failed = found.class == Class::Finding(FindingKind::Failed);
            if failed && wanted {
                found.count = all;
            }
            let keep = !failed || std::mem::take(&mut wanted);
            moved.push(keep.then_some(kept));
            kept += usize::from(keep);
            keep
        });
        self.by_key.retain(|_, at| match moved[*at] {
            Some(position) => {
                *at = position;
                true
            }
            None => false,
        });
    }

    /// Called when more granules of plain memory become visible. What was kept stays valid.
    pub fn revealed(&mut self, places: &[u64]) {
        self.places = places.into();
    }

    /// Takes over what another search of the same program has found, and nothing else of it.
    pub(crate) fn take_findings_of(&mut self, other: Tally) {
        for (key, at) in other.by_key {
            let found = &other.findings[at];
            if found.count > 0 && !self.by_key.contains_key(&key) && self.findings.len() < KEPT {
                self.by_key.insert(key, self.findings.len());
                self.findings.push(found.clone());
            }
        }
    }

    /// Called when the search starts over. Keeps the findings and clears the counts.
    pub fn restart(&mut self, places: &[u64]) {
        self.places = places.into();
        for finding in &mut self.findings {
            finding.count = 0;
        }
        self.bounded = 0;
        self.stopped = None;
        self.exits = Exits::default();
        self.endless = None;
        self.lost.clear();
        self.suspects.clear();
        self.outcomes.iter_mut().for_each(Outcomes::clear);
    }
}

impl Tally {
    /// Looks for the loop at the end of an execution. The first loop stands for all, because most executions end in the same one.
    fn look_for_loop(&mut self, execution: &Execution<'_>) {
        let execution = &until_first_stop(execution);
        // Looking for one takes longer than an execution; where there was none in the first few, there will be none.
        if self.iteration.is_none() && self.bounded < 10 {
            self.iteration = looping::find(execution);
        }
        if self.suspects.len() < SUSPECTS && self.bounded < 10 {
            self.suspects.extend(Suspect::of(execution));
        }
    }

    /// Whether there are enough executions in which a livelock is to be looked for. One that was `too_large` is enough.
    pub(crate) fn suspects_livelock(&self, too_large: bool) -> bool {
        self.suspects.len() >= SUSPECTS || too_large && !self.suspects.is_empty()
    }

    /// Adds the message about an execution that behaved differently when it was run again.
    pub fn diverged(&mut self, message: String) {
        let class = Class::Lost(Lost::Diverged);
        match self.lost.iter_mut().find(|known| known.class == class) {
            Some(known) => known.message = message,
            None => self.lost.push(Candidate {
                plan: Plan::default(),
                execution: 0,
                sample: None,
                count: 1,
                class,
                message,
                lost: true,
                stopped: false,
                minimal: false,
                places: Rc::default(),
            }),
        }
    }

    fn keep_lost(&mut self, why: Lost, execution: &Execution<'_>, info: &Info<'_>) {
        let class = Class::Lost(why);
        match self.lost.iter_mut().find(|known| known.class == class) {
            Some(known) => known.count += 1,
            None => self.lost.push(candidate(class, execution, info)),
        }
    }
}

/// `execution` up to the last operation of the thread that a bound stopped first. What the others did after that may hide the
/// loop that they were in together.
fn until_first_stop<'e>(execution: &Execution<'e>) -> Execution<'e> {
    let last = |thread: ThreadId| execution.events.iter().rposition(|event| event.thread == thread);
    let first = execution.stopped().filter_map(|stopped| last(stopped.thread)).min();
    let end = first.map_or(execution.events.len(), |first| first + 1);
    Execution { events: &execution.events[..end], ..*execution }
}

/// The most operations that one thread has taken.
fn most_operations(events: &[Event]) -> u32 {
    let mut counts: HashMap<ThreadId, u32> = HashMap::new();
    events.iter().for_each(|event| *counts.entry(event.thread).or_default() += 1);
    counts.into_values().max().unwrap_or(0)
}

fn candidate(class: Class, execution: &Execution<'_>, info: &Info<'_>) -> Candidate {
    // The process died, or had to be killed, and took what it had done with it.
    let lost = execution.events.is_empty() && matches!(execution.outcome, Outcome::Killed(_) | Outcome::Hang);
    let plan = if lost || matches!(execution.outcome, Outcome::Diverged { .. }) {
        info.plan.clone()
    } else {
        let schedule = execution.events.iter().map(Step::of).collect();
        let aim = execution.outcome.race().copied();
        let max_steps = match execution.outcome {
            // Nothing ends it when it is run again: it went round.
            Outcome::Visited | Outcome::Blocked => most_operations(execution.events),
            _ => info.plan.max_steps,
        };
        Plan { schedule, max_steps, aim, states: info.plan.states.again(), ..Plan::default() }
    };
    Candidate {
        plan,
        execution: info.complete,
        sample: info.sampler.map(str::to_owned),
        count: 1,
        class,
        message: message(execution),
        lost,
        stopped: matches!(execution.outcome, Outcome::StepLimit { .. } | Outcome::Visited | Outcome::Blocked),
        minimal: false,
        places: Rc::default(),
    }
}

/// The identity of a finding by its addresses: equal for findings that are the same. The places of a deadlock are sorted, because it
/// does not matter which thread waits where.
pub fn key(kind: FindingKind, execution: &Execution<'_>) -> Vec<u64> {
    let mut key = match (execution.outcome, execution.events.last()) {
        _ if matches!(kind, FindingKind::Deadlock | FindingKind::PartialDeadlock) => {
            let waiting = execution.pending.iter().filter(|pending| pending.enabled == 0);
            let mut places: Vec<[u64; 2]> = waiting.map(|pending| [pending.pc, pending.operation.object.0]).collect();
            places.sort();
            places.concat()
        }
        (_, Some(last)) => vec![last.pc, last.operation.detail as u64],
        (Outcome::Killed(Death::Signal(signal)), None) => vec![signal.into()],
        (_, None) => vec![0],
    };
    key.push(kind as u64);
    key.extend(execution.outcome.race().map(Race::to_words).into_iter().flatten());
    key.extend(execution.outcome.fault().map(Fault::to_words).into_iter().flatten());
    key.extend(execution.message.bytes().map(u64::from));
    key
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use heddle_model::primitive::atomic;
    use heddle_model::{Event, ObjectId, Operation, Pending, ThreadId};

    fn event(object: u64) -> Event {
        Event { operation: Operation::new(atomic::STORE, ObjectId(object)), pc: object, ..Event::default() }
    }

    /// A tally in which no field has its default value. It names every field, so that a new one cannot be forgotten.
    pub(crate) fn full() -> Tally {
        let events: Vec<Event> = (0..8).map(|i| event(i % 2)).collect();
        let pending = [Pending { thread: ThreadId(3), enabled: 1, ..Pending::default() }];
        let execution = looping::tests::execution(&events, &pending);
        let schedule: Vec<Step> = events.iter().map(Step::of).collect();
        let plan = Plan { schedule: schedule.clone(), max_steps: 7, aim: Some(Race::default()), ..Plan::default() };
        let one = |class| Candidate {
            plan: plan.clone(),
            execution: 5,
            sample: Some("pos".to_owned()),
            count: 2,
            class,
            message: "words".to_owned(),
            lost: true,
            stopped: true,
            minimal: true,
            places: [8, 16].into(),
        };
        let mut outcomes = Outcomes::default();
        outcomes.add(&execution);
        let mut exits = Exits::default();
        exits.add(1);
        let mut leftovers = Leftovers::default();
        leftovers.look(&execution, || one(Class::Fine));
        let mut weaker = Weaker::default();
        let relaxed = Event { operation: Operation { detail: 0, ..events[0].operation }, ..events[0] };
        weaker.look(&heddle_model::Execution { events: &[relaxed], ..execution });
        Tally {
            outcomes: Some(outcomes),
            places: [8, 16, 24].into(),
            by_key: HashMap::from([(vec![1, 2, 3], 0)]),
            findings: vec![one(Class::Finding(FindingKind::Deadlock))],
            not_kept: 3,
            unsupported: Some(one(Class::Unsupported)),
            lost: vec![one(Class::Lost(Lost::Capacity))],
            strayed: Some(Strayed { execution: 4, at: 2, expected: schedule[0], pending: Some(pending[0]) }),
            iteration: looping::find(&execution),
            exits,
            endless: Some("words".to_owned()),
            leftovers,
            suspects: Suspect::of(&execution).into_iter().collect(),
            bounded: 9,
            stopped: Some(pending[0]),
            weaker,
        }
    }

    #[test]
    fn nothing_is_left_out_of_a_full_tally() {
        let tally = full();
        assert!(tally.is_sound() && tally.iteration.is_some() && tally.suspects.len() == 1);
    }
}
