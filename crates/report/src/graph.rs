//! The happens-before graph of an execution, for Graphviz and Mermaid.
//!
//! Each step is a node, and each thread a row of nodes. An arrow leads to a step from each step of another thread that
//! it follows from directly ([`crate::causes`]). Steps that do not happen before the finding are drawn faintly.

use std::collections::BTreeMap;

use heddle_model::{ThreadId, Trace};

use crate::names::thread_label;
use crate::shown::{line, misleads};
use crate::{relevance, words};

/// The graph in Graphviz's language, for `dot -Tsvg`.
pub fn dot(trace: &Trace) -> String {
    let matters = relevance::before_finding(trace);
    let mut text =
        String::from("digraph heddle {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    text.push_str(&format!("  label={};\n", quoted(&title(trace))));
    for (thread, steps) in by_thread(trace) {
        text.push_str(&format!("  subgraph cluster_{} {{\n    label={};\n", thread, quoted(&name(trace, thread))));
        for &step in &steps {
            let faint = if matters[step] { "" } else { ", color=gray, fontcolor=gray" };
            text.push_str(&format!("    s{} [label={}{faint}];\n", step + 1, quoted(&label(trace, step))));
        }
        if !steps.is_empty() {
            let chain: Vec<String> = steps.iter().map(|step| format!("s{}", step + 1)).collect();
            text.push_str(&format!("    {};\n", chain.join(" -> ")));
        }
        text.push_str("  }\n");
    }
    for (step, cause) in edges(trace) {
        text.push_str(&format!("  s{} -> s{} [color=blue, constraint=true];\n", cause + 1, step + 1));
    }
    text.push_str("}\n");
    text
}

/// The graph in Mermaid's language, for Markdown or `mmdc`.
pub fn mermaid(trace: &Trace) -> String {
    let matters = relevance::before_finding(trace);
    let mut text = format!("---\ntitle: {}\n---\nflowchart TB\n", serde_json::Value::from(line(&title(trace))));
    for (thread, steps) in by_thread(trace) {
        text.push_str(&format!("  subgraph t{} [\"{}\"]\n    direction TB\n", thread, entities(&name(trace, thread))));
        for &step in &steps {
            let faint = if matters[step] { "" } else { ":::faint" };
            text.push_str(&format!("    s{}[\"{}\"]{faint}\n", step + 1, entities(&label(trace, step))));
        }
        for pair in steps.windows(2) {
            text.push_str(&format!("    s{} --> s{}\n", pair[0] + 1, pair[1] + 1));
        }
        text.push_str("  end\n");
    }
    for (step, cause) in edges(trace) {
        text.push_str(&format!("  s{} ==> s{}\n", cause + 1, step + 1));
    }
    text.push_str("  classDef faint opacity:0.4\n");
    text
}

fn title(trace: &Trace) -> String {
    format!("{}: {}", trace.finding.kind, trace.finding.message)
}

fn name(trace: &Trace, thread: ThreadId) -> String {
    thread_label(thread, trace.threads.get(&thread).map_or("", String::as_str))
}

fn by_thread(trace: &Trace) -> BTreeMap<ThreadId, Vec<usize>> {
    let mut threads: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
    for (index, step) in trace.steps.iter().enumerate() {
        threads.entry(step.thread).or_default().push(index);
    }
    threads
}

fn edges(trace: &Trace) -> impl Iterator<Item = (usize, usize)> + '_ {
    let of = |(step, it): (usize, &'_ heddle_model::trace::TraceStep)| {
        it.after.iter().map(move |&cause| (step, cause as usize)).collect::<Vec<_>>()
    };
    trace.steps.iter().enumerate().flat_map(of)
}

fn label(trace: &Trace, step: usize) -> String {
    let it = &trace.steps[step];
    let words = words::brief(it);
    let at = it.at.as_ref().map_or(String::new(), |at| format!("\n{at}"));
    format!("{}. {words}{at}", step + 1)
}

/// `text` as a string of Graphviz's language.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if misleads(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// `text` for a string of Mermaid's language. Every special character is written as an entity.
fn entities(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("<br/>"),
            c if c.is_alphanumeric() || " .,:_-+=/".contains(c) => out.push(c),
            c if misleads(c) => out.push('\u{fffd}'),
            c => out.push_str(&format!("#{};", c as u32)),
        }
    }
    out
}
