//! JUnit XML: a run as one test case, or each test of a suite as one, for continuous integration.
//!
//! The checked program is the test case. A finding is a failure. A run without a verdict (incomplete, unsupported, an
//! error) is an error, because a passed test would claim what was not shown. The elements are those that Jenkins,
//! GitLab and others read: `testsuites`, `testsuite`, `testcase`, `failure`, `error`, `system-out`.

use heddle_model::{RunReport, Trace, Verdict};

use crate::shown::misleads;
use crate::suite::{self, Checked};
use crate::text;

/// A test case of the document.
struct Case<'a> {
    name: &'a str,
    class: &'a str,
    /// What came of it, or why it was skipped.
    result: Result<(&'a RunReport, &'a [Trace]), &'a str>,
    /// A verdict that is neither *safe* nor *found* counts as passed.
    accepted: bool,
}

/// Renders the document of a run of `program` and its traces.
pub fn render(report: &RunReport, traces: &[Trace], program: &str) -> Vec<u8> {
    document(&[Case { name: program, class: "heddle", result: Ok((report, traces)), accepted: false }])
}

/// Renders the document of tests: one test case each.
pub fn render_tests(tests: &[Checked]) -> Vec<u8> {
    let cases: Vec<Case> = tests.iter().map(Case::of).collect();
    document(&cases)
}

impl Case<'_> {
    fn of(test: &Checked) -> Case<'_> {
        let Checked { name, program, result } = test;
        let (result, accepted) = match result {
            suite::Result::Ran { report, traces, accepted } => (Ok((&**report, traces.as_slice())), *accepted),
            suite::Result::Ignored(why) => (Err(why.as_str()), false),
        };
        Case { name, class: program, result, accepted }
    }
}

fn document(cases: &[Case]) -> Vec<u8> {
    let reports = || cases.iter().filter_map(|case| Some((case, case.result.ok()?.0)));
    let found = reports().filter(|(_, report)| report.verdict == Verdict::Found).count();
    let wrong = reports().filter(|(case, report)| is_wrong(report) && !case.accepted).count();
    let counts = format!("tests=\"{}\" failures=\"{found}\" errors=\"{wrong}\"", cases.len());
    let time = format!("time=\"{:.3}\"", reports().map(|(_, report)| report.seconds).sum::<f64>());
    let skipped = cases.iter().filter(|case| case.result.is_err()).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"heddle\" {counts} {time}>\n"));
    out.push_str(&format!("  <testsuite name=\"heddle\" {counts} skipped=\"{skipped}\" {time}>\n"));
    for case in cases {
        let names = format!("name=\"{}\" classname=\"{}\"", escape(case.name), escape(case.class));
        match case.result {
            Ok((report, traces)) => {
                out.push_str(&format!("    <testcase {names} time=\"{:.3}\">\n", report.seconds));
                out.push_str(&outcome(report, traces, case.accepted));
            }
            Err(why) => {
                out.push_str(&format!("    <testcase {names} time=\"0.000\">\n"));
                out.push_str(&format!("      <skipped message=\"{}\"/>\n", escape(why)));
            }
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out.into_bytes()
}

fn is_wrong(report: &RunReport) -> bool {
    !matches!(report.verdict, Verdict::Found | Verdict::Safe)
}

/// What came of one test case.
fn outcome(report: &RunReport, traces: &[Trace], accepted: bool) -> String {
    let plain = text::Options::default();
    let verdict = text::verdict(report, &plain);
    if report.verdict == Verdict::Found {
        let first = report.findings.first();
        let message = first.map_or(String::new(), |finding| format!("{}: {}", finding.kind, finding.message));
        let kind = first.map_or("", |finding| finding.kind.name());
        let told: Vec<String> = match traces.is_empty() {
            true => report.findings.iter().map(text::headline).collect(),
            false => traces.iter().map(|trace| text::finding(trace, &plain)).collect(),
        };
        element("failure", &message, kind, &format!("{}\n{verdict}", told.join("\n")))
    } else if is_wrong(report) && !accepted {
        let message = report.reason.clone().unwrap_or_default();
        element("error", &message, report.verdict.name(), &verdict)
    } else {
        format!("      <system-out>{}</system-out>\n", escape(&verdict))
    }
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
