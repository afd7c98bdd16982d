//! `tests/outcomes`: small programs for each primitive, with all the outcomes that they can have. What they print at their end must be exactly
//! that set, by brute force and by every algorithm.
//!
//! | key | meaning |
//! |---|---|
//! | `outcome` | one of the outcomes: what is printed, or in parentheses how it ends otherwise; one line for each |
//! | `executions` | how many traces there are: what `optimal` runs |
//! | `flags` | for the compiler (one dash) and for heddle (two, with their values) |
//! | `brute` | `no`: too many interleavings for brute force |

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{Session, sources};

struct Header {
    outcomes: BTreeSet<String>,
    executions: Option<u64>,
    compiler: Vec<String>,
    heddle: Vec<String>,
    brute: bool,
}

fn header(file: &Path) -> Header {
    let text = std::fs::read_to_string(file).expect("the program can be read");
    let mut header =
        Header { outcomes: BTreeSet::new(), executions: None, compiler: Vec::new(), heddle: Vec::new(), brute: true };
    for line in text.lines().filter_map(|line| line.strip_prefix("// heddle: ")) {
        let (key, value) = line.split_once(" = ").expect("`key = value`");
        match key {
            "outcome" => assert!(header.outcomes.insert(value.to_owned()), "{}: twice", file.display()),
            "executions" => header.executions = Some(value.parse().expect("a number")),
            "brute" => header.brute = value != "no",
            "flags" => {
                let words = value.split_whitespace().map(str::to_owned);
                let (compiler, heddle) = words.partition(|word| word.starts_with('-') && !word.starts_with("--"));
                (header.compiler, header.heddle) = (compiler, heddle);
            }
            other => panic!("{}: `{other}` is no key", file.display()),
        }
    }
    assert!(!header.outcomes.is_empty(), "{}: no outcome", file.display());
    header
}

/// Compares all programs whose number among all leaves `part` of two.
fn hold(part: usize) {
    let all = sources("tests/outcomes");
    assert!(all.len() >= 50, "{}", all.len());
    for file in all.iter().skip(part).step_by(2) {
        let header = header(file);
        let session = Session::new();
        let program = session.path("program").display().to_string();
        let compiler = if file.extension().is_some_and(|e| e == "cpp") { "c++" } else { "cc" };
        let mut build =
            vec![compiler.to_owned(), "-g".into(), file.display().to_string(), "-o".into(), program.clone()];
        build.extend(header.compiler.iter().cloned().chain(["-pthread".to_owned()]));
        let built = session.run(build);
        assert_eq!(built.code, 0, "{built}");
        let algorithms = ["dfs", "dpor", "source", "optimal"];
        for algorithm in algorithms.into_iter().filter(|name| header.brute || *name != "dfs") {
            let mut words =
                vec!["check", "--json", "--outcomes", "--minimise", "off", "--algorithm", algorithm, &program];
            words.extend(header.heddle.iter().map(String::as_str));
            let run = session.run(words);
            let report = run.json();
            let told = report["outcomes"].as_array().unwrap_or_else(|| panic!("outcomes\n{run}"));
            let outcomes: BTreeSet<String> = told
                .iter()
                .map(|outcome| match outcome["end"].as_str() {
                    Some("exit with status 0") => outcome["output"].as_str().unwrap_or("").trim_end().to_owned(),
                    end => format!("({})", end.unwrap_or("")),
                })
                .collect();
            let name = file.display();
            assert_eq!(outcomes, header.outcomes, "{name}, {algorithm}\n{run}");
            let sum: u64 = told.iter().filter_map(|outcome| outcome["executions"].as_u64()).sum();
            assert_eq!(
                Some(sum),
                report["executions"].as_u64(),
                "{name}, {algorithm}: each execution has an outcome\n{run}"
            );
            let deadlocks = header.outcomes.iter().any(|outcome| outcome.starts_with('('));
            assert_eq!(report["verdict"], if deadlocks { "found" } else { "safe" }, "{name}, {algorithm}\n{run}");
            if let ("optimal", Some(executions)) = (algorithm, header.executions) {
                assert_eq!(report["executions"].as_u64(), Some(executions), "{name}\n{run}");
            }
        }
    }
}

#[test]
fn outcomes_are_exactly_these_1() {
    hold(0);
}

#[test]
fn outcomes_are_exactly_these_2() {
    hold(1);
}

/// What a person sees.
#[test]
fn outcomes_in_words() {
    let run = Session::new().run(["check", "tests/outcomes/cond-lost.c", "--outcomes", "--quiet"]);
    run.must_say(1, &["2 outcomes:\n", "  1  woken\n", "  1  nothing printed (deadlock)\n"]);
}
