//! Findings are kept: names by program and fingerprint, and links to those of the last run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::Session;

const ABBA: &str = "examples/abba.c";
const BANK: &str = "examples/bank.c";

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect()
}

fn traces(session: &Session) -> BTreeSet<String> {
    names(&session.path("out")).into_iter().filter(|name| name != "latest").collect()
}

#[test]
fn another_program_or_run_overwrites_nothing() {
    let session = Session::new();
    let first = session.check([ABBA]).json()["findings"][0]["trace"].as_str().unwrap().to_string();
    let bytes = fs::read(&first).unwrap();
    let name = Path::new(&first).file_name().unwrap().to_str().unwrap().to_string();
    assert!(name.starts_with("abba-deadlock-") && name.len() == "abba-deadlock-01234567.json".len(), "{name}");
    // The same once more is the same file.
    session.check([ABBA]);
    assert_eq!(traces(&session), BTreeSet::from([name.clone()]));
    // Another program, and the same mistake in another interleaving.
    session.check([BANK]);
    let run =
        session.check([ABBA, "--algorithm", "random", "--seed", "3", "--minimise", "off", "--max-executions", "100"]);
    let again = run.json()["findings"][0]["trace"].as_str().unwrap().to_string();
    assert_eq!(again, first.replace(".json", "-2.json"), "{run}");
    assert_eq!(fs::read(&first).unwrap(), bytes, "{run}");
    assert_eq!(traces(&session).len(), 3, "{run}");
    // Each replays, by its own name and as the latest.
    session.run(["replay", &first]).must_say(1, &["deadlock", &name]);
    let latest = session.path("out/latest");
    assert_eq!(names(&latest), BTreeSet::from(["deadlock-1.json".to_string()]));
    assert_eq!(fs::canonicalize(latest.join("deadlock-1.json")).unwrap(), fs::canonicalize(&again).unwrap());
    session.run(["replay", &latest.join("deadlock-1.json").display().to_string()]).must_say(1, &["deadlock"]);
}

#[test]
fn what_somebody_else_put_there_stays() {
    let session = Session::new();
    let latest = session.path("out/latest");
    fs::create_dir_all(&latest).unwrap();
    fs::write(latest.join("notes.txt"), "mine").unwrap();
    session.check([ABBA]);
    assert_eq!(fs::read_to_string(latest.join("notes.txt")).unwrap(), "mine");
    fs::remove_dir_all(session.path("out")).unwrap();
    fs::create_dir(session.path("out")).unwrap();
    fs::write(&latest, "a file").unwrap();
    session
        .run(["check", ABBA, "--out", &session.path("out").display().to_string()])
        .must_say(2, &["the trace was not stored", "latest"]);
    assert_eq!(fs::read_to_string(&latest).unwrap(), "a file");
}
