//! C++ programs of `tests/programs` with LLVM's library instead of GNU's: one for each facility, and the same verdicts. Those where this library
//! does it in another way are in docs/limitations.md.

use std::process::Command;

use crate::common::{Expectation, Session, can_use, clang, program};

const PROGRAMS: [&str; 14] = [
    "atomic-ref",
    "atomic-wait",
    "call-once",
    "condition-any",
    "condition-any-early",
    "future",
    "future-forgotten",
    "future-trusted",
    "heap-mutexes",
    "latch",
    "recursive-mutex",
    "semaphore-cpp",
    "shared-mutex",
    "shared-pointers",
];

/// Whether clang has the library, in a version that this was tried with: what waits by sleeping and what by looking again is another
/// matter in each.
pub fn is_there() -> bool {
    let session = Session::new();
    let source = session.path("version.cpp");
    std::fs::write(&source, "#include <version>\n#if _LIBCPP_VERSION < 190000\n#error another version\n#endif\n")
        .expect("it can be written");
    let mut compiler = Command::new(clang());
    compiler.args(["-stdlib=libc++", "-fsyntax-only", "-std=c++20"]).arg(source);
    compiler.output().is_ok_and(|output| output.status.success())
}

#[test]
fn the_same_verdicts() {
    if !can_use("libc++", is_there()) {
        return;
    }
    for name in PROGRAMS {
        let file = program(&format!("{name}.cpp"));
        let expected = Expectation::find(&file);
        let mut arguments = vec![file.display().to_string(), "-stdlib=libc++".to_owned()];
        arguments.extend(["--cc", clang()].map(str::to_owned));
        arguments.extend(expected.flags.iter().cloned());
        expected.hold_verdict(&Session::new().check(arguments));
    }
}
