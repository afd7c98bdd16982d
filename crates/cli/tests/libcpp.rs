//! C++ programs of `tests/programs` with LLVM's library instead of GNU's: one for each facility, and the same verdicts. Those where this library
//! does it in another way are in docs/limitations.md.

use std::process::Command;

use crate::common::{Expectation, Session, can_use, clang, program, root};

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

/// Small programs about what this library does inside, where the compiler instruments nothing.
const INSIDE: [&str; 5] = [
    "tests/small/found/cxx-weak-pointer-last.cpp",
    "tests/small/found/state-locale-global.cpp",
    "tests/small/found/state-memory-resource.cpp",
    "tests/small/found/state-stream-words.cpp",
    "tests/small/safe/cxx-weak-pointers-apart.cpp",
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

#[test]
fn what_the_library_does_inside_has_an_order() {
    if !can_use("libc++", is_there()) {
        return;
    }
    for name in INSIDE {
        let file = root().join(name).display().to_string();
        let run = Session::new().check([file.as_str(), "-stdlib=libc++", "-std=c++20", "--cc", clang()]);
        let expected = if name.contains("/safe/") { "safe" } else { "found" };
        assert_eq!(run.json()["verdict"], expected, "{name}\n{run}");
    }
}

/// The library counts arrivals inside, and waits in a loop that looks at a clock, so a search is cut off. What is found before is certain: the
/// accesses that a barrier separates are no data race, and those that it does not are one.
#[test]
fn barriers_order_what_they_separate() {
    if !can_use("libc++", is_there()) {
        return;
    }
    let session = Session::new();
    let source = session.path("phases.cpp");
    let program = "#include <barrier>\n#include <thread>\nint data;\nint main() {\n  std::barrier together(2);\n  \
        std::thread t([&] { if (EARLY) data = 1; together.arrive_and_wait(); if (!EARLY) data = 1; });\n  \
        together.arrive_and_wait();\n  int seen = data;\n  t.join();\n  return seen & 0;\n}\n";
    std::fs::write(&source, program).expect("it can be written");
    for (early, findings) in [("-DEARLY=1", 0), ("-DEARLY=0", 1)] {
        let arguments =
            ["-stdlib=libc++", "-std=c++20", "--max-steps", "60", "--max-executions", "40", "--cc", clang()];
        let file = source.display().to_string();
        let run = session.check([file.as_str(), early].into_iter().chain(arguments));
        assert_eq!(run.json()["findings"].as_array().map(Vec::len), Some(findings), "{early}\n{run}");
    }
}
