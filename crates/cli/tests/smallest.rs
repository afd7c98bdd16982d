//! What is told is the smallest interleaving that shows it: no search with a lower bound finds the same.

mod common;

use common::{Expectation, Session};
use serde_json::Value;

/// Broken examples: file and flags.
fn broken() -> Vec<(String, Vec<String>)> {
    let files = common::sources("examples").into_iter();
    let all = files.map(|file| (file.display().to_string(), Expectation::of(&file)));
    let found: Vec<_> = all.filter(|(_, e)| e.verdict == "found").map(|(file, e)| (file, e.flags)).collect();
    assert!(found.len() > 10, "the examples are not where they were");
    found
}

#[test]
fn no_example_is_told_with_more_preemptions_than_it_takes() {
    for (path, flags) in broken() {
        let findings = |options: &[&str]| {
            let flags = flags.iter().map(String::as_str);
            let run = Session::new().check(options.iter().copied().chain([path.as_str()]).chain(flags));
            run.json()["findings"].as_array().unwrap_or_else(|| panic!("{run}")).clone()
        };
        let told = &findings(&["--minimise", "60s"])[0];
        assert_eq!(told["minimal"], true, "{path}: {told}");
        let preemptions = told["preemptions"].as_u64().unwrap();
        let shown_with = |most: u64| {
            let found = findings(&["--all", "--minimise", "off", "--max-preemptions", &most.to_string()]);
            // Which of the two accesses of a race is the place of it depends on which came last.
            let same = |finding: &&Value| told["kind"] == "data-race" || finding["location"] == told["location"];
            found.iter().filter(|finding| finding["kind"] == told["kind"]).any(|finding| same(&finding))
        };
        assert!(shown_with(preemptions), "{path}: {told}");
        assert!(preemptions == 0 || !shown_with(preemptions - 1), "{path}: {told}");
    }
}

#[test]
fn samples_are_made_small() {
    // A sample takes many turns; the deadlock needs one.
    let options = ["--algorithm", "random", "--seed", "5", "--max-executions", "1000", "examples/philosophers.c"];
    let wild = Session::new().check(["--minimise", "off"].into_iter().chain(options));
    let session = Session::new();
    let tame = session.check(options);
    let preemptions = |run: &common::Finished| run.json()["findings"][0]["preemptions"].as_u64().unwrap();
    assert!(preemptions(&wild) > preemptions(&tame), "{wild}\n{tame}");
    assert_eq!(tame.json()["findings"][0]["minimal"], true, "{tame}");
    common::must_replay(&session, &tame);
}
