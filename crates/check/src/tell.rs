//! Reproduces what a search found, and makes traces of it with names and places.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use heddle_model::{Ending, ExecutorError, Finding, FindingKind, Location, Plan, ThreadId, Trace, trace};
use heddle_report::outcome::{Class, Lost};
use heddle_report::recognise;

use crate::engine::Engine;
use crate::failure::Failure;
use crate::internal::{Panic, guard};
use crate::resolve;
use crate::tally::{Candidate, Tally};
use crate::trace::{Run, Story};

/// What a search found, with names, places and traces.
pub(crate) struct Told {
    /// A trace for each finding.
    pub(crate) traces: Vec<Trace>,
    /// Findings without a trace, because Heddle failed when it was to make one.
    pub(crate) untold: Vec<Finding>,
    /// The message about the unsupported call that an execution made, with its place.
    pub(crate) unsupported: Option<String>,
    /// Where an execution ran out of memory.
    pub(crate) out_of_memory: Option<Location>,
    /// How many findings were not reproduced.
    pub(crate) unrepeatable: u64,
}

impl Told {
    /// Runs the executions that `tally` kept again, with everything recorded. `whole`: the search left no execution out.
    pub(crate) fn of(
        tally: &Tally,
        engine: &mut dyn Engine,
        program: &trace::Program,
        whole: bool,
        panics: &mut Vec<Panic>,
    ) -> Result<Told, Failure> {
        let directory = PathBuf::from(&program.directory);
        let mut told =
            Told { traces: Vec::new(), untold: Vec::new(), unsupported: None, out_of_memory: None, unrepeatable: 0 };
        let mut by_key: HashMap<String, usize> = HashMap::new();
        let mut numbers: HashMap<FindingKind, u32> = HashMap::new();
        for candidate in &tally.findings {
            let story = guard("trace", panics, || {
                let shown = engine.discard().and_then(|()| engine.reveal(&candidate.places));
                let aimed = shown.and_then(|()| aim(engine, candidate));
                let recording = aimed.and_then(|plan| resolve::record(engine, &plan, &directory))?;
                Ok(crate::trace::tell(recording, &candidate.plan, program, &run_of(candidate, engine)))
            });
            let story = match story {
                Some(Ok(story)) => story,
                Some(Err(ExecutorError::Interrupted)) => return Err(Failure::Interrupted),
                // There is a finding, and no execution that shows it.
                Some(Err(ExecutorError::Damaged(_))) => None,
                Some(Err(error)) => return Err(Failure::Unrepeatable(error)),
                None => {
                    let number = told.untold.len() + 1;
                    told.untold.extend(untold(candidate, number));
                    continue;
                }
            };
            let Some(Story { mut trace, key }) = story else {
                told.unrepeatable += candidate.count;
                continue;
            };
            if let Some(&known) = by_key.get(&key) {
                // Samples are not counted where the exhaustive search has found the same.
                if candidate.sample.is_some() && told.traces[known].finding.sample.is_none() {
                    continue;
                }
                // Two pairs of instructions of the same two lines mostly race in the same executions.
                let count = &mut told.traces[known].finding.count;
                *count = match trace.finding.kind {
                    FindingKind::DataRace => candidate.count.max(*count),
                    _ => *count + candidate.count,
                };
                continue;
            }
            let number = numbers.entry(trace.finding.kind).or_default();
            *number += 1;
            trace.finding.id = format!("{}-{number}", trace.finding.kind);
            // Found in a round that did not count, and the last one was cut short.
            trace.finding.count = candidate.count.max(1);
            trace.finding.execution = candidate.execution;
            trace.finding.sample = candidate.sample.clone();
            trace.finding.minimal = candidate.minimal;
            let status = trace.end.outcome.ending().and_then(Ending::exit_status);
            if let (FindingKind::Failed, Some(status)) = (trace.finding.kind, status) {
                trace.finding.message = tally.exits.message(status, whole);
            }
            by_key.insert(key, told.traces.len());
            told.traces.push(trace);
        }
        if let Some(candidate) = &tally.unsupported {
            let place = end_place(candidate, engine, &directory).map_or(String::new(), |at| format!(" at {at}"));
            let version = env!("CARGO_PKG_VERSION");
            told.unsupported = Some(format!("`{}`{place} is not supported by heddle {version}", candidate.message));
        }
        let is_memory = |lost: &&Candidate| lost.class == Class::Lost(Lost::MemoryLimit);
        if let Some(candidate) = tally.lost.iter().find(is_memory) {
            told.out_of_memory = end_place(candidate, engine, &directory);
        }
        Ok(told)
    }
}

/// How the program was run when it showed `candidate`.
fn run_of(candidate: &Candidate, engine: &mut dyn Engine) -> Run {
    let mut settings = engine.settings();
    // Where the search or a sample has set a bound of its own, the execution ends there only with that bound.
    if candidate.stopped {
        settings.max_steps = candidate.plan.max_steps;
    }
    let mut created = engine.facts().threads;
    if created.iter().all(|name| name.parent == ThreadId::MAIN) {
        created.clear();
    }
    Run { settings, inputs: engine.inputs(), restart: engine.restart(), places: engine.places(), created }
}

/// A finding without a trace: all that is known of `candidate` without running it again.
fn untold(candidate: &Candidate, number: usize) -> Option<Finding> {
    let Class::Finding(kind) = candidate.class else { return None };
    let text = if candidate.message.is_empty() { kind.to_string() } else { candidate.message.clone() };
    Some(Finding {
        id: format!("untold-{kind}-{number}"),
        kind,
        message: format!("{text} (heddle failed before it could tell where)"),
        location: None,
        count: candidate.count.max(1),
        execution: candidate.execution,
        sample: candidate.sample.clone(),
        threads: Vec::new(),
        switches: 0,
        preemptions: 0,
        minimal: false,
        certain: true,
        inputs: Vec::new(),
        cycle: None,
        trace: None,
        notes: Vec::new(),
    })
}

/// The plan that reproduces `candidate`. If the finding is a data race, the plan ends at that race.
fn aim(engine: &mut dyn Engine, candidate: &Candidate) -> Result<Plan, ExecutorError> {
    let mut plan = candidate.plan.clone();
    if candidate.class == Class::Finding(FindingKind::DataRace) && plan.aim.is_none() {
        let execution = engine.run(&plan)?;
        plan.aim = execution.outcome.race().copied();
    }
    Ok(plan)
}

/// The place where an execution without a finding ended.
fn end_place(candidate: &Candidate, engine: &mut dyn Engine, directory: &Path) -> Option<Location> {
    let recording = resolve::record(engine, &candidate.plan, directory).ok()?;
    recognise::describe_end(&recording).1
}
