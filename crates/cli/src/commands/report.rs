//! `heddle report`: shows a stored finding or a whole run, in any format.

use std::path::Path;

use heddle_model::trace::TraceError;
use heddle_model::verdict::SCHEMA;
use heddle_model::{RunReport, Trace, Verdict};
use heddle_report::text;

use crate::arguments::Report;
use crate::console::Console;
use crate::formats::{self, Format};
use crate::store;

/// Shows the stored finding or run. Returns the exit code.
pub fn run(options: Report, console: &Console) -> u8 {
    match show(&options, console) {
        Ok(()) => 0,
        Err(message) => console.fail(&message),
    }
}

fn show(options: &Report, console: &Console) -> Result<(), String> {
    let Stored { report, traces, is_run } = stored(&options.trace)?;
    let look = match &options.output {
        Some(_) => text::Options { verbose: options.common.verbose, ..text::Options::default() },
        None => console.report_options(),
    };
    let mut bytes = formats::render(options.format, &report, &traces, &look)?;
    if is_run && options.format == Format::Text {
        bytes.extend_from_slice(text::verdict(&report, &look).as_bytes());
    }
    match &options.output {
        Some(path) => store::write_file(path, &bytes)?,
        None => console.result(&String::from_utf8_lossy(&bytes)),
    }
    Ok(())
}

/// The contents of a stored file.
struct Stored {
    report: RunReport,
    traces: Vec<Trace>,
    is_run: bool,
}

/// Reads a trace, or the JSON document of a run and the traces that it names.
fn stored(path: &Path) -> Result<Stored, String> {
    let bytes = read(path)?;
    let complain = |error: TraceError| format!("{}: {error}", path.display());
    match Trace::from_bytes(&bytes) {
        Ok(trace) => Ok(Stored { report: document(&trace), traces: vec![trace], is_run: false }),
        Err(error @ TraceError::NotATrace(_)) => {
            let run: Option<RunReport> = serde_json::from_slice(&bytes).ok();
            let report = run.filter(|report| report.schema == SCHEMA).ok_or_else(|| complain(error))?;
            let mut traces = Vec::new();
            for named in report.findings.iter().filter_map(|finding| finding.trace.as_ref()) {
                traces.push(load(Path::new(named))?);
            }
            Ok(Stored { report, traces, is_run: true })
        }
        Err(error) => Err(complain(error)),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{}: no such file", path.display()),
        _ => format!("{}: cannot be read: {error}", path.display()),
    })
}

/// Reads the trace file at `path`.
pub fn load(path: &Path) -> Result<Trace, String> {
    Trace::from_bytes(&read(path)?).map_err(|error| format!("{}: {error}", path.display()))
}

/// The report of a run whose only finding is that of `trace`.
pub fn document(trace: &Trace) -> RunReport {
    RunReport {
        verdict: Verdict::Found,
        reason: None,
        schema: SCHEMA.to_string(),
        executions: 1,
        events: trace.steps.len() as u64,
        threads: trace.threads.len() as u32,
        findings: vec![trace.finding.clone()],
        ..RunReport::error(String::new())
    }
}
