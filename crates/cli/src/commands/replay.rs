//! `heddle replay`: reproduces a finding, or names the first step that differs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_checking::prepare::{self, Prepared};
use heddle_checking::{Failure, resolve, sources, trace as story};
use heddle_model::Executor;
use heddle_model::trace::{Program, TraceStep};
use heddle_model::{Choice, ExecutorError, FindingKind, Outcome, Plan, RestartMode, Settings, Trace};
use heddle_native::compile::Choice as Compilers;
use heddle_native::{Built, Debugger, NativeExecutor, Toolchain, trust};
use heddle_report::names::{Names, thread_label};
use heddle_report::words::{self, Functions};
use heddle_report::{Recording, json, steps, text, walk};

use super::report::{document, load};
use crate::arguments::Replay;
use crate::console::Console;
use crate::{interrupt, stepping};

/// Replays a finding. Returns the exit code: 1 if it was reproduced.
pub fn run(options: Replay, console: &Console) -> u8 {
    match replay(&options, console) {
        Ok(trace) => show(&trace, &options, console),
        Err(failure) => console.fail(&failure.to_string()),
    }
}

fn replay(options: &Replay, console: &Console) -> Result<Trace, Failure> {
    let trace = load(&options.trace).map_err(Failure::Usage)?;
    let interrupted = interrupt::catch().map_err(|error| Failure::Usage(format!("cannot catch signals: {error}")))?;
    // Before the directory changes.
    let given = options.program.as_ref().map(std::path::absolute).transpose();
    let given = given.map_err(|error| Failure::Usage(error.to_string()))?;
    let script = options.gdb_batch.as_ref().map(std::path::absolute).transpose();
    let script = script.map_err(|error| Failure::Usage(error.to_string()))?;
    if let Some(script) = script.as_ref().filter(|script| !script.is_file()) {
        return Err(Failure::Usage(format!("{}: no such file", script.display())));
    }
    enter(&trace, console)?;
    let changed = changes(&trace);
    for change in &changed {
        console.note(change);
    }
    let prepared = prepare(&trace, given, options.trust, &interrupted)?;
    if options.common.verbose {
        console.pass_on(&prepared.warnings);
    }
    let mut executor = launch(&trace, &prepared, &interrupted)?;
    let plan = story::plan(&trace);
    let directory = PathBuf::from(&prepared.description.directory);
    let recording = resolve::record(&mut executor, &plan, &directory).map_err(|error| match error {
        ExecutorError::Interrupted => Failure::Interrupted,
        error => Failure::Usage(error.to_string()),
    })?;
    if let Some(divergence) = first_divergence(&trace, &recording) {
        return Err(Failure::Usage(refusal(&trace, &divergence, &changed)));
    }
    let again = story::tell(recording, &plan, &prepared.description, &story::Run::of(&trace));
    let Some(again) = again.filter(|again| again.trace.finding.kind == trace.finding.kind) else {
        return Err(Failure::Usage(refusal(&trace, "the recorded steps do not lead to it any more", &changed)));
    };
    let mut again = again.trace;
    let known = &trace.finding;
    again.finding.id.clone_from(&known.id);
    again.finding.count = known.count;
    again.finding.execution = known.execution;
    again.finding.minimal = known.minimal;
    // What may be wrong with it follows from all executions of the check.
    again.finding.certain = known.certain;
    let doubts = known.notes.iter().filter(|note| note.location.is_none() && !again.finding.notes.contains(note));
    let doubts: Vec<_> = doubts.cloned().collect();
    again.finding.notes.extend(doubts);
    if known.kind == FindingKind::Failed {
        // Only the check knows the statuses of other executions.
        again.finding.message.clone_from(&known.message);
    }
    again.finding.trace = Some(options.trace.display().to_string());
    if options.gdb || script.is_some() {
        debug(&mut executor, &again, &plan, script.as_deref())?;
    }
    Ok(again)
}

/// Opens gdb on the execution that was just reproduced.
fn debug(executor: &mut NativeExecutor, trace: &Trace, plan: &Plan, script: Option<&Path>) -> Result<(), Failure> {
    let gdb = std::env::var("HEDDLE_GDB").unwrap_or_else(|_| "gdb".to_string());
    let debugger = Debugger { gdb: &gdb, batch: script, trace: &words::document(trace) };
    let ended = executor.debug(plan, &debugger).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::Usage(format!("{gdb} is not installed (Debian: apt-get install gdb); $HEDDLE_GDB names another"))
        }
        _ => Failure::Usage(format!("{gdb} cannot be run: {error}")),
    })?;
    match ended {
        true => Ok(()),
        false => Err(Failure::Usage(format!("{gdb} ended with an error"))),
    }
}

/// Changes to the directory where the program was built, because the file names in the trace are relative to it.
pub fn enter(trace: &Trace, console: &Console) -> Result<(), Failure> {
    let directory = Path::new(&trace.program.directory);
    if !directory.is_dir() {
        console.note(&format!(
            "{} does not exist any more; looking for the program's files in the current directory",
            directory.display()
        ));
        return Ok(());
    }
    std::env::set_current_dir(directory)
        .map_err(|error| Failure::Usage(format!("{}: cannot change to this directory: {error}", directory.display())))
}

/// Messages about the files that have changed since the trace was recorded.
fn changes(trace: &Trace) -> Vec<String> {
    let files = trace.program.sources.iter().chain(&trace.program.binary).chain(&trace.program.stdin);
    let change = |file: &heddle_model::trace::SourceFile| match sources::fingerprint(Path::new(&file.path)) {
        Ok(hash) if hash == file.hash => None,
        Ok(_) => Some(format!("{} has changed since the trace was recorded", file.path)),
        Err(_) => Some(format!("{} does not exist any more", file.path)),
    };
    files.filter_map(change).collect()
}

/// Builds the program of a trace again, or opens the executable that `given` names.
///
/// A trace may be somebody else's. Unless it is `trusted`, nothing that it names is run but what [`trust`] calls harmless.
pub fn prepare(
    trace: &Trace,
    given: Option<PathBuf>,
    trusted: bool,
    interrupted: &Arc<AtomicBool>,
) -> Result<Prepared<Built>, Failure> {
    let program = &trace.program;
    let stdin = program.stdin.as_ref().map(|file| Path::new(&file.path));
    let words = match (&given, &program.binary) {
        (Some(path), _) => vec![path.display().to_string()],
        (None, Some(binary)) => vec![binary.path.clone()],
        (None, None) => program.build.clone(),
    };
    if !trusted && given.is_none() {
        let questions = trust::questions(program, &Compilers::from_environment(None));
        if !questions.is_empty() {
            return Err(Failure::Usage(asked(program, &questions)));
        }
    }
    let toolchain = Toolchain::of_trace(program, interrupted);
    prepare::prepare(&toolchain, &words, &program.arguments, stdin).map_err(|failure| match failure {
        Failure::Unsupported(_) | Failure::Interrupted => failure,
        failure => Failure::Usage(format!("the program of the trace cannot be built: {failure}")),
    })
}

/// Says what a trace asks for that nothing is run for without the user's word, and what would run.
fn asked(program: &Program, questions: &[String]) -> String {
    let mut text = "the trace file asks for what Heddle does not run on a file's word:".to_string();
    for question in questions {
        text.push_str(&format!("\n  {question}"));
    }
    let would = match &program.binary {
        Some(binary) => [std::slice::from_ref(&binary.path), &program.arguments].concat(),
        None => {
            let compilers = program.compilers.iter().map(|used| used.command.join(" "));
            compilers.chain(program.build.iter().cloned()).collect()
        }
    };
    text.push_str(&format!("\nin {} it would run: {}\n", program.directory, would.join(" ")));
    text.push_str("if you know where the file comes from, add --trust");
    text
}

fn launch(trace: &Trace, prepared: &Prepared<Built>, interrupted: &Arc<AtomicBool>) -> Result<NativeExecutor, Failure> {
    let options = heddle_native::Options {
        // As it was found, whatever had been tried before.
        settings: Settings { restart: RestartMode::Only(trace.restart), ..trace.settings },
        inputs: trace.inputs.clone(),
        arguments: trace.program.arguments.iter().map(Into::into).collect(),
        input: prepared.description.stdin.as_ref().map(|file| PathBuf::from(&file.path)),
        interrupted: Arc::clone(interrupted),
        ..heddle_native::Options::default()
    };
    let mut executor = NativeExecutor::launch(&prepared.program.program, options)
        .map_err(|error| Failure::Usage(error.to_string()))?;
    story::introduce(trace, &mut executor)?;
    executor.reveal(&trace.places).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(executor)
}

/// Describes the first step that differs from the recording. `None` if all steps are the same.
fn first_divergence(trace: &Trace, recording: &Recording) -> Option<String> {
    if trace.continuation.is_some() {
        // The steps were never known; the end is what can be compared.
        return None;
    }
    let walk = walk::walk(&recording.events, &recording.pending);
    let names = Names::of(recording);
    let now = steps::steps(recording, &names, &walk);
    for (index, (expected, got)) in trace.steps.iter().zip(&now).enumerate() {
        // A value that the schedule gives is a demand, no observation: it may have been changed by hand.
        let given = matches!(trace.schedule[index].choice(), Choice::Value(_));
        let same = expected.action == got.action && expected.object == got.object;
        if !same || (!given && expected.result != got.result) {
            let did = words(got, names.functions());
            return Some(format!("step {}: {}, but it did: {did}", index + 1, expectation(trace, expected)));
        }
    }
    let index = now.len();
    if let Some(expected) = trace.steps.get(index) {
        let stopped = format!("step {}: {}", index + 1, expectation(trace, expected));
        return Some(format!("{stopped}, but {}", instead(recording, expected, &names)));
    }
    if matches!(recording.outcome, Outcome::Diverged { .. }) {
        return Some("the schedule could not be followed".to_string());
    }
    if let Some(more) = now.get(trace.steps.len()) {
        return Some(format!(
            "after the last step, {}, thread {} went on to {}",
            trace.steps.len(),
            more.thread,
            words(more, names.functions())
        ));
    }
    None
}

fn expectation(trace: &Trace, step: &TraceStep) -> String {
    let name = trace.threads.get(&step.thread).map_or("", String::as_str);
    format!("{} was expected to {}", thread_label(step.thread, name), words(step, &trace.threads))
}

fn words(step: &TraceStep, functions: &Functions) -> String {
    let result = words::result_of(step, functions);
    let mut text = words::parts([words::action(step.action), step.object.clone(), result]);
    if let Some(at) = &step.at {
        text.push_str(&format!(" at {at}"));
    }
    text
}

/// Describes what the thread of `expected` was about to do when that step could not be taken.
fn instead(recording: &Recording, expected: &TraceStep, names: &Names) -> String {
    let Some(index) = recording.pending.iter().position(|pending| pending.thread == expected.thread) else {
        return match recording.events.iter().any(|event| event.thread == expected.thread) {
            true => "it has ended".to_string(),
            false => "there is no such thread".to_string(),
        };
    };
    let pending = &recording.pending[index];
    let step = TraceStep {
        object: steps::object(&pending.operation, names).full,
        at: recording.pending_place(index).cloned(),
        ..TraceStep::new(pending.thread, steps::action(&pending.operation))
    };
    let verb = if pending.enabled != 0 { "it is about to" } else { "it is blocked, and waits to" };
    format!("{verb} {}", words(&step, names.functions()))
}

fn refusal(trace: &Trace, divergence: &str, changed: &[String]) -> String {
    let mut text = format!("{} was not reproduced: {divergence}", trace.finding.id);
    match changed.first() {
        Some(change) => text.push_str(&format!("; {change}")),
        None => text.push_str("; the sources are unchanged: has a compiler, a library or an input changed?"),
    }
    text
}

fn show(trace: &Trace, options: &Replay, console: &Console) -> u8 {
    let report = document(trace);
    if options.json {
        console.result(&String::from_utf8_lossy(&json::render(&report)));
        return report.verdict.exit_code();
    }
    if options.gdb || options.gdb_batch.is_some() {
        // Everything was said in gdb.
        return report.verdict.exit_code();
    }
    if options.step {
        stepping::walk(trace, console);
        return report.verdict.exit_code();
    }
    if console.wishes().quiet {
        console.result(&text::headline(&trace.finding));
        return report.verdict.exit_code();
    }
    let mut shown = trace.clone();
    let output = std::mem::take(&mut shown.output);
    if !options.output {
        shown.output.clone_from(&output);
    }
    let mut told = text::finding(&shown, &console.report_options());
    if options.output {
        told.push_str(&format!("\noutput of the program:\n{output}"));
    }
    told.push_str(&format!(
        "\nreproduced: {}, all {} as recorded\n",
        trace.finding.id,
        text::counted(trace.steps.len() as u64, "step")
    ));
    if let Some(cycle) = trace.finding.cycle {
        told.push_str(&format!(
            "the cycle closed: after step {} the program is in the state in which step {} began\n",
            cycle.first + cycle.length - 1,
            cycle.first
        ));
    }
    console.result(&told);
    report.verdict.exit_code()
}
