//! Looks for the smallest execution of each finding after a search, as far as the time allows.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use heddle_model::race::Race;
use heddle_model::{
    Execution, Executor, ExecutorError, Facts, FindingKind, Outcome, Plan, Properties, Property, States, ThreadId,
};
use heddle_report::outcome::{Class, classify};
use heddle_search::minimise::{Goal, minimise};

use crate::engine::Engine;
use crate::tally::{Candidate, Tally, key};

/// A finding to look for in other executions.
struct Target<'t> {
    kind: FindingKind,
    key: &'t [u64],
    properties: Properties,
    interrupted: &'t Arc<AtomicBool>,
}

impl Goal for Target<'_> {
    fn shown_by(&self, execution: &Execution<'_>) -> bool {
        classify(execution, &self.properties) == Class::Finding(self.kind) && same(self.kind, execution) == self.key
    }

    fn actors(&self, execution: &Execution<'_>) -> Option<Vec<ThreadId>> {
        match execution.outcome {
            Outcome::Ended { .. } => execution.events.last().map(|event| vec![event.thread]),
            Outcome::Race(race) => Some(vec![execution.thread, race.earlier_thread]),
            _ => None,
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }
}

/// The identity of a finding, equal in every execution that shows it. A data race is identified by its two places in the code, not by
/// their order, threads or address.
fn same(kind: FindingKind, execution: &Execution<'_>) -> Vec<u64> {
    match execution.outcome.race() {
        Some(race) => race.pair().to_vec(),
        None => key(kind, execution),
    }
}

/// Replaces the plan of each finding by a smaller one, if there is one, within `budget` for all of them.
///
/// # Errors
///
/// When the executor fails.
pub fn look(
    tally: &mut Tally,
    engine: &mut dyn Engine,
    interrupted: &Arc<AtomicBool>,
    budget: Duration,
) -> Result<(), ExecutorError> {
    if budget.is_zero() {
        return Ok(());
    }
    let end = Instant::now() + budget;
    let mut left = tally.findings.len() as u32;
    for candidate in &mut tally.findings {
        // Nobody waits for one finding longer than for the others.
        let share = end.saturating_duration_since(Instant::now()) / left.max(1);
        left -= 1;
        // A thread that runs away takes seconds each time; what died with its process has no events to look at.
        let Class::Finding(kind) = candidate.class else { continue };
        // A cycle has the shortest way to it already.
        let is_cycle = candidate.plan.round.is_some();
        if candidate.lost || is_cycle || kind == FindingKind::Hang || interrupted.load(Relaxed) {
            continue;
        }
        one(candidate, kind, engine, interrupted, Instant::now() + share)?;
    }
    Ok(())
}

fn one(
    candidate: &mut Candidate,
    kind: FindingKind,
    engine: &mut dyn Engine,
    interrupted: &Arc<AtomicBool>,
    deadline: Instant,
) -> Result<(), ExecutorError> {
    let properties = engine.settings().properties;
    let goes_on = kind == FindingKind::DataRace && properties.of(Property::Race).goes_on();
    engine.discard()?;
    engine.reveal(&candidate.places)?;
    engine.submit(&candidate.plan)?;
    let key = same(kind, &engine.receive()?);
    let target = Target { kind, key: &key, properties, interrupted };
    if candidate.plan.states != States::Off {
        // The smallest is looked for among executions in which loops wait. What shows only where they go round stays as it is.
        let waiting = Plan { states: States::Off, ..candidate.plan.clone() };
        if !target.shown_by(&engine.run(&waiting)?) {
            return Ok(());
        }
        candidate.plan = waiting;
    }
    // An execution that goes on after its races shows many at once: it is to end at this one.
    let mut aimed =
        Aimed { aim: candidate.plan.aim.filter(|_| goes_on).map(Race::anywhere), plan: Plan::default(), engine };
    if let Some(smallest) = minimise(&mut aimed, &candidate.plan, &target, &candidate.places, deadline)? {
        let plan = Plan { schedule: smallest.schedule, max_steps: candidate.plan.max_steps, ..Plan::default() };
        let mut aim = None;
        if goes_on {
            let execution = aimed.run(&plan)?;
            aim = execution.outcome.race().copied().filter(|_| target.shown_by(&execution));
            if aim.is_none() {
                return Ok(());
            }
        }
        candidate.plan = Plan { aim, ..plan };
        candidate.minimal = smallest.proven;
    }
    Ok(())
}

/// An executor whose executions end at the data race that is looked for, if it is one.
struct Aimed<'e> {
    aim: Option<Race>,
    /// The last plan, changed to end at the race.
    plan: Plan,
    engine: &'e mut dyn Engine,
}

impl Executor for Aimed<'_> {
    fn depth(&self) -> usize {
        self.engine.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        if self.aim.is_none() {
            return self.engine.submit(plan);
        }
        self.plan.clone_from(plan);
        self.plan.aim = self.aim;
        self.engine.submit(&self.plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        self.engine.receive()
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.engine.wait_until(deadline);
    }

    fn abandon(&mut self) {
        self.engine.abandon();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.engine.reveal(places)
    }

    fn facts(&mut self) -> Facts {
        self.engine.facts()
    }

    fn learn(&mut self, facts: &Facts) -> Result<(), ExecutorError> {
        self.engine.learn(facts)
    }
}
