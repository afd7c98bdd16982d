//! Starting over by snapshot: memory is what it was, byte for byte, and nothing accumulates.

use std::fs;
use std::sync::atomic::AtomicBool;

use crate::common::{Session, alone, clang, program};
use heddle_model::follow::Policy;
use heddle_model::wire::Restart;
use heddle_model::{Ending, Executor, Outcome, Plan};
use heddle_model::{RestartMode, Settings};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, Options};

fn build(file: &str, compiler: &str, level: &str) -> Compiled {
    let words = [program(file).display().to_string(), level.to_owned()];
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    compile(&words, &choice, &AtomicBool::new(false)).expect("it compiles")
}

fn launch(program: &Compiled, restart: Restart, check_restore: bool) -> NativeExecutor {
    let settings = Settings { restart: RestartMode::Only(restart), ..Settings::default() };
    let options = Options { settings, check_restore, ..Options::default() };
    NativeExecutor::launch(&program.program, options).expect("it starts")
}

/// One execution in an order drawn by lot.
fn random(seed: u64) -> Plan {
    Plan { policy: Policy::Random, seed, ..Plan::default() }
}

/// What the kernel keeps for a process: descriptors, mappings.
fn held_by(process: &str) -> (usize, usize) {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd")).expect("it runs").count();
    let mappings = fs::read_to_string(format!("/proc/{process}/maps")).expect("it runs").lines().count();
    (descriptors, mappings)
}

fn children_of(process: u32) -> usize {
    let path = format!("/proc/{process}/task/{process}/children");
    fs::read_to_string(path).expect("it runs").split_whitespace().count()
}

/// Ten thousand executions of a C++ program with exceptions, thread_local destructors, iostream and std::string.
fn ten_thousand(compiler: &str, level: &str) {
    const EXECUTIONS: u64 = 10_000;
    const SETTLED: u64 = 200;
    let program = build("everything.cpp", compiler, level);
    let mut executor = launch(&program, Restart::Snapshot, true);
    let mut at_first = None;
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..EXECUTIONS {
        let execution = executor.run(&random(seed)).expect("it runs");
        let exited = matches!(execution.outcome, Outcome::Ended { ending: Ending::Exit { .. }, .. });
        assert!(exited, "execution {seed}: {:?} {}", execution.outcome, execution.message);
        orders.insert(execution.events.iter().map(|event| event.thread.0).collect::<Vec<_>>());
        if seed == SETTLED {
            let target = executor.process_id().expect("a process");
            at_first = Some((target, held_by(&target.to_string()), held_by("self")));
        }
    }
    let (target, theirs, ours) = at_first.expect("there were enough executions");
    assert_eq!(executor.process_id(), Some(target), "one process did it all");
    assert_eq!(held_by(&target.to_string()), theirs, "descriptors and mappings of the program");
    let (descriptors, mappings) = held_by("self");
    assert_eq!(descriptors, ours.0, "our own descriptors");
    assert!(mappings <= ours.1 + 8, "our own mappings: {mappings}, {} at first", ours.1);
    assert_eq!(children_of(target), 0, "processes that the program left behind");

    let statistics = executor.facts().statistics;
    assert!(statistics.checked + 1 >= EXECUTIONS, "only {} restorations were compared", statistics.checked);
    assert_eq!(statistics.differing, 0, "pages differ");
    assert_eq!((statistics.processes, statistics.lost), (1, 0));
    assert!(orders.len() > 5_000, "only {} different orders", orders.len());
}

#[test]
fn ten_thousand_with_gcc() {
    alone("restart::ten_thousand_with_gcc", || ten_thousand("gcc", "-O0"));
}

#[test]
fn ten_thousand_with_clang() {
    alone("restart::ten_thousand_with_clang", || ten_thousand(clang(), "-O2"));
}

/// A plan gives the same events, addresses and all, however the execution starts over.
#[test]
fn restart_modes_agree_event_for_event() {
    for file in ["everything.cpp", "malloc-family.c", "thread-local.c", "nested.c", "heap-mutexes.cpp"] {
        let program = build(file, "gcc", "-O1");
        let [mut snapshot, mut fork, mut exec] =
            [Restart::Snapshot, Restart::Fork, Restart::Exec].map(|restart| launch(&program, restart, false));
        for seed in 0..30 {
            let plan = random(seed);
            let expected = snapshot.run(&plan).expect("it runs");
            let (outcome, events) = (expected.outcome, expected.events.to_vec());
            for other in [&mut fork, &mut exec] {
                let execution = other.run(&plan).expect("it runs");
                assert_eq!(execution.outcome, outcome, "{file}, seed {seed}");
                assert_eq!(execution.events, events, "{file}, seed {seed}");
            }
        }
    }
}

/// All of the program's executions.
#[test]
fn everything_is_safe() {
    let file = program("everything.cpp").display().to_string();
    let run = Session::new().check(["--all", file.as_str(), "--restart", "snapshot"]);
    crate::common::Expectation::of(&program("everything.cpp")).hold(&run);
}
