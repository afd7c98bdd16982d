//! `heddle test`: the tests of test programs as their frameworks come, of build directories, and what is said of each.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Session, can_use, installed, root};

/// What must be said of the tests of `tests/frameworks`, in this order, by a part of their names.
const EXPECTED: [(&str, &str); 5] = [
    ("transfer", "FAILED: deadlock: threads 0 and 1 wait for each other"),
    ("count", "FAILED: data-race: `hits.hits`"),
    ("deliver", "waits for a signal on condition variable"),
    ("sell", "in this order; with 0 in 1 other"),
    ("publish", "FAILED: crash: "),
];

/// Builds a program of `tests/frameworks` in the session's directory. `None` if the framework is not installed.
fn built(session: &Session, name: &str, header: &str, flags: &[&str]) -> Option<String> {
    if !can_use(name, Path::new("/usr/include").join(header).exists()) {
        return None;
    }
    let source = root().join("tests/frameworks").join(format!("{name}.cpp")).display().to_string();
    let program = session.path(name).display().to_string();
    let words = ["c++", &source, "-g", "-O0", "-o", &program];
    let run = session.run(words.iter().chain(flags));
    assert_eq!(run.code, 0, "{run}");
    Some(program)
}

/// The program's tests are checked with no flags: what is wrong is found, in one line each, and the repaired ones are right.
fn must_find(name: &str, header: &str, flags: &[&str]) {
    let session = Session::compiling();
    let Some(program) = built(&session, name, header, flags) else { return };
    let out = format!("--out={}", session.path("out").display());
    let run = session.run(["test", &program, &out, "--timeout=5m"]);
    assert_eq!(run.code, 1, "{run}");
    let line = |which: &str, part: &str| {
        let mut lines =
            run.stdout.lines().filter(|line| line.starts_with("test ") && line.to_lowercase().contains(which));
        lines.find(|line| line.to_lowercase().contains(part)).unwrap_or_else(|| panic!("{which} {part}\n{run}"))
    };
    for (part, says) in EXPECTED {
        let broken = line("broken", part);
        assert!(broken.contains("FAILED: ") && broken.contains(says), "{broken}\n{run}");
        assert!(line("repaired", part).contains("... ok ("), "{run}");
    }
    assert!(run.stdout.contains(" 5 passed; 5 failed; 0 incomplete"), "{run}");
    let replay = run.stdout.lines().find_map(|line| line.trim().split_once(": heddle replay ")).expect("a replay").1;
    assert_eq!(session.run(["replay", replay.trim_matches('\'')]).code, 1);
}

#[test]
fn google_test() {
    must_find("gtest", "gtest/gtest.h", &["-lgtest_main", "-lgtest"]);
}

#[test]
fn catch2() {
    must_find("catch2", "catch2", &[]);
}

#[test]
fn doctest() {
    must_find("doctest", "doctest/doctest.h", &[]);
}

#[test]
fn boost_test() {
    must_find("boost", "boost/test/unit_test.hpp", &["-DBOOST_TEST_DYN_LINK", "-lboost_unit_test_framework"]);
}

/// A test program in C that is of no framework, fast to build.
fn plain(session: &Session, name: &str, repaired: bool) -> String {
    let order = if repaired { "&a, &b" } else { "&b, &a" };
    let text = format!(
        "#include <pthread.h>\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         static void take(pthread_mutex_t *x, pthread_mutex_t *y) {{ pthread_mutex_lock(x); pthread_mutex_lock(y);\n\
         pthread_mutex_unlock(y); pthread_mutex_unlock(x); }}\n\
         static void *work(void *p) {{ take({order}); return p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); take(&a, &b); pthread_join(t, 0); return 0; }}\n"
    );
    let source = session.write(&format!("{name}.c"), text).display().to_string();
    let program = session.path(name).display().to_string();
    let run = session.run(["cc", &source, "-g", "-O0", "-o", &program]);
    assert_eq!(run.code, 0, "{run}");
    program
}

#[test]
fn programs_of_no_framework_and_every_format() {
    let session = Session::compiling();
    let (right, wrong) = (plain(&session, "right", true), plain(&session, "wrong", false));
    let path = |name: &str| session.path(name).display().to_string();
    let (out, xml, sarif) = (path("out"), path("t.xml"), path("t.sarif"));
    let more = ["--out", &out, "--junit", &xml, "--sarif", &sarif, "--jobs", "2"];
    let run = session.run(["test", &right, &wrong].iter().chain(&more));
    run.must_say(1, &["test right ... ok (2 executions)", "test wrong ... FAILED: deadlock", "1 passed; 1 failed"]);
    let document = std::fs::read_to_string(&xml).expect("written");
    let document = roxmltree::Document::parse(&document).expect("XML");
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.iter().map(|case| case.attribute("name")).collect::<Vec<_>>(), [Some("right"), Some("wrong")]);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("failure")).count(), 1);
    let document: Value = serde_json::from_slice(&std::fs::read(&sarif).expect("written")).expect("JSON");
    let results = document["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    assert_eq!((&results[0]["kind"], &results[0]["level"]), (&"pass".into(), &"none".into()));
    assert_eq!((&results[1]["ruleId"], &results[1]["level"]), (&"deadlock".into(), &"error".into()));

    let json = session.run(["test", &right, &wrong, "--json", "--out", &out]);
    let document = json.json();
    assert_eq!((json.code, &document["schema"], &document["verdict"]), (1, &"heddle-tests/1".into(), &"found".into()));
    assert_eq!(document["tests"][0]["report"]["verdict"], "safe", "{json}");

    session.run(["test", &right, "--out", &out]).must_say(0, &["test result: ok. 1 passed"]);
    assert_eq!(session.run(["test", &right, &wrong, "--list"]).stdout, "right\nwrong\n");
    session.run(["test", &right, &wrong, "--filter", "wro", "--out", &out]).must_say(1, &["1 filtered out"]);
    session.run(["test", &right, "--filter", "righ", "--exact"]).must_say(2, &["none of the 1 tests"]);
    // What limits a check limits each test.
    let run = session.run(["test", &right, "--max-executions", "1", "--out", &out]);
    run.must_say(3, &["test right ... incomplete: stopped after 1 execution", "0 passed; 0 failed; 1 incomplete"]);
    let accept = ["--max-executions=1", "--accept", "incomplete", "--out", &out];
    session.run(["test", &right].iter().chain(&accept)).must_say(0, &["accepted (incomplete)", "1 accepted"]);
    session.run(["test", &wrong].iter().chain(&accept)).must_say(0, &["accepted (incomplete)"]);
    session.run(["check", &right, "--accept", "incomplete", "--max-executions", "1"]).must_say(0, &["incomplete:"]);
}

#[test]
fn what_is_no_test_is_told() {
    let session = Session::new();
    let nowhere = session.path("nowhere").display().to_string();
    session.run(["test", &nowhere]).must_say(2, &["no such file or directory"]);
    let empty = session.path("tmp").display().to_string();
    session.run(["test", &empty]).must_say(2, &["has no tests of CMake", "or meson"]);
    let source = session.write("a.c", "int main(void) { return 0; }\n").display().to_string();
    session.run(["test", &source]).must_say(2, &["is not a program", "heddle check"]);
    session.run(["test"]).must_say(2, &["required arguments"]);
}

/// A build directory of CMake: plain tests, one that runs a whole program of a framework, one that is disabled, and a script. Then the same
/// by ctest itself, with the module that comes with Heddle.
#[test]
fn builds_of_cmake() {
    if !can_use("cmake", installed("cmake") && installed("ctest")) {
        return;
    }
    let session = Session::compiling();
    let (right, wrong) = (plain(&session, "right", true), plain(&session, "wrong", false));
    let heddle = env!("CARGO_BIN_EXE_heddle");
    let lists = format!(
        "cmake_minimum_required(VERSION 3.19)\nproject(t C)\nenable_testing()\nadd_test(NAME good COMMAND {right})\n\
         add_test(NAME bad COMMAND {wrong})\nadd_test(NAME off COMMAND {wrong})\nadd_test(NAME script COMMAND /bin/sh -c true)\n\
         set_tests_properties(off PROPERTIES DISABLED TRUE)\nset(HEDDLE_EXECUTABLE {heddle})\n\
         list(APPEND CMAKE_MODULE_PATH {})\ninclude(HeddleDiscoverTests)\nadd_executable(own right.c)\n\
         target_link_libraries(own PRIVATE pthread)\nheddle_discover_tests(own TEST_PREFIX all. OPTIONS --max-executions 10)\n",
        root().join("cmake").display()
    );
    session.write("CMakeLists.txt", lists);
    let link = session.path("heddle-cc");
    std::os::unix::fs::symlink(heddle, &link).expect("a link");
    let cmake = |words: &[&str]| {
        let mut command = session.command([""; 0]);
        let environment: Vec<_> = command.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
        command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(session.path("."));
        for (name, value) in environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let output = command.output().expect("it can be run");
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let compiler = format!("-DCMAKE_C_COMPILER={}", link.display());
    for words in [&["cmake", "-S", ".", "-B", "build", &compiler][..], &["cmake", "--build", "build"]] {
        let (fine, said) = cmake(words);
        assert!(fine, "{words:?}: {said}");
    }
    let build = session.path("build").display().to_string();
    let out = format!("--out={}", session.path("out").display());
    let run = session.run(["test", &build, &out]);
    let lines = [
        "test good ... ok (2 executions)",
        "test bad ... FAILED: deadlock",
        "test off ... ignored (disabled by the build)",
    ];
    run.must_say(1, &lines);
    run.must_say(1, &["test own ... ok (2 executions)", "2 passed; 1 failed"]);
    let (fine, said) = cmake(&["ctest", "--test-dir", "build", "-L", "heddle", "-V"]);
    assert!(fine && said.contains("test own ... ok") && said.contains("all.own"), "{said}");
}

#[test]
fn builds_of_meson() {
    let session = Session::compiling();
    let (right, wrong) = (plain(&session, "right", true), plain(&session, "wrong", false));
    std::fs::create_dir_all(session.path("b/meson-info")).expect("a directory");
    let listed = serde_json::json!([
        {"name": "good", "cmd": [right], "env": {}, "workdir": null},
        {"name": "bad", "cmd": [wrong], "env": {"A": "1"}, "workdir": session.path("b")},
        {"name": "gone", "cmd": [session.path("gone")], "env": {}, "workdir": null},
    ]);
    session.write("b/meson-info/intro-tests.json", listed.to_string());
    let (build, out) = (session.path("b").display().to_string(), format!("--out={}", session.path("out").display()));
    let run = session.run(["test", &build, &out]);
    run.must_say(1, &["test good ... ok", "test bad ... FAILED: deadlock", "test gone ... error: ", "is not built"]);
}
