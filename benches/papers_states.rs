//! The tables about states: 4.1 of Yang's dissertation, and 2 of the paper on context-switch-directed search in DIVINE.
//!
//! The programs are our own, after the papers' descriptions, in `papers/sdpor` and `papers/divine`.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use crate::root;

/// How long one check may take. The dissertation gave up after a day.
const LIMIT: &str = "60s";

fn check(file: &str, flags: &str, more: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["check", "--json", "-O1", "--minimise", "off", "--timeout", LIMIT, "--out"])
        .arg(std::env::temp_dir().join("heddle-bench-papers"))
        .arg(root().join("benches/papers").join(file))
        .args(flags.split_whitespace())
        .args(more)
        .stderr(Stdio::null())
        .output()
        .expect("heddle runs");
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// A program of table 4.1: its name, threads, file and flags, and the paper's runs and transitions by DPOR and by SDPOR.
struct Stateful(&'static str, u32, &'static str, &'static str, &'static str, &'static str);

const TABLE_4_1: &[Stateful] = &[
    Stateful("example1", 2, "sdpor/example1.c", "", "-", "35 / 2,084"),
    Stateful("sharr", 2, "sdpor/sharr.c", "", "-", "98 / 18.6k"),
    Stateful("bbuf", 4, "sdpor/bbuf.c", "", "47k / 1,058k", "16.2k / 349.7k"),
    Stateful("bzip2smp", 4, "sdpor/bzip2smp.c", "", "-", "4.6k / 26.4k"),
    Stateful("bzip2smp", 5, "sdpor/bzip2smp.c", "-DWORKERS=3", "-", "18.7k / 92.3k"),
    Stateful("pfscan", 3, "sdpor/pfscan.c", "", "84 / 1,157", "71 / 967"),
    Stateful("pfscan", 4, "sdpor/pfscan.c", "-DWORKERS=3", "13.6k / 189.2k", "3.2k / 40k"),
    Stateful("pfscan", 5, "sdpor/pfscan.c", "-DWORKERS=4", "-", "272.9k / 3,402k"),
];

/// Runs, transitions beyond schedules (for DPOR: all events) and seconds of a check.
fn cells(report: &serde_json::Value) -> String {
    let number = |field: &str| report[field].as_u64().unwrap_or(0);
    let runs = number("executions") + number("visited") + number("blocked");
    let transitions = if number("states") > 0 { number("transitions") } else { number("events") };
    let seconds = report["seconds"].as_f64().unwrap_or(0.0);
    let reason = report["reason"].as_str().unwrap_or_default();
    let ended = if reason.starts_with("time limit") { "> " } else { "" };
    format!("{ended}{runs} / {transitions} / {seconds:.1} s")
}

/// Prints table 4.1, theirs and ours.
pub fn stateful() {
    println!("\nTable 4.1 of the dissertation: runs / transitions (/ time), theirs and ours\n");
    println!("| program | threads | theirs, DPOR | theirs, SDPOR | `dpor` | `sdpor` | `stateful` |");
    println!("|---|---|---|---|---|---|---|");
    for Stateful(name, threads, file, flags, dpor, sdpor) in TABLE_4_1 {
        let ours = ["dpor", "sdpor", "stateful"].map(|name| cells(&check(file, flags, &["--algorithm", name])));
        println!("| {name} | {threads} | {dpor} | {sdpor} | {} |", ours.join(" | "));
    }
}

/// A model of table 1: its name, file and flags, and of table 2: different counterexamples, length and switches by CSDR, switches by reachability.
struct Model(&'static str, &'static str, &'static str, Option<[&'static str; 4]>);

const TABLE_2: &[Model] = &[
    Model("barrier-1-bug", "divine/barrier-1.c", "-DBUG --spurious-wakeups 1", Some(["1", "22", "1", "1-4"])),
    Model("barrier", "divine/barrier-1.c", "--spurious-wakeups 1", None),
    Model("barrier-1-re-bug-2", "divine/barrier-1-re.c", "-DBUG=2", Some(["1", "68", "4", "8-18"])),
    Model("barrier-1-re-bug", "divine/barrier-1-re.c", "-DBUG=1", Some(["4", "90-91", "12", "16-28"])),
    Model("barrier-1-re-bug-test", "divine/barrier-1-re.c", "-DBUG=3", Some(["4", "120", "8", "14-31"])),
    Model("barrier-1-re", "divine/barrier-1-re.c", "", None),
    Model("barrier-n-bug", "divine/barrier-n.c", "-DBUG", Some(["1", "38", "1", "1-10"])),
    Model("fifo-bug", "divine/fifo.c", "-DBUG --races ignore", Some(["8", "165-171", "4", "10-16"])),
    Model("fifo", "divine/fifo.c", "", None),
    Model("mutex-partial-deadlock", "divine/mutex-partial-deadlock.c", "", Some(["1", "29", "8", "9-15"])),
    Model("mutex-partial-deadlock-2", "divine/mutex-partial-deadlock-2.c", "", Some(["13", "32-78", "9", "10-17"])),
];

/// How often each check is run: the counterexample must be the same each time.
const TIMES: usize = 5;

/// The counterexamples of some checks: how many different ones, their length and their switches.
fn counterexamples(file: &str, flags: &str, algorithm: &str) -> String {
    let mut different = BTreeSet::new();
    let mut last = String::new();
    for _ in 0..TIMES {
        let report = check(file, flags, &["--algorithm", algorithm]);
        let finding = &report["findings"][0];
        if finding.is_null() {
            return report["verdict"].as_str().unwrap_or_default().to_string();
        }
        let text = std::fs::read(finding["trace"].as_str().unwrap_or_default()).unwrap_or_default();
        let trace: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let schedule = &trace["schedule"];
        let length = schedule.as_array().map_or(0, Vec::len);
        different.insert(schedule.to_string());
        last = format!("{length} / {}", finding["switches"]);
    }
    format!("{} / {last}", different.len())
}

/// The fewest switches within which `switches` finds something.
///
/// The trace of a partial deadlock goes on behind the circle, until every thread has taken as many operations as the one that has taken
/// most, and so it may have more.
fn fewest(file: &str, flags: &str) -> String {
    let found = |most: &u32| {
        let report = check(file, flags, &["--algorithm", "switches", "--max-switches", &most.to_string()]);
        report["findings"].as_array().is_some_and(|findings| !findings.is_empty())
    };
    (0..10).find(found).map_or("none".to_string(), |most| most.to_string())
}

/// Prints table 2, theirs and ours.
pub fn switches() {
    println!("\nTable 2 of the paper on DIVINE: different counterexamples / length / switches, theirs and ours\n");
    println!(
        "| model | theirs, CSDR | theirs, reachability: switches | `switches` | `csdr` | `states` | `optimal` | found within |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for Model(name, file, flags, theirs) in TABLE_2 {
        let ours = ["switches", "csdr", "states", "optimal"].map(|name| counterexamples(file, flags, name));
        let (csdr, reachability) = match theirs {
            Some([different, length, switches, others]) => (format!("{different} / {length} / {switches}"), *others),
            None => ("none".to_string(), "none"),
        };
        println!("| {name} | {csdr} | {reachability} | {} | {} |", ours.join(" | "), fewest(file, flags));
    }
}
