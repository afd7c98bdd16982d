//! SARIF 2.1.0: findings for code scanning.
//!
//! Each finding is a result. Its interleaving is a code flow with one thread flow for each thread; `executionOrder`
//! says how they interleave (SARIF 2.1.0, sections 3.36 to 3.38). Files are relative URIs, relative to the directory in
//! which the program was built.

use heddle_model::finding::{Finding, Location};
use heddle_model::trace::TraceStep;
use heddle_model::{FindingKind, RunReport, Trace, Verdict};
use serde_json::{Value, json};

use crate::names::thread_label;
use crate::{relevance, words};

/// Renders a run. `traces` holds the traces of its findings, as far as they are known.
pub fn render(report: &RunReport, traces: &[Trace]) -> Vec<u8> {
    let mut kinds: Vec<FindingKind> = report.findings.iter().map(|finding| finding.kind).collect();
    kinds.sort();
    kinds.dedup();
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(*kind)).collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let trace = traces.iter().find(|trace| trace.finding.id == finding.id);
            let rule = kinds.iter().position(|kind| *kind == finding.kind).unwrap_or(0);
            result(finding, rule, trace)
        })
        .collect();
    let mut invocation = json!({ "executionSuccessful": report.verdict != Verdict::Error });
    if let Some(reason) = &report.reason {
        invocation["toolExecutionNotifications"] = json!([{
            "level": if report.verdict == Verdict::Error { "error" } else { "warning" },
            "message": { "text": format!("{}: {reason}", report.verdict.name()) },
        }]);
    }
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
            "properties": {
                "verdict": report.verdict.name(),
                "executions": report.executions,
                "samples": report.samples,
                "algorithm": report.algorithm,
                "coverage": report.coverage,
            },
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

fn rule(kind: FindingKind) -> Value {
    json!({
        "id": kind.name(),
        "name": kind.name(),
        "shortDescription": { "text": meaning(kind) },
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(finding: &Finding, rule: usize, trace: Option<&Trace>) -> Value {
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
        "partialFingerprints": { "heddle/v1": fingerprint(finding) },
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
    format!("{}: {}{after}{cycle}", finding.kind, finding.message)
}

/// A fingerprint that identifies a finding across runs. It is made of the kind and the source locations, without
/// numbers that depend on the search.
fn fingerprint(finding: &Finding) -> String {
    let places = finding.location.iter().chain(finding.notes.iter().filter_map(|note| note.location.as_ref()));
    let mut parts: Vec<String> = places.map(|at| format!("{}:{}:{}", at.file, at.function, at.line)).collect();
    parts.sort();
    parts.dedup();
    format!("{}|{}", finding.kind, parts.join("|"))
}

fn code_flow(trace: &Trace) -> Option<Value> {
    let matters = relevance::before_finding(trace);
    let mut ids: Vec<_> = trace.steps.iter().chain(&trace.last).map(|step| step.thread).collect();
    ids.sort();
    ids.dedup();
    let mut flows = Vec::new();
    for id in ids {
        let name = thread_label(id, trace.threads.get(&id).map_or("", String::as_str));
        let steps = trace.steps.iter().zip(&matters).enumerate().filter(|(_, (step, _))| step.thread == id);
        let mut locations: Vec<Value> =
            steps.map(|(index, (step, matters))| flow_location(trace, step, index + 1, *matters, &name)).collect();
        let last = trace.last.iter().filter(|step| step.thread == id);
        locations.extend(last.map(|step| flow_location(trace, step, trace.steps.len() + 1, true, &name)));
        if !locations.is_empty() {
            flows.push(json!({ "id": id.to_string(), "message": { "text": name }, "locations": locations }));
        }
    }
    if flows.is_empty() {
        return None;
    }
    Some(json!({ "message": { "text": "the interleaving that leads to it" }, "threadFlows": flows }))
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
