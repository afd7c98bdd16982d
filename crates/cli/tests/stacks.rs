//! Stacks die: the programs of `tests/small` about variables on stacks that other threads use, at every level and by every exhaustive
//! algorithm. `small` runs them as they are.

use crate::common::matrix::{for_each, some_of};
use crate::common::{Expectation, Session, clang, root, sources};

const LEVELS: [&str; 2] = ["-O1", "-O2"];
const ALGORITHMS: [&str; 4] = ["optimal", "source", "dpor", "dfs"];

/// The verdicts of the programs whose names begin with one of `names`, with `words` on the command line.
fn hold(names: &[&str], words: &[&str]) {
    let about = |file: &std::path::Path| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        names.iter().any(|start| name.starts_with(start))
    };
    let of = |verdict: &'static str| {
        let files = sources(&format!("tests/small/{verdict}")).into_iter().filter(|file| about(file));
        files.map(move |file| (file, verdict))
    };
    let programs: Vec<_> = ["safe", "found"].into_iter().flat_map(of).collect();
    assert!(programs.len() >= 5, "{} programs", programs.len());
    for_each(programs.len(), |number| {
        let (file, verdict) = &programs[number];
        let expected = Expectation::find(file);
        let mut line = vec![file.display().to_string(), "--minimise".to_owned(), "off".to_owned()];
        line.extend(words.iter().map(|word| (*word).to_owned()));
        line.extend(expected.flags.iter().cloned());
        let run = Session::new().check(line);
        // What the optimiser has moved may be seen before or after the end of the frame: a data race or a memory error.
        let right = run.json()["verdict"] == *verdict;
        (!right).then(|| format!("{} {words:?}: expected {verdict}\n{run}", file.display()))
    });
}

#[test]
fn optimised() {
    for (number, level) in LEVELS.into_iter().enumerate() {
        for compiler in some_of(&["gcc", clang()], number) {
            hold(&["stack-", "uninitialised-"], &["--cc", compiler, level]);
        }
    }
}

#[test]
fn by_every_algorithm() {
    for algorithm in ALGORITHMS {
        hold(&["stack-"], &["--algorithm", algorithm]);
    }
}

/// By every kind of restart.
#[test]
fn by_fork() {
    hold(&["stack-", "uninitialised-"], &["--restart", "fork"]);
}

#[test]
fn what_is_not_looked_for_is_said() {
    let session = Session::new();
    let run = session.check([root().join("tests/small/safe/stack-future.c").display().to_string()]);
    assert!(run.json()["coverage"]["notes"].to_string().contains("uninitialised memory, bounds of global"), "{run}");
}
