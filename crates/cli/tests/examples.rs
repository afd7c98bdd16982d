//! Every example, with every compiler, at every level of optimisation, in every restart mode: the verdict of its
//! header, and the same number of executions.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{Expectation, Finished, RESTARTS, Session, clang, other_clangs, sources};

fn check(file: &Path, expected: &Expectation, more: &[&str]) -> (Session, Finished) {
    let session = Session::new();
    let mut arguments = vec![file.display().to_string()];
    arguments.extend(expected.flags.iter().cloned());
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    let run = session.check(arguments);
    (session, run)
}

/// All examples with one compiler and level.
fn all_modes(compiler: &str, level: &str) {
    for file in sources("examples") {
        let expected = Expectation::of(&file);
        let mut executions = BTreeMap::new();
        for restart in RESTARTS {
            let (_session, run) = check(&file, &expected, &["--all", "--restart", restart, "--cc", compiler, level]);
            expected.hold(&run);
            let report = run.json();
            assert_eq!(report["coverage"]["restart"], restart, "{run}");
            executions.insert(restart, report["executions"].as_u64());
        }
        let first = executions["snapshot"];
        assert!(executions.values().all(|n| *n == first), "{}: {executions:?}", file.display());
    }
}

#[test]
fn gcc_o0() {
    all_modes("gcc", "-O0");
}

#[test]
fn gcc_o1() {
    all_modes("gcc", "-O1");
}

#[test]
fn gcc_o2() {
    all_modes("gcc", "-O2");
}

#[test]
fn clang_o0() {
    all_modes(clang(), "-O0");
}

#[test]
fn clang_o1() {
    all_modes(clang(), "-O1");
}

#[test]
fn clang_o2() {
    all_modes(clang(), "-O2");
}

/// Older clangs emit other calls. There may be none on this machine.
#[test]
fn other_clangs_agree() {
    for compiler in other_clangs() {
        all_modes(compiler, "-O0");
        all_modes(compiler, "-O2");
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
        let (_session, run) = check(&file, &expected, &["--all", "--algorithm", "dfs", "-O1"]);
        expected.hold_verdict(&run);
        let report = run.json();
        assert_eq!(report["coverage"]["exhaustive"], expected.can_be_exhausted(), "{run}");
        assert!(report["executions"].as_u64() >= expected.executions, "{run}");
        compared += 1;
    }
    assert!(compared >= 12);
}
