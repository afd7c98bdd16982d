//! The contract of the command line: flags, text, the JSON document, replay and report.

use crate::common::{Session, program};
use serde_json::Value;

const ABBA: &str = "examples/abba.c";
const FIXED: &str = "examples/abba-fixed.c";

/// The keys of an object, in order.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort();
    keys
}

#[test]
fn the_document_has_the_fields_of_the_schema() {
    let run = Session::new().check([ABBA]);
    let report = run.json();
    assert_eq!(report["schema"], "heddle/1");
    let fields = [
        "algorithm",
        "blocked",
        "coverage",
        "events",
        "executions",
        "executions_per_second",
        "findings",
        "reason",
        "samples",
        "schema",
        "seconds",
        "threads",
        "verdict",
    ];
    assert_eq!(keys(&report), fields);
    for field in ["model", "exhaustive", "bounds", "instrumented", "restart", "races"] {
        assert!(!report["coverage"][field].is_null(), "coverage.{field}\n{run}");
    }
    assert_eq!(report["coverage"]["races"], "checked");
    let finding = &report["findings"][0];
    for field in ["id", "kind", "message", "count", "execution", "switches", "preemptions", "trace"] {
        assert!(!finding[field].is_null(), "finding.{field}\n{run}");
    }
    assert_eq!(keys(&finding["location"]), ["column", "file", "function", "line"]);
    assert_eq!(finding["location"]["function"], "forward");
    let threads = finding["threads"].as_array().expect("a list");
    assert_eq!(threads.len(), 3);
    for thread in threads {
        for field in ["id", "name", "state", "holds", "at"] {
            assert!(!thread[field].is_null(), "thread.{field}\n{run}");
        }
    }
    assert_eq!(threads[1]["holds"], serde_json::json!(["mutex `a`"]));
    assert_eq!(threads[1]["state"], "waits for mutex `b`");
}

/// What ran is not always what was asked for: atomic sections and bounds need other algorithms.
#[test]
fn the_report_names_the_algorithm_that_ran() {
    let section = "tests/programs/section.c";
    let cases: [(&[&str], &str); 8] = [
        (&[FIXED, "--algorithm", "default"], "optimal"),
        (&[FIXED], "optimal"),
        (&[FIXED, "--algorithm", "source"], "source"),
        (&[FIXED, "--max-preemptions", "1"], "bounded"),
        (&[section], "dpor"),
        (&[section, "--algorithm", "source"], "dpor"),
        (&[section, "--max-switches", "9"], "bounded"),
        (&[section, "--algorithm", "dfs"], "dfs"),
    ];
    for (words, algorithm) in cases {
        let run = Session::new().check(words.iter().copied());
        assert_eq!(run.json()["algorithm"], algorithm, "{words:?}\n{run}");
    }
}

#[test]
fn safe_says_what_it_covers() {
    let run = Session::new().run(["check", FIXED]);
    run.must_say(0, &["safe: all 2 executions, sequential consistency, unbounded"]);
    let run = Session::new().run(["check", FIXED, "--races", "off"]);
    run.must_say(
        0,
        &["safe: all 2 executions", "not covered: data races", "not covered: orders of plain memory accesses"],
    );
    let report = Session::new().check([FIXED]).json();
    assert_eq!(report["coverage"]["exhaustive"], true);
    assert_eq!(report["coverage"]["races"], "checked");
    assert_eq!(report["coverage"]["bounds"], serde_json::json!({}));
    assert_eq!(report["reason"], Value::Null);
}

#[test]
fn nothing_is_stored_without_a_finding() {
    let session = Session::new();
    session.check([FIXED]);
    assert!(!session.path("out").exists());
    session.check([ABBA]);
    assert!(session.path("out/latest/deadlock-1.json").is_file());
}

#[test]
fn a_report_tells_who_what_and_where() {
    let session = Session::new();
    let out = session.path("out").display().to_string();
    let run = session.run(["check", ABBA, "--out", &out]);
    run.must_say(
        1,
        &[
            "deadlock: threads 1 and 2 wait for each other",
            "examples/abba.c:19:5",
            "thread 1 (forward) waits for mutex `b`, held by thread 2 (backward)",
            "thread 2 (backward) locked mutex `b` here",
            "thread 0 (main)",
            "1 preemption",
            "pthread_mutex_lock(&a);",
            "replay it: heddle replay ",
            "found: 1 finding",
        ],
    );
    assert!(!run.stdout.contains('\x1b'), "colours in a pipe\n{run}");
    assert!(run.stderr.is_empty(), "{run}");
    assert!(run.stdout.lines().count() <= 40, "too long\n{run}");
    let colored = session.run(["check", ABBA, "--out", &out, "--color", "always"]);
    assert!(colored.stdout.contains('\x1b'), "{colored}");
    let quiet = session.run(["check", ABBA, "--out", &out, "--quiet"]);
    assert_eq!(quiet.stdout.lines().count(), 2, "{quiet}");
}

#[test]
fn a_replay_reports_the_same() {
    let session = Session::new();
    let found = session.check([ABBA, "-O1"]).json();
    let trace = found["findings"][0]["trace"].as_str().expect("it is stored").to_string();
    let replay = session.run(["replay", &trace]);
    replay.must_say(1, &["deadlock: threads 1 and 2", "reproduced: deadlock-1"]);
    let report = session.run(["report", &trace]);
    report.must_say(0, &["deadlock: threads 1 and 2", "pthread_mutex_lock(&a);"]);
    let report = session.run(["report", &trace, "--json"]);
    assert_eq!(report.json()["findings"][0], session.run(["replay", &trace, "--json"]).json()["findings"][0]);
}

#[test]
fn a_replay_finds_the_program_from_anywhere() {
    let session = Session::new();
    session.check([ABBA]);
    let mut command = session.command(["replay", &session.path("out/latest/deadlock-1.json").display().to_string()]);
    command.current_dir("/");
    let run = session.start(command).wait();
    run.must_say(1, &["examples/abba.c:19", "reproduced: "]);
}

#[test]
fn a_replay_names_what_changed_and_the_first_step_that_differs() {
    let session = Session::new();
    let source = std::fs::read_to_string(crate::common::root().join(ABBA)).expect("the example is there");
    let file = session.write("x.c", &source).display().to_string();
    session.check([&file]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();

    // A comment does no harm.
    session.write("x.c", format!("{source}// the end\n"));
    session.run(["replay", &trace]).must_say(1, &["x.c has changed", "reproduced: "]);

    // The second thread does something else at its first lock.
    let changed = source.replacen("pthread_mutex_lock(&b);\n    pthread_mutex_lock(&a);", "sched_yield();", 1);
    assert_ne!(changed, source, "the example is not what it was");
    session.write("x.c", format!("#include <sched.h>\n{changed}"));
    let run = session.run(["replay", &trace]);
    run.must_say(2, &["was not reproduced", "step 7", "lock mutex `b`", "yield", "x.c has changed"]);

    // The same operations on other objects are a difference too.
    session.write("x.c", source.replacen("pthread_mutex_lock(&a);", "pthread_mutex_lock(&b);", 1));
    let run = session.run(["replay", &trace]);
    run.must_say(2, &["step 5", "was expected to lock mutex `a`", "lock mutex `b`"]);

    std::fs::remove_file(session.path("x.c")).expect("it was there");
    session.run(["replay", &trace]).must_say(2, &["the program of the trace cannot be built", "no such file"]);
}

#[test]
fn the_output_of_the_program_is_kept() {
    let session = Session::new();
    let source =
        "#include <assert.h>\n#include <stdio.h>\nint main(void) { puts(\"hello\"); fflush(stdout); assert(0); }\n";
    let file = session.write("x.c", source).display().to_string();
    let run = session.run(["check", &file, "--out", &session.path("out").display().to_string()]);
    run.must_say(1, &["assertion `0` failed", "x.c:3", "| hello"]);
    let trace = session.path("out/latest/assertion-1.json").display().to_string();
    session.run(["replay", &trace, "--output"]).must_say(1, &["output of the program:\nhello\n"]);
}

#[test]
fn flags_that_cannot_be_honoured_are_refused() {
    for (flags, says) in [
        (&["--jobs", "2", "--algorithm", "dpor"][..], "runs one execution after the other"),
        (&["-o", "x"], "the flag -o cannot be used"),
        (&["-c"], "the flag -c cannot be used"),
        (&["-static"], "static"),
        (&["--wakeup", "lilo"], "`lilo` is not a wakeup policy"),
        (&["--max-preemption", "1"], "unexpected argument"),
    ] {
        let run = Session::new().run([&["check", ABBA], flags].concat());
        run.must_say(2, &[says]);
        let mut json = vec!["check", ABBA, "--json"];
        json.extend(flags);
        let run = Session::new().run(json);
        assert_eq!((run.code, &run.json()["verdict"]), (2, &"error".into()), "{run}");
    }
}

#[test]
fn bounds_that_cut_executions_off_are_not_safe() {
    let run = Session::new().check([FIXED, "--max-steps", "2"]);
    assert_eq!((run.code, &run.json()["verdict"]), (3, &"incomplete".into()), "{run}");
    assert_eq!(run.json()["coverage"]["bounds"]["steps"], 2, "{run}");
    assert_eq!(run.json()["coverage"]["exhaustive"], false, "{run}");
    // A bound that nothing reaches cuts nothing off.
    let run = Session::new().check([FIXED, "--max-steps", "1000"]);
    assert_eq!((run.code, &run.json()["coverage"]["exhaustive"]), (0, &true.into()), "{run}");
}

#[test]
fn sampling_proves_nothing() {
    let run = Session::new().check([FIXED, "--algorithm", "random", "--max-executions", "50"]);
    assert_eq!((run.code, &run.json()["verdict"]), (3, &"incomplete".into()), "{run}");
    assert_eq!(run.json()["coverage"]["exhaustive"], false, "{run}");
}

#[test]
fn found_wins_over_incomplete() {
    let run = Session::new().check(["--all", "--max-executions", "2", ABBA]);
    assert_eq!((run.code, &run.json()["verdict"]), (1, &"found".into()), "{run}");
    assert_eq!(run.json()["coverage"]["exhaustive"], false, "{run}");
    assert!(run.json()["reason"].as_str().is_some_and(|reason| reason.contains("2 executions")), "{run}");
}

#[test]
fn a_verdict_that_cannot_be_stored_is_still_printed() {
    let session = Session::new();
    let run = session.run(["check", ABBA, "--out", "/proc/nowhere"]);
    run.must_say(2, &["deadlock: threads 1 and 2", "found: 1 finding", "/proc/nowhere", "--out"]);
    assert!(!run.words().contains("heddle replay"), "there is nothing to replay\n{run}");
}

#[test]
fn help_and_version_are_results() {
    let help = Session::new().run(["check", "--help"]);
    help.must_say(
        0,
        &["Usage: heddle check [OPTIONS] FILES... [COMPILER FLAGS] [-- ARGUMENTS]", "--algorithm", "Exit code"],
    );
    assert!(help.stderr.is_empty());
    Session::new().run(["--version"]).must_say(0, &["heddle 0."]);
    Session::new().run(Vec::<&str>::new()).must_say(2, &["Usage"]);
}

#[test]
fn warnings_of_the_compiler_do_not_disturb_the_document() {
    let session = Session::new();
    let source = "#warning look here\nint main(void) { return 0; }\n";
    let file = session.write("x.c", source).display().to_string();
    let run = session.check([&file]);
    assert_eq!(run.json()["verdict"], "safe", "{run}");
    assert!(run.stderr.contains("look here"), "{run}");
}

#[test]
fn what_a_snapshot_cannot_take_back_needs_another_way() {
    let file = program("opens-file.c").display().to_string();
    let run = Session::new().run(["check", &file, "--restart", "snapshot"]);
    run.must_say(3, &["incomplete: the program uses open", "--restart auto"]);
    let run = Session::new().run(["check", &file]);
    run.must_say(0, &["restarted by fork: the program uses open"]);
}

#[test]
fn an_unsupported_call_has_a_name_and_a_place() {
    let run = Session::new().run(["check", &program("unsupported.c").display().to_string()]);
    run.must_say(4, &["unsupported: `pthread_setattr_default_np` at ", "unsupported.c:"]);
}
