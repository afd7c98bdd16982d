//! `--jobs`: one search by one process of the program, and by two. The same counts, in what part of the time?
//!
//! The executions take some 0.6 ms each, as those of a small real program do: where they take less than a few times what the search takes to look
//! at them, there is little for a second process to do, since one search decides on all that is run.

use std::process::{Command, Stdio};

use crate::root;

const EXECUTIONS: u64 = 100_000;
const ROUNDS: usize = 3;

/// Seconds, executions and events of one search.
fn search(jobs: &str) -> (f64, u64, u64) {
    let file = root().join("benches/jobs.c");
    let executions = EXECUTIONS.to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["check", "--json", "-O1", "--jobs", jobs, "--max-executions", &executions])
        .arg(&file)
        .stderr(Stdio::null())
        .output()
        .expect("heddle runs");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    let number = |field: &str| json[field].as_u64().expect("a number");
    (json["seconds"].as_f64().expect("a number"), number("executions"), number("events"))
}

/// Prints a line for each round.
pub fn table() {
    println!("\nTwo processes for one search (`benches/jobs.c`, {EXECUTIONS} executions)\n");
    println!("| round | `--jobs 1` | `--jobs 2` | faster by |");
    println!("|---|---|---|---|");
    for round in 1..=ROUNDS {
        let (one, two) = (search("1"), search("2"));
        assert_eq!((one.1, one.2), (two.1, two.2), "the counts differ");
        println!("| {round} | {:.1} s | {:.1} s | {:.2} |", one.0, two.0, one.0 / two.0);
    }
}
