//! Bounded searches against brute force within the same bound.

use heddle_search::{Algorithm, Options, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{known, oracle};

fn agree(programs: u64, bounds: &[(Option<u32>, Option<u32>)]) {
    let mut looked_at = 0;
    for seed in 0.. {
        let shape = Shape { threads: 3, operations: 3, kinds: generate::ALL };
        let program = generate::program(&mut Random::new(seed), shape);
        for &(max_preemptions, max_switches) in bounds {
            let bounded = |algorithm, max_executions| Options {
                algorithm,
                max_preemptions,
                max_switches,
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
                "seed {seed}, preemptions {max_preemptions:?}, switches {max_switches:?}\n{program}"
            );
        }
        if looked_at >= programs {
            return;
        }
    }
}

#[test]
fn preemptions() {
    agree(1200, &[(Some(0), None), (Some(1), None), (Some(2), None)]);
}

#[test]
fn switches() {
    agree(800, &[(None, Some(4)), (None, Some(6))]);
}

#[test]
fn iterating_ends_with_everything() {
    let options = Options { iterate: true, ..Options::default() };
    let found = oracle::explore_with(&known::fib_bench(2), &options, 1, true);
    assert!(found.summary.complete() && !found.summary.bounded, "{:?}", found.summary);
    assert_eq!(found.traces.len(), 19);
}
