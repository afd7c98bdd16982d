//! One test, checked by a process of Heddle's own: a test that brings Heddle down ends nothing but itself, and each has its own working
//! directory and environment.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use heddle_model::{Finding, RunReport, Trace};
use heddle_native::helper;
use heddle_report::suite::{Checked, Result as Came};

use super::{as_files, below_here};
use crate::arguments;
use crate::commands::check::is_accepted;
use crate::commands::report::load;
use heddle_native::suite::Test;

/// How much longer than the time of a test its process may take: to start, to look for the smallest interleaving, to write it down.
const MORE: Duration = Duration::from_secs(120);

/// A directory for the findings of each test, below that of all.
pub fn directories(tests: &[Test]) -> Vec<String> {
    as_files(tests.iter().map(|test| test.name.as_str()))
}

/// Checks one test. Its findings go to `directory`, below that of all.
pub fn check(test: &Test, directory: &str, options: &arguments::Test, interrupted: &Arc<AtomicBool>) -> Checked {
    let name = test.name.clone();
    let program = below_here(&test.program.display().to_string());
    let failed =
        |reason: String| Came::Ran { report: Box::new(RunReport::error(reason)), traces: Vec::new(), accepted: false };
    let result = match (&test.ignored, &test.broken) {
        (Some(why), _) => Came::Ignored(why.clone()),
        (None, Some(why)) => failed(why.clone()),
        (None, None) => ran(test, directory, options, interrupted).unwrap_or_else(failed),
    };
    Checked { name, program, result }
}

fn ran(test: &Test, directory: &str, options: &arguments::Test, interrupted: &Arc<AtomicBool>) -> Result<Came, String> {
    let own = std::env::current_exe().map_err(|error| format!("heddle does not find itself: {error}"))?;
    let out = std::path::absolute(options.output.out.join(directory)).map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(["check", "--json", "--no-progress", "--out"]).arg(out);
    command.args(["--timeout", &format!("{}ms", options.timeout.as_millis())]);
    for accept in &options.accept {
        command.args(["--accept", accept.name()]);
    }
    if test.any_status {
        command.args(["--exit-status", "ignore"]);
    }
    command.args(&options.passed_on).arg(&test.program);
    if !test.arguments.is_empty() {
        command.arg("--").args(&test.arguments);
    }
    command.envs(test.environment.iter().map(|(name, value)| (name, value)));
    if let Some(directory) = &test.directory {
        command.current_dir(directory);
    }
    let limit = options.timeout.saturating_mul(2).saturating_add(MORE);
    let ran =
        helper::run(command, Some(limit), interrupted).map_err(|error| format!("heddle cannot be run: {error}"))?;
    let Ok(mut report) = serde_json::from_slice::<RunReport>(&ran.stdout) else {
        let said = String::from_utf8_lossy(&ran.stderr);
        let last = said.lines().last().unwrap_or("nothing was said");
        return Err(match ran.status {
            None => "heddle did not end in time".to_string(),
            Some(_) => format!("heddle ended without a verdict: {last}"),
        });
    };
    let mut traces: Vec<Trace> = Vec::new();
    for finding in &mut report.findings {
        name_from_here(finding);
        if let Some(path) = &mut finding.trace {
            let mut trace = load(path.as_ref())?;
            *path = below_here(path);
            name_from_here(&mut trace.finding);
            trace.finding.trace = Some(path.clone());
            traces.push(trace);
        }
    }
    let accepted = is_accepted(&report, &options.accept);
    Ok(Came::Ran { report: Box::new(report), traces, accepted })
}

/// Names files below the current directory from there, wherever the test was run.
fn name_from_here(finding: &mut Finding) {
    let threads = finding.threads.iter_mut().flat_map(|thread| thread.at.iter_mut().chain(&mut thread.stack));
    let notes = finding.notes.iter_mut().filter_map(|note| note.location.as_mut());
    for at in finding.location.iter_mut().chain(notes).chain(threads) {
        at.file = below_here(&at.file);
    }
}

/// What would make the verdicts better.
pub fn hint(tests: &[Checked]) -> Option<String> {
    let mut covered = tests.iter().filter_map(|test| Some((test, test.report()?.coverage.as_ref()?)));
    let (test, _) = covered.find(|(_, coverage)| coverage.instrumented == "sync-only")?;
    Some(format!(
        "{} was not built by heddle, which sees only its calls to the thread library: build it with CC=\"heddle cc\" CXX=\"heddle c++\"",
        test.program
    ))
}
