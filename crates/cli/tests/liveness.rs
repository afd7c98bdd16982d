//! Programs that go on for ever: which of them are safe, which get nowhere, who starves, and formulas.

use crate::common::{Finished, Session};

/// Checks a program of `tests/liveness`.
fn check(session: &Session, name: &str, more: &[&str]) -> Finished {
    let file = crate::common::root().join("tests/liveness").join(name).display().to_string();
    session.check([file.as_str(), "-O1", "--timeout", "60s"].into_iter().chain(more.iter().copied()))
}

/// The first finding of a run must be of this kind.
fn must_find(run: &Finished, kind: &str) {
    assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &kind.into()), "{run}");
}

fn must_be_safe(run: &Finished) {
    assert_eq!((run.code, &run.json()["verdict"]), (0, &"safe".into()), "{run}");
}

#[test]
fn endless_programs_are_safe_and_their_bugs_are_found() {
    let session = Session::new();
    for (name, kind) in [
        ("peterson.c", "assertion"),
        ("dekker.c", "assertion"),
        ("szymanski.c", "assertion"),
        ("ring.c", "deadlock"),
        ("buffer.c", "deadlock"),
        ("readers-writers.c", "partial-deadlock"),
    ] {
        let run = check(&session, name, &["--algorithm", "stateful"]);
        must_be_safe(&run);
        assert_eq!(run.json()["executions"], 0, "{name} does not end\n{run}");
        must_find(&check(&session, name, &["--algorithm", "stateful", "-DBAD"]), kind);
    }
    let file = crate::common::root().join("tests/liveness/szymanski.c").display().to_string();
    let run = session.run(["check", &file, "-O1", "--algorithm", "stateful"]);
    run.must_say(0, &["safe: all ", " states; the program does not end"]);
}

#[test]
fn a_server_that_can_be_stopped_is_safe() {
    let session = Session::new();
    must_be_safe(&check(&session, "polling.c", &["--algorithm", "stateful"]));
    must_be_safe(&check(&session, "polling.c", &["--liveness", "ends", "--fairness", "weak"]));
    must_find(&check(&session, "polling.c", &["--liveness", "ends", "--fairness", "none"]), "livelock");
}

/// A livelock is told as a stem and a cycle, in every report, and the cycle closes again when it is replayed.
#[test]
fn polite_threads_are_a_livelock() {
    let session = Session::new();
    let [sarif, page] = ["run.sarif", "run.html"].map(|name| session.path(name).display().to_string());
    let run = check(&session, "polite.c", &["--algorithm", "stateful", "--sarif", &sarif, "--html", &page]);
    must_find(&run, "livelock");
    let finding = &run.json()["findings"][0];
    assert_eq!((&finding["cycle"]["first"], &finding["cycle"]["length"]), (&4.into(), &6.into()), "{run}");
    let trace = finding["trace"].as_str().expect("a trace").to_owned();
    let replayed = session.run(["replay", &trace]);
    replayed.must_say(1, &["and then for ever:", "the cycle closed: after step 9 ", "in which step 4 began"]);
    let sarif = std::fs::read_to_string(sarif).expect("a file");
    assert!(sarif.contains("and then for ever: steps 4 to 9"), "{sarif}");
    let page = std::fs::read_to_string(page).expect("a file");
    assert!(page.contains("and then for ever:") && page.contains(r#""cycle":{"first":4,"length":6}"#));
    // The default finds it, too. Politeness for ever is none, by either: nobody says what progress is.
    must_find(&check(&session, "polite.c", &[]), "livelock");
    must_be_safe(&check(&session, "polite.c", &["-DENDLESS"]));
    must_be_safe(&check(&session, "polite.c", &["-DENDLESS", "--algorithm", "stateful"]));
}

#[test]
fn lockers_in_a_circle_wait_for_ever() {
    must_find(&check(&Session::new(), "circle.c", &["--algorithm", "stateful"]), "partial-deadlock");
}

#[test]
fn who_starves() {
    let session = Session::new();
    let starvation = ["--liveness", "starvation"];
    let run = check(&session, "readers-preferred.c", &starvation);
    must_find(&run, "starvation");
    let message = run.json()["findings"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.starts_with("thread 0 (main) starves while "), "{message}");
    let run = check(&session, "exchange.c", &starvation);
    must_find(&run, "starvation");
    let message = run.json()["findings"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains(" starves while "), "{message}");
    must_be_safe(&check(&session, "ticket.c", &starvation));
    must_be_safe(&check(&session, "peterson.c", &starvation));
    // Without the question it is no finding.
    must_be_safe(&check(&session, "readers-preferred.c", &["--algorithm", "stateful"]));
}

#[test]
fn progress() {
    let session = Session::new();
    must_be_safe(&check(&session, "progress.c", &["--liveness", "progress"]));
    must_find(&check(&session, "progress.c", &["--liveness", "progress", "-DBAD"]), "livelock");
    must_find(&check(&session, "progress.c", &["--algorithm", "states", "-DBAD"]), "livelock");
}

#[test]
fn formulas() {
    let session = Session::new();
    let answered = ["--ltl", "G (request -> F answer)"];
    must_be_safe(&check(&session, "request.c", &answered));
    let run = check(&session, "request.c", &["-DBAD", answered[0], answered[1]]);
    must_find(&run, "ltl");
    let trace = run.json()["findings"][0]["trace"].as_str().expect("a trace").to_owned();
    session.run(["replay", &trace]).must_say(1, &["`G (request -> F answer)` does not hold", "the cycle closed"]);
    let alone = ["-DFORMULA", "--ltl", "G !(first && second)"];
    must_be_safe(&check(&session, "peterson.c", &alone));
    must_find(&check(&session, "peterson.c", &[&alone[..], &["-DBAD"]].concat()), "ltl");
    // Each gets in again and again.
    must_be_safe(&check(&session, "peterson.c", &["-DFORMULA", "--ltl", "G F first && G F second"]));
    must_find(
        &check(&session, "peterson.c", &["-DFORMULA", "--fairness", "none", "--ltl", "G F first && G F second"]),
        "ltl",
    );
    // An execution that ends stays as it is.
    let ends = "#include <heddle.h>\nint main(void) { heddle_prop(\"a\", heddle_choose(2)); }\n";
    let file = session.write("ends.c", ends).display().to_string();
    must_find(&session.check([file.as_str(), "--ltl", "F a"]), "ltl");
    must_be_safe(&session.check([file.as_str(), "--ltl", "F (a || !a)"]));
}

#[test]
fn what_cannot_be_asked_is_refused_with_words() {
    let session = Session::new();
    let file = crate::common::root().join("tests/liveness/polling.c").display().to_string();
    let run = session.run(["check", &file, "--ltl", "G (a -> X b)"]);
    run.must_say(2, &["`X` counts heddle's steps", "\n  G (a -> X b)\n          ^"]);
    session.run(["check", &file, "--ltl", "G (a ->"]).must_say(2, &["a proposition is expected", "^"]);
    let run = session.run(["check", &file, "--liveness", "ends", "--algorithm", "dpor"]);
    run.must_say(2, &["--liveness asks about cycles, which --algorithm dpor does not know"]);
    let run = session.run(["check", &file, "--liveness", "ends", "--jobs", "2"]);
    run.must_say(2, &["--jobs 2"]);
}

/// What is asked is a setting like all others: the trace has it, and a search from the trace asks the same.
#[test]
fn questions_are_kept_by_the_trace_and_by_a_search_from_it() {
    let session = Session::new();
    let options = ["-DBAD", "--liveness", "starvation", "--ltl", "G (request -> F answer)", "--fairness", "weak"];
    let run = check(&session, "request.c", &options);
    let path = run.json()["findings"][0]["trace"].as_str().expect("a trace").to_owned();
    let asked = |path: &str| {
        let text = std::fs::read_to_string(path).expect("a trace");
        serde_json::from_str::<serde_json::Value>(&text).expect("a document")["settings"]["liveness"].clone()
    };
    let expected = serde_json::json!({"goal": "starvation", "fairness": "weak", "formula": "G (request -> F answer)"});
    assert_eq!(asked(&path), expected, "{run}");
    let kept = session.path("kept.json").display().to_string();
    std::fs::rename(&path, &kept).expect("it can be moved");
    let run = session.check(["--from", &kept, "--at", "4"]);
    assert_eq!(run.code, 1, "{run}");
    let path = run.json()["findings"][0]["trace"].as_str().expect("a trace").to_owned();
    assert_eq!(asked(&path), expected, "{run}");
}
