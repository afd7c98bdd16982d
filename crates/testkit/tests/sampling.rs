//! Samples: what they find, how often, and that they are executions that there are.

use std::collections::HashSet;

use heddle_model::primitive::process;
use heddle_model::{Ending, Execution, Outcome};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search};
use heddle_testkit::Instruction::*;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, Value, environment, known, oracle};

const SAMPLERS: [Algorithm; 3] = [Algorithm::Random, Algorithm::Pct, Algorithm::Pos];

/// How many samples show a deadlock or a failed assertion, the most threads and the most events of one.
#[derive(Default)]
struct Bugs {
    found: u64,
    threads: usize,
    longest: usize,
}

impl Observer for Bugs {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        let events = execution.events;
        let failed = events.last().is_some_and(|e| process::ending(&e.operation) == Some(Ending::Assertion));
        self.found += u64::from(failed || execution.outcome == Outcome::Deadlock);
        self.threads = self.threads.max(events.iter().map(|e| e.thread.index() + 1).max().unwrap_or(0));
        self.longest = self.longest.max(events.len());
        Flow::Continue
    }
}

/// A thread that reads what another one has not written yet: one ordering constraint.
fn too_early(others: u8) -> Program {
    let mut threads = vec![vec![Fence, Fence, Store(0, Value::Constant(1))], vec![Load(0, 0), Assert(0, 1)]];
    threads.extend((0..others).map(|_| vec![Fence; 4]));
    Program::fork_join(threads)
}

/// A check and an act, and somebody else's act in between: two constraints.
fn check_then_act(others: u8) -> Program {
    let mut threads = vec![
        vec![Load(0, 0), Load(0, 1), BranchUnless(0, 0, 4), Assert(1, 0)],
        vec![Fence, Store(0, Value::Constant(1)), Fence],
    ];
    threads.extend((0..others).map(|_| vec![Fence; 4]));
    Program::fork_join(threads)
}

/// A value that is there for a moment only, seen and then gone: three constraints.
fn moment(others: u8) -> Program {
    let mut threads = vec![
        vec![Load(0, 0), Load(0, 1), BranchUnless(0, 1, 4), Assert(1, 1)],
        vec![Store(0, Value::Constant(1)), Fence, Store(0, Value::Constant(0))],
    ];
    threads.extend((0..others).map(|_| vec![Fence; 4]));
    Program::fork_join(threads)
}

/// Holds `pct` with `depth` to its guarantee: in 2,000 samples the bug shows at least as often as it promises.
fn guarantee(name: &str, program: &Program, depth: u32) {
    const SAMPLES: u64 = 2000;
    let options = Options { algorithm: Algorithm::Pct, depth, max_executions: Some(SAMPLES), ..Options::default() };
    let mut bugs = Bugs::default();
    Search::new(options).run(&mut Scripted::new(program), &mut bugs).unwrap_or_else(|error| panic!("{error}"));
    let (n, k) = (bugs.threads as f64, bugs.longest as f64);
    let promised = SAMPLES as f64 / (n * k.powi(depth as i32 - 1));
    eprintln!("{name}, depth {depth}: {} of {SAMPLES}, promised {promised:.2} ({n} threads, {k} events)", bugs.found);
    assert!(bugs.found >= 1, "{name}");
    assert!(bugs.found as f64 >= promised, "{name}: {} < {promised}", bugs.found);
}

#[test]
fn pct_keeps_its_promise() {
    for others in [0, 2, 5] {
        guarantee("too early", &too_early(others), 1);
        guarantee("check then act", &check_then_act(others), 2);
        guarantee("moment", &moment(others), 3);
    }
    guarantee("philosophers(2)", &known::philosophers(2, false), 2);
    guarantee("philosophers(3)", &known::philosophers(3, false), 3);
}

#[test]
fn each_constraint_needs_its_change_of_priority() {
    // A bug with one constraint more than the depth is not promised. With depth 1 there is no preemption at all.
    for (depth, program) in [(1, check_then_act(0)), (2, moment(0))] {
        let options = Options { algorithm: Algorithm::Pct, depth, max_executions: Some(2000), ..Options::default() };
        let mut bugs = Bugs::default();
        Search::new(options).run(&mut Scripted::new(&program), &mut bugs).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(bugs.found, 0, "depth {depth}");
    }
}

#[test]
fn samples_reach_every_trace_of_small_programs() {
    for (name, program) in [
        ("counter", known::counter(4)),
        ("readers", known::readers(4)),
        ("philosophers", known::philosophers(3, false)),
        ("fib_bench", known::fib_bench(2)),
        ("bounded_buffer", known::bounded_buffer(1, 1, 1)),
    ] {
        let (traces, _) = oracle::all_traces(&program, usize::MAX).unwrap_or_default();
        for algorithm in [Algorithm::Random, Algorithm::Pos] {
            let options = Options { algorithm, max_executions: Some(2000), ..Options::default() };
            let found = oracle::explore(&program, &options, 1);
            let reached: HashSet<_> = found.traces.into_keys().collect();
            assert_eq!(reached, traces, "{name}, {}", algorithm.name());
        }
    }
}

/// Every sampled execution is one that there is, whatever the program does.
#[test]
fn samples_are_executions() {
    let mut looked_at = 0;
    let first = environment::seed(0);
    for seed in first..first + 250 {
        let shape = Shape { threads: 3, operations: 4, kinds: generate::ALL };
        let program = generate::program(&mut Random::new(seed), shape);
        let Some((traces, states)) = oracle::all_traces(&program, 200) else { continue };
        looked_at += 1;
        for algorithm in SAMPLERS {
            let options = Options { algorithm, max_executions: Some(40), seed, ..Options::default() };
            let found = oracle::explore(&program, &options, 1);
            let ran = found.summary.counts.executions + found.summary.counts.assumed;
            assert_eq!(ran, 40, "{:?}\n{program}", found.summary);
            assert!(found.states.is_subset(&states), "seed {seed}, {}\n{program}", algorithm.name());
            let unknown = found.traces.keys().filter(|trace| !traces.contains(*trace)).count();
            assert_eq!(unknown, 0, "seed {seed}, {}\n{program}", algorithm.name());
        }
    }
    assert!(looked_at > 50, "{looked_at}");
}

/// A sample is the same whenever it is drawn, and however many are under way.
#[test]
fn samples_are_repeatable() {
    struct Keep(Vec<Vec<(u16, u16)>>);
    impl Observer for Keep {
        fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
            self.0.push(execution.events.iter().map(|e| (e.thread.0, e.way)).collect());
            Flow::Continue
        }
    }
    let program = known::bounded_buffer(2, 2, 1);
    for algorithm in SAMPLERS {
        let draw = |seed, depth| {
            let options = Options { algorithm, seed, max_executions: Some(100), ..Options::default() };
            let mut keep = Keep(Vec::new());
            Search::new(options)
                .run(&mut Scripted::with_depth(&program, depth), &mut keep)
                .unwrap_or_else(|error| panic!("{error}"));
            keep.0
        };
        assert_eq!(draw(1, 1), draw(1, 1));
        assert_eq!(draw(1, 1), draw(1, 7));
        assert_ne!(draw(1, 1), draw(2, 1));
        let different: HashSet<_> = draw(1, 1).into_iter().collect();
        assert!(different.len() > 20, "{}: {}", algorithm.name(), different.len());
    }
}
