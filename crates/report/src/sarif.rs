//! SARIF 2.1.0: findings for code scanning.
//!
//! Each finding is a result. Its interleaving is a code flow with one thread flow, in the order of time (SARIF 2.1.0, sections 3.36
//! to 3.38). Files are relative URIs, relative to the directory in which Heddle was run.

use heddle_model::finding::{Finding, Location};
use heddle_model::trace::TraceStep;
use heddle_model::{FindingKind, RunReport, Trace, Verdict};
use serde_json::{Value, json};

use crate::names::thread_label;
use crate::suite::{self, Checked};
use crate::{fingerprint, relevance, text, words};

/// Renders a run. `traces` holds the traces of its findings, as far as they are known.
pub fn render(report: &RunReport, traces: &[Trace]) -> Vec<u8> {
    let kinds = kinds(&mut report.findings.iter());
    let trace = |finding: &Finding| traces.iter().find(|trace| trace.finding.id == finding.id);
    let results = report.findings.iter().map(|finding| result(finding, &kinds, trace(finding))).collect();
    let mut invocation = json!({ "executionSuccessful": report.verdict != Verdict::Error });
    invocation["toolExecutionNotifications"] = notification(report, None).into_iter().collect();
    let properties = json!({
        "verdict": report.verdict.name(),
        "executions": report.executions,
        "samples": report.samples,
        "algorithm": report.algorithm,
        "coverage": report.coverage,
    });
    document(&kinds, invocation, results, properties)
}

/// Renders the tests of a suite: a result for each finding, and one for each test that has none. URIs of files below `root` are relative to
/// it, wherever the tests were run.
pub fn render_tests(tests: &[Checked], root: &str) -> Vec<u8> {
    let kinds = kinds(&mut tests.iter().filter_map(Checked::report).flat_map(|report| &report.findings));
    let mut results: Vec<Value> = tests.iter().flat_map(|test| test_results(test, &kinds)).collect();
    let root = format!("{}/", uri(root.trim_end_matches('/')));
    results.iter_mut().for_each(|result| make_relative(result, &root));
    let verdict = suite::verdict(tests);
    let mut invocation = json!({ "executionSuccessful": verdict != Verdict::Error });
    let notes = tests.iter().filter_map(|test| notification(test.report()?, Some(&test.name)));
    invocation["toolExecutionNotifications"] = notes.collect();
    document(&kinds, invocation, results, json!({ "verdict": verdict.name(), "tests": tests.len() }))
}

/// Removes `root` from the beginnings of all URIs.
fn make_relative(value: &mut Value, root: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str().filter(|_| name == "uri").and_then(|uri| uri.strip_prefix(root)) {
                    Some(rest) => *value = json!(rest),
                    None => make_relative(value, root),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| make_relative(value, root)),
        _ => {}
    }
}

/// The results of one test. That nothing was found is one, too.
fn test_results(test: &Checked, kinds: &[FindingKind]) -> Vec<Value> {
    let (verdict, words) = match &test.result {
        suite::Result::Ran { report, .. } => (report.verdict, text::verdict(report, &text::Options::default())),
        suite::Result::Ignored(why) => (Verdict::Unsupported, format!("not checked: {why}")),
    };
    let properties = json!({ "test": test.name, "program": test.program });
    let findings = test.report().map_or(&[][..], |report| &report.findings);
    if verdict == Verdict::Found || !findings.is_empty() {
        let trace = |finding: &Finding| test.traces().iter().find(|trace| trace.finding.id == finding.id);
        return findings
            .iter()
            .map(|finding| {
                let mut result = result(finding, kinds, trace(finding));
                let text = result["message"]["text"].as_str().unwrap_or_default();
                result["message"]["text"] = json!(format!("{}: {text}", test.name));
                result["properties"]["test"] = properties["test"].clone();
                result["properties"]["program"] = properties["program"].clone();
                result
            })
            .collect();
    }
    let kind = match verdict {
        Verdict::Safe => "pass",
        Verdict::Unsupported => "notApplicable",
        _ => "open",
    };
    let first = words.lines().next().unwrap_or_default();
    vec![json!({
        "ruleId": "test",
        "kind": kind,
        "level": "none",
        "message": { "text": format!("{}: {first}", test.name) },
        "properties": properties,
    })]
}

fn kinds(findings: &mut dyn Iterator<Item = &Finding>) -> Vec<FindingKind> {
    let mut kinds: Vec<FindingKind> = findings.map(|finding| finding.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// Why a run, of the test with this name, is neither *safe* nor *found*.
fn notification(report: &RunReport, test: Option<&str>) -> Option<Value> {
    let reason = report.reason.as_ref()?;
    let whose = test.map_or(String::new(), |test| format!("{test}: "));
    Some(json!({
        "level": if report.verdict == Verdict::Error { "error" } else { "warning" },
        "message": { "text": format!("{whose}{}: {reason}", report.verdict.name()) },
    }))
}

fn document(kinds: &[FindingKind], invocation: Value, results: Vec<Value>, properties: Value) -> Vec<u8> {
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(*kind)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Heddle",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [invocation],
            "results": results,
            "properties": properties,
        }],
    });
    let mut bytes =
        crate::shown::in_json(serde_json::to_vec_pretty(&document).expect("a document has only string keys"));
    bytes.push(b'\n');
    bytes
}

/// One sentence that explains a kind of finding.
pub fn meaning(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Deadlock => "Threads are left, and all of them are blocked.",
        FindingKind::PartialDeadlock => "Some threads wait for each other for ever while others still run.",
        FindingKind::DataRace => {
            "Two accesses to the same memory, at least one of them a write, and no happens-before between them."
        }
        FindingKind::Assertion => "An assertion fails in some thread interleaving.",
        FindingKind::Abort => "The program aborts in some thread interleaving.",
        FindingKind::Crash => "A signal kills the program in some thread interleaving.",
        FindingKind::Failed => {
            "The program exits with a status that is not 0 in some thread interleaving: a test fails."
        }
        FindingKind::Misuse => "A synchronisation primitive is misused.",
        FindingKind::Memory => "Memory is misused: use after free, access out of bounds, double free, ...",
        FindingKind::Leak => "Memory is never freed.",
        FindingKind::Hang => "A thread runs for too long without a visible operation.",
        FindingKind::Livelock => "Threads keep running, keep each other from making progress, and never stop.",
        FindingKind::Starvation => {
            "A thread never gets what it waits for, although it could, and no scheduler is to blame."
        }
        FindingKind::Ltl => "A formula of linear temporal logic does not hold.",
        // Kinds that are told by their message alone.
        _ => "Something went wrong in some thread interleaving.",
    }
}

/// What to do about a kind of finding.
fn help(kind: FindingKind) -> String {
    let what = match kind {
        FindingKind::Deadlock | FindingKind::PartialDeadlock => {
            "Take locks in the same order everywhere, or several at once (`std::scoped_lock`). If a thread waits for a signal that was \
             sent before it waited, change what it waits for under the lock, and look at it in a loop."
        }
        FindingKind::DataRace => "Protect both accesses by the same lock, or make the variable atomic.",
        FindingKind::Memory | FindingKind::Crash => {
            "Look for who frees or changes the memory in the interleaving, and make the others wait for it or own it."
        }
        FindingKind::Failed | FindingKind::Assertion | FindingKind::Abort => {
            "The interleaving shows in which order the operations fail. What must not be interrupted belongs under one lock."
        }
        _ => "The interleaving shows in which order it happens.",
    };
    format!("{} {what} `heddle replay FINDING.json --step` goes through the interleaving step by step.", meaning(kind))
}

fn rule(kind: FindingKind) -> Value {
    json!({
        "id": kind.name(),
        "name": kind.name(),
        "shortDescription": { "text": meaning(kind) },
        "fullDescription": { "text": meaning(kind) },
        "help": { "text": help(kind), "markdown": help(kind) },
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(finding: &Finding, kinds: &[FindingKind], trace: Option<&Trace>) -> Value {
    let rule = kinds.iter().position(|kind| *kind == finding.kind).unwrap_or(0);
    let place = finding.location.iter().map(|at| location(at, None)).collect::<Vec<_>>();
    let related: Vec<Value> = finding
        .notes
        .iter()
        .enumerate()
        .filter_map(|(index, note)| {
            let mut related = location(note.location.as_ref()?, Some(&note.message));
            related["id"] = json!(index + 1);
            Some(related)
        })
        .collect();
    let mut result = json!({
        "ruleId": finding.kind.name(),
        "ruleIndex": rule,
        "level": if finding.certain { "error" } else { "warning" },
        "message": { "text": message(finding) },
        "locations": place,
        "relatedLocations": related,
        "partialFingerprints": { "heddle/v2": fingerprint::of(finding) },
        "occurrenceCount": finding.count,
        "properties": {
            "id": finding.id,
            "switches": finding.switches,
            "preemptions": finding.preemptions,
            "replay": finding.trace.as_ref().map(|trace| format!("heddle replay {trace}")),
        },
    });
    if let Some(cycle) = finding.cycle {
        result["properties"]["cycle"] = json!(cycle);
    }
    if let Some(flow) = trace.and_then(code_flow) {
        result["codeFlows"] = json!([flow]);
    }
    result
}

fn message(finding: &Finding) -> String {
    let states: Vec<String> = finding
        .threads
        .iter()
        .map(|thread| {
            let holds = match thread.holds.is_empty() {
                true => String::new(),
                false => format!(", holds {}", thread.holds.join(", ")),
            };
            format!("{} {}{holds}", thread_label(thread.id, &thread.name), thread.state)
        })
        .collect();
    let after = if states.is_empty() { String::new() } else { format!("\n{}", states.join("\n")) };
    let cycle = finding.cycle.map_or(String::new(), |cycle| {
        format!("\nand then for ever: steps {} to {}", cycle.first, cycle.first + cycle.length - 1)
    });
    let inputs = match finding.inputs.is_empty() {
        true => String::new(),
        false => format!("; inputs: {}", words::inputs(&finding.inputs)),
    };
    format!("{}: {}{after}{cycle}{inputs}", finding.kind, finding.message)
}

/// The interleaving: one flow through all threads, in the order of time. Viewers show the first flow of a result, and a step of one
/// thread says little without those of the others.
fn code_flow(trace: &Trace) -> Option<Value> {
    let matters = relevance::before_finding(trace);
    let name = |step: &TraceStep| thread_label(step.thread, trace.threads.get(&step.thread).map_or("", String::as_str));
    let steps = trace.steps.iter().zip(&matters).enumerate();
    let mut locations: Vec<Value> =
        steps.map(|(index, (step, matters))| flow_location(trace, step, index + 1, *matters, &name(step))).collect();
    let last = trace.last.iter();
    locations.extend(last.map(|step| flow_location(trace, step, trace.steps.len() + 1, true, &name(step))));
    if locations.is_empty() {
        return None;
    }
    let what = "the interleaving that leads to it";
    Some(json!({
        "message": { "text": what },
        "threadFlows": [{ "id": "0", "message": { "text": what }, "locations": locations }],
    }))
}

fn flow_location(trace: &Trace, step: &TraceStep, order: usize, matters: bool, thread: &str) -> Value {
    let waits = if step.waits { " waits" } else { "" };
    let text = format!("{thread}: {}{waits}", words::step(step, trace));
    let place = match &step.at {
        Some(at) => location(at, Some(&text)),
        None => json!({ "message": { "text": text } }),
    };
    json!({ "location": place, "executionOrder": order, "importance": if matters { "important" } else { "unimportant" } })
}

fn location(at: &Location, message: Option<&str>) -> Value {
    let mut place = json!({});
    if !at.file.is_empty() {
        place["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(&at.file) } });
        if at.line != 0 {
            let mut region = json!({ "startLine": at.line });
            if at.column != 0 {
                region["startColumn"] = json!(at.column);
            }
            place["physicalLocation"]["region"] = region;
        }
    }
    if !at.function.is_empty() {
        place["logicalLocations"] = json!([{ "name": at.function, "kind": "function" }]);
    }
    if let Some(message) = message {
        place["message"] = json!({ "text": message });
    }
    place
}

/// A file name as a URI. A relative name stays relative; an absolute one gets a scheme.
fn uri(file: &str) -> String {
    let mut out = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => out.push(byte as char),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
