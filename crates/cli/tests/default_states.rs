//! `heddle check` turns to states by itself where executions go round, and says so.

use crate::common::matrix::{for_each, some_of};
use crate::common::{Session, clang, root};
use crate::states::{PETERSON, RING};

/// A server that works until it is told to stop.
const SERVER: &str = r#"#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop, state;
static void *server(void *argument) {
    while (!atomic_load(&stop)) {
        atomic_fetch_xor(&state, 1);
#ifdef BAD
        if (atomic_load(&stop) && atomic_load(&state)) __builtin_trap();
#endif
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, server, 0);
    atomic_store(&stop, 1);
    pthread_join(thread, 0);
}
"#;

/// Two threads that make pipes for ever.
const PIPES: &str = r#"#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int count;
static void *counter(void *argument) {
    for (;;) {
        int ends[2];
        if (pipe(ends) == 0) { close(ends[0]); close(ends[1]); }
        atomic_fetch_add(&count, 1);
    }
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, counter, 0);
    counter(0);
}
"#;

#[test]
fn programs_that_go_round_get_their_verdict() {
    let session = Session::new();
    for (name, text) in [("peterson.c", PETERSON), ("ring.c", RING)] {
        let file = session.write(name, text).display().to_string();
        let run = session.check([file.as_str(), "-O1"]);
        let report = run.json();
        assert_eq!(
            (run.code, &report["verdict"], &report["algorithm"]),
            (0, &"safe".into(), &"stateful".into()),
            "{run}"
        );
        let number = |name: &str| report[name].as_u64().unwrap_or(0);
        assert!(number("states") > 50 && number("transitions") > number("states"), "{run}");
        assert_eq!(number("executions"), 0, "{run}");
        session
            .run(["check", &file, "-O1"])
            .must_say(0, &["states; the program does not end", "searched by states, because executions go round ("]);
        let run = session.check([file.as_str(), "-O1", "-DBAD", "-DSEEN"]);
        assert_eq!(run.code, 1, "{run}");
    }
}

/// It goes round while it is not told to stop, and every fair scheduler lets it be told.
#[test]
fn a_server_with_a_stop_flag_is_safe() {
    let session = Session::new();
    let file = session.write("server.c", SERVER).display().to_string();
    for level in ["-O0", "-O1"] {
        let run = session.run(["check", &file, level]);
        run.must_say(0, &["safe: all ", "no fair scheduler goes round for ever"]);
        let run = session.check([file.as_str(), level, "-DBAD"]);
        assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"crash".into()), "{run}");
    }
}

#[test]
fn where_states_do_not_help_it_says_why() {
    let session = Session::new();
    let file = session.write("pipes.c", PIPES).display().to_string();
    let check = |more: &[&str]| session.run(["check", &file, "-O1"].iter().chain(more).copied());
    let why = "not searched by states, although executions go round: ";
    check(&["--max-executions", "5"]).must_say(3, &[&format!("{why}the program uses pipe")]);
    // A bound that was asked for is a bound, and a listing is one of executions.
    let file = session.write("peterson.c", PETERSON).display().to_string();
    let run = session.run(["check", &file, "-O1", "--max-steps", "20"]);
    run.must_say(3, &["as asked"]);
    let run = session.run(["check", &file, "-O1", "--max-preemptions", "0"]);
    assert_eq!(run.code, 3, "{run}");
}

/// Programs of `tests/liveness` with what is found in them, and in their buggy versions, without any option.
const VERDICTS: &[(&str, &[&str], Option<&str>)] = &[
    ("peterson.c", &[], None),
    ("peterson.c", &["-DBAD"], Some("assertion")),
    ("dekker.c", &[], None),
    ("dekker.c", &["-DBAD"], Some("assertion")),
    ("szymanski.c", &[], None),
    ("szymanski.c", &["-DBAD"], Some("assertion")),
    ("ring.c", &[], None),
    ("ring.c", &["-DBAD"], Some("deadlock")),
    ("buffer.c", &[], None),
    ("buffer.c", &["-DBAD"], Some("deadlock")),
    ("readers-writers.c", &[], None),
    ("readers-writers.c", &["-DBAD"], Some("partial-deadlock")),
    ("polling.c", &[], None),
    ("polite.c", &[], Some("livelock")),
    ("polite.c", &["-DENDLESS"], None),
    ("circle.c", &[], Some("partial-deadlock")),
];

#[test]
fn programs_without_an_end_have_verdicts_by_default() {
    let session = Session::new();
    let ways = [("gcc", "-O0"), (clang(), "-O2"), ("gcc", "-O2"), (clang(), "-O0")];
    for_each(VERDICTS.len(), |index| {
        let (name, flags, finding) = VERDICTS[index];
        let file = root().join("tests/liveness").join(name).display().to_string();
        some_of(&ways, index / 2).into_iter().find_map(|(compiler, level)| {
            let words = [file.as_str(), "--cc", compiler, level];
            let run = session.check(words.iter().chain(flags));
            let report = run.json();
            let code = i32::from(finding.is_some());
            let is_right = run.code == code && report["findings"][0]["kind"].as_str() == finding;
            // Whoever says that it does not end has seen all of its states.
            let by_states = code == 1 || report["algorithm"] == "stateful" || report["algorithm"] == "states";
            (!is_right || !by_states).then(|| format!("{name} {flags:?} {compiler} {level}\n{run}"))
        })
    });
}
