//! The loop that every algorithm shares: ask for a plan, have it run, show it, learn from it.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use heddle_model::follow::Policy;
use heddle_model::primitive::section;
use heddle_model::{Execution, Executor, ExecutorError, Outcome, Plan};

use crate::algorithm::bound::Bound;
use crate::algorithm::{dfs::Dfs, dpor::Dpor, optimal::Optimal, sampling::Sampling, source::Source, stack::Stack};
use crate::drive::observer::{Flow, Info, Observer, Progress};
use crate::drive::strategy::{Strategy, Ticket};
use crate::drive::summary::{Stop, Summary};
use crate::options::{Algorithm, Options};
use crate::save::{self, Counted, Saved};

/// What was before a round.
#[derive(Default)]
pub(crate) struct Before {
    /// Executions of earlier rounds, and the time that they took.
    pub earlier: u64,
    pub elapsed: Duration,
    /// The round had begun already.
    pub saved: Option<Box<Saved>>,
}

pub(crate) fn run_once(
    options: &Options,
    preemptions: Option<u32>,
    places: Option<&mut BTreeSet<u64>>,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Summary, ExecutorError> {
    run_from(options, preemptions, places, Before::default(), executor, observer)
}

pub(crate) fn run_from(
    options: &Options,
    preemptions: Option<u32>,
    places: Option<&mut BTreeSet<u64>>,
    mut before: Before,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Summary, ExecutorError> {
    let mut start = (Summary::none(), 0);
    let bound = Bound { preemptions, switches: options.max_switches, delays: options.max_delays };
    let mut strategy: Box<dyn Strategy> = match options.algorithm {
        Algorithm::Dfs => Box::new(Dfs::new(bound, options)),
        Algorithm::Random | Algorithm::Pct | Algorithm::Pos | Algorithm::Few => Box::new(Sampling::new(options)),
        _ if bound.is_some() => Box::new(Stack::bounded(bound, options)),
        Algorithm::Optimal if before.saved.is_some() => {
            let saved = *before.saved.take().expect("just looked");
            start = (saved.summary, saved.number);
            Box::new(saved.optimal)
        }
        Algorithm::Optimal => Box::new(Optimal::new(options)),
        Algorithm::Source => Box::new(Stack::new(Source::default(), options)),
        Algorithm::Dpor => Box::new(Stack::new(Dpor::new(options), options)),
    };
    let mut summary = drive(&mut *strategy, options, places, &before, start, executor, observer)?;
    summary.bounded = strategy.cut();
    if summary.stop == Stop::Exhausted && summary.cut == 0 {
        summary.completed_preemptions = preemptions;
    }
    Ok(summary)
}

/// How long executions are waited for that nobody looks at.
const GRACE: Duration = Duration::from_millis(100);

fn drive(
    strategy: &mut dyn Strategy,
    options: &Options,
    mut places: Option<&mut BTreeSet<u64>>,
    before: &Before,
    (mut summary, mut number): (Summary, u64),
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Summary, ExecutorError> {
    let begin = Instant::now();
    let mut under_way: VecDeque<(Ticket, Plan)> = VecDeque::new();
    let mut spare: Vec<Plan> = Vec::new();
    let mut submitted = number;
    let mut kept = begin;
    let mut shown = begin;
    executor.wait_until(options.timeout.map(|limit| begin + limit));
    summary.stop = loop {
        let room = executor.depth().max(1);
        while under_way.len() < room && options.max_executions.is_none_or(|max| submitted < max) {
            let mut plan = spare.pop().unwrap_or_default();
            plan.schedule.clear();
            plan.policy = Policy::default();
            plan.sleep.clear();
            plan.max_steps = options.max_steps.unwrap_or(0);
            let Some(ticket) = strategy.propose(&mut plan) else {
                spare.push(plan);
                break;
            };
            if plan.schedule.is_empty() {
                // The first of a search, or a sample.
                plan.schedule.extend_from_slice(&options.prefix);
            }
            executor.submit(&plan)?;
            submitted += 1;
            under_way.push_back((ticket, plan));
        }
        let Some((ticket, plan)) = under_way.pop_front() else {
            break if strategy.pending() == 0 { Stop::Exhausted } else { Stop::Executions };
        };
        let execution = match executor.receive() {
            Ok(execution) => execution,
            Err(ExecutorError::Late) => {
                executor.abandon();
                under_way.clear();
                break Stop::Time;
            }
            Err(error) => {
                if matches!(error, ExecutorError::Interrupted) && options.checkpoint.is_some() {
                    keep(strategy, places.as_deref(), before, (&summary, number), begin, executor, observer);
                }
                return Err(error);
            }
        };
        number += 1;
        count(&mut summary, &execution);
        let flow = observer.execution(&execution, &Info { number, plan: &plan });
        if let Outcome::Diverged
        | Outcome::Unsupported
        | Outcome::NeedsFork
        | Outcome::NeedsThreads
        | Outcome::Capacity
        | Outcome::Running = execution.outcome
        {
            break Stop::Outcome(execution.outcome);
        }
        if foresees(options) && has_sections(&execution) {
            break Stop::Sections;
        }
        let fresh = places.as_mut().is_some_and(|places| {
            let known = places.len();
            places.extend(execution.races.iter().map(|race| race.place));
            places.len() != known
        });
        strategy.digest(ticket, &execution);
        spare.push(plan);
        if flow == Flow::Stop {
            break Stop::Observer;
        }
        if let Some(places) = places.as_ref().filter(|_| fresh) {
            if !options.algorithm.samples() {
                break Stop::Revealed;
            }
            // What is under way may have been run before this or not, and a schedule means something only with what was visible: those
            // are run again.
            for _ in 0..under_way.len() {
                executor.receive()?;
            }
            let places: Vec<u64> = places.iter().copied().collect();
            executor.reveal(&places)?;
            observer.revealed(&places);
            for (_, plan) in &under_way {
                executor.submit(plan)?;
            }
        }
        let now = Instant::now();
        if options.timeout.is_some_and(|limit| now - begin >= limit)
            && !(under_way.is_empty() && strategy.pending() == 0)
        {
            break Stop::Time;
        }
        if options.checkpoint.is_some_and(|every| now - kept >= every) {
            keep(strategy, places.as_deref(), before, (&summary, number), begin, executor, observer);
            kept = Instant::now();
        }
        if now - shown >= options.progress {
            shown = now;
            if observer.progress(&progress(&summary, strategy, now - begin)) == Flow::Stop {
                break Stop::Observer;
            }
        }
    };
    if options.checkpoint.is_some() && matches!(summary.stop, Stop::Observer | Stop::Time | Stop::Executions) {
        keep(strategy, places.as_deref(), before, (&summary, number), begin, executor, observer);
    }
    // What is still under way is not looked at, but the executor must get rid of it. It is mostly done soon; then the executor need not
    // begin anew.
    executor.wait_until(Some(Instant::now() + GRACE));
    for _ in under_way {
        match executor.receive() {
            Ok(_) => {}
            Err(ExecutorError::Late) => {
                executor.abandon();
                break;
            }
            Err(error) => return Err(error),
        }
    }
    executor.wait_until(None);
    summary.elapsed = begin.elapsed();
    Ok(summary)
}

/// Has the search written down.
fn keep(
    strategy: &dyn Strategy,
    places: Option<&BTreeSet<u64>>,
    before: &Before,
    (summary, number): (&Summary, u64),
    begin: Instant,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) {
    let Some(places) = places else { return };
    let elapsed = before.elapsed + begin.elapsed();
    let counted = Counted { places, earlier: before.earlier, elapsed, summary, number };
    if let Some(bytes) = save::write(&counted, strategy, executor) {
        observer.checkpoint(&bytes);
    }
}

/// Whether what is asleep is left out because of what it would touch.
fn foresees(options: &Options) -> bool {
    match options.algorithm {
        Algorithm::Optimal | Algorithm::Source => true,
        Algorithm::Dpor => options.sleep_sets,
        Algorithm::Dfs | Algorithm::Random | Algorithm::Pct | Algorithm::Pos | Algorithm::Few => false,
    }
}

/// Whether a section that runs as one step occurs. What one would touch at another place is known only when it runs there, and
/// may be less or more than what it touched here. Whoever leaves out executions by what sleeping threads would do must know
/// it; persistent sets alone need not. So such programs are searched by those, whatever was asked for.
fn has_sections(execution: &Execution<'_>) -> bool {
    execution.events.iter().any(|event| event.operation.code == section::BEGIN)
}

fn count(summary: &mut Summary, execution: &Execution<'_>) {
    match execution.outcome {
        _ if execution.is_assumed_away() => summary.assumed += 1,
        Outcome::Ended | Outcome::Deadlock => summary.executions += 1,
        Outcome::Blocked => summary.blocked += 1,
        _ => summary.cut += 1,
    }
    summary.events += execution.events.len() as u64;
    let threads = execution.events.iter().map(|e| e.thread.index() + 1).max().unwrap_or(0);
    summary.threads = summary.threads.max(threads);
}

fn progress(summary: &Summary, strategy: &dyn Strategy, elapsed: Duration) -> Progress {
    let pending = strategy.pending();
    let run = summary.executions + summary.cut;
    let at_least = strategy.certain().map(|certain| run + certain);
    Progress {
        executions: summary.executions,
        blocked: summary.blocked,
        events: summary.events,
        elapsed,
        pending,
        at_least,
        estimate: strategy.estimate(),
    }
}
