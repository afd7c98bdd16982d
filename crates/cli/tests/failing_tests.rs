//! Tests that fail: programs that exit with a status other than 0, as the common test frameworks make them.

use crate::common::{Session, clang, program};

/// A test with an order-dependent failure. `REPORT` says what a framework would print.
const TEST: &str = "#include <pthread.h>\n#include <stdio.h>\n#include <stdatomic.h>\n\
    static atomic_int last;\n\
    static void *set(void *p) { last = *(int *)p; return 0; }\n\
    int main(void) { pthread_t t[2]; int v[2] = {0, 1};\n\
      for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, set, &v[i]);\n\
      for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n\
      if (last != 0) { REPORT; return 1; }\n\
      return 0; }\n";

/// What frameworks print about a failure in line 9 of `suite.c`.
const FRAMEWORKS: [(&str, &str); 5] = [
    ("GoogleTest", "[ RUN      ] Suite.Test\\nsuite.c:9: Failure\\nExpected equality\\n\\n[  FAILED  ] Suite.Test\\n"),
    ("Catch2", "suite.c:6\\n....\\n\\nsuite.c:9: FAILED:\\n  REQUIRE( last == 0 )\\n"),
    ("doctest", "suite.c:6:\\nTEST CASE:  Test\\n\\nsuite.c:9: ERROR: CHECK( last == 0 ) is NOT correct!\\n"),
    ("Boost.Test", "suite.c(9): error: in \\\"Test\\\": check last == 0 has failed\\n"),
    ("plain", "suite.c:9: last is wrong\\n"),
];

#[test]
fn the_place_is_the_one_that_the_framework_names() {
    let session = Session::compiling();
    for (index, (name, printed)) in FRAMEWORKS.into_iter().enumerate() {
        session.write("suite.c", TEST.replace("REPORT", &format!("printf(\"{printed}\")")));
        let file = session.path("suite.c").display().to_string();
        let compiler = if index % 2 == 0 { "gcc" } else { clang() };
        let run = session.run(["check", &file, "--cc", compiler, "--all", "--json"]);
        let report = run.json();
        assert_eq!((run.code, &report["findings"][0]["kind"]), (1, &"failed".into()), "{name}\n{run}");
        assert_eq!(report["findings"][0]["location"]["line"], 9, "{name}\n{run}");
        let message = report["findings"][0]["message"].as_str().unwrap_or_default();
        assert_eq!(message, "exits with status 1 in this order; with 0 in 1 other", "{name}");
        assert_eq!(report["exit_statuses"][1]["executions"], 1, "{name}\n{run}");
    }
}

/// The finding is in every format, and a replay shows it again, in the same words.
#[test]
fn a_failure_is_reported_everywhere_and_replayed() {
    let session = Session::new();
    let file = program("failed-bank.c").display().to_string();
    let out = session.path("out").display().to_string();
    let [html, sarif, junit] = ["a.html", "a.sarif", "a.xml"].map(|name| session.path(name).display().to_string());
    let check = ["check", &file, "--out", &out, "--html", &html, "--sarif", &sarif, "--junit", &junit];
    let words = "exits with status 1 in this order; with 0 in 1 other";
    session.run(check).must_say(1, &[words, "Expected: 120", "found: 1 finding", "replay it: heddle replay"]);
    for path in [&html, &sarif, &junit] {
        let text = std::fs::read_to_string(path).expect("written");
        assert!(text.contains(words), "{path}");
    }
    let trace = session.path("out/latest/failed-1.json").display().to_string();
    session.run(["replay", &trace]).must_say(1, &[words, "reproduced: failed-1"]);
    // The settings are those of the trace: what was ignored there is ignored again.
    session.run(["check", "--from", &trace, "--at", "2"]).must_say(1, &["exits with status 1"]);
    session
        .run(["check", "--from", &trace, "--at", "2", "--exit-status", "ignore"])
        .must_say(0, &["not covered: exit statuses"]);
}

/// A program that always fails is told so once, also where the search stops at the first finding.
#[test]
fn a_program_that_always_fails() {
    let file = program("failed-always.c").display().to_string();
    for more in [&[][..], &["--all"]] {
        let run = Session::new().check([&[file.as_str()][..], more].concat());
        let report = run.json();
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(1), "{run}");
        assert_eq!(report["findings"][0]["message"], "every execution exits with status 3, all 2", "{run}");
    }
    let same = program("failed-differ-same.c").display().to_string();
    let run = Session::new().check([same.as_str(), "--exit-status", "report"]);
    assert_eq!(run.json()["findings"][0]["message"], "every execution exits with status 2, all 2", "{run}");
    let run = Session::new().check([same.as_str(), "--exit-status", "report", "--max-executions", "1"]);
    assert_eq!(run.json()["findings"][0]["message"], "exits with status 2 in this order", "{run}");
}
