//! The small programs of `tests/small`: each a page or less, each about one thing, in the directory of the verdict that it
//! must get, with gcc or with clang, and with both by `./x test --full`. The header says the kind of the finding and more flags.

use std::path::{Path, PathBuf};

use crate::common::matrix::for_each;
use crate::common::{Expectation, Session, clang, is_full, sources};

const VERDICTS: [&str; 4] = ["safe", "found", "incomplete", "unsupported"];

fn programs() -> Vec<(PathBuf, &'static str)> {
    let of = |verdict: &'static str| sources(&format!("tests/small/{verdict}")).into_iter().map(move |f| (f, verdict));
    VERDICTS.into_iter().flat_map(of).collect()
}

/// What is wrong with the verdict of one program, if anything is.
fn difference(file: &Path, verdict: &str, compiler: &str) -> Option<String> {
    let expected = Expectation::find(file);
    let session = Session::new();
    let mut words = vec![file.display().to_string(), "--cc".to_owned(), compiler.to_owned()];
    // How small the counterexample gets is the business of other tests.
    words.extend(["--minimise", "off"].map(str::to_owned));
    words.extend(expected.flags.iter().cloned());
    let run = session.check(words);
    let report = run.json();
    let found = report["findings"][0]["kind"].as_str();
    let right = report["verdict"] == verdict && found == expected.kind.as_deref();
    let wanted = expected.kind.as_deref().unwrap_or("nothing");
    (!right).then(|| format!("{} with {compiler}: expected {verdict}, {wanted}\n{run}", file.display()))
}

/// Holds every second program to its verdict, those whose names have a length that is `parity` modulo 2; with `--full` all of them.
fn hold(compiler: &str, parity: usize) {
    let all = programs();
    assert!(all.len() >= 300, "{} programs", all.len());
    let is_turn = |file: &Path| is_full() || file.file_name().is_some_and(|name| name.len() % 2 == parity);
    let programs: Vec<_> = all.into_iter().filter(|(file, _)| is_turn(file)).collect();
    for_each(programs.len(), |number| {
        let (file, verdict) = &programs[number];
        difference(file, verdict, compiler)
    });
}

#[test]
fn with_gcc() {
    hold("gcc", 0);
}

#[test]
fn with_clang() {
    hold(clang(), 1);
}

/// Every program that must be found to be broken says how.
#[test]
fn headers_are_complete() {
    for (file, verdict) in programs() {
        let expected = Expectation::find(&file);
        assert_eq!(expected.kind.is_some(), verdict == "found", "{}", file.display());
    }
}
