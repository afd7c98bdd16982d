//! A whole check: searches, examines what was found, runs it again for the report, and concludes.

use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use heddle_model::{ExecutorError, Facts, Finding, FindingKind, Property, RunReport, Settings, Trace, trace};
use heddle_report::text;
use heddle_report::words::full_name;
use heddle_search::probe::Probed;
use heddle_search::repeat::Repeated;
use heddle_search::{Algorithm, Method, OverStates, Search, Stop, Summary};

use crate::after::cycles::{self, Cycles};
use crate::after::diverged::{self, Doubt};
use crate::after::{livelocks, smallest};
use crate::checkpoint::{self, CheckpointError, Keeper};
use crate::coverage;
use crate::engine::{Engine, Names};
use crate::failure::Failure;
use crate::internal::guard;
use crate::observer::Observer;
use crate::options::Options;
use crate::tally::{Collector, Tally};
use crate::tell::Told;
use crate::unseen;
use crate::verdict::{self, End, Judgement, LeftOut};

/// The time limit of the search for livelocks.
const LIVELOCK_BUDGET: Duration = Duration::from_secs(3);

/// The result of a check.
pub struct Conclusion {
    /// The report of the run: verdict, coverage, counts, findings.
    pub report: RunReport,
    /// A trace for each finding that an execution shows, in the order of the report's findings.
    pub traces: Vec<Trace>,
    /// A list of the executions, one in a line, if [`Options::dump`] asked for it.
    pub listing: Option<String>,
    /// Messages for the user that do not change the verdict.
    pub warnings: Vec<String>,
}

impl Conclusion {
    /// Records the path of the trace of finding `index`, in the trace itself and in the report.
    pub fn stored_at(&mut self, index: usize, path: Option<String>) {
        self.traces[index].finding.trace.clone_from(&path);
        self.report.findings[index].trace = path;
    }
}

/// A check of one program.
pub struct Check<'o> {
    options: Options,
    observer: &'o mut dyn Observer,
}

impl<'o> Check<'o> {
    /// Makes a check with these `options` that reports its progress to `observer`.
    pub fn new(options: Options, observer: &'o mut dyn Observer) -> Check<'o> {
        Check { options, observer }
    }

    /// Checks the program that `engine` runs and `program` describes.
    ///
    /// # Errors
    ///
    /// When there is no verdict: a checkpoint cannot be used, or a finding cannot be repeated.
    pub fn run(self, engine: &mut dyn Engine, program: &trace::Program) -> Result<Conclusion, Failure> {
        let Check { mut options, observer } = self;
        options.ask_for_cycles(&engine.settings()).map_err(Failure::Usage)?;
        if let Some(message) = options.refusal(&engine.settings()) {
            return Err(Failure::Usage(message));
        }
        if !unseen::tells_of_plain_memory(&engine.facts()) {
            (options.search.sections, options.search.plain) = (false, false);
        }
        let mut collector = Collector::new(&options, engine.settings().properties, observer);
        let mut search = begin(&options, engine, &mut collector)?;
        let begin = Instant::now();
        let mut left_out = LeftOut::default();
        let mut panics = Vec::new();
        let mut searched = guard("search", &mut panics, || explore(&options, &mut search, engine, &mut collector));
        if collector.paused && panics.is_empty() {
            // Somebody goes round. If that is a livelock, it is found now, and not after all that comes besides.
            guard("livelock", &mut panics, || {
                let _ = livelocks::look(&mut collector.tally, engine, search.counts().executions + 1, LIVELOCK_BUDGET);
            });
            if collector.tally.findings.is_empty() && panics.is_empty() && !options.interrupted.load(Relaxed) {
                collector.begin_anew();
                search = begin_anew(&options, engine)?;
                searched = guard("search", &mut panics, || explore(&options, &mut search, engine, &mut collector));
            }
        }
        if options.search.plain && !unseen::tells_of_plain_memory(&engine.facts()) && panics.is_empty() {
            // A library has come that was not there in the beginning.
            (options.search.sections, options.search.plain) = (false, false);
            if options.search.algorithm == Algorithm::Stateful && collector.tally.findings.is_empty() {
                collector.begin_anew();
                search = begin_anew(&options, engine)?;
                searched = guard("search", &mut panics, || explore(&options, &mut search, engine, &mut collector));
            }
        }
        let settings = engine.settings();
        if let Some((Ok(summary), None)) = &searched
            && has_doubts(&options, summary, &settings)
            && collector.tally.findings.is_empty()
            && panics.is_empty()
        {
            // What goes round is asked of all steps of all states.
            options.search.algorithm = Algorithm::States;
            collector.begin_anew();
            search = begin_anew(&options, engine)?;
            searched = guard("search", &mut panics, || explore(&options, &mut search, engine, &mut collector));
        }
        let (ran, doubt) = searched.map_or((None, None), |(ran, doubt)| (Some(ran), doubt));
        let (counts, samples, method, own_bound) = match &ran {
            Some(Ok(summary)) => (summary.counts, summary.samples, summary.method, summary.own_bound),
            _ => (search.counts(), search.samples(), search.method(), search.own_bound()),
        };
        let over_states = match &ran {
            Some(Ok(summary)) => summary.over_states,
            _ => OverStates::No,
        };
        let earlier = search.earlier();
        let states = ran.as_ref().and_then(|ran| ran.as_ref().ok()).and_then(|summary| summary.states);
        let end = match ran {
            Some(Ok(summary)) => {
                left_out = LeftOut { bounded: summary.bounded, completed: summary.completed_preemptions };
                End::Search(summary.stop)
            }
            Some(Err(ExecutorError::Interrupted)) => End::Interrupted,
            Some(Err(ExecutorError::Damaged(what))) => End::Damaged(what),
            Some(Err(error)) => End::Failed(error.to_string()),
            // It panicked, which is what the verdict says.
            None => End::Failed(String::new()),
        };
        let elapsed = begin.elapsed();
        collector.observer.searched();
        let mut trouble = None;
        if let Some(keeper) = collector.keeper.take() {
            if end == End::Search(Stop::Exhausted) {
                keeper.finish();
            }
            trouble = keeper.trouble;
        }
        let Collector { mut tally, dump, paused: looked, .. } = collector;
        tally.samples_last();
        let symbols = engine.names();
        guard("divergence", &mut panics, || {
            if let Some(doubt) = &doubt {
                tally.diverged(match doubt {
                    Doubt::Twice(divergence) => diverged::twice(divergence, !method.samples(), &*symbols),
                    Doubt::States(mismatch) => diverged::states(mismatch, &*symbols),
                });
            } else if let Some(strayed) = tally.strayed {
                tally.diverged(diverged::strayed(&strayed, &*symbols));
            }
        });
        let dismissed = engine.settle();
        debug_assert!(dismissed.is_ok() || end != End::Search(Stop::Exhausted), "{dismissed:?}");
        tally.settle_exits(engine.settings().properties.of(Property::Exit));
        let mut asked = None;
        if !options.interrupted.load(Relaxed) && panics.is_empty() {
            // However this ends, what was found was found.
            if let Some(graph) = search.graph()
                && (options.all || tally.findings.is_empty())
            {
                let whole = method == Method::Stateful { everybody: true };
                let prefix = search.prefix();
                let cycles = Cycles { graph, whole, prefix: &prefix };
                let ran = counts.executions + 1;
                asked = guard("cycles", &mut panics, || {
                    cycles::look(&mut tally, engine, &cycles, &settings, ran, options.all)
                })
                .and_then(Result::ok);
            }
            let progress = engine.settings().properties.look_for(Property::Progress);
            let is_answered = asked.as_ref().is_some_and(|asked| asked.whole);
            if progress && !looked && !is_answered && (options.all || tally.findings.is_empty()) {
                guard("livelock", &mut panics, || {
                    let _ = livelocks::look(&mut tally, engine, counts.executions + 1, LIVELOCK_BUDGET);
                });
            }
            guard("smallest", &mut panics, || {
                let _ = smallest::look(&mut tally, engine, &options.interrupted, options.minimise);
            });
        }
        // What was found before the signal is told in spite of it.
        options.interrupted.store(false, Relaxed);

        let listing = guard("listing", &mut panics, || dump.map(|dump| dump.tell(&*symbols))).flatten();
        let whole = end == End::Search(Stop::Exhausted) && !method.samples() && !left_out.bounded;
        let mut told = Told::of(&tally, engine, program, whole, &mut panics)?;
        let remarks = guard("remarks", &mut panics, || tally.leftovers.tell(engine, Path::new(&program.directory)));
        let (facts, settings) = (engine.facts(), engine.settings());
        unseen::doubt(&mut told.traces, &facts);
        let findings: Vec<Finding> = told.traces.iter().map(|trace| trace.finding.clone()).collect();
        let findings: Vec<Finding> = findings.into_iter().chain(std::mem::take(&mut told.untold)).collect();
        let looping = guard("loop", &mut panics, || where_cut_off(&tally, &*symbols)).flatten();
        let weaker = guard("orders", &mut panics, || tally.weaker.tell(&*symbols)).flatten();
        let judgement = Judgement {
            options: &options,
            facts: &facts,
            settings: &settings,
            tally: &tally,
            counts,
            samples,
            method,
            states,
            asked: asked.as_ref(),
            over_states,
            earlier,
            own_bound,
            end,
            left_out,
            elapsed,
            findings: findings.clone(),
            remarks: remarks.unwrap_or_default(),
            unsupported: told.unsupported.take(),
            out_of_memory: told.out_of_memory.take(),
            unrepeatable: told.unrepeatable,
            looping,
            weaker,
            panic: panics.first().cloned(),
        };
        let report = guard("report", &mut panics, || judgement.report());
        let report = report.unwrap_or_else(|| RunReport { findings, ..RunReport::error(verdict::why(&panics)) });
        let warnings = warnings(&report, &facts, trouble, tally.not_kept);
        Ok(Conclusion { report, traces: told.traces, listing, warnings })
    }
}

/// Where executions were cut off, in words: the loop at their end, or else what a stopped thread would have done next.
fn where_cut_off(tally: &Tally, symbols: &dyn Names) -> Option<String> {
    if let Some(iteration) = &tally.iteration {
        return Some(iteration.tell(symbols, tally.endless.as_deref()));
    }
    let stopped = tally.stopped?;
    let at = symbols.location(&[stopped.pc]).map_or(String::new(), |at| format!(" at {at}"));
    Some(format!("thread {} is stopped before {}{at}", stopped.thread, full_name(stopped.operation.code)))
}

/// Whether a search over states with reduction has come to its end, and does not know whether what goes round is a livelock.
fn has_doubts(options: &Options, summary: &Summary, settings: &Settings) -> bool {
    let Some(states) = summary.states else { return false };
    summary.method == Method::Stateful { everybody: false }
        && summary.complete()
        && states.may_go_round_in_vain()
        && settings.properties.look_for(Property::Progress)
        // A checkpoint is one of one search.
        && options.kept_in().is_none()
}

/// Runs the engine's own search, if it has one, and ours otherwise.
fn explore(
    options: &Options,
    search: &mut Search,
    engine: &mut dyn Engine,
    collector: &mut Collector<'_>,
) -> (Result<Summary, ExecutorError>, Option<Doubt>) {
    match engine.explore(&options.search, collector) {
        Some(ran) => (ran, None),
        None => search_twice(search, engine, collector),
    }
}

/// The search of `options` from its beginning, for an engine that another one has used.
fn begin_anew(options: &Options, engine: &mut dyn Engine) -> Result<Search, Failure> {
    let cannot = |error: ExecutorError| match error {
        ExecutorError::Interrupted => Failure::Interrupted,
        error => Failure::Unrepeatable(error),
    };
    engine.discard().and_then(|()| engine.reveal(&options.places)).map_err(cannot)?;
    Ok(Search::new(search_options(options, engine)))
}

/// What the search is asked to do.
fn search_options(options: &Options, engine: &dyn Engine) -> heddle_search::Options {
    let max_steps = engine.settings().max_steps;
    heddle_search::Options {
        prefix: options.prefix.clone().unwrap_or_default(),
        places: options.places.clone(),
        max_steps: (max_steps != 0).then_some(max_steps),
        turns_to_states: options.may_turn_to_states(&engine.settings()),
        asks_for_livelocks: engine.settings().properties.look_for(Property::Progress),
        checkpoint: options.kept_in().map(|_| options.checkpoint_interval),
        ..options.search.clone()
    }
}

/// Starts the search, or resumes it from a checkpoint. `collector` then takes over the tally of the checkpoint.
fn begin(options: &Options, engine: &dyn Engine, collector: &mut Collector<'_>) -> Result<Search, Failure> {
    let search_options = search_options(options, engine);
    let Some(path) = options.kept_in() else { return Ok(Search::new(search_options)) };
    let about = checkpoint::about(options, engine)?;
    let mut search = None;
    if let Some(path) = &options.resume {
        let checkpoint = checkpoint::read(path)?;
        checkpoint.must_be_about(&about)?;
        let resumed = Search::resume(search_options.clone(), &checkpoint.search);
        collector.tally = checkpoint.tally;
        search = Some(resumed.map_err(|source| CheckpointError::Search { path: path.clone(), source })?);
    }
    collector.keeper = Some(Keeper::new(path, about)?);
    Ok(search.unwrap_or_else(|| Search::new(search_options)))
}

/// Searches, and runs a sample of the executions twice to see whether the program behaves the same. Where states are told apart, a sample of
/// those that were reached in two ways is put to the test.
fn search_twice(
    search: &mut Search,
    engine: &mut dyn Engine,
    collector: &mut Collector<'_>,
) -> (Result<Summary, ExecutorError>, Option<Doubt>) {
    // Where processes lie at other addresses each time, executions differ by those.
    if !engine.is_repeatable() {
        return (search.run(engine, collector), None);
    }
    let mut probed = Probed::new(engine);
    let mut repeated = Repeated::new(&mut probed);
    let ran = search.run(&mut repeated, collector);
    // What the second run of a search that failed would have shown is not known, and not needed.
    let divergence = if ran.is_ok() { repeated.finish().unwrap_or_default() } else { None };
    if let Some(divergence) = divergence {
        return (ran, Some(Doubt::Twice(divergence)));
    }
    // Nothing is called safe before the search is complete.
    let is_complete = ran.as_ref().is_ok_and(|summary| summary.stop == Stop::Exhausted);
    let mismatch = if is_complete { probed.finish().unwrap_or_default() } else { None };
    (ran, mismatch.map(Doubt::States))
}

/// Messages for the user that do not change the verdict.
fn warnings(report: &RunReport, facts: &Facts, trouble: Option<String>, not_kept: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    // Where nothing is found it is among what was not covered.
    if report.findings.iter().any(|finding| finding.kind == FindingKind::DataRace) {
        warnings.extend(coverage::assembly(&facts.assembly));
    }
    if let Some(how) = &facts.died {
        let times = text::counted(facts.statistics.repeated, "execution");
        warnings.push(format!("{how}; {times} had to be run again; the result is complete"));
    }
    if let Some(trouble) = trouble {
        warnings.push(format!("the last checkpoint could not be written: {trouble}"));
    }
    if not_kept > 0 {
        let executions = text::counted(not_kept, "execution");
        warnings.push(format!("{executions} with more findings are not reported: there are too many different ones"));
    }
    warnings
}
