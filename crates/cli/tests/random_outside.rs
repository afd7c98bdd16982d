//! Random programs that exit, send signals, change state of the process, look at clocks, retry, and use mappings that go: in C through
//! the native engine, against the same programs as scripts.
//!
//! Of most groups the traces must be equal ([`crate::random_programs`]). Where mappings and frames go, plain accesses are operations of a script
//! and become so natively only after a race was seen. There, what can come of a program must be equal.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use crate::common::clang;
use crate::random_programs::agree_on;
use heddle_model::{Attention, Ending, Execution, Outcome, Properties, Property, Settings};
use heddle_native::compile::{Choice, compile};
use heddle_native::{NativeExecutor, TemporaryDirectory};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::Random;
use heddle_testkit::groups::{self, Group};
use heddle_testkit::{Program, oracle, print_c};

fn draw(group: Group, seed: u64) -> Program {
    groups::program(&mut Random::new(seed.wrapping_mul(15_485_863) ^ (group as u64) << 40), group, 3)
}

fn agree(group: Group, count: usize) {
    for compiler in ["gcc", clang()] {
        agree_on(count, group.name(), |seed| draw(group, seed), Some(compiler));
    }
}

#[test]
fn exits() {
    agree(Group::Exits, 30);
}

#[test]
fn signals() {
    agree(Group::Signals, 25);
}

#[test]
fn states() {
    agree(Group::States, 30);
}

#[test]
fn clocks() {
    agree(Group::Clocks, 20);
}

#[test]
fn retries() {
    agree(Group::Retries, 30);
}

#[test]
fn mixed() {
    agree(Group::Mixed, 30);
}

/// What can come of a program: how it ends, or that it comes to a deadlock.
#[derive(Default)]
struct Results {
    endings: BTreeSet<String>,
    others: Vec<String>,
}

impl Observer for Results {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Ended { ending, .. } => {
                self.endings.insert(words(Some(ending)));
            }
            Outcome::Deadlock => {
                self.endings.insert(words(None));
            }
            Outcome::Blocked => {}
            other => self.others.push(format!("{other:?}: {}", execution.message)),
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        self.endings.clear();
    }
}

fn words(ending: Option<Ending>) -> String {
    ending.map_or("deadlock".to_owned(), |ending| format!("{ending:?}"))
}

/// Holds what can come of programs of this group against the scripts.
fn results(group: Group, compiler: &str, count: usize) {
    let (mut programs, mut truths, mut seeds) = (Vec::new(), Vec::new(), Vec::new());
    let mut seed = crate::common::seed(0);
    while programs.len() < count {
        seed += 1;
        let program = print_c::printable(&draw(group, seed));
        let Some((_, states)) = oracle::all_traces(&program, 600) else { continue };
        let endings: BTreeSet<String> = states.iter().map(|state| words(state.ending)).collect();
        // With one result only there is little to miss.
        if endings.len() > 1 {
            programs.push(program);
            truths.push(endings);
            seeds.push(seed);
        }
    }
    let folder = TemporaryDirectory::new().expect("a directory");
    let path = folder.path().join("programs.c");
    std::fs::write(&path, print_c::print_all(&programs)).expect("it can be written");
    let words = [path.to_str().expect("a plain path").to_owned()];
    let choice = Choice::from_environment(Some(compiler.to_owned()));
    let compiled = compile(&words, &choice, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    let mut wrong = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::Dfs] {
            if algorithm != Algorithm::Optimal && index % 4 != 0 {
                continue;
            }
            let properties = Properties::default().with(Property::Race, Attention::Go);
            let settings = Settings { properties, ..Settings::default() };
            let arguments = vec![index.to_string().into()];
            let options = heddle_native::Options { arguments, settings, ..heddle_native::Options::default() };
            let mut executor = NativeExecutor::launch(&compiled.program, options).expect("it starts");
            let mut results = Results::default();
            let options = Options { algorithm, max_executions: Some(3000), ..Options::default() };
            let summary = Search::new(options).run(&mut executor, &mut results).expect("it runs");
            if summary.stop == Stop::Executions && algorithm == Algorithm::Dfs {
                continue;
            }
            let name = algorithm.name();
            if summary.stop != Stop::Exhausted || !results.others.is_empty() || results.endings != truths[index] {
                wrong.push(format!(
                    "seed {}, {compiler}, {name}: {:?} {:?} {:?} instead of {:?}\n{program}",
                    seeds[index], summary.stop, results.others, results.endings, truths[index]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} are wrong, the first:\n{}", wrong.len(), wrong[0]);
}

#[test]
fn mappings_by_gcc() {
    results(Group::Mappings, "gcc", 20);
}

#[test]
fn mappings_by_clang() {
    results(Group::Mappings, clang(), 20);
}

#[test]
fn dying_frames_by_gcc() {
    results(Group::Areas, "gcc", 30);
}

#[test]
fn dying_frames_by_clang() {
    results(Group::Areas, clang(), 30);
}
