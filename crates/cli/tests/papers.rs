//! The programs of the papers about states (`benches/papers/divine`, `benches/papers/sdpor`).

use crate::common::{Session, root};

fn program(name: &str) -> String {
    root().join("benches/papers").join(name).display().to_string()
}

/// The models of table 1 of the paper on DIVINE that have a counterexample: file, flags, and the switches of its counterexample.
const MODELS: &[(&str, &[&str], u64)] = &[
    ("divine/barrier-1.c", &["-DBUG", "--spurious-wakeups", "1"], 1),
    ("divine/barrier-1-re.c", &["-DBUG=2"], 4),
    ("divine/barrier-1-re.c", &["-DBUG=1"], 12),
    ("divine/barrier-1-re.c", &["-DBUG=3"], 8),
    ("divine/barrier-n.c", &["-DBUG"], 1),
    ("divine/fifo.c", &["-DBUG", "--races", "ignore"], 4),
];

/// The first counterexample has no more switches than the paper's, and brute force finds none with one less.
#[test]
fn counterexamples_have_the_fewest_switches() {
    let session = Session::new();
    for (file, flags, theirs) in MODELS {
        let check = |more: &[&str]| {
            let file = program(file);
            let words = [file.as_str(), "-O1", "--minimise", "off"];
            session.check(words.iter().chain(*flags).chain(more).copied())
        };
        let run = check(&["--algorithm", "switches"]);
        let switches = run.json()["findings"][0]["switches"].as_u64().unwrap_or(u64::MAX);
        assert!(run.code == 1 && switches <= *theirs, "{file} {flags:?}\n{run}");
        if let Some(less) = switches.checked_sub(1) {
            let run = check(&["--algorithm", "dfs", "--max-switches", &less.to_string()]);
            assert!(run.json()["findings"].as_array().is_some_and(Vec::is_empty), "{file} {flags:?}\n{run}");
        }
    }
}

/// Circles of locks beside a thread that goes on for ever.
#[test]
fn partial_deadlocks_are_found_with_few_switches() {
    let session = Session::new();
    // The trace goes on behind the circle, until every thread has taken as many operations as the one that has taken most.
    for (file, theirs, fewest) in
        [("divine/mutex-partial-deadlock.c", 8, 3), ("divine/mutex-partial-deadlock-2.c", 9, 2)]
    {
        let run = session.check([program(file).as_str(), "-O1", "--minimise", "off", "--algorithm", "switches"]);
        let finding = &run.json()["findings"][0];
        assert_eq!(finding["kind"], "partial-deadlock", "{file}\n{run}");
        let ours = finding["switches"].as_u64().unwrap_or(u64::MAX);
        assert!(ours <= theirs, "{file}\n{run}");
        let within = |most: u64| {
            let most = most.to_string();
            session.check([program(file).as_str(), "-O1", "--algorithm", "switches", "--max-switches", &most]).code
        };
        assert_eq!((within(fewest), within(fewest - 1)), (1, 0), "{file}: {ours}");
    }
}

#[test]
fn correct_models_are_safe() {
    let session = Session::new();
    for file in ["divine/barrier-1.c", "divine/barrier-1-re.c", "divine/barrier-n.c", "divine/fifo.c"] {
        let run = session.check([program(file).as_str(), "-O1"]);
        assert_eq!(run.code, 0, "{file}\n{run}");
    }
}

/// What may miss something is never called safe, and says what it may miss.
#[test]
fn sdpor_is_never_safe() {
    let session = Session::new();
    let file = program("sdpor/pfscan.c");
    let run = session.run(["check", &file, "-O1", "--algorithm", "sdpor"]);
    run.must_say(3, &["--algorithm sdpor may miss something"]);
    let report = session.check([file.as_str(), "-O1", "--algorithm", "sdpor"]).json();
    assert_eq!((&report["algorithm"], &report["coverage"]["exhaustive"]), (&"sdpor".into(), &false.into()));
    let words = ["check", &file, "--algorithm", "sdpor", "--max-switches", "2"];
    session.run(words).must_say(2, &["--algorithm sdpor takes no bounds"]);
    let file = program("divine/barrier-1-re.c");
    assert_eq!(session.check([file.as_str(), "-DBUG=2", "--algorithm", "sdpor"]).code, 1);
}

/// A bounded search by switches or preemptions says that it is about the states within, and that there are more.
#[test]
fn bounded_verdicts_are_exact() {
    let session = Session::new();
    let file = program("divine/barrier-1-re.c");
    let check = |more: &[&str]| {
        let words = ["check", file.as_str(), "-O1", "--algorithm", "switches"];
        session.run(words.iter().chain(more).copied())
    };
    check(&["--max-switches", "2"]).must_say(0, &["states within (", "there are more", "bounded: at most 2 switches"]);
    check(&["--max-preemptions", "1"]).must_say(0, &["states within (", "bounded: at most 1 preemption"]);
    check(&["--max-switches", "1000"]).must_say(0, &["safe: all ", "unbounded"]);
}
