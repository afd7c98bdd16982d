//! What C++ libraries wait with: both libraries and both compilers, with and without optimisation. Each program ends, and hangs once a
//! wake-up is forgotten.

use crate::common::{Expectation, Session, can_use, clang, program};

const PROGRAMS: [&str; 6] = ["latch", "barrier", "semaphore", "semaphore-timed", "stop", "stop-condition"];

/// A program with each of some flags: *safe*, and a deadlock if a wake-up is forgotten.
fn hold(name: &str, flags: &[&str]) {
    let file = program(&format!("library-{name}.cpp"));
    let expected = Expectation::find(&file);
    for optimisation in ["-O0", "-O2"] {
        let check = |more: &[&str]| {
            let mut words = vec![file.display().to_string(), optimisation.to_owned()];
            words.extend(["--minimise", "off"].map(str::to_owned));
            words.extend(expected.flags.iter().cloned());
            words.extend(flags.iter().chain(more).map(|word| (*word).to_owned()));
            Session::new().check(words)
        };
        let run = check(&[]);
        assert_eq!(run.json()["verdict"], "safe", "{name} {optimisation} {flags:?}\n{run}");
        let run = check(&["-DFORGOTTEN"]);
        assert_eq!(run.json()["findings"][0]["kind"], "deadlock", "{name} {optimisation} {flags:?}, forgotten\n{run}");
    }
}

#[test]
fn with_gcc() {
    PROGRAMS.iter().for_each(|name| hold(name, &["--cc", "gcc"]));
}

#[test]
fn with_clang() {
    PROGRAMS.iter().for_each(|name| hold(name, &["--cc", clang()]));
}

#[test]
fn with_llvms_library() {
    if can_use("libc++", crate::libcpp::is_there()) {
        let flags = ["--cc", clang(), "-stdlib=libc++", "-fexperimental-library"];
        // The lock of its stop states is a loop with a count that goes up again and again: see docs/limitations.md.
        let ends = PROGRAMS.iter().filter(|name| **name != "stop-condition");
        ends.for_each(|name| hold(name, &flags));
    }
}
