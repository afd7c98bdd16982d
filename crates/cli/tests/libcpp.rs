//! The C++ programs of `tests/programs` with LLVM's library instead of GNU's: the same verdicts, but where the header says that this
//! library does it in another way.

mod common;

use std::process::Command;

use common::{Expectation, Session, clang, program, sources};

/// Whether clang has the library.
fn is_there() -> bool {
    let source = program("latch.cpp");
    let mut compiler = Command::new(clang());
    compiler.args(["-x", "c++", "-stdlib=libc++", "-fsyntax-only", "-std=c++20"]).arg(source);
    compiler.output().is_ok_and(|output| output.status.success())
}

#[test]
fn verdicts() {
    if !is_there() {
        eprintln!("skipped: clang has no libc++ here");
        return;
    }
    let mut held = 0;
    for file in sources("tests/programs").into_iter().filter(|file| file.extension().is_some_and(|e| e == "cpp")) {
        let mut expected = Expectation::find(&file);
        if expected.verdict.is_empty() || file.ends_with("everything.cpp") {
            continue;
        }
        match expected.libcpp.as_deref() {
            // The program needs what the library does not have, or not in this way: catching a thread's cancellation and throwing
            // it on is the end of it with this library, without Heddle too.
            Some("no") => continue,
            Some(verdict) => {
                expected.verdict = verdict.to_owned();
                expected.kind = None;
            }
            None => {}
        }
        let mut arguments = vec![file.display().to_string(), "-stdlib=libc++".to_owned(), "--all".to_owned()];
        arguments.extend(["--cc", clang(), "--hang-timeout", "2s"].map(str::to_owned));
        arguments.extend(expected.flags.iter().cloned());
        expected.hold_verdict(&Session::new().check(arguments));
        held += 1;
    }
    assert!(held >= 20, "{held} programs");
}
