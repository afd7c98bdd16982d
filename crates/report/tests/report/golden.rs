//! What reports look like. `cargo insta review` (or `INSTA_UPDATE=always cargo test`) blesses a change.

use crate::common::*;
use heddle_model::verdict::{Bounds, SCHEMA};
use heddle_model::{Coverage, Ending, Outcome, RunReport, Verdict};
use heddle_report::{json, text};

fn coverage() -> Coverage {
    Coverage {
        model: "sc".into(),
        exhaustive: true,
        bounds: Bounds::default(),
        instrumented: "sync-only".into(),
        restart: "snapshot".into(),
        restart_reason: None,
        nets: Vec::new(),
        states_reason: None,
        races: "not checked".into(),
        notes: vec!["data races".into()],
        grounds: vec!["critical sections: one step each".into()],
        ..Coverage::default()
    }
}

fn run(verdict: Verdict) -> RunReport {
    RunReport {
        schema: SCHEMA.into(),
        verdict,
        reason: None,
        coverage: Some(coverage()),
        algorithm: Some("dpor".into()),
        executions: 62,
        samples: 0,
        blocked: 3,
        states: 0,
        transitions: 0,
        visited: 0,
        assumed: 0,
        cut: 0,
        formulas: 0,
        events: 1234,
        seconds: 0.5,
        executions_per_second: 124,
        threads: 3,
        findings: Vec::new(),
        exit_statuses: Vec::new(),
        outcomes: Vec::new(),
        notes: Vec::new(),
    }
}

#[test]
fn deadlock() {
    insta::assert_snapshot!(text::finding(&trace(&abba()), &text::Options::default()));
}

#[test]
fn deadlock_narrow() {
    let options = text::Options { width: 50, ..text::Options::default() };
    insta::assert_snapshot!(text::finding(&trace(&abba()), &options));
}

#[test]
fn colour_only_adds_escape_sequences() {
    let plain = text::finding(&trace(&abba()), &text::Options::default());
    let colored = text::finding(&trace(&abba()), &text::Options { color: true, ..text::Options::default() });
    assert_ne!(plain, colored);
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}

#[test]
fn assertion_with_output() {
    let mut recording = record(
        &[
            start(0),
            create(0, 1, 27),
            create(0, 2, 28),
            start(1),
            lock(1, A, 8),
            lock(1, B, 9),
            unlock(1, B, 11),
            unlock(1, A, 12),
            end(1),
            join(0, 1, 29),
            start(2),
            lock(2, B, 17),
            lock(2, A, 18),
            finish(2, Ending::Assertion, 19),
        ],
        &[join(0, 2, 30)],
        ended(Ending::Assertion),
        "shared == 0",
    );
    recording.output = b"hello\n\x1b[31mred\n".to_vec();
    insta::assert_snapshot!(text::finding(&trace(&recording), &text::Options::default()));
}

#[test]
fn a_long_execution_is_folded() {
    let mut script = vec![start(0), create(0, 1, 27), start(1)];
    for _ in 0..40 {
        script.extend([lock(1, C, 8), unlock(1, C, 12)]);
    }
    script.push(lock(1, A, 8));
    script.push(create(0, 2, 28));
    let recording = record(&script, &[lock(0, A, 29), lock(1, A, 9)], Outcome::Deadlock, "");
    let short = text::finding(&trace(&recording), &text::Options::default());
    insta::assert_snapshot!(short);
    let long = text::finding(&trace(&recording), &text::Options { verbose: true, ..text::Options::default() });
    assert!(long.lines().count() > script.len());
}

#[test]
fn verdicts() {
    let mut all = String::new();
    let mut add = |report: &RunReport| all.push_str(&text::verdict(report, &text::Options::default()));
    add(&run(Verdict::Safe));
    add(&RunReport { executions: 1, ..run(Verdict::Safe) });
    add(&RunReport { samples: 40, ..run(Verdict::Safe) });
    add(&RunReport { samples: 1, ..run(Verdict::Found) });
    let bounds = Bounds { preemptions: Some(2), steps: Some(1000), ..Bounds::default() };
    add(&RunReport { coverage: Some(Coverage { exhaustive: false, bounds, ..coverage() }), ..run(Verdict::Safe) });
    add(&RunReport {
        reason: Some("time limit of 10 s".into()),
        coverage: Some(Coverage { exhaustive: false, ..coverage() }),
        ..run(Verdict::Incomplete)
    });
    add(&RunReport { findings: vec![trace(&abba()).finding], ..run(Verdict::Found) });
    add(&RunReport { reason: Some("`pthread_barrier_wait` at a.c:12".into()), ..run(Verdict::Unsupported) });
    add(&RunReport::error("no such file: a.c".into()));
    insta::assert_snapshot!(all);
}

#[test]
fn document() {
    let report = RunReport { findings: vec![trace(&abba()).finding], ..run(Verdict::Found) };
    let bytes = json::render(&report);
    let read: RunReport = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(read, report);
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}
