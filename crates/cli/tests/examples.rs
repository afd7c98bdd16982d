//! The examples, with every compiler, at every level of optimisation, in every restart mode: the verdict of the
//! header, and its number of executions.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::matrix::{Way, some_of, ways};
use crate::common::{Expectation, Finished, Session, clang, other_clangs, sources};

fn check(file: &Path, expected: &Expectation, more: &[&str]) -> (Session, Finished) {
    let session = Session::new();
    let mut arguments = vec![file.display().to_string()];
    arguments.extend(expected.flags.iter().cloned());
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    let run = session.check(arguments);
    (session, run)
}

/// One example in one way. The number of executions is the header's, whatever the way.
fn must_hold(file: &Path, way: Way) {
    let expected = Expectation::of(file);
    let words = ["--all", "--restart", way.restart, "--cc", way.compiler, way.level, "--minimise", "off"];
    let (_session, run) = check(file, &expected, &words);
    expected.hold(&run);
    assert_eq!(run.json()["coverage"]["restart"], way.restart, "{run}");
}

#[test]
fn in_every_way() {
    for (index, file) in sources("examples").iter().enumerate() {
        for way in ways(index) {
            must_hold(file, way);
        }
    }
}

/// The ways that the examples go are all that there are.
#[test]
fn no_way_is_left_out() {
    let taken: BTreeSet<Way> = (0..sources("examples").len()).flat_map(ways).collect();
    assert_eq!(taken.len(), 18, "{taken:?}");
}

/// Older clangs emit other calls. There may be none on this machine.
#[test]
fn other_clangs_agree() {
    for (index, file) in sources("examples").iter().enumerate() {
        for compiler in other_clangs() {
            for level in some_of(&["-O0", "-O2"], index) {
                must_hold(file, Way { compiler, level, restart: "snapshot" });
            }
        }
    }
}

/// Every example comes with the number of its executions, so that the comparisons above are across compilers too.
#[test]
fn every_header_is_complete() {
    let files = sources("examples");
    assert!(files.len() >= 12);
    for file in files {
        let expected = Expectation::of(&file);
        let counted = expected.executions.is_some() == expected.can_be_exhausted();
        assert!(counted, "{}: a number of executions, where there is one", file.display());
        assert_eq!(expected.verdict == "found", expected.kind.is_some(), "{}", file.display());
        assert_eq!(expected.verdict == "found", !expected.here.is_empty(), "{}", file.display());
    }
}

/// Every broken example has a repaired one beside it.
#[test]
fn broken_and_fixed_come_in_pairs() {
    for file in sources("examples") {
        let expected = Expectation::of(&file);
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if expected.verdict == "found" {
            let fixed = file.with_file_name(format!("{name}-fixed.{}", file.extension().unwrap().display()));
            assert_eq!(Expectation::of(&fixed).verdict, "safe", "{}", fixed.display());
        }
    }
}

/// Without `--all` the search stops at the first finding, which replays to the same finding.
#[test]
fn findings_replay() {
    for file in sources("examples") {
        let expected = Expectation::of(&file);
        if expected.verdict != "found" {
            continue;
        }
        for (compiler, restart) in [("gcc", "snapshot"), (clang(), "fork")] {
            let (_session, run) = check(&file, &expected, &["--restart", restart, "--cc", compiler]);
            expected.hold_verdict(&run);
        }
    }
}

/// No reduction, no preemption bound, nothing clever: the same findings. Two threads only; three are too many orders.
#[test]
fn brute_force_agrees() {
    const TOO_MANY: [&str; 4] = ["bank", "philosophers", "buffer", "queue"];
    let mut compared = 0;
    for file in sources("examples") {
        let expected = Expectation::of(&file);
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if TOO_MANY.iter().any(|many| name.starts_with(many)) {
            continue;
        }
        let (_session, run) = check(&file, &expected, &["--all", "--algorithm", "dfs", "-O1", "--minimise", "off"]);
        expected.hold_verdict(&run);
        let report = run.json();
        assert_eq!(report["coverage"]["exhaustive"], expected.can_be_exhausted(), "{run}");
        assert!(report["executions"].as_u64() >= expected.executions, "{run}");
        compared += 1;
    }
    assert!(compared >= 12);
}
