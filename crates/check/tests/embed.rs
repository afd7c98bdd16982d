//! The example of the crate's documentation: it is short, and it checks programs.

use std::path::Path;

use heddle_model::{FindingKind, Verdict};

#[path = "../examples/embed.rs"]
#[allow(dead_code)] // Its `main` is not called: the result is looked at, not what is printed.
mod embed;

/// A program of the repository's examples.
fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).display().to_string()
}

#[test]
fn a_deadlock_is_found() {
    let conclusion = embed::check(&example("abba.c")).expect("there is a conclusion");
    assert_eq!(conclusion.report.verdict, Verdict::Found);
    let kinds: Vec<FindingKind> = conclusion.report.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Deadlock]);
    assert_eq!(conclusion.traces.len(), 1);
}

#[test]
fn the_repaired_program_is_safe() {
    let report = embed::check(&example("abba-fixed.c")).expect("there is a conclusion").report;
    assert_eq!((report.verdict, report.findings.len()), (Verdict::Safe, 0));
    assert!(report.executions > 1);
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    assert!(embed::check("nowhere.c").is_err());
}

#[test]
fn it_is_under_thirty_lines() {
    let lines = include_str!("../examples/embed.rs").lines().count();
    assert!(lines < 30, "{lines} lines");
}
