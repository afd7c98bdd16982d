//! Sampling, end to end: what it finds can be replayed, and finding nothing proves nothing.

use crate::common::Session;

const SAMPLERS: [&str; 5] = ["random", "pct", "pos", "few", "rare"];

#[test]
fn the_deadlock_is_found_and_replayed() {
    for restart in crate::common::RESTARTS {
        for algorithm in SAMPLERS {
            let session = Session::new();
            let options = ["--algorithm", algorithm, "--max-executions", "1000", "--restart", restart];
            let run = session.check(options.iter().copied().chain(["examples/abba.c"]));
            assert_eq!(run.json()["verdict"], "found", "{algorithm} {restart}\n{run}");
            assert_eq!(run.json()["findings"][0]["kind"], "deadlock", "{algorithm} {restart}\n{run}");
        }
    }
}

#[test]
fn samples_without_a_finding_are_incomplete() {
    for algorithm in SAMPLERS {
        let run = Session::new().check(["--algorithm", algorithm, "--max-executions", "50", "examples/abba-fixed.c"]);
        let report = run.json();
        assert_eq!((run.code, &report["verdict"]), (3, &"incomplete".into()), "{algorithm}\n{run}");
        assert_eq!((&report["executions"], &report["coverage"]["exhaustive"]), (&50.into(), &false.into()), "{run}");
        assert!(report["reason"].as_str().is_some_and(|why| why.contains("sampled 50 executions")), "{run}");
    }
}

#[test]
fn the_depth_is_for_pct() {
    let found =
        Session::new().check(["--algorithm", "pct", "--depth", "2", "--max-executions", "1000", "examples/abba.c"]);
    assert_eq!(found.code, 1, "{found}");
    // Without any change of priority nobody is preempted, and the deadlock cannot be.
    let none =
        Session::new().check(["--algorithm", "pct", "--depth", "1", "--max-executions", "200", "examples/abba.c"]);
    assert_eq!(none.code, 3, "{none}");
    let refused = Session::new().check(["--algorithm", "pos", "--depth", "2", "examples/abba.c"]);
    assert_eq!(refused.code, 2, "{refused}");
}

/// What a sample finds after places of plain memory have become visible happens again, with those visible.
#[test]
fn what_follows_from_a_race_is_sampled_and_replayed() {
    for algorithm in ["random", "pos", "few"] {
        let session = Session::new();
        let options = ["--races", "ignore", "--max-executions", "2000", "--algorithm", algorithm];
        let run = session.check(options.into_iter().chain(["-DPLAIN", "benches/bugs/account.c"]));
        assert_eq!(run.json()["findings"][0]["kind"], "assertion", "{run}");
        crate::common::must_replay(&session, &run);
    }
}

/// What a sample beside the exhaustive search finds says so, is made small like any other finding, and happens again.
#[test]
fn a_sample_beside_the_search_finds_and_is_replayed() {
    let session = Session::new();
    let run = session.check(["benches/bugs/reorder.c", "-DK=10", "--seed", "2"]);
    let json = run.json();
    let finding = &json["findings"][0];
    assert_eq!((run.code, &finding["kind"]), (1, &"assertion".into()), "{run}");
    assert!(finding["sample"].is_string() && finding["execution"].as_u64() <= json["samples"].as_u64(), "{run}");
    assert!(finding["preemptions"].as_u64().is_some_and(|count| count <= 2), "it was made small\n{run}");
    crate::common::must_replay(&session, &run);
}

/// Samples change nothing in what the exhaustive search counts and finds.
#[test]
fn the_exhaustive_search_is_the_same_with_samples() {
    let fields = ["verdict", "executions", "blocked", "events", "findings", "outcomes", "coverage", "notes", "threads"];
    for words in [
        &["tests/counts/lastzero.c", "-DN=7"][..],
        &["tests/counts/philosophers.c", "-DN=5"],
        &["examples/race-queue.c"],
        &["examples/queue-fixed.c"],
        &["tests/counts/counter.c", "-DN=4", "--restart", "fork"],
        &["benches/bugs/circular.c", "-DPLAIN", "--races", "ignore"],
    ] {
        let check = |algorithm: &str| {
            let session = Session::new();
            let more = ["--all", "--minimise", "off", "--outcomes", "--algorithm", algorithm];
            let mut json = session.check(words.iter().copied().chain(more)).json();
            for finding in json["findings"].as_array_mut().expect("a list") {
                let finding = finding.as_object_mut().expect("an object");
                finding.remove("trace");
                // Which of several executions comes first depends on how many are under way, and so on whose turn it is.
                for field in ["execution", "switches", "preemptions", "threads", "notes", "message", "location"] {
                    finding.remove(field);
                }
            }
            json
        };
        let (with, without) = (check("default"), check("optimal"));
        for field in fields {
            assert_eq!(with[field], without[field], "{words:?}: {field}\n{with}\n{without}");
        }
        assert_eq!(without["samples"], 0, "{words:?}");
    }
}

/// A seed gives the same search again, and a program with few executions has no samples.
#[test]
fn the_default_search_is_the_same_again() {
    let check = |seed: &str| {
        let words = ["benches/bugs/interlocked.c", "-DK=3", "--seed", seed, "--minimise", "off"];
        let mut json = Session::new().check(words).json();
        for field in ["seconds", "executions_per_second"] {
            json.as_object_mut().expect("an object").remove(field);
        }
        json["findings"][0].as_object_mut().expect("a finding").remove("trace");
        json
    };
    assert_eq!(check("5"), check("5"));
    let few = Session::new().check(["examples/abba-fixed.c"]);
    assert_eq!((few.code, &few.json()["samples"]), (0, &0.into()), "{few}");
    let more = Session::new().check(["tests/counts/counter.c", "-DN=4"]);
    assert_eq!((&more.json()["executions"], more.json()["samples"].as_u64() > Some(0)), (&24.into(), true), "{more}");
    assert!(more.json()["samples"].as_u64() < Some(24), "{more}");
}
