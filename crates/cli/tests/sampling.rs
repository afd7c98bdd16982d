//! Sampling, end to end: what it finds can be replayed, and finding nothing proves nothing.

use crate::common::Session;

const SAMPLERS: [&str; 4] = ["random", "pct", "pos", "few"];

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
