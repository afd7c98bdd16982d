//! JUnit XML: a run as one test case, for continuous integration.
//!
//! The checked program is the test case. A finding is a failure. A run without a verdict (incomplete, unsupported, an
//! error) is an error, because a passed test would claim what was not shown. The elements are those that Jenkins,
//! GitLab and others read: `testsuites`, `testsuite`, `testcase`, `failure`, `error`, `system-out`.

use heddle_model::{RunReport, Trace, Verdict};

use crate::text;

use crate::shown::misleads;

/// Renders the document of a run of `program` and its traces.
pub fn render(report: &RunReport, traces: &[Trace], program: &str) -> Vec<u8> {
    let plain = text::Options::default();
    let verdict = text::verdict(report, &plain);
    let found = report.verdict == Verdict::Found;
    let wrong = !matches!(report.verdict, Verdict::Found | Verdict::Safe);
    let counts = format!("tests=\"1\" failures=\"{}\" errors=\"{}\"", u8::from(found), u8::from(wrong));
    let time = format!("time=\"{:.3}\"", report.seconds);
    let name = escape(program);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"heddle\" {counts} {time}>\n"));
    out.push_str(&format!("  <testsuite name=\"heddle\" {counts} skipped=\"0\" {time}>\n"));
    out.push_str(&format!("    <testcase name=\"{name}\" classname=\"heddle\" {time}>\n"));
    if found {
        let first = report.findings.first();
        let message = first.map_or(String::new(), |finding| format!("{}: {}", finding.kind, finding.message));
        let kind = first.map_or("", |finding| finding.kind.name());
        let told: Vec<String> = match traces.is_empty() {
            true => report.findings.iter().map(text::headline).collect(),
            false => traces.iter().map(|trace| text::finding(trace, &plain)).collect(),
        };
        let body = format!("{}\n{verdict}", told.join("\n"));
        out.push_str(&element("failure", &message, kind, &body));
    } else if wrong {
        let message = report.reason.clone().unwrap_or_default();
        out.push_str(&element("error", &message, report.verdict.name(), &verdict));
    } else {
        out.push_str(&format!("      <system-out>{}</system-out>\n", escape(&verdict)));
    }
    out.push_str("    </testcase>\n  </testsuite>\n</testsuites>\n");
    out.into_bytes()
}

fn element(name: &str, message: &str, kind: &str, body: &str) -> String {
    format!("      <{name} message=\"{}\" type=\"{}\">{}</{name}>\n", escape(message), escape(kind), escape(body))
}

/// `text` for an element or an attribute. Characters that XML 1.0 does not allow are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            c if misleads(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
