//! Fits a conjecture's order to the program: finds the native schedule in which the threads take turns as the order says.
//!
//! The order has events that the program does not show, and the program has events that the order does not have: starts of threads, inputs.
//! So the program is run again and again. Where another thread goes on than the order wants, a step is added there that makes the right one
//! go on. Plain accesses become visible when their race is seen, and then everything begins anew.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::time::Instant;

use heddle_model::follow::{Policy, Step};
use heddle_model::primitive::memory;
use heddle_model::{Event, ExecutorError, Outcome, Plan, Properties, ThreadId};
use heddle_report::outcome::{Class, classify};

use crate::engine::{Engine, Names};

/// What a thread does in the order, as the program may show it.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The thread.
    pub thread: ThreadId,
    /// The families of its operation.
    pub families: &'static [u8],
    /// Its line.
    pub line: u32,
}

/// How often everything begins anew because more places are visible.
const ROUNDS: u32 = 16;

/// How many samples show where threads race.
const SAMPLES: u64 = 16;

/// What came of one run.
struct Ran {
    events: Vec<Event>,
    outcome: Outcome,
    fails: bool,
    races: Vec<u64>,
}

/// Looks for a schedule in which `wanted` happens in its order, and with which something goes wrong. None if there is none by `until`.
///
/// # Errors
///
/// When the program cannot be run.
pub fn fit(
    engine: &mut dyn Engine,
    wanted: &[Wanted],
    last: Option<ThreadId>,
    until: Instant,
) -> Result<Option<Vec<Step>>, ExecutorError> {
    let names = engine.names();
    let properties = engine.settings().properties;
    let mut places: BTreeSet<u64> = engine.places().iter().copied().collect();
    for _ in 0..ROUNDS {
        let mut fitting = Fitting { names: &*names, seen: HashSet::new(), wanted, last };
        fitting.look_around(engine, &properties, &mut places)?;
        match fitting.round(engine, &properties, &mut places, until)? {
            Some(schedule) => return Ok(schedule),
            None => engine.reveal(&places.iter().copied().collect::<Vec<_>>())?,
        }
    }
    Ok(None)
}

fn run(engine: &mut dyn Engine, plan: &Plan, properties: &Properties) -> Result<Ran, ExecutorError> {
    let execution = engine.run(plan)?;
    Ok(Ran {
        fails: matches!(classify(&execution, properties), Class::Finding(_)),
        outcome: execution.outcome,
        races: execution.races.iter().map(|race| race.place).collect(),
        events: execution.events.to_vec(),
    })
}

struct Fitting<'a> {
    names: &'a dyn Names,
    /// Lines at which plain accesses are visible.
    seen: HashSet<u32>,
    wanted: &'a [Wanted],
    last: Option<ThreadId>,
}

impl Fitting<'_> {
    /// Runs samples: a place whose accesses race in one of them becomes visible. A thread that `main` does not wait for may run in no other.
    fn look_around(
        &mut self,
        engine: &mut dyn Engine,
        properties: &Properties,
        places: &mut BTreeSet<u64>,
    ) -> Result<(), ExecutorError> {
        for _ in 0..ROUNDS {
            let known = places.len();
            for seed in 0..SAMPLES {
                let policy = if seed == 0 { Policy::Turns { operations: 1 } } else { Policy::Random };
                let ran = run(engine, &Plan { policy, seed, ..Plan::default() }, properties)?;
                places.extend(&ran.races);
                self.note(&ran.events);
            }
            if places.len() == known {
                break;
            }
            engine.reveal(&places.iter().copied().collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// One round with the same places. `None`: there are more places. `Some(None)`: the order does not fit.
    fn round(
        &mut self,
        engine: &mut dyn Engine,
        properties: &Properties,
        places: &mut BTreeSet<u64>,
        until: Instant,
    ) -> Result<Option<Option<Vec<Step>>>, ExecutorError> {
        let mut schedule: Vec<Step> = Vec::new();
        // Where the order's thread cannot go on, and another one may.
        let mut given_up: HashSet<usize> = HashSet::new();
        let mut before: Vec<Event> = Vec::new();
        loop {
            if Instant::now() >= until {
                return Ok(Some(None));
            }
            let plan = Plan { schedule: schedule.clone(), ..Plan::default() };
            let ran = run(engine, &plan, properties)?;
            let known = places.len();
            places.extend(&ran.races);
            if ran.fails {
                return Ok(Some(Some(ran.events.iter().map(Step::of).collect())));
            }
            if places.len() > known {
                return Ok(None);
            }
            if matches!(ran.outcome, Outcome::Diverged { .. }) {
                // The last step was impossible: what happened there before happens again.
                let Some(at) = schedule.len().checked_sub(1).filter(|at| before.get(*at).is_some()) else {
                    return Ok(Some(None));
                };
                given_up.insert(at);
                schedule.truncate(at);
                schedule.push(Step::of(&before[at]));
                continue;
            }
            self.note(&ran.events);
            match self.next_switch(&ran.events, schedule.len(), &given_up) {
                Some((at, thread)) => {
                    schedule = ran.events[..at].iter().map(Step::of).collect();
                    schedule.push(Step::new(thread));
                    before = ran.events;
                }
                None => return Ok(Some(None)),
            }
        }
    }

    fn line(&self, event: &Event) -> u32 {
        self.names.location(&[event.pc]).map_or(0, |at| at.line)
    }

    fn note(&mut self, events: &[Event]) {
        for event in events.iter().filter(|event| event.operation.code.family() == memory::FAMILY) {
            let line = self.line(event);
            self.seen.insert(line);
        }
    }

    /// The first place from `from` on where another thread should go on, and which.
    fn next_switch(&self, events: &[Event], from: usize, given_up: &HashSet<usize>) -> Option<(usize, ThreadId)> {
        let visible = |wanted: &&Wanted| {
            !wanted.families.is_empty()
                && (!wanted.families.contains(&memory::FAMILY)
                    || self.seen.contains(&wanted.line)
                    || wanted.families.len() > 1)
        };
        let mut queue: VecDeque<&Wanted> = self.wanted.iter().filter(visible).collect();
        for (at, event) in events.iter().enumerate() {
            let turn = queue.front().map(|wanted| wanted.thread).or(self.last)?;
            if event.thread != turn && at >= from && !given_up.contains(&at) {
                return Some((at, turn));
            }
            let (family, line) = (event.operation.code.family(), self.line(event));
            let is = |wanted: &Wanted| wanted.families.contains(&family) && wanted.line == line;
            // What the thread should have done before, and has not shown, it never shows.
            if let Some(found) = queue.iter().position(|wanted| wanted.thread == event.thread && is(wanted)) {
                let mut index = 0;
                queue.retain(|wanted| {
                    index += 1;
                    index > found + 1 || wanted.thread != event.thread
                });
            }
        }
        None
    }
}
