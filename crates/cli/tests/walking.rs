//! Walking through a replay, listing executions, and exploring from a step on.

use std::io::Write;
use std::process::Stdio;

use crate::common::{Finished, Session};

const ABBA: &str = "examples/abba.c";
const BUFFER: &str = "examples/buffer.c";

/// `heddle replay --step` with these commands on standard input.
fn walk(session: &Session, trace: &str, commands: &str) -> Finished {
    let mut command = session.command(["replay", trace, "--step"]);
    let mut input = tempfile::tempfile().expect("a temporary file");
    input.write_all(commands.as_bytes()).expect("it can be written");
    std::io::Seek::rewind(&mut input).expect("it can be read");
    command.stdin(Stdio::from(input));
    let finished = session.start(command).wait();
    session.must_be_clean(&finished);
    finished
}

#[test]
fn steps_forward_and_backward() {
    let session = Session::new();
    session.check([ABBA]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    let run = walk(&session, &trace, "n\n\ngoto 5\nwhy\nb\nthreads\nl\nn\nquit\nn\n");
    assert_eq!(run.code, 1, "{run}");
    let shown: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("step ") && line.contains(" of 7") || line.starts_with("before"))
        .collect();
    let places: Vec<&str> = shown.iter().map(|line| line.split(':').next().unwrap_or("")).collect();
    let expected =
        ["before the first of 7 steps", "step 1 of 7", "step 2 of 7", "step 5 of 7", "step 4 of 7", "step 7 of 7"];
    assert_eq!(places[..6], expected, "{run}");
    assert_eq!(places.len(), 7, "nothing after quit, and no further than the end\n{run}");
    run.must_say(1, &[">    18 |     pthread_mutex_lock(&a);", "thread 1 (forward) holds mutex `a`"]);
    run.must_say(1, &["thread 2 (backward) is blocked: lock mutex `a` at examples/abba.c:29", "deadlock: threads 1"]);
    run.must_say(1, &["follows only from what thread 1", "next: begin"]);
}

#[test]
fn a_walk_ends_with_its_commands_and_survives_wrong_ones() {
    let session = Session::new();
    session.check([ABBA]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    walk(&session, &trace, "").must_say(1, &["before the first of 7 steps"]);
    let run = walk(&session, &trace, "goto 99\nfly\nb\nhelp\ns\ns");
    run.must_say(1, &["goto needs a number from 0 to 7", "unknown command `fly`", "one step forward", "step 4 of 7"]);
}

#[test]
fn what_follows_a_prefix_is_explored_and_nothing_else() {
    let session = Session::new();
    session.check([BUFFER]);
    let trace = session.path("out/latest/assertion-1.json").display().to_string();
    let whole = session.check([BUFFER, "--all"]).json()["executions"].as_u64().expect("a number");
    let steps = std::fs::read_to_string(&trace).expect("the trace").matches("\"c\":").count();
    let mut before = whole;
    for at in [0, steps / 2, steps] {
        let at_text = at.to_string();
        let run = session.check(["--from", &trace, "--at", &at_text, "--all"]);
        let report = run.json();
        assert_eq!(report["verdict"], "found", "{run}");
        assert_eq!(report["coverage"]["bounds"]["prefix"], at, "{run}");
        assert_eq!(report["coverage"]["exhaustive"], false, "{run}");
        let executions = report["executions"].as_u64().expect("a number");
        assert!(executions >= 1 && executions <= before, "{executions} after {before}\n{run}");
        assert!(at > 0 || executions == whole, "no prefix leaves everything\n{run}");
        assert!(at < steps || executions == 1, "a whole execution leaves one\n{run}");
        for algorithm in ["source", "dpor"] {
            let other = session.check(["--from", &trace, "--at", &at_text, "--all", "--algorithm", algorithm]);
            assert_eq!(other.json()["executions"], executions, "{algorithm}\n{other}\n{run}");
        }
        before = executions;
    }
}

#[test]
fn brute_force_finds_the_same_after_a_prefix() {
    let session = Session::new();
    session.check([ABBA]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    for at in ["3", "5", "7"] {
        let few = session.check(["--from", &trace, "--at", at, "--all"]).json();
        let all = session.check(["--from", &trace, "--at", at, "--all", "--algorithm", "dfs"]).json();
        assert!(all["executions"].as_u64() >= few["executions"].as_u64(), "{at}: {all:#}\n{few:#}");
        for report in [&few, &all] {
            assert_eq!(report["findings"].as_array().map(Vec::len), Some(1), "{at}: {report:#}");
            assert_eq!(report["findings"][0]["kind"], "deadlock", "{at}: {report:#}");
        }
    }
}

#[test]
fn a_prefix_must_be_one_of_the_execution() {
    let session = Session::new();
    session.check([ABBA]);
    let trace = session.path("out/latest/deadlock-1.json").display().to_string();
    // Thread 1 has the first lock: the deadlock is still ahead. Before that, too.
    session.run(["check", "--from", &trace, "--at", "5", "--all"]).must_say(1, &["found: 1 finding in 2 executions"]);
    session.run(["check", "--from", &trace, "--at", "8"]).must_say(2, &["the execution has only 7 steps"]);
    session.run(["check", "--from", &trace]).must_say(2, &["--at"]);
    session.run(["check", "--from", &trace, "--at", "1", ABBA]).must_say(2, &["do not give others"]);
}

#[test]
fn executions_are_listed_and_outcomes_counted() {
    let session = Session::new();
    let run = session.run(["check", ABBA, "--all", "--dump-executions"]);
    run.must_say(1, &["outcomes:", "deadlock", "lock a, lock b, unlock b, unlock a", "exit with status 0"]);
    let whole = session.check([ABBA, "--all"]).json()["executions"].as_u64().expect("a number");
    let listed = run.stdout.lines().filter(|line| line.contains("  => ")).count() as u64;
    assert_eq!(listed, whole, "{run}");
    let counted: u64 = run
        .stdout
        .lines()
        .skip_while(|line| *line != "outcomes:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().next().expect("a number").parse::<u64>().expect("a number"))
        .sum();
    assert_eq!(counted, whole, "{run}");
    session.run(["check", ABBA, "--dump-executions", "--json"]).must_say(2, &["cannot be used with"]);
}
