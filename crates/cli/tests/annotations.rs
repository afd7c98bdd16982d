//! `heddle.h`: what is not a matter of a verdict and a count, or must also work without Heddle.

use std::process::Command;

use crate::common::{Session, clang};

fn check(name: &str, text: &str, more: &[&str]) -> crate::common::Finished {
    let session = Session::new();
    let file = session.write(name, text).display().to_string();
    session.check([file.as_str(), "--all"].iter().chain(more))
}

const LABELS: &str = r#"#include <heddle.h>
int main(void) {
    unsigned n = heddle_choose(3);
    if (n == 2) heddle_reachable("two");
    if (n > 2) heddle_reachable("more");
    if (0) heddle_reachable("never");
    return 0;
}
"#;

/// A label that no execution reaches is a finding, with its place. (What stands under `if (0)`, compilers may drop before
/// anybody sees it.)
#[test]
fn labels_that_nobody_reaches() {
    for (name, compiler) in [("labels.c", "gcc"), ("labels.c", clang()), ("labels.cpp", "gcc"), ("labels.cpp", clang())]
    {
        for level in ["-O0", "-O2"] {
            let run = check(name, LABELS, &["--cc", compiler, level]);
            let report = run.json();
            assert_eq!(report["verdict"], "found", "{run}");
            let findings = report["findings"].as_array().expect("a list");
            let messages: Vec<&str> = findings.iter().filter_map(|f| f["message"].as_str()).collect();
            assert!(messages.contains(&"no execution reaches `more`"), "{run}");
            assert!(!messages.iter().any(|message| message.contains("`two`")), "{run}");
            assert!(findings.iter().all(|f| f["kind"] == "unreached"), "{run}");
            assert_eq!(findings[0]["location"]["line"], 5, "{run}");
        }
    }
}

/// A search that does not run everything cannot say that nobody gets there; it says who did not so far.
#[test]
fn labels_of_a_search_that_stopped() {
    let run = check("labels.c", LABELS, &["--max-executions", "1"]);
    let report = run.json();
    assert_eq!(report["verdict"], "incomplete", "{run}");
    assert!(report["findings"].as_array().expect("a list").is_empty(), "{run}");
    assert!(report["coverage"]["notes"].to_string().contains("`two`"), "{run}");
}

/// Without an execution left, nothing is safe.
#[test]
fn all_executions_assumed_away() {
    let text = "#include <heddle.h>\nint main(void) { heddle_assume(heddle_choose(4) > 5); return 0; }\n";
    let run = check("nothing.c", text, &[]);
    let report = run.json();
    assert_eq!(report["verdict"], "incomplete", "{run}");
    assert_eq!((report["executions"].as_u64(), report["assumed"].as_u64()), (Some(0), Some(4)), "{run}");
    assert!(report["reason"].to_string().contains("discarded by"), "{run}");
}

/// A number that can be anything is tried with a few values, which is never enough for `safe`; with values that the user
/// names it is, and the verdict says which.
#[test]
fn undetermined_numbers_are_not_silently_few() {
    let text = "int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int() == 77; }\n";
    let run = check("number.c", text, &["--exit-status", "ignore", "--engine", "native"]);
    let report = run.json();
    assert_eq!(report["verdict"], "incomplete", "{run}");
    assert_eq!(report["coverage"]["exhaustive"], false, "{run}");
    assert!(report["reason"].to_string().contains("--nondet"), "{run}");
    let run = check("number.c", text, &["--exit-status", "ignore", "--nondet", "70..79"]);
    let report = run.json();
    assert_eq!((&report["verdict"], report["executions"].as_u64()), (&"safe".into(), Some(10)), "{run}");
    assert_eq!(report["coverage"]["exhaustive"], false, "{run}");
    assert!(report["coverage"]["notes"].to_string().contains("70, 71"), "{run}");
}

/// A bool has two values, and both are tried.
#[test]
fn a_bool_is_covered() {
    let text = "_Bool __VERIFIER_nondet_bool(void);\nint main(void) { return __VERIFIER_nondet_bool(); }\n";
    let report = check("bool.c", text, &["--exit-status", "ignore"]).json();
    assert_eq!((&report["verdict"], report["executions"].as_u64()), (&"safe".into(), Some(2)));
    assert_eq!(report["coverage"]["exhaustive"], true);
}

/// What cannot be had is refused by name.
#[test]
fn refused() {
    let text = "#include <heddle.h>\nint main(void) { return (int)heddle_choose(70000); }\n";
    let run = check("many.c", text, &[]);
    assert_eq!(run.json()["verdict"], "unsupported", "{run}");
    let text = "void *__VERIFIER_nondet_pointer(void);\nint main(void) { return !__VERIFIER_nondet_pointer(); }\n";
    let run = check("pointer.c", text, &[]);
    assert_eq!(run.json()["verdict"], "unsupported", "{run}");
    assert!(run.json()["reason"].to_string().contains("pointer.c:2"), "{run}");
}

/// The header by itself: with any compiler, in C and in C++, and nothing happens.
#[test]
fn without_heddle() {
    let session = Session::new();
    let header = crate::common::root().join("crates/native/src/build/instrument/include");
    for (name, compilers) in [("plain.c", ["gcc", clang()]), ("plain.cpp", ["g++", clang()])] {
        let text = LABELS.replace(
            "return 0;",
            "heddle_atomic_begin(); heddle_atomic_end(); heddle_assume(0);\n    \
             heddle_assert(n == 0); return heddle_range(7, 9);",
        );
        let file = session.write(name, text);
        for compiler in compilers {
            let program = session.path("plain");
            let mut command = Command::new(compiler);
            command.args(["-Wall", "-Wextra", "-Werror", "-I"]).arg(&header).arg(&file).arg("-o").arg(&program);
            assert!(command.status().expect("a compiler").success(), "{compiler} {name}");
            assert_eq!(Command::new(&program).status().expect("it runs").code(), Some(7), "{compiler} {name}");
        }
    }
}
