//! Reproduces what a search found, and makes traces of it with names and places.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use heddle_model::{Ending, ExecutorError, FindingKind, Location, Plan, Trace, trace};
use heddle_report::outcome::{Class, Lost};
use heddle_report::recognise;

use crate::engine::Engine;
use crate::failure::Failure;
use crate::resolve;
use crate::tally::{Candidate, Tally};
use crate::trace::{Run, Story};

/// What a search found, with names, places and traces.
pub(crate) struct Told {
    /// A trace for each finding.
    pub(crate) traces: Vec<Trace>,
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
    ) -> Result<Told, Failure> {
        let directory = PathBuf::from(&program.directory);
        let mut told = Told { traces: Vec::new(), unsupported: None, out_of_memory: None, unrepeatable: 0 };
        let mut by_key: HashMap<String, usize> = HashMap::new();
        let mut numbers: HashMap<FindingKind, u32> = HashMap::new();
        for candidate in &tally.findings {
            let shown = engine.discard().and_then(|()| engine.reveal(&candidate.places));
            let aimed = shown.and_then(|()| aim(engine, candidate));
            let recording = match aimed.and_then(|plan| resolve::record(engine, &plan, &directory)) {
                Ok(recording) => recording,
                Err(ExecutorError::Interrupted) => return Err(Failure::Interrupted),
                Err(error) => return Err(Failure::Unrepeatable(error)),
            };
            let run = Run { settings: engine.settings(), restart: engine.restart(), places: engine.places() };
            let Some(Story { mut trace, key }) = crate::trace::tell(recording, &candidate.plan, program, &run) else {
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
