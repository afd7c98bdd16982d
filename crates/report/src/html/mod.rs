//! One HTML file that shows a run and its findings. It needs no network and no other file.
//!
//! The page contains its data as JSON. Its script creates every element from that data as text nodes, so nothing from
//! the program, its sources or its file names is ever parsed as HTML. Without scripts, the page shows the text report.
//! `page.js`, `steps.js` and `panels.js` are one script, and say how the page works.

use heddle_model::{RunReport, Trace};
use serde_json::{Value, json};

use crate::{relevance, shown, text, words};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("page.js"), include_str!("steps.js"), include_str!("panels.js"));

/// Renders the page of a run and its traces.
pub fn render(report: &RunReport, traces: &[Trace]) -> Vec<u8> {
    let plain = text::Options::default();
    let verdict = text::verdict(report, &plain);
    let title = match report.findings.first() {
        Some(finding) => format!("{}: {}", finding.kind, finding.message),
        None => verdict.lines().next().unwrap_or("").to_string(),
    };
    let told: String = traces.iter().map(|trace| text::finding(trace, &plain) + "\n").collect();
    let data = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "program": traces.first().map(program),
        "report": report,
        "verdict": verdict.trim_end(),
        "traces": traces.iter().map(trace_data).collect::<Vec<_>>(),
    });
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Heddle: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n\
         <noscript><pre>{}{}</pre></noscript>\n<script type=\"application/json\" id=\"data\">{}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&title),
        escape(&told),
        escape(&verdict),
        embedded(&shown::in_data(data)),
    );
    page.into_bytes()
}

/// The name of the program of a trace: its sources, or the finished program.
fn program(trace: &Trace) -> String {
    let program = &trace.program;
    let sources = program
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .filter(|path| program.build.iter().any(|word| word == path));
    match (&program.binary, sources.collect::<Vec<_>>()) {
        (Some(binary), _) => binary.path.clone(),
        (None, sources) if sources.is_empty() => program.build.join(" "),
        (None, sources) => sources.join(" "),
    }
}

/// The part of a trace that the page uses.
fn trace_data(trace: &Trace) -> Value {
    json!({
        "finding": trace.finding,
        "steps": words::worded(trace, &trace.steps),
        "last": words::worded(trace, &trace.last),
        "outcome": trace.end.outcome.name(),
        "threads": trace.threads,
        "lines": trace.lines,
        "output": trace.output,
        "build": trace.program.build,
        "matters": relevance::before_finding(trace),
        "focus": trace.focus,
    })
}

/// `data` as JSON that can stand inside a `script` element without ending it.
fn embedded(data: &Value) -> String {
    let text = data.to_string();
    text.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn escape(text: &str) -> String {
    shown::lines(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
