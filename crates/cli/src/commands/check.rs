//! `heddle check`: compile, search, tell.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::trace::Settings;
use heddle_model::wire;
use heddle_model::{Executor, ExecutorError, FindingKind, Location, Outcome, Plan, RunReport, Trace, Verdict};
use heddle_native::compile::Choice;
use heddle_native::symbols::Symbols;
use heddle_native::{DEFAULT_NONDET, Hire, NativeExecutor, RestartMode, StartError, restart_name};
use heddle_report::outcome::{Class, Lost};
use heddle_report::{json, recognise, text};
use heddle_search::repeat::{Divergence, Repeated};
use heddle_search::{Algorithm, Search, Summary};

use super::replay;
use super::report::load;
use crate::arguments::{Check, LivelockWish, MemoryChecks, MisuseWish, Races, Restart};
use crate::checkpoint::{self, Keeper};
use crate::collect::{Candidate, Collector};
use crate::console::Console;
use crate::coverage::{self, Conclusion, End, LeftOut};
use crate::dump::Dump;
use crate::formats::{self, Format};
use crate::outcomes::Outcomes;
use crate::prepare::{self, Failure, Prepared};
use crate::progress::Progress;
use crate::story::{self, Story};
use crate::{diverged, interrupt, record, smallest, store};

/// The algorithm of a search that names none.
pub const DEFAULT_ALGORITHM: &str = "optimal";

/// The compiler flags of `--ub`. Checks of virtual functions' tables need a library that knows the types of C++.
const UNDEFINED: [&str; 2] = ["-fsanitize=undefined", "-fno-sanitize=vptr"];

/// The algorithms that there are.
pub fn algorithm_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Algorithm::NAMES.iter().map(|(name, _)| *name))
}

/// Checks a program. Returns the exit code.
pub fn run(options: Check, console: &Console) -> u8 {
    let (options, given) = match given(options) {
        Ok(given) => given,
        Err(message) => return console.fail(&message),
    };
    match check(&options, given.as_ref(), console) {
        Ok(report) => report.verdict.exit_code(),
        Err(Failure::Error(message)) => {
            let report = RunReport::error(message.clone());
            let written = write_reports(&options, &report, &[]);
            let code = console.fail(&message);
            written.err().into_iter().for_each(|message| console.error(&message));
            code
        }
        Err(Failure::Unsupported(message)) => conclude(Verdict::Unsupported, &message, &options, console),
        Err(Failure::Interrupted) => {
            conclude(Verdict::Incomplete, "interrupted before the first execution", &options, console)
        }
    }
}

/// The end of a run that did not come to run anything.
fn conclude(verdict: Verdict, reason: &str, options: &Check, console: &Console) -> u8 {
    let report = RunReport { verdict, ..RunReport::error(reason.to_string()) };
    show(&report, &[], console);
    match write_reports(options, &report, &[]) {
        Ok(()) => verdict.exit_code(),
        Err(message) => {
            console.error(&message);
            Verdict::Error.exit_code()
        }
    }
}

/// The reports that were asked for, in files. Those that are about a finding are written if there is one.
fn write_reports(options: &Check, report: &RunReport, traces: &[Trace]) -> Result<(), String> {
    let plain = text::Options::default();
    if let Some(path) = &options.junit {
        store::write_file(path, &formats::junit_of(&options.words, report, traces))?;
    }
    let runs = [(&options.html, Format::Html), (&options.sarif, Format::Sarif)];
    let graph = options.graph.as_ref().map(|path| formats::of_graph(path)).transpose()?.unwrap_or(Format::Dot);
    let findings = [(&options.witness, Format::Witness), (&options.graph, graph)];
    let findings = findings.into_iter().filter(|_| !traces.is_empty());
    for (path, format) in runs.into_iter().chain(findings) {
        if let Some(path) = path {
            store::write_file(path, &formats::render(format, report, traces, &plain)?)?;
        }
    }
    Ok(())
}

/// An execution to start from, and the steps of it that are given.
struct Given {
    trace: Trace,
    steps: Vec<Step>,
}

/// With `--from`, the program and how it is run are the file's.
fn given(mut options: Check) -> Result<(Check, Option<Given>), String> {
    let (Some(path), Some(at)) = (options.from.clone(), options.at) else { return Ok((options, None)) };
    let trace = load(&path)?;
    if !options.words.is_empty() || !options.arguments.is_empty() {
        return Err("--from: the program is built and run as the file says; leave files and arguments out".to_string());
    }
    if trace.continuation.is_some() {
        return Err("--from: the steps of this execution are not known: its process died".to_string());
    }
    if at > trace.schedule.len() {
        return Err(format!("--at {at}: the execution has only {} steps", trace.schedule.len()));
    }
    options.words.clone_from(&trace.program.build);
    options.arguments.clone_from(&trace.program.arguments);
    options.stdin = trace.program.stdin.as_ref().map(|file| PathBuf::from(&file.path));
    options.memory_limit = trace.settings.memory_limit;
    options.memory = if trace.settings.memory { MemoryChecks::Report } else { MemoryChecks::Off };
    options.leaks = trace.settings.leaks;
    options.quarantine = trace.settings.quarantine;
    // A smaller interleaving would begin otherwise.
    options.minimise = Duration::ZERO;
    if trace.settings.races_off {
        options.races = Races::Off;
    }
    // The directory is about to change.
    let files = [&mut options.html, &mut options.sarif, &mut options.junit, &mut options.witness, &mut options.graph];
    for path in files.into_iter().flatten().chain([&mut options.out]) {
        *path = std::path::absolute(&*path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let steps = trace.schedule[..at].to_vec();
    Ok((options, Some(Given { trace, steps })))
}

fn check(options: &Check, given: Option<&Given>, console: &Console) -> Result<RunReport, Failure> {
    if options.jobs > 1 && !NativeExecutor::addresses_are_fixed() {
        return Err(Failure::Error(format!(
            "--jobs {}: addresses cannot be held still here (a container that forbids it?), and processes could not agree on them",
            options.jobs
        )));
    }
    let interrupted = interrupt::catch().map_err(|error| Failure::Error(format!("cannot catch signals: {error}")))?;
    let progress = Progress::new(console.shows_progress());
    progress.say("compiling");
    if let Some(path) = &options.graph {
        formats::of_graph(path).map_err(Failure::Error)?;
    }
    let prepared = match given {
        Some(given) => {
            replay::enter(&given.trace, console)?;
            replay::prepare(&given.trace, None, &interrupted)
        }
        None => {
            let choice = Choice::from_environment(options.cc.clone());
            let mut words = options.words.clone();
            if options.ub {
                words.extend(UNDEFINED.map(str::to_owned));
            }
            prepare::prepare(&words, &options.arguments, options.stdin.as_deref(), &choice, &interrupted)
        }
    };
    progress.finish();
    let prepared = prepared?;
    console.pass_on(&prepared.warnings);

    let algorithm = algorithm(&options.algorithm);
    refuse_what_has_no_effect(algorithm, options)?;
    let mut executor = launch(&prepared, options, &interrupted)?;
    let mut collector = Collector::new(
        options.all || options.outcomes,
        options.races == Races::Report,
        Arc::clone(&interrupted),
        Progress::new(console.shows_progress()),
    );
    collector.outcomes = options.outcomes.then(Outcomes::default);
    collector.dump = options.dump_executions.then(Dump::default);
    let kept = options.checkpoint.as_ref().or(options.resume.as_ref());
    let about = kept.map(|_| checkpoint::about(options, &executor)).transpose().map_err(Failure::Error)?;
    let mut saved = None;
    if let (Some(path), Some(about)) = (&options.resume, &about) {
        let checkpoint = checkpoint::read(path).map_err(Failure::Error)?;
        checkpoint.must_be_about(about).map_err(Failure::Error)?;
        let damaged = || Failure::Error(format!("{}: the checkpoint is damaged", path.display()));
        collector = collector.with_json(&checkpoint.collected).ok_or_else(damaged)?;
        saved = Some((path, checkpoint.search));
    }
    if let (Some(path), Some(about)) = (kept, about) {
        collector.keeper = Some(Keeper::new(path, about).map_err(Failure::Error)?);
    }
    let begin = Instant::now();
    let search_options = heddle_search::Options {
        algorithm,
        max_executions: options.max_executions,
        timeout: options.timeout,
        max_steps: options.max_steps,
        max_preemptions: options.max_preemptions,
        max_switches: options.max_switches,
        max_delays: options.max_delays,
        iterate: options.iterate,
        prefix: given.map_or(Vec::new(), |given| given.steps.clone()),
        sleep_sets: !options.no_sleep_sets,
        locksets: !options.no_locksets,
        seed: options.seed,
        depth: options.depth.unwrap_or(heddle_search::Options::default().depth),
        checkpoint: kept.map(|_| options.checkpoint_interval),
        ..heddle_search::Options::default()
    };
    let mut search = match saved {
        Some((path, bytes)) => Search::resume(search_options, &bytes)
            .map_err(|error| Failure::Error(format!("{}: {error}", path.display())))?,
        None => Search::new(search_options),
    };
    let mut left_out = LeftOut::default();
    let (ran, divergence) = search_twice(&mut search, &mut executor, &mut collector);
    let end = match ran {
        Ok(summary) => {
            left_out = LeftOut { bounded: summary.bounded, completed: summary.completed_preemptions };
            End::Search(summary.stop)
        }
        Err(ExecutorError::Interrupted) => End::Interrupted,
        Err(error) => End::Failed(error.to_string()),
    };
    let elapsed = begin.elapsed();
    collector.finish();
    let mut trouble = None;
    if let Some(keeper) = collector.keeper.take() {
        if end == End::Search(heddle_search::Stop::Exhausted) {
            keeper.finish();
        }
        trouble = keeper.trouble;
    }
    let symbols = Symbols::new(executor.mappings());
    if let Some(divergence) = &divergence {
        collector.diverged(diverged::twice(divergence, &symbols));
    } else if let Some(strayed) = collector.strayed {
        collector.diverged(diverged::strayed(&strayed, &symbols));
    }
    let dismissed = executor.dismiss_helpers();
    debug_assert!(dismissed.is_ok() || end != End::Search(heddle_search::Stop::Exhausted), "{dismissed:?}");
    if !interrupt::is_raised(&interrupted) {
        // However this ends, what was found was found.
        if options.livelocks == LivelockWish::Report && (options.all || collector.findings.is_empty()) {
            let _ = collector.look_for_livelocks(&mut executor, LIVELOCK_BUDGET);
        }
        let _ = smallest::look(&mut collector, &mut executor, &interrupted, options.minimise);
    }
    // What was found before the signal is told in spite of it.
    interrupt::lower(&interrupted);

    if let Some(dump) = collector.dump.take() {
        console.result(&dump.tell(&Symbols::new(executor.mappings())));
    }
    let mut told = Told::of(&collector, &mut executor, &prepared, options)?;
    let remarks = collector.leftovers.tell(&mut executor, Path::new(&prepared.description.directory));
    let stored = told.store(&options.out);
    let conclusion = Conclusion {
        options,
        algorithm,
        collector: &collector,
        end,
        left_out,
        elapsed,
        findings: told.traces.iter().map(|trace| trace.finding.clone()).collect(),
        remarks,
        unsupported: told.unsupported.take(),
        out_of_memory: told.out_of_memory.take(),
        unrepeatable: told.unrepeatable,
        looping: collector.round.as_ref().map(|round| round.tell(&symbols)),
    };
    let report = conclusion.report(&executor);
    show(&report, &told.traces, console);
    let races = report.findings.iter().any(|finding| finding.kind == FindingKind::DataRace);
    if let Some(unseen) = races.then(|| coverage::assembly(&executor.assembly())).flatten() {
        // Where nothing is found it is among what was not covered.
        console.warning(&unseen);
    }
    if let Some(how) = executor.died() {
        let times = text::counted(executor.statistics().repeated, "execution");
        console.warning(&format!("{how}; {times} had to be run again, and nothing is missing"));
    }
    if let Some(trouble) = trouble {
        console.warning(&format!("the last checkpoint could not be written: {trouble}"));
    }
    if collector.not_kept > 0 {
        console.warning(&format!(
            "{} with further findings are not told: there were too many different ones",
            text::counted(collector.not_kept, "execution")
        ));
    }
    match stored.and_then(|()| write_reports(options, &report, &told.traces)) {
        Ok(()) => Ok(report),
        Err(message) => {
            // The verdict is out; that it could not be stored is an error all the same.
            console.error(&message);
            Ok(RunReport { verdict: Verdict::Error, ..report })
        }
    }
}

/// How long a livelock is looked for at most.
const LIVELOCK_BUDGET: Duration = Duration::from_secs(3);

/// Searches, and runs a sample of the executions twice.
fn search_twice(
    search: &mut Search,
    executor: &mut NativeExecutor,
    collector: &mut Collector,
) -> (Result<Summary, ExecutorError>, Option<Divergence>) {
    // Where processes lie at other addresses each time, executions differ by those.
    if !NativeExecutor::addresses_are_fixed() {
        return (search.run(executor, collector), None);
    }
    let mut repeated = Repeated::new(executor);
    let ran = search.run(&mut repeated, collector);
    // What the second run of a search that failed would have shown is not known, and not needed.
    let divergence = if ran.is_ok() { repeated.finish().unwrap_or_default() } else { None };
    (ran, divergence)
}

/// An option that the algorithm does not look at would promise something that is not kept.
fn refuse_what_has_no_effect(algorithm: Algorithm, options: &Check) -> Result<(), Failure> {
    let limits = [options.max_preemptions, options.max_switches, options.max_delays];
    let bounded = options.iterate || limits.iter().any(Option::is_some);
    let message = if (options.no_sleep_sets || options.no_locksets) && algorithm != Algorithm::Dpor {
        format!("--no-sleep-sets and --no-locksets are about --algorithm dpor, not {}", algorithm.name())
    } else if options.depth.is_some() && algorithm != Algorithm::Pct {
        format!("--depth is about --algorithm pct, not {}", algorithm.name())
    } else if options.jobs > 1 && (bounded || !matches!(algorithm, Algorithm::Optimal) && !algorithm.samples()) {
        format!(
            "--jobs {}: only --algorithm optimal without bounds and samples are run by several processes; {} runs one \
             execution after the other",
            options.jobs,
            if bounded { "a bounded search" } else { algorithm.name() }
        )
    } else if (options.checkpoint.is_some() || options.resume.is_some())
        && (bounded
            || options.from.is_some()
            || options.dump_executions
            || options.outcomes
            || algorithm != Algorithm::Optimal)
    {
        "checkpoints are made of whole searches by --algorithm optimal: without bounds, --from, --outcomes and --dump-executions"
            .to_owned()
    } else if bounded && algorithm.samples() {
        format!(
            "--algorithm {} draws samples, which have no bounds: leave the bound or the algorithm out",
            algorithm.name()
        )
    } else {
        return Ok(());
    };
    Err(Failure::Error(message))
}

fn algorithm(name: &str) -> Algorithm {
    let known = Algorithm::NAMES.iter().find(|(known, _)| *known == name);
    known.map_or_else(Algorithm::default, |(_, algorithm)| *algorithm)
}

fn launch(prepared: &Prepared, options: &Check, interrupted: &Arc<AtomicBool>) -> Result<NativeExecutor, Failure> {
    let restart = match options.restart {
        Restart::Auto => RestartMode::Auto,
        Restart::Snapshot => RestartMode::Only(wire::Restart::Snapshot),
        Restart::Fork => RestartMode::Only(wire::Restart::Fork),
        Restart::Exec => RestartMode::Only(wire::Restart::Exec),
    };
    let native = heddle_native::Options {
        arguments: options.arguments.iter().map(Into::into).collect(),
        input: prepared.description.stdin.as_ref().map(|file| PathBuf::from(&file.path)),
        restart,
        memory_limit: options.memory_limit,
        memory: options.memory == MemoryChecks::Report,
        leaks: options.leaks,
        quarantine: options.quarantine,
        latitude: options.latitude.get(),
        misuse: options.misuse == MisuseWish::Report,
        outputs: options.outcomes,
        races: match options.races {
            Races::Off => wire::Races::Off,
            // The first one ends the search, so it may as well end the execution.
            Races::Report if !options.all && !options.outcomes => wire::Races::Stop,
            Races::Report | Races::Ignore => wire::Races::Go,
        },
        hang_after: options.hang_timeout,
        jobs: options.jobs,
        hire: if options.jobs_at_once { Hire::AtOnce } else { Hire::WhenWaiting },
        interrupted: Arc::clone(interrupted),
        nondet: options.nondet.as_ref().map_or_else(|| DEFAULT_NONDET.to_vec(), |list| list.0.clone()),
        ..heddle_native::Options::default()
    };
    NativeExecutor::launch(&prepared.program, native).map_err(|error| match error {
        StartError::Interrupted => Failure::Interrupted,
        error => Failure::Error(error.to_string()),
    })
}

/// What was found, told: with names, places and trace files.
struct Told {
    traces: Vec<Trace>,
    unsupported: Option<String>,
    out_of_memory: Option<Location>,
    unrepeatable: u64,
}

impl Told {
    /// Makes what `collector` kept happen again, with everything written down.
    fn of(
        collector: &Collector,
        executor: &mut NativeExecutor,
        prepared: &Prepared,
        options: &Check,
    ) -> Result<Told, Failure> {
        let program = &prepared.description;
        let directory = PathBuf::from(&program.directory);
        let mut told = Told { traces: Vec::new(), unsupported: None, out_of_memory: None, unrepeatable: 0 };
        let mut by_key: HashMap<String, usize> = HashMap::new();
        let mut numbers: HashMap<FindingKind, u32> = HashMap::new();
        for candidate in &collector.findings {
            let shown = executor.discard().and_then(|()| executor.reveal(&candidate.places));
            let aimed = shown.and_then(|()| aim(executor, candidate));
            let recording = match aimed.and_then(|plan| record::record(executor, &plan, &directory)) {
                Ok(recording) => recording,
                Err(ExecutorError::Interrupted) => return Err(Failure::Interrupted),
                Err(error) => return Err(Failure::Error(format!("a finding cannot be repeated: {error}"))),
            };
            let settings = settings(executor, options);
            let Some(Story { mut trace, key }) = story::tell(recording, &candidate.plan, program, &settings) else {
                told.unrepeatable += candidate.count;
                continue;
            };
            if let Some(&known) = by_key.get(&key) {
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
            trace.finding.minimal = candidate.minimal;
            by_key.insert(key, told.traces.len());
            told.traces.push(trace);
        }
        if let Some(candidate) = &collector.unsupported {
            let place = end_place(candidate, executor, &directory).map_or(String::new(), |at| format!(" at {at}"));
            let version = env!("CARGO_PKG_VERSION");
            told.unsupported = Some(format!("`{}`{place} is not supported by heddle {version}", candidate.message));
        }
        let is_memory = |lost: &&Candidate| lost.class == Class::Lost(Lost::MemoryLimit);
        if let Some(candidate) = collector.lost.iter().find(is_memory) {
            told.out_of_memory = end_place(candidate, executor, &directory);
        }
        Ok(told)
    }

    /// Writes the traces. The first failure is the message; what was written stays.
    fn store(&mut self, directory: &Path) -> Result<(), String> {
        for trace in &mut self.traces {
            // The file names itself, so that a report made from it can say how to replay it.
            let path = directory.join(format!("{}.json", trace.finding.id));
            trace.finding.trace = Some(path.display().to_string());
            if let Err(message) = store::write(directory, trace) {
                for trace in &mut self.traces {
                    let written = trace.finding.trace.take().filter(|path| Path::new(path).is_file());
                    trace.finding.trace = written;
                }
                return Err(format!("the trace is not stored: {message}"));
            }
        }
        Ok(())
    }
}

/// The plan of `candidate`; where it ends at a race, one that knows at which.
fn aim(executor: &mut NativeExecutor, candidate: &Candidate) -> Result<Plan, ExecutorError> {
    let mut plan = candidate.plan.clone();
    if candidate.class == Class::Finding(FindingKind::DataRace) && plan.aim.is_none() {
        let execution = executor.run(&plan)?;
        plan.aim = Race::from_text(execution.message).filter(|_| execution.outcome == Outcome::Race);
    }
    Ok(plan)
}

/// Where an execution that is no finding ended.
fn end_place(candidate: &Candidate, executor: &mut NativeExecutor, directory: &Path) -> Option<Location> {
    let recording = record::record(executor, &candidate.plan, directory).ok()?;
    recognise::describe_end(&recording).1
}

fn settings(executor: &NativeExecutor, options: &Check) -> Settings {
    Settings {
        restart: restart_name(executor.restart()).to_string(),
        memory_limit: options.memory_limit,
        hang_timeout_ms: options.hang_timeout.as_millis() as u64,
        max_steps: options.max_steps.unwrap_or(0),
        memory: options.memory == MemoryChecks::Report,
        leaks: options.leaks,
        quarantine: options.quarantine,
        races_off: options.races == Races::Off,
        latitude: options.latitude.get(),
        misuse: options.misuse == MisuseWish::Report,
        nondet: executor.options().nondet.clone(),
        places: executor.places().to_vec(),
        races: executor.options().races.name().to_string(),
    }
}

fn show(report: &RunReport, traces: &[Trace], console: &Console) {
    if console.wishes().json {
        console.result(&String::from_utf8_lossy(&json::render(report)));
        return;
    }
    let options = console.report_options();
    let mut text = String::new();
    for trace in traces {
        if console.wishes().quiet {
            text.push_str(&text::headline(&trace.finding));
        } else {
            text.push_str(&text::finding(trace, &options));
            text.push('\n');
        }
    }
    // What no execution shows has no trace.
    for finding in report.findings.iter().filter(|finding| finding.kind == FindingKind::Unreached) {
        text.push_str(&text::headline(finding));
    }
    match console.wishes().quiet {
        true => text.push_str(&text::verdict(&RunReport { notes: Vec::new(), ..report.clone() }, &options)),
        false => text.push_str(&text::verdict(report, &options)),
    }
    console.result(&text);
}
