//! The programs of `tests/matrix`: each stands for a class of programs on which a verdict can easily be wrong. Its verdict must be the same
//! whichever compiler builds it, however much that optimises, and whichever algorithm searches.

use std::path::{Path, PathBuf};

use crate::common::matrix::for_each;
use crate::common::{Expectation, Session, clang, is_full, sources};

/// The algorithms that explore everything, and the default, which has no name.
const ALGORITHMS: [&str; 5] = ["", "optimal", "source", "dpor", "dfs"];

/// How a program is built and searched.
struct Way {
    compiler: &'static str,
    level: &'static str,
    algorithm: &'static str,
}

fn ways() -> Vec<Way> {
    let (builds, algorithms) = if is_full() {
        let all = ["gcc", clang()].into_iter().flat_map(|compiler| ["-O0", "-O2"].map(|level| (compiler, level)));
        (all.collect(), &ALGORITHMS[..])
    } else {
        (vec![("gcc", "-O0"), (clang(), "-O2")], &ALGORITHMS[..2])
    };
    let one = |(compiler, level)| algorithms.iter().map(move |&algorithm| Way { compiler, level, algorithm });
    builds.into_iter().flat_map(one).collect()
}

/// What is wrong with the verdict of one program, if anything is.
fn difference(file: &Path, way: &Way) -> Option<String> {
    let expected = Expectation::of(file);
    let session = Session::new();
    let mut words = vec![file.display().to_string(), "--cc".to_owned(), way.compiler.to_owned(), way.level.to_owned()];
    words.extend(["--minimise", "off", "--timeout", "60s"].map(str::to_owned));
    if !way.algorithm.is_empty() {
        words.extend(["--algorithm", way.algorithm].map(str::to_owned));
    }
    if file.extension().is_some_and(|suffix| suffix == "cpp") {
        words.push("-std=c++20".to_owned());
    }
    words.extend(expected.flags.iter().cloned());
    let run = session.check(words);
    let report = run.json();
    let found = &report["findings"][0];
    let line = found["location"]["line"].as_u64().unwrap_or(0);
    let right = report["verdict"] == expected.verdict
        && found["kind"].as_str() == expected.kind.as_deref()
        && (expected.here.is_empty() || expected.here.contains(&line));
    let Way { compiler, level, algorithm } = way;
    (!right).then(|| {
        format!("{} with {compiler} {level} {algorithm}: expected {}\n{run}", file.display(), expected.verdict)
    })
}

#[test]
fn verdicts_are_the_same_however_a_program_is_built_and_searched() {
    let programs: Vec<PathBuf> = sources("tests/matrix");
    assert!(programs.len() >= 20, "{} programs", programs.len());
    let ways = ways();
    for_each(programs.len() * ways.len(), |number| {
        difference(&programs[number / ways.len()], &ways[number % ways.len()])
    });
}
