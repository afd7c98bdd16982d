//! Random programs with plain accesses: Heddle sees a race exactly where some interleaving has two conflicting accesses that
//! nothing orders, and with those places visible it finds every result that any interleaving has.
//!
//! The truth is brute force over the script of each program, in which every plain access is an operation. Compiled without
//! optimisation: otherwise compilers leave accesses out, and races with them.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;

use crate::common::clang;
use heddle_model::{Attention, Properties, Property, Settings};
use heddle_model::{Ending, Execution, Outcome};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, TemporaryDirectory};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::print_c::{self, OBJECTS_ALIGNMENT};
use heddle_testkit::{Instruction, Program, happens, oracle};

/// Prefixes of traces that a program may have to be looked at.
const LIMIT: usize = 1500;

/// What can come of a program: exit statuses, and whether it can come to a deadlock.
#[derive(Default, PartialEq, Eq, Debug)]
struct Results {
    statuses: BTreeSet<u32>,
    deadlock: bool,
}

#[derive(Default)]
struct Recorder {
    results: Results,
    traces: HashSet<Vec<Label>>,
    others: Vec<String>,
}

impl Observer for Recorder {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Ended { ending: Ending::Exit { status }, .. } => {
                self.results.statuses.insert(status as u32);
            }
            Outcome::Deadlock => self.results.deadlock = true,
            Outcome::Blocked => return Flow::Continue,
            other => self.others.push(format!("{other:?}: {}", execution.message)),
        }
        self.traces.insert(canonical(execution.events));
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        *self = Recorder { others: std::mem::take(&mut self.others), ..Recorder::default() };
    }
}

struct Batch {
    programs: Vec<Program>,
    truths: Vec<(BTreeSet<u64>, Results)>,
    seeds: Vec<u64>,
    compiled: Compiled,
}

/// Whether there are other races in `program` if all its orders are the strongest, or the weakest.
fn depends_on_orders(program: &Program, places: &BTreeSet<u64>) -> bool {
    [0, 5].into_iter().any(|order| {
        let mut other = program.clone();
        for instruction in other.threads.iter_mut().flatten() {
            if let Instruction::Order(it) = instruction {
                *it = order;
            }
        }
        happens::racy_places(&other, LIMIT).is_some_and(|(others, _)| others != *places)
    })
}

/// `count` random programs of these kinds, small enough to be looked at, about half of them with races.
fn batch(count: usize, kinds: u32, operations: u64, compiler: &str) -> Batch {
    let (mut programs, mut truths, mut seeds) = (Vec::new(), Vec::new(), Vec::new());
    let mut racy = 0;
    let mut seed = crate::common::seed(0);
    while programs.len() < count {
        seed += 1;
        let mut random = Random::new(seed.wrapping_mul(15_485_863) ^ (kinds as u64) << 32);
        let program = match kinds {
            generate::ORDERS => generate::publication(&mut random),
            _ => generate::program(&mut random, Shape { threads: 3, operations, kinds }),
        };
        let program = print_c::printable(&program);
        // The main thread waits for all others before it says what became of them.
        let skips = |i: &Instruction| matches!(i, Instruction::BranchIf(..) | Instruction::BranchUnless(..));
        if !print_c::uses_plain(&program) || program.threads[0].iter().any(skips) {
            continue;
        }
        // With memory orders what comes before what is another question than what can come next to what.
        let orders = kinds & generate::ORDERS != 0;
        let truth = if orders { happens::racy_places(&program, LIMIT) } else { oracle::racy_places(&program, LIMIT) };
        let Some((places, states)) = truth else { continue };
        if kinds == generate::ORDERS && !depends_on_orders(&program, &places) {
            continue;
        }
        // What a program says in the end is compared; one that misuses its locks ends before it says anything.
        if states.iter().any(|state| matches!(state.ending, Some(Ending::Misuse { .. }))) {
            continue;
        }
        if places.is_empty() && programs.len() - racy > count / 2 || !places.is_empty() && racy > count / 2 {
            continue;
        }
        racy += usize::from(!places.is_empty());
        let mut results = Results::default();
        for state in &states {
            if state.outcome == Outcome::Deadlock.name() {
                results.deadlock = true;
            } else {
                results.statuses.insert(print_c::status(state));
            }
        }
        programs.push(program);
        truths.push((places, results));
        seeds.push(seed);
    }
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, print_c::print_all(&programs)).expect("it can be written");
    let words = [path.to_str().expect("a plain path").to_owned()];
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    let compiled = compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    Batch { programs, truths, seeds, compiled }
}

fn agree(count: usize, kinds: u32, operations: u64, compiler: &str) {
    let batch = batch(count, kinds, operations, compiler);
    let (mut racy, mut counted) = (0, 0);
    for index in 0..count {
        let (places, results) = &batch.truths[index];
        let at = format!("seed {}, {compiler}\n{}", batch.seeds[index], batch.programs[index]);
        let run = |algorithm| {
            let arguments = vec![index.to_string().into()];
            let properties = Properties::default().with(Property::Race, Attention::Go);
            let settings = Settings { properties, ..Settings::default() };
            let options = heddle_native::Options { arguments, settings, ..heddle_native::Options::default() };
            let mut executor = NativeExecutor::launch(&batch.compiled.program, options).expect("it starts");
            let mut recorder = Recorder::default();
            let options = Options { algorithm, max_executions: Some(4000), ..Options::default() };
            let summary = Search::new(options).run(&mut executor, &mut recorder).expect("it runs");
            let found: BTreeSet<u64> = executor.places().iter().map(|place| place % OBJECTS_ALIGNMENT).collect();
            (summary, recorder, found)
        };
        let (summary, recorder, found) = run(Algorithm::Optimal);
        assert_eq!(recorder.others, Vec::<String>::new(), "{at}");
        assert_eq!(summary.stop, Stop::Exhausted, "{at}");
        assert_eq!(&found, places, "places with races: {at}");
        assert_eq!(&recorder.results, results, "results: {at}");
        assert_eq!(summary.counts.executions, recorder.traces.len() as u64, "each trace once: {at}");
        racy += usize::from(!places.is_empty());
        if index % 5 == 0 {
            for algorithm in [Algorithm::Source, Algorithm::Dpor, Algorithm::Dfs] {
                let (summary, other, found) = run(algorithm);
                if summary.stop == Stop::Exhausted {
                    counted += 1;
                    assert_eq!(&found, places, "places with races, {}: {at}", algorithm.name());
                    assert_eq!(other.traces, recorder.traces, "{}: {at}", algorithm.name());
                }
            }
        }
    }
    eprintln!("{compiler}, kinds {kinds}: {racy} of {count} with races, {counted} comparisons with other algorithms");
    assert!(racy > count / 4 && racy < count && counted > count / 4, "{racy} of {count}, {counted}");
}

#[test]
fn locks() {
    agree(70, generate::PLAIN | generate::LOCKS, 5, "gcc");
}

#[test]
fn atomics() {
    agree(70, generate::PLAIN | generate::ATOMICS, 4, clang());
}

/// Memory orders, release sequences and fences, by another oracle.
#[test]
fn orders() {
    let kinds = generate::PLAIN | generate::ATOMICS | generate::COMPARE | generate::ORDERS | generate::LOCKS;
    agree(80, kinds, 5, clang());
}

/// Programs whose races depend on their orders.
#[test]
fn publications() {
    agree(120, generate::ORDERS, 0, "gcc");
}

#[test]
fn publications_by_clang() {
    agree(100, generate::ORDERS, 0, clang());
}

#[test]
fn semaphores_and_trylocks() {
    agree(60, generate::PLAIN | generate::SEMAPHORES | generate::TRYLOCKS, 4, "gcc");
}

#[test]
fn reader_writer_locks() {
    agree(50, generate::PLAIN | generate::RWLOCKS, 4, clang());
}

#[test]
fn barriers_and_once() {
    agree(50, generate::PLAIN | generate::BARRIERS | generate::ONCE, 4, clang());
}
