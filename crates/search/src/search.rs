//! The loop that every algorithm shares: ask for a plan, have it run, show it, learn from it.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use heddle_model::follow::Policy;
use heddle_model::primitive::section;
use heddle_model::{Execution, Executor, ExecutorError, Outcome, Plan};

use crate::bound::Bound;
use crate::checkpoint::{self, CheckpointError, Counted, Saved, Writer};
use crate::observer::{Flow, Info, Observer, Progress, Stop, Summary};
use crate::options::{Algorithm, Options};
use crate::{dfs::Dfs, dpor::Dpor, optimal::Optimal, sampling::Sampling, source::Source, stack::Stack};

/// Which of the plans under way an execution belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket(pub u32);

/// An algorithm: turns what it has learnt into plans.
pub(crate) trait Strategy {
    /// Fills in the next plan, if there is one that does not wait for an execution under way. The plan is empty before.
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket>;

    /// Learns from an execution.
    fn digest(&mut self, ticket: Ticket, execution: &Execution<'_>);

    /// How many plans are known that were not proposed yet.
    fn pending(&self) -> u64;

    /// Whether a bound has left something out.
    fn cut(&self) -> bool {
        false
    }

    /// How many executions are certain to come: each of what is pending is one at least, and none of it twice. None
    /// where that cannot be said.
    fn certain(&self) -> Option<u64> {
        None
    }

    /// Writes itself down. False if it cannot.
    fn save(&self, _writer: &mut Writer) -> bool {
        false
    }

    /// How many executions there may be in all, from and to: a guess. None where none can be made.
    fn estimate(&self) -> Option<(u64, Option<u64>)> {
        None
    }
}

/// One search over one program.
///
/// A plain access is no operation as long as no race was seen on its place: without races, no order of plain accesses can
/// matter. When an execution comes back with a race on a place that is not visible, the place becomes so, and everything
/// begins anew ([`Executor::reveal`]). That ends: every place is added once. In the end the places are exactly those that have a
/// race in some execution, whatever the algorithm, so all algorithms count the same traces. Samples need no new beginning.
pub struct Search {
    options: Options,
    places: BTreeSet<u64>,
    saved: Option<Box<Saved>>,
}

impl Search {
    /// A search that does what `options` say.
    pub fn new(options: Options) -> Search {
        Search { options, places: BTreeSet::new(), saved: None }
    }

    /// A search that goes on where another with the same options was when it was [written down](Observer::checkpoint), with an
    /// executor of the same program. What the observer has counted since is counted again.
    ///
    /// # Errors
    ///
    /// When `bytes` make no sense.
    pub fn resume(options: Options, bytes: &[u8]) -> Result<Search, CheckpointError> {
        let saved = checkpoint::read(bytes, &options)?;
        Ok(Search { options, places: saved.places.clone(), saved: Some(Box::new(saved)) })
    }

    /// Runs until there is nothing left, a limit is reached, or the observer has seen enough.
    pub fn run(&mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) -> Result<Summary, ExecutorError> {
        let mut left = self.options.clone();
        let (mut earlier, mut elapsed) = (0, Duration::ZERO);
        let mut saved = self.saved.take();
        if let Some(saved) = &saved {
            executor.remember(&saved.memory)?;
            executor.reveal(&self.places.iter().copied().collect::<Vec<_>>())?;
            (earlier, elapsed) = (saved.earlier, saved.elapsed);
        }
        loop {
            let before = Before { earlier, elapsed, saved: saved.take() };
            let mut summary = Search::round(&left, &mut self.places, before, executor, observer)?;
            summary.elapsed += elapsed;
            match summary.stop {
                Stop::Revealed => {}
                Stop::Sections => (left.algorithm, left.sleep_sets) = (Algorithm::Dpor, false),
                _ => return Ok(Summary { earlier, ..summary }),
            }
            let ran = summary.executions + summary.blocked + summary.assumed + summary.cut;
            earlier += ran;
            elapsed = summary.elapsed;
            left.timeout = self.options.timeout.map(|time| time.saturating_sub(elapsed));
            left.max_executions = self.options.max_executions.map(|max| max.saturating_sub(earlier));
            if left.max_executions == Some(0) {
                return Ok(Summary { earlier: earlier - ran, stop: Stop::Executions, ..summary });
            }
            let places: Vec<u64> = self.places.iter().copied().collect();
            executor.reveal(&places)?;
            observer.restart(&places);
        }
    }

    /// One search, until it is done or a race is seen on a place that is not visible.
    fn round(
        options: &Options,
        places: &mut BTreeSet<u64>,
        begin: Before,
        executor: &mut dyn Executor,
        observer: &mut dyn Observer,
    ) -> Result<Summary, ExecutorError> {
        if !options.iterate || options.algorithm.samples() {
            return run_from(options, options.max_preemptions, Some(places), begin, executor, observer);
        }
        let mut total: Option<Summary> = None;
        let mut limited = options.clone();
        for preemptions in 0.. {
            let last = options.max_preemptions == Some(preemptions);
            let mut summary = run_once(&limited, Some(preemptions), Some(places), executor, observer)?;
            if let Some(before) = &total {
                summary.add(before);
            }
            let more = summary.stop == Stop::Exhausted && summary.bounded && !last;
            limited.timeout = options.timeout.map(|time| time.saturating_sub(summary.elapsed));
            let run = summary.executions + summary.blocked + summary.assumed + summary.cut;
            limited.max_executions = options.max_executions.map(|max| max.saturating_sub(run));
            if !more {
                return Ok(summary);
            }
            let before = summary;
            total = Some(summary);
            // A bounded search can be far larger than what a reduction without a bound has to run. So that is tried, too,
            // for as many executions as were run so far: whoever needs no more than those is done.
            if options.max_preemptions.is_some()
                || options.max_switches.is_some()
                || options.max_delays.is_some()
                || options.algorithm == Algorithm::Dfs
            {
                continue;
            }
            let mut unbounded = limited.clone();
            unbounded.max_executions = Some(limited.max_executions.map_or(run, |left| left.min(run)));
            let mut summary = run_once(&unbounded, None, Some(places), executor, observer)?;
            summary.add(&before);
            limited.timeout = options.timeout.map(|time| time.saturating_sub(summary.elapsed));
            let run = summary.executions + summary.blocked + summary.assumed + summary.cut;
            limited.max_executions = options.max_executions.map(|max| max.saturating_sub(run));
            if summary.stop != Stop::Executions || limited.max_executions == Some(0) {
                return Ok(summary);
            }
            total = Some(summary);
        }
        unreachable!("the last bound returns")
    }
}

/// What was before a round.
#[derive(Default)]
struct Before {
    /// Executions of earlier rounds, and the time that they took.
    earlier: u64,
    elapsed: Duration,
    /// The round had begun already.
    saved: Option<Box<Saved>>,
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

fn run_from(
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
    if let Some(bytes) = checkpoint::write(&counted, strategy, executor) {
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
