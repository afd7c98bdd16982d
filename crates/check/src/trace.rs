//! Makes a trace, which can be stored and rendered, of an execution that was run again.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use heddle_model::follow::Step;
use heddle_model::immediate::Immediate;
use heddle_model::round::{Claim, Round};
use heddle_model::trace::{self, Action, Continuation, FORMAT, TRACE_VERSION, Trace, TraceEnd, TraceStep};
use heddle_model::wire::ThreadName;
use heddle_model::{Executor, Facts, FindingKind, Input, Outcome, Plan, Restart, Settings, States};
use heddle_report::Recording;
use heddle_report::recognise::Recognised;
use heddle_report::recording::is_user;

use crate::{Failure, sources};

/// How the program was run when it showed a finding.
#[derive(Clone, Debug)]
pub struct Run {
    /// The settings of the executions.
    pub settings: Settings,
    /// The inputs that were given.
    pub inputs: Vec<Input>,
    /// How the program returned to its start after each execution.
    pub restart: Restart,
    /// The granules of plain memory whose accesses were visible.
    pub places: Vec<u64>,
    /// Who creates each thread: see [`Trace::created`].
    pub created: Vec<ThreadName>,
}

impl Run {
    /// How the program of `trace` was run.
    pub fn of(trace: &Trace) -> Run {
        let Trace { settings, inputs, restart, places, created, .. } = trace;
        Run {
            settings: *settings,
            inputs: inputs.clone(),
            restart: *restart,
            places: places.clone(),
            created: created.clone(),
        }
    }
}

/// Tells `executor` what it must know before it can run the schedule of `trace`: which thread has which number.
///
/// # Errors
///
/// When what the trace says of threads makes no sense.
pub fn introduce(trace: &Trace, executor: &mut dyn Executor) -> Result<(), Failure> {
    let facts = Facts { threads: trace.created.clone(), ..Facts::default() };
    executor.learn(&facts).map_err(|error| Failure::Usage(error.to_string()))
}

/// A trace without a number, and the identity of its finding.
pub struct Story {
    /// The trace.
    pub trace: Trace,
    /// The identity of the finding: equal in traces of the same finding.
    pub key: String,
}

/// Makes the story of `recording`, an execution of `plan`. `None` if it shows no finding.
pub fn tell(recording: Recording, plan: &Plan, program: &trace::Program, run: &Run) -> Option<Story> {
    let Recognised { mut finding, threads, mut steps, last, mut focus, key } =
        heddle_report::recognise(&recording, &run.settings.properties)?;
    if finding.kind == FindingKind::Ltl {
        finding.message = format!("`{}` does not hold: {}", run.settings.liveness.formula.as_str(), finding.message);
    }
    let mut schedule: Vec<Step> = recording.events.iter().map(Step::by_value).collect();
    let mut continuation = None;
    if recording.events.is_empty() {
        // Its process died: the plan is all there is.
        schedule.clone_from(&plan.schedule);
        steps = schedule.iter().map(expected).collect();
        focus.clear();
        continuation = Some(Continuation { sleep: plan.sleep.clone(), policy: plan.policy, seed: plan.seed });
    }
    let mut program = program.clone();
    add_included(&mut program, &recording);
    let trace = Trace {
        format: FORMAT.to_string(),
        version: TRACE_VERSION,
        heddle: env!("CARGO_PKG_VERSION").to_string(),
        program,
        settings: run.settings,
        restart: run.restart,
        places: run.places.clone(),
        created: run.created.clone(),
        inputs: run.inputs.clone(),
        rounds: plan.states != States::Off,
        threads,
        schedule,
        continuation,
        steps,
        last,
        focus,
        end: TraceEnd { outcome: recording.outcome, thread: recording.thread, message: recording.message },
        finding,
        output: String::from_utf8_lossy(&recording.output).into_owned(),
        lines: recording.lines,
    };
    Some(Story { trace, key })
}

/// The plan that replays a trace.
pub fn plan(trace: &Trace) -> Plan {
    let Continuation { sleep, policy, seed } = trace.continuation.clone().unwrap_or_default();
    let max_steps = trace.settings.max_steps;
    let aim = trace.end.outcome.race().copied();
    let round = match trace.end.outcome {
        // The round is the end of the trace.
        Outcome::Cycle { length, claim } => (trace.schedule.len() as u32)
            .checked_sub(length)
            .and_then(|after| after.checked_sub(u32::from(claim == Claim::Suspected)))
            .map(|first| Round { first, length, claim }),
        _ => None,
    };
    let compares = round.is_some_and(|round| round.claim != Claim::Suspected);
    Plan {
        schedule: trace.schedule.clone(),
        sleep,
        policy,
        seed,
        max_steps,
        max_switches: None,
        record: true,
        aim,
        round,
        immediate: Immediate::Nothing,
        touches: None,
        contents: false,
        states: match trace.rounds {
            true if compares => States::Record,
            true => States::Rounds,
            false => States::Off,
        },
    }
}

/// A step that is known only from the plan.
fn expected(step: &Step) -> TraceStep {
    TraceStep::new(step.thread, Action::Planned(step.code))
}

/// Adds the included files in which a step of the execution lies to the sources of the program.
fn add_included(program: &mut trace::Program, recording: &Recording) {
    let directory = Path::new(&program.directory).to_path_buf();
    let mut known: HashSet<PathBuf> = program.sources.iter().map(|file| directory.join(&file.path)).collect();
    let stacks = recording.stacks.iter().chain(&recording.pending_stacks).chain([&recording.end_stack]);
    let files: BTreeSet<&str> = stacks.flatten().filter(|at| is_user(at)).map(|at| at.file.as_str()).collect();
    for file in files {
        let path = directory.join(file);
        if known.contains(&path) {
            continue;
        }
        if let Ok(hash) = sources::fingerprint(&path) {
            program.sources.push(trace::SourceFile { path: file.to_string(), hash });
            known.insert(path);
        }
    }
}
