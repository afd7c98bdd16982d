//! What an incomplete check proposes.

use crate::common::{Finished, Session};

const ADDERS: &str = "tests/counts/counter.c";

/// The commands that a run proposes.
fn proposed(run: &Finished) -> Vec<String> {
    let report = run.json();
    assert_eq!(report["verdict"], "incomplete", "{run}");
    let advice = report["advice"].as_array().unwrap_or_else(|| panic!("no advice\n{run}"));
    assert!(advice.iter().all(|one| !one["because"].as_str().unwrap().is_empty()), "{run}");
    advice.iter().map(|one| one["command"].as_str().unwrap().to_string()).collect()
}

/// Runs a proposed command.
fn follow(session: &Session, command: &str) -> Finished {
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..2], ["heddle", "check"], "{command}");
    session.check(words[2..].iter().filter(|word| !word.starts_with("--out") && **word != "--json"))
}

#[test]
fn advice_that_is_followed_ends_with_a_verdict() {
    let session = Session::new();
    let run = session.check([ADDERS, "-DN=7", "--algorithm", "optimal", "--max-executions", "200"]);
    let commands = proposed(&run);
    assert_eq!(commands.len(), 2, "{run}");
    // An estimate is told, and it is the truth: 5,040 executions.
    let report = run.json();
    assert!(report["estimate"]["low"].as_u64().unwrap() <= 5040, "{run}");
    let followed = follow(&session, &commands[0]);
    assert_eq!(followed.json()["verdict"], "safe", "{followed}");
    assert_ne!(followed.json()["algorithm"], report["algorithm"].clone().to_string(), "{followed}");
}

#[test]
fn a_smaller_program_few_preemptions_samples() {
    let session = Session::new();
    let run = session.check([ADDERS, "-DN=8", "--sections", "off", "--max-executions", "50", "--timeout", "1m"]);
    let commands = proposed(&run);
    assert!(commands.iter().any(|command| command.contains("-DN=4") && !command.contains("-DN=8")), "{commands:?}");
    let within = session.check([ADDERS, "-DN=7", "--max-preemptions", "6", "--max-executions", "50"]);
    assert!(proposed(&within).iter().any(|command| command.contains("--max-preemptions 5")), "{within}");
    let sampled = session.check([ADDERS, "-DN=3", "--algorithm", "random", "--max-executions", "50"]);
    let commands = proposed(&sampled);
    assert!(commands.iter().all(|command| !command.contains("random") || command.contains("-DN=2")), "{commands:?}");
    let text = session.run(["check", ADDERS, "-DN=8", "--max-executions", "500", "--algorithm", "optimal"]);
    text.must_say(3, &["  explored: 500 of", "  try: heddle check --out", "   or: heddle check --out"]);
    // Nothing is proposed to somebody who has an answer.
    let safe = session.check([ADDERS, "-DN=3"]);
    assert_eq!(safe.json()["advice"], serde_json::Value::Null, "{safe}");
}
