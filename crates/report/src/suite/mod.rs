//! The tests of a test program, each checked alone: one line a test, a summary, and one document for all.

mod text;

use heddle_model::{Finding, RunReport, Trace, Verdict};
use serde::Serialize;

use crate::shown;

pub use text::{failures, line, summary};

/// The name of the schema of [`Document`].
pub const SCHEMA: &str = "heddle-tests/1";

/// One test, and what came of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The name of the test.
    pub name: String,
    /// The program that it is a test of.
    pub program: String,
    /// What came of it.
    pub result: Result,
}

/// What came of one test.
#[derive(Clone, Debug)]
pub enum Result {
    /// It was checked.
    Ran {
        /// The report of its check.
        report: Box<RunReport>,
        /// The traces of its findings.
        traces: Vec<Trace>,
        /// Whether a verdict that is neither *safe* nor *found* is accepted (`--accept`).
        accepted: bool,
    },
    /// It was not checked, for this reason.
    Ignored(String),
}

impl Checked {
    /// The report of its check. `None` if there was none.
    pub fn report(&self) -> Option<&RunReport> {
        match &self.result {
            Result::Ran { report, .. } => Some(report),
            Result::Ignored(_) => None,
        }
    }

    /// The traces of its findings.
    pub fn traces(&self) -> &[Trace] {
        match &self.result {
            Result::Ran { traces, .. } => traces,
            Result::Ignored(_) => &[],
        }
    }

    /// Its verdict as it counts for all tests together. `None` if it was not checked.
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.result {
            Result::Ran { accepted: true, .. } => Some(Verdict::Safe),
            Result::Ran { report, .. } => Some(report.verdict),
            Result::Ignored(_) => None,
        }
    }

    /// The finding that is told of it.
    fn finding(&self) -> Option<&Finding> {
        self.report()?.findings.first()
    }
}

/// The verdict of all tests together: the worst of theirs. What was found comes before what is not known.
pub fn verdict(tests: &[Checked]) -> Verdict {
    const WORST: [Verdict; 4] = [Verdict::Found, Verdict::Error, Verdict::Unsupported, Verdict::Incomplete];
    let among = |worst: &Verdict| tests.iter().any(|test| test.verdict() == Some(*worst));
    WORST.into_iter().find(among).unwrap_or(Verdict::Safe)
}

/// The JSON document of all tests. Fields may be added, never renamed.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    verdict: Verdict,
    tests: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    program: &'a str,
    /// Why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    ignored: Option<&'a str>,
    /// The verdict was accepted by `--accept`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    accepted: bool,
    report: Option<&'a RunReport>,
}

impl Entry<'_> {
    fn of(test: &Checked) -> Entry<'_> {
        let Checked { name, program, result } = test;
        let (ignored, accepted) = match result {
            Result::Ran { accepted, .. } => (None, *accepted),
            Result::Ignored(why) => (Some(why.as_str()), false),
        };
        Entry { name, program, ignored, accepted, report: test.report() }
    }
}

/// The JSON document of `tests`.
pub fn json(tests: &[Checked]) -> Vec<u8> {
    let document = Document { schema: SCHEMA, verdict: verdict(tests), tests: tests.iter().map(Entry::of).collect() };
    let mut bytes = shown::in_json(serde_json::to_vec_pretty(&document).expect("a document has only string keys"));
    bytes.push(b'\n');
    bytes
}
