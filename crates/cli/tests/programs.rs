//! The odd programs of `tests/programs` whose header says what must come out.

use std::path::PathBuf;

use crate::common::matrix::some_of;
use crate::common::{Expectation, Session, clang, is_full, program, sources};

/// Has a test of its own: too many executions.
const APART: &str = "everything.cpp";

fn with_headers() -> Vec<(PathBuf, Expectation)> {
    let all = sources("tests/programs").into_iter().filter(|file| !file.ends_with(APART));
    // For whoever works on one of them: the others take minutes.
    let only = std::env::var("HEDDLE_ONLY").unwrap_or_default();
    let all = all.filter(|file| file.display().to_string().contains(&only));
    let programs: Vec<_> = all.map(|file| (file.clone(), Expectation::find(&file))).collect();
    programs.into_iter().filter(|(_, expected)| !expected.verdict.is_empty()).collect()
}

/// Runs every second program, two after two, in some of `ways`: optimisation level and restart mode. With
/// `--full` all of them, in all ways.
fn hold(compiler: &str, parity: usize, ways: &[(&str, &str)]) {
    let programs = with_headers();
    assert!(programs.len() >= 20 || std::env::var_os("HEDDLE_ONLY").is_some());
    let all = is_full() || std::env::var_os("HEDDLE_ONLY").is_some();
    let turns = programs.iter().enumerate().filter(|(index, _)| all || index / 2 % 2 == parity);
    for (index, (file, expected)) in turns {
        for (level, restart) in some_of(ways, index) {
            let session = Session::new();
            let mut arguments = vec![file.display().to_string(), level.to_owned(), "--all".to_owned()];
            arguments.extend(["--cc", compiler, "--restart", restart, "--hang-timeout", "2s"].map(str::to_owned));
            arguments.extend(["--minimise", "off"].map(str::to_owned));
            arguments.extend(expected.flags.iter().cloned());
            let run = session.check(arguments);
            expected.hold(&run);
        }
    }
}

#[test]
fn with_gcc() {
    hold("gcc", 0, &[("-O0", "auto"), ("-O2", "fork")]);
}

#[test]
fn with_clang() {
    hold(clang(), 1, &[("-O0", "auto"), ("-O2", "auto"), ("-O2", "exec")]);
}

/// The runtime gives a child a second: a hang is the program's, however short it is told to be.
#[test]
fn a_wait_of_the_runtime_is_no_hang() {
    let file = program("processes-stuck.c").display().to_string();
    for restart in ["fork", "exec"] {
        let run = Session::new().check([&file, "--restart", restart, "--hang-timeout", "200ms"]);
        assert_eq!(run.json()["verdict"], "unsupported", "{run}");
    }
}

/// Several files, two languages, one program.
#[test]
fn several_files() {
    for compiler in ["gcc", clang()] {
        let (a, b) = (program("two-files-a.c"), program("two-files-b.cpp"));
        let include = format!("-I{}", program("").display());
        let files = [a.display().to_string(), b.display().to_string(), include];
        let run = Session::new().check(files.iter().map(String::as_str).chain(["--cc", compiler]));
        assert_eq!(run.json()["verdict"], "safe", "{run}");
        assert_eq!(run.json()["executions"], 2, "{run}");
    }
}

/// A weak compare-exchange fails spuriously if it is asked for, and a strong one never does.
#[test]
fn weak_compare_exchange() {
    let file = program("attempt-weak.c").display().to_string();
    let check = |flags: &[&str]| {
        let words = [file.as_str(), "--cc", "gcc", "--all"];
        let report = Session::new().check(words.iter().chain(flags)).json();
        (report["verdict"].as_str().unwrap_or_default().to_owned(), report["executions"].as_u64())
    };
    let (safe, found) = ("safe".to_owned(), "found".to_owned());
    assert_eq!(check(&["-DTRUSTED=1"]), (safe.clone(), Some(1)));
    assert_eq!(check(&["-DTRUSTED=0", "--spurious-failures", "1"]), (safe, Some(2)));
    assert_eq!(check(&["-DTRUSTED=1", "--spurious-failures", "1"]), (found, Some(2)));
}

/// What stands after `--` is the program's.
#[test]
fn arguments_arrive() {
    let file = program("arguments.c").display().to_string();
    let run = Session::new().check([file.as_str(), "--", "one", "--two=2"]);
    assert_eq!(run.json()["verdict"], "safe", "{run}");
    let run = Session::new().check([file.as_str(), "--", "one"]);
    assert_eq!(run.json()["verdict"], "found", "{run}");
}

/// A program that changes what a snapshot cannot put back is run by fork, and the report says so.
#[test]
fn files_are_opened_in_a_forked_child() {
    let file = program("opens-file.c").display().to_string();
    let run = Session::new().check([file.as_str(), "--restart", "auto"]);
    let report = run.json();
    assert_eq!(report["coverage"]["restart"], "fork", "{run}");
    assert!(run.stdout.contains("open"), "does not say why\n{run}");
}

/// A program that only uses memory is restarted by snapshot.
#[test]
fn memory_is_put_back() {
    let file = program("stack-mutex.c").display().to_string();
    let run = Session::new().check([file.as_str(), "--restart", "auto"]);
    assert_eq!(run.json()["coverage"]["restart"], "snapshot", "{run}");
}
