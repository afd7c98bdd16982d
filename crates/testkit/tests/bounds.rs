//! Bounded searches against brute force within the same bound.

use heddle_model::{Execution, Outcome};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Scripted, environment, known, oracle};

/// The most preemptions, switches and delays.
type Limits = (Option<u32>, Option<u32>, Option<u32>);

fn agree(programs: u64, bounds: &[Limits]) {
    let mut looked_at = 0;
    // Other programs, on request: `HEDDLE_SEED=1000000 cargo test -p heddle-testkit bounds::`.
    let first = environment::seed(0);
    for seed in first.. {
        let mut random = Random::new(seed);
        // Everything, or a few kinds of operations: those find each other more often.
        let few = generate::LOCKS | 1 << random.below(15) | 1 << random.below(15);
        let kinds = if seed % 3 == 0 { generate::ALL } else { few };
        let shape = Shape { threads: 3, operations: 2 + seed % 3, kinds };
        let program = generate::program(&mut random, shape);
        for &(max_preemptions, max_switches, max_delays) in bounds {
            let bounded = |algorithm, max_executions| Options {
                algorithm,
                max_preemptions,
                max_switches,
                max_delays,
                max_executions,
                ..Options::default()
            };
            let brute = oracle::explore_with(&program, &bounded(Algorithm::Dfs, Some(2000)), 1, false);
            if brute.summary.stop != Stop::Exhausted {
                continue;
            }
            looked_at += 1;
            let found = oracle::explore_with(&program, &bounded(Algorithm::Optimal, None), 1, false);
            assert_eq!(found.summary.stop, Stop::Exhausted);
            let missing = brute.states.difference(&found.states).count();
            assert_eq!(
                missing, 0,
                "seed {seed}, preemptions {max_preemptions:?}, switches {max_switches:?}, delays {max_delays:?}\n{program}"
            );
        }
        if looked_at >= programs {
            return;
        }
    }
}

#[test]
fn preemptions() {
    agree(1200, &[(Some(0), None, None), (Some(1), None, None), (Some(2), None, None)]);
}

#[test]
fn switches() {
    agree(800, &[(None, Some(4), None), (None, Some(6), None)]);
}

/// An execution ends where it would need one switch too many. Without a switch only the main thread runs.
#[test]
fn few_switches_mean_few_switches() {
    agree(800, &[(None, Some(0), None), (None, Some(1), None), (None, Some(2), None), (None, Some(3), None)]);
    let mut bounded = 0;
    for seed in 0..300 {
        let shape = Shape { threads: 3, operations: 3, kinds: generate::ALL };
        let program = generate::program(&mut Random::new(seed), shape);
        for (most, algorithm) in (0..3).flat_map(|most| [(most, Algorithm::Optimal), (most, Algorithm::Dfs)]) {
            let mut watch = Switches { most, bounded: 0, ended: 0 };
            let options =
                Options { algorithm, max_switches: Some(most), max_executions: Some(300), ..Options::default() };
            let summary = Search::new(options).run(&mut Scripted::new(&program), &mut watch);
            let summary = summary.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((summary.counts.bounded, summary.counts.executions), (watch.bounded, watch.ended), "{program}");
            assert!(summary.bounded || summary.counts.bounded == 0, "{program}");
            bounded += watch.bounded;
        }
    }
    assert!(bounded > 500, "{bounded}");
}

/// Holds that no execution has more switches than this.
struct Switches {
    most: u32,
    bounded: u64,
    ended: u64,
}

impl Observer for Switches {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        let switches = execution.events.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
        assert!(switches as u32 <= self.most, "{switches} switches");
        match execution.outcome {
            Outcome::SwitchLimit { .. } => self.bounded += 1,
            Outcome::Ended { .. } | Outcome::Deadlock => self.ended += 1,
            _ => {}
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        (self.bounded, self.ended) = (0, 0);
    }
}

#[test]
fn delays() {
    agree(1200, &[(None, None, Some(0)), (None, None, Some(1)), (None, None, Some(2)), (None, None, Some(3))]);
}

#[test]
fn several_bounds_at_once() {
    agree(400, &[(Some(1), None, Some(3)), (Some(2), Some(6), None)]);
}

#[test]
fn iterating_ends_with_everything() {
    let options = Options { iterate: true, ..Options::default() };
    let found = oracle::explore_with(&known::fib_bench(2), &options, 1, true);
    assert!(found.summary.complete() && !found.summary.bounded, "{:?}", found.summary);
    assert_eq!(found.traces.len(), 19);
}

/// More preemptions change nothing where another bound leaves out what they would allow.
#[test]
fn iterating_ends_where_another_bound_does() {
    for bounded in
        [Options { max_delays: Some(1), ..Options::default() }, Options { max_switches: Some(4), ..Options::default() }]
    {
        let options = Options { iterate: true, ..bounded };
        let found = oracle::explore_with(&known::fib_bench(2), &options, 1, false);
        assert!(found.summary.complete() && found.summary.bounded, "{:?}", found.summary);
    }
}
