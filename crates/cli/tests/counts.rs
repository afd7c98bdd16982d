//! The number of executions of programs for which it is known: `tests/counts/expected.txt`.

use std::fs;

use crate::common::{Finished, Session, clang, root};

struct Row {
    program: String,
    verdict: String,
    executions: u64,
    flags: Vec<String>,
}

fn table() -> Vec<Row> {
    let text = fs::read_to_string(root().join("tests/counts/expected.txt")).expect("the table is there");
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut next = || words.next().expect("four columns");
        let (program, verdict, executions) = (next(), next(), next().parse().expect("a number"));
        Row { program, verdict, executions, flags: words.collect() }
    })
    .collect()
}

fn check(row: &Row, more: &[&str]) -> Finished {
    let source = root().join("tests/counts").join(format!("{}.c", row.program));
    let mut arguments = vec!["--all".to_owned(), source.display().to_string(), "-O2".to_owned()];
    arguments.extend(["--minimise", "off"].map(str::to_owned));
    arguments.extend(row.flags.iter().cloned());
    arguments.extend(more.iter().map(|word| (*word).to_owned()));
    Session::new().check(arguments)
}

fn hold_verdict(row: &Row, run: &Finished) -> u64 {
    let report = run.json();
    assert_eq!(report["verdict"], row.verdict, "{run}");
    assert_eq!(report["coverage"]["exhaustive"], true, "{run}");
    report["executions"].as_u64().expect("a number")
}

/// Exactly one execution for each trace, and none abandoned.
fn exact(program: &str, most: u64) {
    exact_with(program, most, &[]);
}

/// Like [`exact`], with more options.
fn exact_with(program: &str, most: u64, more: &[&str]) {
    let rows: Vec<Row> = table().into_iter().filter(|r| r.program == program && r.executions <= most).collect();
    assert!(rows.len() >= 2, "{program} has rows");
    for row in rows {
        let run = check(&row, &[&["--algorithm", "optimal"], more].concat());
        assert_eq!(hold_verdict(&row, &run), row.executions, "{program} {:?} {more:?}\n{run}", row.flags);
        assert_eq!(run.json()["blocked"], 0, "{program} {:?} {more:?}\n{run}", row.flags);
    }
}

/// Never fewer than the number of traces.
fn at_least(program: &str, most: u64) {
    let rows: Vec<Row> = table().into_iter().filter(|r| r.program == program && r.executions <= most).collect();
    assert!(rows.len() >= 2, "{program} has rows");
    for row in rows {
        let run = check(&row, &["--algorithm", "dpor"]);
        let executions = hold_verdict(&row, &run);
        assert!(executions >= row.executions, "{program} {:?}: {executions}\n{run}", row.flags);
    }
}

#[test]
fn counter_optimal() {
    exact("counter", u64::MAX);
}

#[test]
fn philosophers_optimal() {
    exact("philosophers", u64::MAX);
}

/// A look in vain is no execution of its own.
#[test]
fn waiting_loops_optimal() {
    for program in ["cas_lock", "exchange_lock", "ticket_lock", "ttas_lock", "await_value", "clh_lock"] {
        exact(program, u64::MAX);
        exact_with(program, 40, &["-O1"]);
        exact_with(program, 40, &["--cc", clang()]);
        exact_with(program, 40, &["--cc", clang(), "-O1"]);
        // Without optimisation, what a look has found stays in dead slots and registers.
        exact_with(program, 40, &["-O0"]);
        exact_with(program, 40, &["--cc", clang(), "-O0"]);
    }
}

/// Nobody takes a lock that is not its turn, but who unlocks looks whether somebody waits: more traces than orders.
#[test]
fn queue_of_waiters_optimal() {
    exact("mcs_lock", 66);
    exact_with("mcs_lock", 66, &["-O0"]);
    exact_with("mcs_lock", 66, &["--cc", clang()]);
    at_least("mcs_lock", 66);
}

/// A thousand looks before a thread sleeps are one. With gcc and optimisation the loop is not understood: see docs/limitations.md.
#[test]
fn spinning_before_sleeping_optimal() {
    for more in [["--cc", "gcc", "-O0"], ["--cc", clang(), "-O1"], ["--cc", clang(), "-O2"]] {
        exact_with("spin_sleep", 9, &more);
    }
}

/// A round of polling that finds nothing is no execution of its own, but that it came first is one.
#[test]
fn polling_optimal() {
    for more in [["--cc", "gcc", "-O0"], ["--cc", "gcc", "-O2"], ["--cc", clang(), "-O0"], ["--cc", clang(), "-O2"]] {
        exact_with("poll_lock", 50, &more);
    }
    at_least("poll_lock", 50);
}

/// What a look has found stays in a register that the next look does not read: the loop waits all the same.
#[test]
fn dead_registers_are_no_state() {
    exact_with("await_register", 1, &["--cc", "gcc", "-O1"]);
    exact_with("await_register", 1, &["--cc", "gcc", "-O0"]);
    exact_with("await_register", 1, &["--cc", clang(), "-O0"]);
}

#[test]
fn waiting_loops_dpor() {
    at_least("exchange_lock", 24);
    at_least("ttas_lock", 36);
}

#[test]
fn readers_optimal() {
    exact("readers", u64::MAX);
}

#[test]
fn lastzero_optimal() {
    exact("lastzero", u64::MAX);
}

#[test]
fn fib_bench_optimal() {
    exact("fib_bench", u64::MAX);
}

#[test]
fn indexer_optimal() {
    exact("indexer", u64::MAX);
}

#[test]
fn filesystem_optimal() {
    exact("filesystem", u64::MAX);
}

#[test]
fn condition_variables_optimal() {
    exact("condvar_buffer", u64::MAX);
}

#[test]
fn condition_variables_dpor() {
    at_least("condvar_buffer", u64::MAX);
}

#[test]
fn counter_dpor() {
    at_least("counter", 5040);
}

#[test]
fn philosophers_dpor() {
    at_least("philosophers", 1022);
}

#[test]
fn indexer_dpor() {
    at_least("indexer", 4096);
}

#[test]
fn filesystem_dpor() {
    at_least("filesystem", 2048);
}

/// Brute force runs every order, and finds the same.
#[test]
fn brute_force_agrees() {
    for (program, flags) in
        [("counter", "-DN=2"), ("counter", "-DN=3"), ("readers", "-DN=2"), ("philosophers", "-DN=2")]
    {
        let row = |verdict: &str| Row {
            program: program.to_owned(),
            verdict: verdict.to_owned(),
            executions: 0,
            flags: vec![flags.to_owned()],
        };
        let verdict = if program == "philosophers" { "found" } else { "safe" };
        let brute = check(&row(verdict), &["--algorithm", "dfs"]);
        let reduced = check(&row(verdict), &["--algorithm", "dpor"]);
        let (all, few) = (hold_verdict(&row(verdict), &brute), hold_verdict(&row(verdict), &reduced));
        assert!(all > few, "{program}: brute force ran {all}, dpor {few}");
        let kinds = |run: &Finished| -> Vec<(String, u64)> {
            let report = run.json();
            let findings = report["findings"].as_array().expect("findings").clone();
            findings.iter().map(|f| (f["kind"].to_string(), f["location"]["line"].as_u64().unwrap_or(0))).collect()
        };
        assert_eq!(kinds(&brute), kinds(&reduced));
    }
}
