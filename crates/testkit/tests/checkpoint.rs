//! Searches that are cut off again and again and go on from what was written down: the same traces, each once, and the same counts as
//! in one go. Both when everything up to the cut was written down and when what came after the last checkpoint is lost.

use std::collections::HashMap;
use std::time::Duration;

use heddle_model::{Execution, Outcome};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{CheckpointError, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, environment, known, oracle};

/// How often each trace came, and how it ended.
type Traces = HashMap<(Vec<Label>, Outcome), u64>;

/// Collects traces, ends the search when told to, and keeps what a file would.
#[derive(Default)]
struct Collector {
    traces: Traces,
    left: Option<u64>,
    /// The last checkpoint: the search, and what was collected by then.
    kept: Option<(Vec<u8>, Traces)>,
    /// Keep only every so many checkpoints: the others are lost with whoever was killed.
    every: u64,
    offered: u64,
}

impl Observer for Collector {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        *self.traces.entry((canonical(execution.events), execution.outcome)).or_default() += 1;
        match &mut self.left {
            Some(0) => Flow::Stop,
            Some(left) => {
                *left -= 1;
                Flow::Continue
            }
            None => Flow::Continue,
        }
    }

    fn restart(&mut self, _: &[u64]) {
        self.traces.clear();
    }

    fn checkpoint(&mut self, search: &[u8]) {
        self.offered += 1;
        if self.offered.is_multiple_of(self.every) {
            self.kept = Some((search.to_vec(), self.traces.clone()));
        }
    }
}

fn numbers(summary: &Summary) -> [u64; 6] {
    [
        summary.counts.executions,
        summary.counts.blocked,
        summary.counts.assumed,
        summary.counts.events,
        summary.counts.threads as u64,
        summary.counts.cut,
    ]
}

/// Runs a search in pieces of a few executions each.
fn in_pieces(
    program: &Program,
    options: &Options,
    depth: usize,
    every: u64,
    random: &mut Random,
) -> (Summary, Collector) {
    let mut kept: Option<(Vec<u8>, Traces)> = None;
    for _ in 0..10_000 {
        let mut collector = Collector { left: Some(1 + random.below(7)), every, ..Collector::default() };
        let mut search = match &kept {
            None => Search::new(options.clone()),
            Some((bytes, traces)) => {
                collector.traces = traces.clone();
                Search::resume(options.clone(), bytes).expect("it was written just now")
            }
        };
        let summary =
            search.run(&mut Scripted::with_depth(program, depth), &mut collector).expect("scripts can be run");
        if summary.stop != Stop::Observer {
            return (summary, collector);
        }
        kept = collector.kept.take().or(kept);
    }
    panic!("it does not come to an end\n{program}")
}

fn agree(count: u64, kinds: u32) {
    let mut looked_at = 0;
    let mut seed = environment::seed(0);
    while looked_at < count {
        seed += 1;
        let mut random = Random::new(seed.wrapping_mul(6007) ^ (kinds as u64) << 32);
        let program = generate::program(&mut random, Shape { threads: 3, operations: 4, kinds });
        if oracle::all_traces(&program, 400).is_none_or(|(traces, _)| traces.len() < 10) {
            continue;
        }
        looked_at += 1;
        let mut whole = Collector { every: 1, ..Collector::default() };
        let expected =
            Search::new(Options::default()).run(&mut Scripted::new(&program), &mut whole).expect("it can be run");
        assert!(whole.traces.values().all(|&times| times == 1));
        for (memory, depth, every) in [(64 << 20, 1, 1), (0, 1, 1), (64 << 20, 8, 1), (64 << 20, 4, 3)] {
            let options = Options { checkpoint: Some(Duration::ZERO), memory, ..Options::default() };
            let (summary, collector) = in_pieces(&program, &options, depth, every, &mut random);
            let how = format!("seed {seed}, memory {memory}, depth {depth}, every {every}\n{program}");
            assert_eq!(summary.stop, Stop::Exhausted, "{how}");
            assert_eq!(numbers(&summary), numbers(&expected), "{how}");
            assert_eq!(collector.traces, whole.traces, "{how}");
        }
    }
}

#[test]
fn locks_and_atomics() {
    agree(60, generate::LOCKS | generate::ATOMICS);
}

#[test]
fn conditions_and_semaphores() {
    agree(40, generate::LOCKS | generate::CONDITIONS | generate::SEMAPHORES);
}

#[test]
fn attempts() {
    agree(40, generate::LOCKS | generate::TRYLOCKS | generate::COMPARE | generate::ATOMICS);
}

/// Whatever the bytes are, they are refused or they are a search: nothing goes wrong in reading them.
#[test]
fn damaged_bytes() {
    let mut random = Random::new(7);
    let program = known::last_zero(4);
    let options = Options { checkpoint: Some(Duration::ZERO), ..Options::default() };
    let mut collector = Collector { left: Some(10), every: 1, ..Collector::default() };
    Search::new(options.clone()).run(&mut Scripted::new(&program), &mut collector).expect("it can be run");
    let (bytes, _) = collector.kept.expect("it was written down");
    assert!(Search::resume(options.clone(), &bytes).is_ok());
    for length in 0..bytes.len() {
        assert!(Search::resume(options.clone(), &bytes[..length]).is_err(), "cut off at {length}");
    }
    let mut other = bytes.clone();
    other[0] += 1;
    assert_eq!(Search::resume(options.clone(), &other).err(), Some(CheckpointError::Version));
    for _ in 0..500 {
        let mut wrong = bytes.clone();
        wrong[random.below(bytes.len() as u64) as usize] = random.number() as u8;
        let _ = Search::resume(options.clone(), &wrong);
    }
}
