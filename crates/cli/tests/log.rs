//! `HEDDLE_LOG`: what Heddle does, on standard error, without changing anything else.

use crate::common::{Finished, Session};
use serde_json::Value;

const PROGRAM: &str = "tests/counts/lastzero.c";

fn check(level: Option<&str>) -> Finished {
    let session = Session::new();
    let mut command =
        session.command(["check", "--no-cache", "--json", PROGRAM, "-DN=3", "--jobs", "2", "--jobs-at-once"]);
    command.env_remove("HEDDLE_LOG").envs(level.map(|level| ("HEDDLE_LOG", level)));
    let finished = session.start(command).wait();
    session.must_be_clean(&finished);
    finished
}

/// The document without what time does to it.
fn timeless(finished: &Finished) -> Value {
    let mut json = finished.json();
    for field in ["seconds", "executions_per_second"] {
        json.as_object_mut().expect("a document").remove(field);
    }
    json
}

#[test]
fn the_log_shows_what_heddle_does() {
    let (silent, logged) = (check(None), check(Some("debug")));
    assert_eq!(timeless(&silent), timeless(&logged), "the document stays as it is\n{logged}");
    assert!(!silent.stderr.contains("DEBUG"), "{silent}");
    for event in
        ["compiler starts", "process starts", "is at main", "round of the search", "worker is added", "has ended"]
    {
        assert!(logged.stderr.contains(event), "does not log `{event}`\n{logged}");
    }
    assert!(logged.stderr.contains("lastzero.c"), "the compiler's command line\n{logged}");
    assert!(!logged.stderr.contains("TRACE"), "{logged}");
}

#[test]
fn single_executions_are_shown_on_request() {
    let logged = check(Some("trace"));
    let executions = logged.json()["executions"].as_u64().expect("a number");
    let shown = logged.stderr.lines().filter(|line| line.contains("TRACE") && line.contains("] execution ")).count();
    assert!(shown as u64 >= executions, "{shown} of {executions}\n{logged}");
}

#[test]
fn a_level_that_does_not_exist_is_reported_and_changes_nothing() {
    let (silent, wrong) = (check(None), check(Some("loud")));
    assert_eq!((silent.code, timeless(&silent)), (wrong.code, timeless(&wrong)));
    assert!(wrong.stderr.contains("HEDDLE_LOG=loud: use error, warn, info, debug or trace"), "{wrong}");
}
