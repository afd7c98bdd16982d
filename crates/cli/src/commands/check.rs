//! `heddle check`: compiles the program, checks it, and prints the result.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use heddle_checking::internal::guard;
use heddle_checking::prepare::{self, Prepared};
use heddle_checking::{Conclusion, Failure, Observer};
use heddle_model::follow::Step;
use heddle_model::{FindingKind, RunReport, Settings, Trace, Verdict};
use heddle_native::{Built, Hire, NativeExecutor, StartError, Toolchain};
use heddle_report::{json, text};
use heddle_search::Algorithm;

use super::report::load;
use super::{prove, replay};
use crate::arguments::{Accept, Check, EngineWish};
use crate::console::Console;
use crate::formats::{self, Format};
use crate::progress::Progress;
use crate::running::ExitWish;
use crate::{interrupt, store};

/// The algorithm that is used without `--algorithm`.
pub const DEFAULT_ALGORITHM: &str = "default";

/// The compiler flags of `--ub`. The check of virtual tables (`vptr`) is left out, because it needs a library of the compiler.
pub const UNDEFINED: [&str; 2] = ["-fsanitize=undefined", "-fno-sanitize=vptr"];

/// The parser of `--algorithm`, which accepts the names of the algorithms.
pub fn algorithm_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(Algorithm::NAMES.iter().map(|(name, _)| *name))
}

/// How long a proof for all inputs is tried, if the user sets no limit.
const PROOF: Duration = Duration::from_secs(30);

/// Checks a program. Returns the exit code.
pub fn run(options: Check, console: &Console) -> u8 {
    let (mut options, given) = match given(options) {
        Ok(given) => given,
        Err(message) => return console.fail(&message),
    };
    let piped = match piped(&mut options) {
        Ok(piped) => piped,
        Err(message) => return console.fail(&message),
    };
    let code = run_with(&options, given.as_ref(), console);
    // Only a replay needs it.
    if code != Verdict::Found.exit_code()
        && let Some(path) = piped
    {
        let _ = std::fs::remove_file(path);
        // If it was made for this.
        let _ = std::fs::remove_dir(&options.output.out);
    }
    code
}

/// Keeps what Heddle reads from its own standard input, if `--stdin -` asks for it. Returns the file.
fn piped(options: &mut Check) -> Result<Option<PathBuf>, String> {
    if options.stdin.as_deref() != Some(Path::new("-")) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| format!("--stdin -: {error}"))?;
    let path = options.output.out.join(format!("stdin-{}", heddle_report::fingerprint::of_bytes(&bytes)));
    store::write_file(&path, &bytes)?;
    options.stdin = Some(path.clone());
    Ok(Some(path))
}

fn run_with(options: &Check, given: Option<&Given>, console: &Console) -> u8 {
    if options.engine == EngineWish::Symbolic {
        return match refuse_what_only_runs_have(options) {
            Some(message) => console.fail(&message),
            None => prove::run_check(options, console),
        };
    }
    // What was stored before Heddle itself fails stays, and the exit code is that of errors.
    let mut panics = Vec::new();
    let Some(checked) = guard("check", &mut panics, || check(options, given, console)) else {
        let what = panics.first().map_or("", |panic| &panic.message);
        return conclude(Verdict::Error, &format!("this is a bug in heddle: {what}"), options, console);
    };
    match checked {
        Ok(report) if is_accepted(&report, &options.accept) => Verdict::Safe.exit_code(),
        Ok(report) => report.verdict.exit_code(),
        Err(Failure::Unsupported(error)) => conclude(Verdict::Unsupported, &error.to_string(), options, console),
        Err(Failure::Interrupted) => {
            conclude(Verdict::Incomplete, "interrupted before the first execution", options, console)
        }
        Err(failure) => {
            let message = failure.to_string();
            let report = RunReport::error(message.clone());
            let written = write_reports(options, &report, &[]);
            let code = console.fail(&message);
            written.err().into_iter().for_each(|message| console.error(&message));
            code
        }
    }
}

/// Refuses options of which a proof knows nothing.
fn refuse_what_only_runs_have(options: &Check) -> Option<String> {
    let running = &options.running;
    let asked = [
        ("--from", options.from.is_some()),
        ("--stdin", options.stdin.is_some()),
        ("--checkpoint", options.checkpoint.is_some() || options.resume.is_some()),
        ("--outcomes", options.outcomes || options.dump_executions),
        ("--nondet", running.nondet.is_some()),
        ("--max-steps", running.max_steps.is_some()),
        ("--liveness", running.liveness.is_some() || running.ltl.is_some()),
        ("--algorithm", options.searching.algorithm != DEFAULT_ALGORITHM),
        (
            "bounds",
            options.searching.iterate
                || options.searching.max_preemptions.is_some()
                || options.searching.max_switches.is_some(),
        ),
        ("--exit-status differ", running.exit_status == Some(ExitWish::Differ)),
    ];
    let (name, _) = asked.into_iter().find(|(_, asked)| *asked)?;
    Some(format!("{name}: a proof does not know it; leave it out, or use --engine native"))
}

/// Whether `--accept` makes this run end as a safe one does, although not everything was explored. Something that was found, and be it
/// uncertain, is never accepted.
pub fn is_accepted(report: &RunReport, accept: &[Accept]) -> bool {
    report.verdict == Verdict::Incomplete && report.findings.is_empty() && accept.contains(&Accept::Incomplete)
}

/// Ends a run in which no execution was run. Returns the exit code.
pub(super) fn conclude(verdict: Verdict, reason: &str, options: &Check, console: &Console) -> u8 {
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

/// Writes the report files that the options ask for. Those about a finding are written only if there is one.
fn write_reports(options: &Check, report: &RunReport, traces: &[Trace]) -> Result<(), String> {
    let plain = text::Options::default();
    if let Some(path) = &options.output.junit {
        store::write_file(path, &formats::junit_of(&options.words, report, traces))?;
    }
    let runs = [(&options.shown.html, Format::Html), (&options.output.sarif, Format::Sarif)];
    let graph = options.shown.graph.as_ref().map(|path| formats::of_graph(path)).transpose()?.unwrap_or(Format::Dot);
    let findings = [(&options.shown.witness, Format::Witness), (&options.shown.graph, graph)];
    let findings = findings.into_iter().filter(|_| !traces.is_empty());
    for (path, format) in runs.into_iter().chain(findings) {
        if let Some(path) = path {
            store::write_file(path, &formats::render(format, report, traces, &plain)?)?;
        }
    }
    Ok(())
}

/// The trace that `--from` names, and its first `--at` steps.
struct Given {
    trace: Trace,
    steps: Vec<Step>,
}

/// Applies `--from`: the program, its arguments and its input are those of the trace file.
fn given(mut options: Check) -> Result<(Check, Option<Given>), String> {
    let (Some(path), Some(at)) = (options.from.clone(), options.at) else { return Ok((options, None)) };
    let trace = load(&path)?;
    if !options.words.is_empty() || !options.arguments.is_empty() {
        return Err("--from: the trace file names the program and its arguments; do not give others".to_string());
    }
    if trace.continuation.is_some() {
        return Err("--from: this trace has no steps, because the process died before they could be read".to_string());
    }
    if at > trace.schedule.len() {
        return Err(format!("--at {at}: the execution has only {} steps", trace.schedule.len()));
    }
    options.words.clone_from(&trace.program.build);
    options.arguments.clone_from(&trace.program.arguments);
    options.stdin = trace.program.stdin.as_ref().map(|file| PathBuf::from(&file.path));
    // A smaller interleaving would begin otherwise.
    options.searching.findings.minimise = Duration::ZERO;
    // The directory is about to change.
    let files = [
        &mut options.shown.html,
        &mut options.output.sarif,
        &mut options.output.junit,
        &mut options.shown.witness,
        &mut options.shown.graph,
    ];
    for path in files.into_iter().flatten().chain([&mut options.output.out]) {
        *path = std::path::absolute(&*path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let steps = trace.schedule[..at].to_vec();
    Ok((options, Some(Given { trace, steps })))
}

fn check(options: &Check, given: Option<&Given>, console: &Console) -> Result<RunReport, Failure> {
    if options.jobs > 1 && !NativeExecutor::addresses_are_fixed() {
        return Err(Failure::Usage(format!(
            "--jobs {}: address space randomisation cannot be turned off here (does a container forbid it?); use --jobs 1",
            options.jobs
        )));
    }
    let interrupted = interrupt::catch().map_err(|error| Failure::Usage(format!("cannot catch signals: {error}")))?;
    let progress = Progress::new(console.progress());
    progress.say("compiling");
    if let Some(path) = &options.shown.graph {
        formats::of_graph(path).map_err(Failure::Usage)?;
    }
    let prepared = match given {
        Some(given) => {
            replay::enter(&given.trace, console)?;
            replay::prepare(&given.trace, None, options.trust, &interrupted)
        }
        None => {
            if options.building.no_cache {
                heddle_native::cache::switch_off();
            }
            let toolchain = Toolchain::new(options.building.cc.clone(), &interrupted);
            let mut words = options.words.clone();
            if options.building.ub {
                words.extend(UNDEFINED.map(str::to_owned));
            }
            prepare::prepare(&toolchain, &words, &options.arguments, options.stdin.as_deref())
        }
    };
    progress.finish();
    let prepared = prepared?;
    console.pass_on(&prepared.warnings);

    let algorithm = algorithm(&options.searching.algorithm);
    let base = given.map_or_else(Settings::default, |given| given.trace.settings);
    let asks = options.running.over(base, false, false).liveness.asks();
    // What is asked about cycles decides the algorithm, unless another one was named.
    let searched = if asks && algorithm == Algorithm::Portfolio { Algorithm::States } else { algorithm };
    refuse_what_has_no_effect(searched, options)?;
    if asks {
        console.note("executions that go on for ever are asked about: all states are searched, without reduction");
    }
    let mut executor = launch(&prepared, options, given, &interrupted)?;
    let progress = Progress::new(console.progress());
    let mut observer = Shown(progress);
    let check = heddle_checking::Check::new(wanted(options, given, algorithm, &interrupted), &mut observer);
    let began = Instant::now();
    let mut conclusion = check.run(&mut executor, &prepared.description)?;
    drop(executor);
    if options.engine == EngineWish::Auto
        && heddle_checking::lacks_only_inputs(&conclusion.report)
        && refuse_what_only_runs_have(options).is_none()
    {
        let left = options.timeout.map_or(PROOF, |limit| limit.saturating_sub(began.elapsed()));
        conclusion = prove::attempt(conclusion, options, left, console, &interrupted);
    }
    deliver(conclusion, options, console)
}

/// Stores traces, shows the verdict, and writes the report files.
pub(super) fn deliver(mut conclusion: Conclusion, options: &Check, console: &Console) -> Result<RunReport, Failure> {
    if let Some(listing) = &conclusion.listing {
        console.result(listing);
    }
    let stored = store_traces(&mut conclusion, &options.output.out);
    let Conclusion { report, traces, warnings, .. } = conclusion;
    let mut panics = Vec::new();
    if guard("show", &mut panics, || show(&report, &traces, console)).is_none() {
        // The document needs no words of ours.
        console.result(&String::from_utf8_lossy(&json::render(&report)));
        return Ok(RunReport { verdict: Verdict::Error, ..report });
    }
    for warning in &warnings {
        console.warning(warning);
    }
    match stored.and_then(|()| write_reports(options, &report, &traces)) {
        Ok(()) => Ok(report),
        Err(message) => {
            // The verdict is out; that it could not be stored is an error all the same.
            console.error(&message);
            Ok(RunReport { verdict: Verdict::Error, ..report })
        }
    }
}

/// An observer that shows the progress on the terminal.
struct Shown(Progress);

impl Observer for Shown {
    fn progress(&mut self, progress: &heddle_search::Progress, findings: usize) {
        self.0.update(progress, findings);
    }

    fn searched(&mut self) {
        self.0.finish();
    }
}

/// How many bytes the graph of states may take: most of what is available. `None` where the system does not say.
fn memory_for_states() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes / 4 * 3 * 1024)
}

/// Makes the options of the check.
fn wanted(
    options: &Check,
    given: Option<&Given>,
    algorithm: Algorithm,
    interrupted: &Arc<AtomicBool>,
) -> heddle_checking::Options {
    heddle_checking::Options {
        search: heddle_search::Options {
            algorithm,
            max_executions: options.searching.max_executions,
            max_states: options.max_states,
            state_memory: memory_for_states(),
            sections: options.sections == "on",
            exact: options.states == "exact",
            plain: true,
            timeout: options.timeout,
            max_preemptions: options.searching.max_preemptions,
            max_switches: options.searching.max_switches,
            max_delays: options.searching.max_delays,
            iterate: options.searching.iterate,
            sleep_sets: !options.no_sleep_sets,
            locksets: !options.no_locksets,
            seed: options.searching.seed,
            depth: options.depth.unwrap_or(heddle_search::Options::default().depth),
            ..heddle_search::Options::default()
        },
        prefix: given.map(|given| given.steps.clone()),
        places: given.map_or_else(Vec::new, |given| given.trace.places.clone()),
        all: options.searching.findings.all,
        accept_sync_only: options.accept.contains(&Accept::SyncOnly),
        minimise: options.searching.findings.minimise,
        outcomes: options.outcomes,
        dump: options.dump_executions,
        checkpoint: options.checkpoint.clone(),
        checkpoint_interval: options.checkpoint_interval,
        resume: options.resume.clone(),
        line: std::env::args_os().skip(2).map(|word| word.to_string_lossy().into_owned()).collect(),
        interrupted: Arc::clone(interrupted),
    }
}

/// Writes the traces, and links to them in `latest`. Stops at the first failure and returns its message; traces that were written stay.
fn store_traces(conclusion: &mut Conclusion, directory: &Path) -> Result<(), String> {
    let mut files = Vec::new();
    let mut stored = Ok(());
    for index in 0..conclusion.traces.len() {
        let kept = stored.clone().and_then(|()| store::keep(directory, &mut conclusion.traces[index]));
        conclusion.stored_at(index, kept.as_ref().ok().map(|path| path.display().to_string()));
        match kept {
            Ok(path) => files.push((conclusion.traces[index].finding.id.clone(), path)),
            Err(message) => stored = Err(message),
        }
    }
    let linked = stored.and_then(|()| if files.is_empty() { Ok(()) } else { store::link_latest(directory, &files) });
    linked.map_err(|message: String| format!("the trace was not stored: {message}"))
}

/// Refuses options that have no effect with this algorithm, because the user would rely on them.
fn refuse_what_has_no_effect(algorithm: Algorithm, options: &Check) -> Result<(), Failure> {
    let limits = [options.searching.max_preemptions, options.searching.max_switches, options.searching.max_delays];
    let bounded = options.searching.iterate || limits.iter().any(Option::is_some);
    let in_parallel = matches!(algorithm, Algorithm::Portfolio | Algorithm::Optimal | Algorithm::Stateful);
    let message = if (options.no_sleep_sets || options.no_locksets) && algorithm != Algorithm::Dpor {
        format!("--no-sleep-sets and --no-locksets need --algorithm dpor; this is {}", algorithm.name())
    } else if options.max_states.is_some() && !algorithm.has_states() && algorithm != Algorithm::Portfolio {
        format!("--max-states needs the default, --algorithm stateful or switches; this is {}", algorithm.name())
    } else if options.states == "exact" && !algorithm.has_states() && algorithm != Algorithm::Portfolio {
        format!("--states exact needs the default, --algorithm stateful or switches; this is {}", algorithm.name())
    } else if options.states == "exact" && (options.checkpoint.is_some() || options.resume.is_some()) {
        "--states exact cannot be used with --checkpoint and --resume: what states consist of is not written down"
            .to_owned()
    } else if options.depth.is_some() && algorithm != Algorithm::Pct {
        format!("--depth needs --algorithm pct; this is {}", algorithm.name())
    } else if options.jobs > 1 && (bounded || !in_parallel && !algorithm.samples()) {
        format!(
            "--jobs {}: only --algorithm default, optimal and stateful without bounds, and sampling, run in several processes; \
             {} runs one execution after the other",
            options.jobs,
            if bounded { "a bounded search" } else { algorithm.name() }
        )
    } else if (options.checkpoint.is_some() || options.resume.is_some()) && options.dump_executions {
        "--dump-executions lists the executions of one run, and cannot be used with --checkpoint and --resume"
            .to_owned()
    } else if bounded && algorithm.samples() {
        format!(
            "--algorithm {} samples at random and takes no bounds: leave out the bound or the algorithm",
            algorithm.name()
        )
    } else {
        return Ok(());
    };
    Err(Failure::Usage(message))
}

fn algorithm(name: &str) -> Algorithm {
    let known = Algorithm::NAMES.iter().find(|(known, _)| *known == name);
    known.map_or_else(Algorithm::default, |(_, algorithm)| *algorithm)
}

fn launch(
    prepared: &Prepared<Built>,
    options: &Check,
    given: Option<&Given>,
    interrupted: &Arc<AtomicBool>,
) -> Result<NativeExecutor, Failure> {
    let base = given.map_or_else(Settings::default, |given| given.trace.settings);
    let settings = options.running.over(base, options.searching.findings.all || options.outcomes, options.outcomes);
    let native = heddle_native::Options {
        settings,
        inputs: given.map_or_else(Vec::new, |given| given.trace.inputs.clone()),
        arguments: options.arguments.iter().map(Into::into).collect(),
        input: prepared.description.stdin.as_ref().map(|file| PathBuf::from(&file.path)),
        jobs: options.jobs,
        hire: if options.jobs_at_once { Hire::AtOnce } else { Hire::WhenWaiting },
        interrupted: Arc::clone(interrupted),
        ..heddle_native::Options::default()
    };
    let mut executor = NativeExecutor::launch(&prepared.program.program, native).map_err(|error| match error {
        StartError::Interrupted => Failure::Interrupted,
        StartError::Unsupported(_) => Failure::Unsupported(Box::new(error)),
        error => Failure::Program(Box::new(error)),
    })?;
    given.map_or(Ok(()), |given| heddle_checking::trace::introduce(&given.trace, &mut executor)).map(|()| executor)
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
