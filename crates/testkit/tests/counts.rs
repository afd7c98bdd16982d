//! The number of traces of programs where it is known, with every algorithm that promises it.

use heddle_search::{Algorithm, Options};
use heddle_testkit::oracle::explore_with;
use heddle_testkit::{Program, known};

fn optimal(program: &Program) -> u64 {
    let findings = explore_with(program, &Options::default(), 1, false);
    assert!(findings.summary.complete(), "{:?}", findings.summary);
    assert_eq!(findings.summary.counts.blocked, 0);
    findings.summary.counts.executions
}

#[test]
fn counter() {
    for (n, count) in [(1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (6, 720), (7, 5040)] {
        assert_eq!(optimal(&known::counter(n)), count, "{n}");
    }
}

#[test]
fn philosophers() {
    for n in 3..=8 {
        assert_eq!(optimal(&known::philosophers(n, true)), (1 << n) - 2, "{n}");
        assert_eq!(optimal(&known::philosophers(n, false)), (1 << n) - 1, "{n} with a deadlock");
    }
}

#[test]
fn readers() {
    for n in [1, 5, 8, 10] {
        assert_eq!(optimal(&known::readers(n)), 1 << n, "{n}");
    }
}

#[test]
fn last_zero() {
    for (n, count) in [(5, 64), (6, 144), (7, 320), (8, 704), (9, 1536), (10, 3328)] {
        assert_eq!(optimal(&known::last_zero(n)), count, "{n}");
    }
}

#[test]
fn fib_bench() {
    for (n, count) in [(1, 3), (2, 19), (3, 141), (4, 1107)] {
        assert_eq!(optimal(&known::fib_bench(n)), count, "{n}");
    }
    assert_eq!(optimal(&known::fib_bench_watched(4)), 19605);
}

#[test]
fn indexer() {
    for (n, count) in [(11, 1), (12, 8), (13, 64), (14, 512)] {
        assert_eq!(optimal(&known::indexer(n)), count, "{n}");
    }
}

#[test]
fn filesystem() {
    for (n, count) in [(14, 2), (16, 8), (18, 32), (20, 128)] {
        assert_eq!(optimal(&known::filesystem(n)), count, "{n}");
    }
}

#[test]
fn bounded_buffer() {
    for ((producers, consumers, capacity), count) in [((1, 1, 1), 2), ((2, 2, 1), 64), ((2, 2, 2), 60)] {
        assert_eq!(optimal(&known::bounded_buffer(producers, consumers, capacity)), count);
    }
}

/// Whether a compare-exchange fails, and so only reads, decides what sleeps: an algorithm that takes a failing one for a write
/// wakes sleepers too early and runs traces again.
#[test]
fn compare_exchange_loop() {
    for (n, reload, count) in [(2, false, 4), (2, true, 4), (3, false, 48), (3, true, 60)] {
        let program = known::compare_exchange_loop(n, reload);
        let (traces, _) = heddle_testkit::oracle::all_traces(&program, 100_000).unwrap_or_default();
        assert_eq!(traces.len(), count, "{n}");
        for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor] {
            let options = Options { algorithm, ..Options::default() };
            let findings = explore_with(&program, &options, 1, true);
            assert_eq!(findings.summary.counts.executions, count as u64, "{n}, {}", algorithm.name());
            assert_eq!(findings.traces.len(), count, "{n}, {}", algorithm.name());
        }
    }
}

#[test]
fn every_interleaving_of_two_threads() {
    // Two threads of three events each, start and end included, interleave in 6 over 3 ways, once both exist.
    let program = Program::fork_join(vec![vec![heddle_testkit::Instruction::Fence]; 2]);
    let options = Options { algorithm: Algorithm::Dfs, ..Options::default() };
    let findings = explore_with(&program, &options, 1, true);
    assert_eq!(findings.traces.len(), 1);
    assert!(findings.summary.counts.executions > 20);
}
