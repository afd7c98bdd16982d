//! What is told is the smallest interleaving that shows it: no search with a lower bound finds the same.

use crate::common::{Expectation, Session};
use serde_json::Value;

/// Broken examples: file and flags.
fn broken() -> Vec<(String, Vec<String>)> {
    let files = crate::common::sources("examples").into_iter();
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
    let preemptions = |run: &crate::common::Finished| run.json()["findings"][0]["preemptions"].as_u64().unwrap();
    assert!(preemptions(&wild) > preemptions(&tame), "{wild}\n{tame}");
    assert_eq!(tame.json()["findings"][0]["minimal"], true, "{tame}");
    crate::common::must_replay(&session, &tame);
}

/// Where the search goes on after races, each of them is told as it would be if it had ended there.
#[test]
fn races_are_told_small_with_all() {
    for path in ["tests/small/found/odd-bit-fields.c", "tests/programs/race-small.c"] {
        let session = Session::new();
        let all = session.check(["--all", "--minimise", "60s", path]);
        let races: Vec<Value> = all.json()["findings"].as_array().unwrap_or_else(|| panic!("{all}")).clone();
        let races: Vec<&Value> = races.iter().filter(|finding| finding["kind"] == "data-race").collect();
        assert!(!races.is_empty(), "{all}");
        assert!(races.iter().all(|race| race["minimal"] == true), "{all}");
        let first = Session::new().check(["--minimise", "60s", path]).json()["findings"][0].clone();
        let fewest = races.iter().map(|race| race["preemptions"].as_u64().unwrap()).min();
        assert_eq!(fewest, first["preemptions"].as_u64(), "{all}");
        crate::common::must_replay(&session, &all);
    }
}
