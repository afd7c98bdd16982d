//! What is kept of the executions of a search: enough to make the interesting ones happen again.
//!
//! Called for every execution, so the ordinary case is a few comparisons and no allocation. Nothing is resolved here:
//! two findings are the same for now if they are at the same addresses; what they are called is found out once the
//! search is over.

pub mod dump;
pub mod leftovers;
pub mod looping;
pub mod outcomes;
mod saved;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use heddle_model::fault::Fault;
use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::{Death, Execution, FindingKind, Outcome, Plan};
use heddle_report::outcome::{Class, Lost, classify, message};
use heddle_search::livelock::Suspect;
use heddle_search::{Flow, Info, Observer};

use crate::after::diverged::Strayed;
use crate::checkpoint::Keeper;
use crate::options::{Options, Races};
use dump::Dump;
use leftovers::Leftovers;
use looping::Round;
use outcomes::Outcomes;

/// An execution that can be made to happen again.
#[derive(Clone, Debug)]
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

/// What is kept of the executions of a search.
pub struct Collector<'o> {
    all: bool,
    pub(crate) observer: &'o mut dyn crate::Observer,
    /// Where checkpoints go, if any are wanted.
    pub keeper: Option<Keeper>,
    /// How executions ended, if that is to be counted.
    pub outcomes: Option<Outcomes>,
    /// Executions to be listed, if they are to be.
    pub dump: Option<Dump>,
    races: bool,
    pub(crate) places: Rc<[u64]>,
    interrupted: Arc<AtomicBool>,
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

impl<'o> Collector<'o> {
    /// Collects what `options` ask for.
    pub fn new(options: &Options, observer: &'o mut dyn crate::Observer) -> Collector<'o> {
        Collector {
            all: options.goes_on(),
            observer,
            keeper: None,
            outcomes: options.outcomes.then(Outcomes::default),
            dump: options.dump.then(Dump::default),
            races: options.races == Races::Report,
            places: Rc::default(),
            interrupted: Arc::clone(&options.interrupted),
            by_key: HashMap::new(),
            findings: Vec::new(),
            not_kept: 0,
            unsupported: None,
            lost: Vec::new(),
            strayed: None,
            round: None,
            leftovers: Leftovers::default(),
            suspects: Vec::new(),
            bounded: 0,
        }
    }

    fn found(&mut self, kind: FindingKind, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        self.keep(key(kind, execution), || candidate(Class::Finding(kind), execution, info));
        if self.all { Flow::Continue } else { Flow::Stop }
    }

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

impl Observer for Collector<'_> {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        if let Some(dump) = &mut self.dump {
            dump.add(info.number, execution);
        }
        if self.races && !execution.races.is_empty() {
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
                Flow::Continue
            }
            Class::Redundant | Class::Assumed => Flow::Continue,
            Class::Finding(kind) => self.found(kind, execution, info),
            Class::Bounded => {
                self.bounded += 1;
                self.look_for_loop(execution);
                Flow::Continue
            }
            Class::Unsupported => {
                if self.unsupported.is_none() {
                    self.unsupported = Some(candidate(Class::Unsupported, execution, info));
                }
                Flow::Continue
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
                Flow::Continue
            }
        }
    }

    fn revealed(&mut self, places: &[u64]) {
        self.places = places.into();
    }

    fn restart(&mut self, places: &[u64]) {
        self.places = places.into();
        for finding in &mut self.findings {
            finding.count = 0;
        }
        self.bounded = 0;
        self.lost.clear();
        self.suspects.clear();
        self.outcomes.iter_mut().for_each(Outcomes::clear);
    }

    fn checkpoint(&mut self, search: &[u8]) {
        let Some(mut keeper) = self.keeper.take() else { return };
        keeper.keep(&self.to_json(), search);
        self.keeper = Some(keeper);
    }

    fn progress(&mut self, progress: &heddle_search::Progress) -> Flow {
        self.observer.progress(progress, self.findings.len());
        if self.interrupted.load(Relaxed) { Flow::Stop } else { Flow::Continue }
    }
}

impl Collector<'_> {
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
