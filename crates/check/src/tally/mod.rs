//! What is kept of the executions of a search: enough to make the interesting ones happen again.
//!
//! Called for every execution, so the ordinary case is a few comparisons and no allocation. Nothing is resolved here:
//! two findings are the same for now if they are at the same addresses; what they are called is found out once the
//! search is over.

mod collector;
pub mod dump;
pub mod leftovers;
pub mod looping;
pub mod outcomes;

pub use collector::Collector;

use std::collections::HashMap;
use std::rc::Rc;

use heddle_model::fault::Fault;
use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::{Death, Execution, FindingKind, Outcome, Plan, Properties, Property};
use heddle_report::outcome::{Class, Lost, classify, message};
use heddle_search::Info;
use heddle_search::livelock::Suspect;
use serde::{Deserialize, Serialize};

use crate::after::diverged::Strayed;
use leftovers::Leftovers;
use looping::Round;
use outcomes::Outcomes;

/// An execution that can be made to happen again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// What to run.
    pub plan: Plan,
    /// The number of the execution.
    pub execution: u64,
    /// How many executions were like it.
    pub count: u64,
    /// What it was.
    pub class: Class,
    /// Words that belong to the outcome.
    pub message: String,
    /// Its events were lost with its process: the plan is all that is known.
    pub lost: bool,
    /// No execution with fewer preemptions shows it.
    pub minimal: bool,
    /// The places of plain memory that are visible to the plan.
    pub places: Rc<[u64]>,
}

/// So many different findings are kept; more are only counted. A report with more is of no use to anybody.
const KEPT: usize = 1000;

/// So many executions that go round are gone on with, in the hope of a livelock.
const SUSPECTS: usize = 4;

/// What is kept of the executions of a search. A checkpoint has all of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// How executions ended, if that is to be counted.
    pub outcomes: Option<Outcomes>,
    pub(crate) places: Rc<[u64]>,
    pub(crate) by_key: HashMap<Vec<u64>, usize>,
    /// What was found.
    pub findings: Vec<Candidate>,
    /// Executions with findings that were not kept.
    pub not_kept: u64,
    /// The first execution that did something unsupported.
    pub unsupported: Option<Candidate>,
    /// The first execution of each kind that was lost.
    pub lost: Vec<Candidate>,
    /// A schedule that could not be followed.
    pub strayed: Option<Strayed>,
    /// The loop at the end of the first execution that was cut off in one.
    pub round: Option<Round>,
    /// What executions that ended well left behind.
    pub leftovers: Leftovers,
    /// The first few executions that go round at their ends.
    pub suspects: Vec<Suspect>,
    /// Executions that were cut off by the bound on steps.
    pub bounded: u64,
}

impl Tally {
    fn keep(&mut self, key: Vec<u64>, candidate: impl FnOnce() -> Candidate) {
        match self.by_key.get(&key) {
            Some(&known) if self.findings[known].count > 0 => self.findings[known].count += 1,
            // It was found in an earlier round, and here it is again, with all that is visible now.
            Some(&known) => {
                let execution = self.findings[known].execution;
                self.findings[known] = Candidate { execution, places: Rc::clone(&self.places), ..candidate() };
            }
            None if self.findings.len() >= KEPT => self.not_kept += 1,
            None => {
                self.by_key.insert(key, self.findings.len());
                self.findings.push(Candidate { places: Rc::clone(&self.places), ..candidate() });
            }
        }
    }

    /// The races of an execution that went on after them: one finding for each pair of places.
    fn found_races(&mut self, execution: &Execution<'_>, info: &Info<'_>) {
        for (index, race) in execution.races.iter().enumerate() {
            let pair = |race: &Race| (race.later_pc.min(race.earlier_pc), race.later_pc.max(race.earlier_pc));
            if execution.races[..index].iter().any(|other| pair(other) == pair(race)) {
                continue;
            }
            let key = vec![pair(race).0, pair(race).1, FindingKind::DataRace as u64];
            self.keep(key, || {
                let schedule = execution.events[..race.events as usize].iter().map(Step::of).collect();
                let plan = Plan { schedule, max_steps: info.plan.max_steps, aim: Some(*race), ..Plan::default() };
                Candidate { plan, ..candidate(Class::Finding(FindingKind::DataRace), execution, info) }
            });
        }
    }
}

impl Tally {
    /// Whether the parts fit together. A tally that comes from a file may be anything.
    pub(crate) fn is_sound(&self) -> bool {
        let known = self.by_key.values().all(|&at| at < self.findings.len());
        known && self.suspects.iter().all(Suspect::is_sound)
    }

    /// Takes an execution in. True if it shows a finding, by which a search for one finding ends. Data races of executions that
    /// go on after them are kept unless `properties` ignore them, and do not end a search.
    pub fn add(&mut self, execution: &Execution<'_>, info: &Info<'_>, properties: &Properties) -> bool {
        if !properties.ignore(Property::Race) && !execution.races.is_empty() {
            self.found_races(execution, info);
        }
        let class = classify(execution);
        if let Some(outcomes) = &mut self.outcomes
            && matches!(class, Class::Fine | Class::Finding(_))
        {
            outcomes.add(execution);
        }
        match class {
            Class::Fine => {
                let places = &self.places;
                self.leftovers.look(execution, || Candidate {
                    places: Rc::clone(places),
                    ..candidate(Class::Fine, execution, info)
                });
            }
            Class::Redundant | Class::Assumed => {}
            Class::Finding(kind) if properties.ignore(kind.property()) => return false,
            Class::Finding(kind) => {
                self.keep(key(kind, execution), || candidate(Class::Finding(kind), execution, info));
            }
            Class::Bounded => {
                self.bounded += 1;
                self.look_for_loop(execution);
            }
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
                    let (execution, at) = (info.earlier + info.number, step as usize);
                    self.strayed = Some(Strayed { execution, at, expected, pending });
                }
                self.keep_lost(why, execution, info);
            }
        }
        matches!(class, Class::Finding(_))
    }

    /// More places of plain memory are visible from now on. What was kept still counts.
    pub fn revealed(&mut self, places: &[u64]) {
        self.places = places.into();
    }

    /// The search begins anew. Findings are kept, and nothing that was counted counts any more.
    pub fn restart(&mut self, places: &[u64]) {
        self.places = places.into();
        for finding in &mut self.findings {
            finding.count = 0;
        }
        self.bounded = 0;
        self.lost.clear();
        self.suspects.clear();
        self.outcomes.iter_mut().for_each(Outcomes::clear);
    }
}

impl Tally {
    /// The first loop that is found stands for all: those that are cut off mostly go round in the same.
    fn look_for_loop(&mut self, execution: &Execution<'_>) {
        // Looking for one takes longer than an execution; where there was none in the first few, there will be none.
        if self.round.is_none() && self.bounded < 10 {
            self.round = looping::find(execution);
        }
        if self.suspects.len() < SUSPECTS && self.bounded < 10 {
            self.suspects.extend(Suspect::of(execution));
        }
    }

    /// Says what is known of an execution that was not what it had been.
    pub fn diverged(&mut self, message: String) {
        let class = Class::Lost(Lost::Diverged);
        match self.lost.iter_mut().find(|known| known.class == class) {
            Some(known) => known.message = message,
            None => self.lost.push(Candidate {
                plan: Plan::default(),
                execution: 0,
                count: 1,
                class,
                message,
                lost: true,
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

fn candidate(class: Class, execution: &Execution<'_>, info: &Info<'_>) -> Candidate {
    // The process died, or had to be killed, and took what it had done with it.
    let lost = execution.events.is_empty() && matches!(execution.outcome, Outcome::Killed(_) | Outcome::Hang);
    let plan = if lost || matches!(execution.outcome, Outcome::Diverged { .. }) {
        info.plan.clone()
    } else {
        let schedule = execution.events.iter().map(Step::of).collect();
        let aim = execution.outcome.race().copied();
        Plan { schedule, max_steps: info.plan.max_steps, aim, ..Plan::default() }
    };
    Candidate {
        plan,
        execution: info.earlier + info.number,
        count: 1,
        class,
        message: message(execution),
        lost,
        minimal: false,
        places: Rc::default(),
    }
}

/// What makes two findings the same as far as addresses tell. Places of a deadlock are sorted: which thread waits
/// where is not part of it.
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

    /// A tally in which nothing has its default value. Every field stands here: one that is added must be saved.
    pub(crate) fn full() -> Tally {
        let events: Vec<Event> = (0..8).map(|i| event(i % 2)).collect();
        let pending = [Pending { thread: ThreadId(3), enabled: 1, ..Pending::default() }];
        let execution = looping::tests::execution(&events, &pending);
        let schedule: Vec<Step> = events.iter().map(Step::of).collect();
        let plan = Plan { schedule: schedule.clone(), max_steps: 7, aim: Some(Race::default()), ..Plan::default() };
        let one = |class| Candidate {
            plan: plan.clone(),
            execution: 5,
            count: 2,
            class,
            message: "words".to_owned(),
            lost: true,
            minimal: true,
            places: [8, 16].into(),
        };
        let mut outcomes = Outcomes::default();
        outcomes.add(&execution);
        let mut leftovers = Leftovers::default();
        leftovers.look(&execution, || one(Class::Fine));
        Tally {
            outcomes: Some(outcomes),
            places: [8, 16, 24].into(),
            by_key: HashMap::from([(vec![1, 2, 3], 0)]),
            findings: vec![one(Class::Finding(FindingKind::Deadlock))],
            not_kept: 3,
            unsupported: Some(one(Class::Unsupported)),
            lost: vec![one(Class::Lost(Lost::Capacity))],
            strayed: Some(Strayed { execution: 4, at: 2, expected: schedule[0], pending: Some(pending[0]) }),
            round: looping::find(&execution),
            leftovers,
            suspects: Suspect::of(&execution).into_iter().collect(),
            bounded: 9,
        }
    }

    #[test]
    fn nothing_is_left_out_of_a_full_tally() {
        let tally = full();
        assert!(tally.is_sound() && tally.round.is_some() && tally.suspects.len() == 1);
    }
}
