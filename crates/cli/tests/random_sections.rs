//! Random programs with critical sections, natively: `stateful` with sections as steps, with sections of single operations, and with what the
//! race detector knows in each state, against brute force over the script of each program, in which every plain access is an operation.
//!
//! What is compared: the places that have a data race in some order, and how the program can end.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use crate::common::{clang, seed};
use heddle_model::{Attention, Ending, Execution, Outcome, Properties, Property, RestartMode, Settings};
use heddle_model::{vain, wire::Restart};
use heddle_native::compile::{Choice, Compiled, compile};
use heddle_native::{NativeExecutor, TemporaryDirectory};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::print_c::{self, OBJECTS_ALIGNMENT};
use heddle_testkit::{Instruction, Program, oracle, sections};

/// Prefixes of traces that a program may have to be looked at.
const LIMIT: usize = 1500;

/// What can come of a program, in words.
#[derive(Default)]
struct Ends {
    ends: BTreeSet<String>,
    others: BTreeSet<String>,
}

fn in_words(ending: Ending, status: Option<u32>) -> String {
    match (ending, status) {
        (Ending::Exit { .. }, Some(status)) => format!("exit status {status}"),
        (Ending::Exit { status }, None) => format!("exit status {}", status as u32),
        (other, _) => format!("{other:?}"),
    }
}

impl Observer for Ends {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Visited => {}
            Outcome::Deadlock => drop(self.ends.insert("deadlock".to_owned())),
            Outcome::Ended { ending, .. } => drop(self.ends.insert(in_words(ending, None))),
            other => drop(self.others.insert(format!("{other:?} {}", execution.message))),
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        self.ends.clear();
    }
}

/// Something that ends the process before all threads have ended: then its status is not that of all registers.
fn ends_early(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Assert(..))
}

struct Batch {
    programs: Vec<Program>,
    truths: Vec<(BTreeSet<u64>, BTreeSet<String>)>,
    compiled: Compiled,
}

/// `count` programs that `make` draws, with what brute force says of them.
fn batch(count: usize, flag: &str, compiler: &str, make: impl Fn(&mut Random) -> Program) -> Batch {
    let (mut programs, mut truths) = (Vec::new(), Vec::new());
    for number in seed(0).. {
        let program = print_c::printable(&make(&mut Random::new(number.wrapping_mul(32_452_843))));
        let skips = |i: &Instruction| matches!(i, Instruction::BranchIf(..) | Instruction::BranchUnless(..));
        if !print_c::uses_plain(&program) || program.threads[0].iter().any(|i| skips(i) || ends_early(i)) {
            continue;
        }
        let Some((places, states)) = oracle::racy_places(&program, LIMIT) else { continue };
        if states.iter().any(|state| matches!(state.ending, Some(Ending::Misuse { .. }))) {
            continue;
        }
        let end = |state: &heddle_testkit::FinalState| match state.ending {
            _ if state.outcome == Outcome::Deadlock.name() => "deadlock".to_owned(),
            Some(ending) => in_words(ending, Some(print_c::status(state))),
            None => in_words(Ending::Exit { status: 0 }, Some(print_c::status(state))),
        };
        truths.push((places, states.iter().map(end).collect()));
        programs.push(program);
        if programs.len() == count {
            break;
        }
    }
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, print_c::print_all(&programs)).expect("it can be written");
    let words = [path.to_str().expect("a plain path"), flag, "-w"].map(str::to_owned);
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    let compiled = compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    Batch { programs, truths, compiled }
}

fn search(batch: &Batch, index: usize, (sections, plain): (bool, bool)) -> (Summary, Ends, BTreeSet<u64>) {
    let properties = Properties::default().with(Property::Race, Attention::Go);
    let restart = RestartMode::Only(Restart::Snapshot);
    let settings = Settings { properties, restart, ..Settings::default() };
    let arguments = vec![index.to_string().into()];
    let options = heddle_native::Options { arguments, settings, ..heddle_native::Options::default() };
    let mut executor = NativeExecutor::launch(&batch.compiled.program, options).expect("it starts");
    let mut ends = Ends::default();
    let options = Options { algorithm: Algorithm::Stateful, sections, plain, ..Options::default() };
    let summary = Search::new(options).run(&mut executor, &mut ends).expect("it runs");
    let places = executor.places().iter().filter(|place| !vain::is_about_looks(**place));
    let places = places.map(|place| place % OBJECTS_ALIGNMENT).collect();
    (summary, ends, places)
}

fn agree(count: usize, flag: &str, compiler: &str, make: impl Fn(&mut Random) -> Program) {
    let batch = batch(count, flag, compiler, make);
    let (mut racy, mut steps) = (0, 0);
    let mut states = [0; 3];
    for (index, (places, results)) in batch.truths.iter().enumerate() {
        racy += usize::from(!places.is_empty());
        for (at, (sections, plain)) in [(true, true), (false, true), (false, false)].into_iter().enumerate() {
            let (summary, ends, found) = search(&batch, index, (sections, plain));
            let context = format!("sections {sections}, told {plain}, {compiler} {flag}\n{}", batch.programs[index]);
            assert_eq!(ends.others, BTreeSet::new(), "{context}");
            assert_eq!(summary.stop, Stop::Exhausted, "{context}");
            assert_eq!(&found, places, "places with races: {context}");
            assert_eq!(&ends.ends, results, "{context}");
            let counts = summary.states.unwrap_or_default();
            states[at] += counts.states;
            steps += usize::from(counts.discipline.steps > 0);
        }
    }
    eprintln!("{compiler} {flag}: {racy} of {count} with races, sections in {steps}, states {states:?}");
    assert!(states[0] <= states[1] && states[1] <= states[2], "{states:?}");
}

#[test]
fn mutexes_that_only_exclude() {
    agree(20, "-O0", "gcc", |random| sections::program(random, false, false));
    agree(15, "-O2", clang(), |random| sections::program(random, false, false));
}

#[test]
fn mutexes_that_do_more() {
    agree(20, "-O1", clang(), |random| sections::program(random, true, false));
    agree(20, "-O0", "gcc", |random| sections::program(random, true, false));
}

/// Programs of other kinds, about half of them with data races, at places that locks protect sometimes.
#[test]
fn mixtures() {
    use generate::{ATOMICS, CONDITIONS, LOCKS, PLAIN, RWLOCKS, SEMAPHORES, TRYLOCKS};
    for kinds in
        [PLAIN | LOCKS, PLAIN | LOCKS | CONDITIONS, PLAIN | LOCKS | TRYLOCKS | ATOMICS, PLAIN | RWLOCKS | SEMAPHORES]
    {
        agree(12, "-O0", "gcc", |random| generate::program(random, Shape { threads: 3, operations: 4, kinds }));
    }
}
