//! What is told is the smallest interleaving that shows it: no search with a lower bound finds the same.

mod common;

use common::Session;
use common::expectation::Expectation;

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
        let check = |options: &[&str]| {
            let flags = flags.iter().map(String::as_str);
            let run = Session::new().check(options.iter().copied().chain([path.as_str()]).chain(flags));
            assert_eq!(run.code, 1, "{run}");
            run.json()["findings"][0].clone()
        };
        let told = check(&["--minimise", "60s"]);
        let iterated = check(&["--iterate", "--minimise", "off"]);
        assert_eq!(told["minimal"], true, "{path}: {told}");
        assert!(told["preemptions"].as_u64() <= iterated["preemptions"].as_u64(), "{path}: {told}\n{iterated}");
        if told["kind"] == iterated["kind"] && told["location"] == iterated["location"] {
            assert_eq!(told["preemptions"], iterated["preemptions"], "{path}: {told}\n{iterated}");
        }
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
