//! `heddle report`: shows a finding that was stored.

use std::path::Path;

use heddle_model::verdict::SCHEMA;
use heddle_model::{RunReport, Trace, Verdict};
use heddle_report::{json, text};

use crate::arguments::Report;
use crate::console::Console;

/// Shows it.
pub fn run(options: Report, console: &Console) -> u8 {
    let trace = match load(&options.trace) {
        Ok(trace) => trace,
        Err(message) => return console.fail(&message),
    };
    if options.json {
        console.result(&String::from_utf8_lossy(&json::render(&document(&trace))));
    } else {
        console.result(&text::finding(&trace, &console.report_options()));
    }
    0
}

/// The trace in the file at `path`.
pub fn load(path: &Path) -> Result<Trace, String> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("{}: no such file", path.display()),
        _ => format!("{}: cannot be read: {error}", path.display()),
    })?;
    Trace::from_bytes(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The document that says what a trace says.
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
