//! States of random programs in C, against those of the same programs as scripts.
//!
//! A script's state is a structure that is compared; all of them are known by brute force (`heddle_testkit::all_states`). Registers of the C
//! program are volatile, so a native state has everything that a script's has: there are as many of both, but for what compilers leave
//! behind in loops.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;

use crate::common::seed;
use heddle_model::round::{Claim, Round};
use heddle_model::wire::Restart;
use heddle_model::{
    Attention, Execution, Executor, Latitude, Outcome, Plan, Property, RestartMode, Settings, States, ThreadId,
};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, TemporaryDirectory};
use heddle_search::liveness::{Fairness, StateGraph};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::all_states::{Whole, all_states};
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::print_c;
use heddle_testkit::{Program, Scripted};

/// States that a program may have to be looked at.
const LIMIT: usize = 250;

/// How executions ended, in words. Those that ended at known states are left out.
#[derive(Default)]
struct Ends {
    ends: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Observer for Ends {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Visited => {}
            Outcome::Deadlock | Outcome::Assumed => drop(self.ends.insert("stuck".to_owned())),
            Outcome::Ended { ending, .. } => drop(self.ends.insert(format!("{ending:?}"))),
            other => drop(self.others.insert(format!("{other:?} {}", execution.message))),
        }
        Flow::Continue
    }
}

fn build(programs: &[Program], flag: &str) -> Compiled {
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, print_c::print_all(programs)).expect("it can be written");
    let words = [path.to_str().expect("a plain path"), flag, "-DKEPT=volatile", "-w"].map(str::to_owned);
    compile(&words, &Choice::from_environment(None), &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"))
}

fn search(
    compiled: &Compiled,
    index: usize,
    program: &Program,
    algorithm: Algorithm,
    races: bool,
) -> (Summary, Ends, Option<StateGraph>) {
    let Program { timeouts, spurious: spurious_wakeups, failures: spurious_failures, wakeup, .. } = *program;
    let latitude = Latitude { timeouts, spurious_wakeups, spurious_failures, wakeup };
    let mut settings =
        Settings { restart: RestartMode::Only(Restart::Snapshot), latitude, quarantine: 0, ..Settings::default() };
    if !races {
        settings.properties.set(Property::Race, Attention::Off);
    }
    let options = heddle_native::Options {
        arguments: vec![index.to_string().into()],
        settings,
        ..heddle_native::Options::default()
    };
    let mut executor =
        NativeExecutor::launch(&compiled.program, options).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let mut ends = Ends::default();
    let mut search = Search::new(Options { algorithm, liveness: true, ..Options::default() });
    let summary = search.run(&mut executor, &mut ends).unwrap_or_else(|error| panic!("{error}\n{program}"));
    let graph = search.graph().cloned();
    if let Some(graph) = graph.as_ref().filter(|_| algorithm == Algorithm::States) {
        cycles_close(graph, &mut executor, program);
    }
    (summary, ends, graph)
}

const FAIRNESS: [Fairness; 3] = [Fairness::Strong, Fairness::Weak, Fairness::None];

/// What can go on for ever, in words.
fn cycles_of(graph: &StateGraph) -> Vec<String> {
    let mut found = Vec::new();
    for fairness in FAIRNESS {
        let mut say = |what: &str, there: bool| found.extend(there.then(|| format!("{what}, {fairness:?}")));
        say("endless", graph.endless(fairness).is_some());
        say("livelock", graph.livelock(fairness).is_some());
        for thread in (0..4).map(ThreadId) {
            say(&format!("{thread} starves"), graph.starvation(thread, fairness).is_some());
        }
    }
    found.extend((0..4).map(ThreadId).filter(|&t| graph.stuck_for_ever(t).is_some()).map(|t| format!("{t} is stuck")));
    found.extend(graph.vain().map(|_| "in vain".to_owned()));
    found
}

/// Runs a cycle of the graph natively: the state after it is the state before it, byte by byte. One step less is another state, or a
/// shorter cycle.
fn cycles_close(graph: &StateGraph, executor: &mut NativeExecutor, program: &Program) {
    for fairness in FAIRNESS {
        let Some(lasso) = graph.endless(fairness) else { continue };
        let (first, length) = (lasso.stem.len() as u32, lasso.cycle.len() as u32);
        let run = |executor: &mut NativeExecutor, length: u32| {
            let round = Some(Round { first, length, claim: Claim::Endless });
            let schedule = graph.schedule(&lasso, 1);
            let plan = Plan { schedule, record: true, round, states: States::Record, ..Plan::default() };
            executor.run(&plan).unwrap_or_else(|error| panic!("{error}\n{program}")).outcome
        };
        let closed = Outcome::Cycle { length, claim: Claim::Endless };
        assert_eq!(run(executor, length), closed, "{fairness:?}\n{program}");
        let mut at = 0;
        let mut numbers = lasso.stem.iter().chain(&lasso.cycle).map(|edge| {
            at = edge.to.unwrap_or(u32::MAX);
            at
        });
        let numbers: Vec<u32> = std::iter::once(0).chain(numbers.by_ref()).collect();
        let shorter = length - 1;
        if shorter > 0 && numbers[first as usize] != numbers[(first + shorter) as usize] {
            assert_eq!(run(executor, shorter), Outcome::Blocked, "{fairness:?}\n{program}");
        }
    }
}

/// How a script can end, in the same words.
fn ends_of(whole: &Whole) -> BTreeSet<String> {
    let stuck = (!whole.seen.stuck.is_empty()).then(|| "stuck".to_owned());
    whole.seen.endings.iter().map(|(ending, ..)| format!("{ending:?}")).chain(stuck).collect()
}

/// All states of a script.
fn graph_of(program: &Program) -> StateGraph {
    let mut search = Search::new(Options { algorithm: Algorithm::States, liveness: true, ..Options::default() });
    search.run(&mut Scripted::new(program), &mut Ends::default()).unwrap_or_else(|error| panic!("{error}\n{program}"));
    search.graph().cloned().unwrap_or_else(|| panic!("no graph\n{program}"))
}

/// Compares `count` random programs of these kinds.
fn agree(count: usize, kinds: u32, operations: u64, flag: &str) {
    let mut programs = Vec::new();
    let mut wholes = Vec::new();
    for number in seed(1).. {
        let mut random = Random::new(number.wrapping_mul(6007) ^ u64::from(kinds) << 32);
        let program = generate::program(&mut random, Shape { threads: 3, operations, kinds });
        let program = print_c::printable_with_loops(&program);
        if let Some(whole) = all_states(&program, LIMIT).filter(|whole| whole.nodes.len() > 20) {
            programs.push(program);
            wholes.push(whole);
        }
        if programs.len() == count {
            break;
        }
    }
    let compiled = build(&programs, flag);
    let (mut natively, mut scripted, mut reduced, mut with_races) = (0, 0, 0, 0);
    let mut cycles = 0;
    for (index, (program, whole)) in programs.iter().zip(&wholes).enumerate() {
        let expected = ends_of(whole);
        for (algorithm, races) in
            [(Algorithm::States, false), (Algorithm::Stateful, false), (Algorithm::Stateful, true)]
        {
            let (summary, ends, graph) = search(&compiled, index, program, algorithm, races);
            let context = format!("{algorithm:?}, races {races}, kinds {kinds:x}\n{program}");
            assert_eq!(ends.others, BTreeSet::new(), "{context}");
            assert_eq!(summary.stop, Stop::Exhausted, "{context}");
            assert_eq!(ends.ends, expected, "{context}");
            let states = summary.states.unwrap_or_default().states as usize;
            match (algorithm, races) {
                (Algorithm::States, _) => {
                    let graph = graph.unwrap_or_else(|| panic!("{context}"));
                    let expected = cycles_of(&graph_of(program));
                    cycles += expected.len();
                    assert_eq!(cycles_of(&graph), expected, "{context}");
                    let all: HashSet<_> = whole.nodes.iter().map(|node| node.state.without_returned(program)).collect();
                    // No two states are taken for one.
                    assert!(states >= all.len(), "{states} of {} states: {context}", all.len());
                    natively += states;
                    scripted += all.len();
                }
                (_, false) => reduced += states,
                (_, true) => with_races += states,
            }
        }
    }
    eprintln!("{count} programs of kinds {kinds:x}: {natively} states natively, {scripted} in scripts");
    eprintln!("{cycles} answers about cycles");
    eprintln!("reduced to {reduced}, and to {with_races} with what the race detector knows");
    assert!(reduced <= natively);
    // A loop leaves values behind that nobody reads any more. Otherwise no state is taken for two.
    let most = if kinds & LOOPS == 0 { scripted } else { scripted * 3 / 2 };
    assert!(natively <= most, "{natively} states natively, {scripted} in scripts");
}

#[test]
fn locks_and_atomics() {
    agree(25, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 4, "-O1");
    agree(25, generate::LOCKS | generate::ATOMICS | LOOPS, 4, "-O1");
}

#[test]
fn compare_exchange() {
    agree(25, generate::COMPARE | generate::ATOMICS | LOOPS, 4, "-O2");
}

#[test]
fn conditions_and_semaphores() {
    agree(20, generate::CONDITIONS | generate::LOCKS, 4, "-O1");
    agree(20, generate::CONDITIONS | generate::LOCKS | LOOPS, 3, "-O1");
    agree(20, generate::SEMAPHORES | generate::ATOMICS | LOOPS, 3, "-O1");
}

#[test]
fn other_primitives() {
    agree(15, generate::RWLOCKS | generate::ATOMICS | LOOPS, 4, "-O1");
    agree(15, generate::SPIN_LOCKS | generate::ATOMICS | LOOPS, 4, "-O1");
    agree(15, generate::BARRIERS | generate::ATOMICS, 3, "-O1");
    agree(15, generate::ENDS | generate::ATOMICS | LOOPS, 3, "-O1");
}
