//! Bounds that stop threads, executions that are too large, and panics of Heddle itself.

use crate::common::{Session, root};

const ENDLESS: &str = "tests/small/found/endless-main.c";

fn in_tests(name: &str) -> String {
    root().join(name).display().to_string()
}

/// Whatever the algorithm: a thread that never ends hides nothing.
#[test]
fn every_algorithm_finds_what_is_beside_an_endless_thread() {
    for algorithm in ["default", "optimal", "source", "dpor", "dfs", "random", "pct", "pos", "few"] {
        for bound in [&[][..], &["--max-steps", "9"]] {
            let session = Session::new();
            let file = in_tests(ENDLESS);
            let flags = [&[file.as_str(), "--algorithm", algorithm, "--timeout", "60s"][..], bound].concat();
            let run = session.check(flags);
            assert_eq!((run.code, &run.json()["findings"][0]["kind"]), (1, &"assertion".into()), "{algorithm}: {run}");
        }
    }
}

#[test]
fn what_was_cut_off_is_counted_and_told() {
    let file = in_tests("tests/small/incomplete/endless-creation.c");
    let run = Session::new().check([file.as_str(), "--max-steps", "12"]);
    let report = run.json();
    assert_eq!((run.code, &report["executions"], &report["cut"]), (3, &0.into(), &1.into()), "{run}");
    assert_eq!(
        (&report["coverage"]["bounds"]["steps"], &report["coverage"]["exhaustive"]),
        (&12.into(), &false.into())
    );
    let reason = report["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("12 operations") && reason.contains("endless-creation.c:15"), "{run}");
    // Without a bound an execution is too large, and the search sets one.
    let run = Session::new().check([file.as_str(), "--algorithm", "optimal", "--timeout", "60s"]);
    let report = run.json();
    assert_eq!(run.code, 3, "{run}");
    assert!(report["coverage"]["bounds"]["steps"].as_u64().is_some_and(|steps| steps >= 64), "{run}");
    assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("heddle's own")), "{run}");
}

/// Without a switch, only the main thread runs, and it may not come to its end.
#[test]
fn no_switch_is_no_switch() {
    for algorithm in ["optimal", "dfs"] {
        let flags = ["--max-switches", "0", "--algorithm", algorithm];
        let run = Session::new().check([&[in_tests("examples/abba.c").as_str()][..], &flags].concat());
        let report = run.json();
        assert_eq!((run.code, &report["executions"], &report["cut"]), (3, &0.into(), &1.into()), "{run}");
        assert_eq!(report["coverage"]["bounds"]["switches"], 0, "{run}");
    }
    let session = Session::new();
    let alone = session.write("alone.c", "int main(void) { return 0; }\n").display().to_string();
    let run = session.check([alone.as_str(), "--max-switches", "0"]);
    assert_eq!((run.code, &run.json()["coverage"]["exhaustive"]), (0, &true.into()), "{run}");
}

/// The status belongs to the thread that ends the process, as what it has printed shows.
#[test]
fn exit_statuses_belong_to_threads() {
    let file = in_tests("tests/programs/two-exits.c");
    for algorithm in ["optimal", "source", "dpor", "dfs"] {
        let flags = ["--exit-status", "ignore", "--outcomes", "--algorithm", algorithm, "--timeout", "60s"];
        let run = Session::new().check([&[file.as_str()][..], &flags].concat());
        let report = run.json();
        let outcomes = report["outcomes"].as_array().unwrap_or_else(|| panic!("{run}"));
        for outcome in outcomes {
            let (output, end) = (outcome["output"].as_str().unwrap_or(""), outcome["end"].as_str().unwrap_or(""));
            let printed = |word: &str| output.lines().any(|line| line == word);
            let right = end.ends_with('6') && printed("six") || end.ends_with('7') && printed("seven");
            assert!(right, "{algorithm}: `{output}`, {end}\n{run}");
        }
        assert!(outcomes.len() >= 4, "{run}");
    }
}

/// A bug in Heddle is an error, and what was found before it is kept. The variable is for this test.
#[test]
fn a_panic_of_heddle_keeps_what_was_found() {
    let abba = in_tests("examples/abba.c");
    for place in ["2", "livelock", "smallest", "report", "remarks", "loop"] {
        let session = Session::new();
        let mut command = session.command(["check", &abba, "--all", "--json", "--algorithm", "optimal"]);
        command.env("HEDDLE_TEST_PANIC", place);
        let run = session.start(command).wait();
        let report = run.json();
        assert_eq!((run.code, &report["verdict"]), (2, &"error".into()), "{place}: {run}");
        assert_eq!(report["findings"][0]["kind"], "deadlock", "{place}: {run}");
        let trace = report["findings"][0]["trace"].as_str().unwrap_or_else(|| panic!("{place}: {run}"));
        assert!(std::path::Path::new(trace).is_file(), "{place}: {run}");
        let said = run.words();
        for word in ["internal error", "version: heddle", "command: ", "HEDDLE_LOG", "internal.rs", "--all"] {
            assert!(said.contains(word) || place == "2" && word == "internal.rs", "{place}, `{word}`: {run}");
        }
    }
    // Where no trace can be made, the finding is told without it.
    for (place, kinds) in [("trace", 1), ("search", 0), ("check", 0)] {
        let session = Session::new();
        let mut command = session.command(["check", &abba, "--json"]);
        command.env("HEDDLE_TEST_PANIC", place);
        let run = session.start(command).wait();
        let report = run.json();
        assert_eq!((run.code, &report["verdict"]), (2, &"error".into()), "{place}: {run}");
        assert_eq!(report["findings"].as_array().map(Vec::len), Some(kinds), "{place}: {run}");
    }
}

/// More threads in one execution than in those before it, in samples.
#[test]
fn samples_with_more_and_more_threads() {
    let session = Session::new();
    let file = session.write(
        "grows.c",
        "#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n\
         static atomic_int x; static volatile int y;\n\
         static void *leaf(void *a) { y++; x++; return a; }\n\
         static void *f(void *a) { pthread_t t; if (x++ > 1) { pthread_create(&t, 0, leaf, 0); pthread_join(t, 0); } return a; }\n\
         int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, f, 0);\n\
         if (x == 4) pthread_create(&t[0], 0, leaf, 0); for (int i = 1; i < 6; i++) pthread_join(t[i], 0); assert(x < 100); return 0; }\n",
    );
    let file = file.display().to_string();
    for algorithm in ["pos", "pct", "few", "random", "default"] {
        for seed in ["1", "2", "3"] {
            let run = session.check([
                file.as_str(),
                "--algorithm",
                algorithm,
                "--seed",
                seed,
                "--all",
                "--max-executions",
                "200",
                "--minimise",
                "1s",
            ]);
            assert!([1, 3].contains(&run.code), "{algorithm}, {seed}: {run}");
        }
    }
}
