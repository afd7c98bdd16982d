//! Random programs: every algorithm against the truth.

use std::collections::HashSet;

use heddle_search::{Algorithm, Options, Stop};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::oracle::{self, Comparison};

/// Prefixes of traces that a program may have to be looked at.
const LIMIT: usize = 250;

fn agree(programs: u64, kinds: u32, operations: u64) {
    let mut sums = [0; 3];
    let mut looked_at = 0;
    let mut seed = environment::seed(0);
    while looked_at < programs {
        seed += 1;
        let mut random = Random::new(seed.wrapping_mul(7919) ^ (kinds as u64) << 32);
        let program = generate::program(&mut random, Shape { threads: 3, operations, kinds });
        match oracle::compare(&program, LIMIT) {
            Comparison::TooLarge => {}
            Comparison::Agree(counts) => {
                looked_at += 1;
                (0..3).for_each(|i| sums[i] += counts[i]);
            }
            Comparison::Disagree(what) => panic!("seed {seed}, kinds {kinds}, {what}\n{program}"),
        }
    }
    eprintln!("kinds {kinds}: {programs} of {seed} programs, executions of optimal, source, dpor: {sums:?}");
    // Of two ways to break a tie one is luckier for one program; over many, the better algorithm is better.
    // Not with sections, of which some are run twice.
    assert!(kinds & generate::SECTIONS != 0 || sums[0] <= sums[1] && sums[1] <= sums[2]);
}

#[test]
fn locks_and_atomics() {
    agree(2500, generate::LOCKS | generate::ATOMICS, 5);
}

#[test]
fn trylocks() {
    agree(2500, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 5);
}

#[test]
fn kinds_of_mutexes() {
    let kinds = generate::KINDS | generate::LOCKS | generate::TRYLOCKS;
    agree(2500, kinds | generate::ATOMICS, 5);
    agree(2000, kinds | generate::CONDITIONS, 5);
}

#[test]
fn compare_exchange() {
    agree(2500, generate::COMPARE | generate::ATOMICS, 4);
}

#[test]
fn attempts_that_fail() {
    agree(800, generate::FAILURES | generate::COMPARE | generate::ATOMICS, 4);
    agree(800, generate::FAILURES | generate::TRYLOCKS | generate::LOCKS, 5);
    agree(500, generate::FAILURES | generate::RWLOCKS | generate::SPIN_LOCKS, 5);
    agree(500, generate::FAILURES | generate::AWAITS | generate::TRYLOCKS | generate::LOCKS, 4);
    agree(300, generate::FAILURES | generate::TRYLOCKS | generate::COMPARE | generate::ENDS, 4);
}

#[test]
fn queues() {
    agree(300, generate::QUEUES | generate::LOCKS | generate::TRYLOCKS, 5);
    agree(300, generate::QUEUES | generate::SEMAPHORES, 5);
    agree(300, generate::QUEUES | generate::CONDITIONS | generate::LOCKS, 5);
    agree(300, generate::QUEUES | generate::RWLOCKS, 5);
    agree(150, generate::QUEUES | generate::LOCKS | generate::KINDS | generate::ATOMICS, 5);
    agree(150, generate::QUEUES | generate::TIMED | generate::LOCKS | generate::SEMAPHORES, 5);
    agree(150, generate::QUEUES | generate::TIMED | generate::RWLOCKS, 5);
    agree(150, generate::QUEUES | generate::TIMED | generate::CONDITIONS | generate::LOCKS, 5);
    agree(150, generate::QUEUES | generate::CANCELS | generate::SEMAPHORES | generate::CONDITIONS, 4);
    agree(150, generate::QUEUES | generate::LOCKS | generate::SEMAPHORES | generate::ENDS, 4);
}

#[test]
fn mixtures() {
    let mut random = Random::new(77);
    let mut looked_at = 0;
    while looked_at < 2500 {
        let kinds = generate::some_of(generate::MIXED, &mut random);
        let operations = 3 + random.below(3);
        let program = generate::program(&mut random, Shape { threads: 3, operations, kinds });
        match oracle::compare(&program, LIMIT) {
            Comparison::TooLarge => {}
            Comparison::Agree(_) => looked_at += 1,
            Comparison::Disagree(what) => panic!("program {looked_at}, kinds {kinds}, {what}\n{program}"),
        }
    }
}

#[test]
fn semaphores() {
    agree(2500, generate::SEMAPHORES | generate::ATOMICS, 5);
}

#[test]
fn conditions() {
    agree(2500, generate::CONDITIONS | generate::LOCKS, 5);
}

#[test]
fn reader_writer_locks() {
    agree(1200, generate::RWLOCKS, 5);
    agree(1200, generate::RWLOCKS | generate::ATOMICS, 5);
    agree(600, generate::RWLOCKS | generate::LOCKS | generate::ENDS, 5);
}

#[test]
fn spin_locks_and_barriers() {
    agree(800, generate::SPIN_LOCKS | generate::ATOMICS, 5);
    agree(800, generate::BARRIERS | generate::ATOMICS, 4);
    agree(800, generate::BARRIERS | generate::LOCKS | generate::ENDS, 4);
}

#[test]
fn once() {
    agree(800, generate::ONCE | generate::ATOMICS, 4);
    agree(300, generate::ONCE | generate::LOCKS | generate::ENDS, 4);
}

#[test]
fn awaits() {
    agree(1200, generate::AWAITS | generate::ATOMICS, 4);
    agree(600, generate::AWAITS | generate::TRYLOCKS | generate::LOCKS, 4);
}

#[test]
fn timed_operations() {
    agree(800, generate::TIMED | generate::LOCKS, 5);
    agree(800, generate::TIMED | generate::SEMAPHORES, 5);
    agree(800, generate::TIMED | generate::RWLOCKS, 5);
    agree(1200, generate::TIMED | generate::CONDITIONS | generate::LOCKS, 5);
    agree(500, generate::TIMED | generate::LOCKS | generate::SEMAPHORES | generate::ENDS, 4);
    agree(500, generate::TIMED | generate::LOCKS | generate::KINDS | generate::THREADS, 4);
    agree(600, generate::TIMED | generate::RWLOCKS | generate::PREFERS, 5);
    agree(400, generate::TIMED | generate::TRYJOINS | generate::THREADS | generate::JOINS | generate::ATOMICS, 4);
}

#[test]
fn futexes() {
    agree(1500, generate::FUTEXES, 5);
    agree(1000, generate::FUTEXES | generate::ATOMICS, 4);
    agree(500, generate::FUTEXES | generate::COMPARE | generate::ENDS, 4);
    agree(300, generate::FUTEXES | generate::CONDITIONS | generate::LOCKS, 4);
}

#[test]
fn choices() {
    agree(2000, generate::CHOICES | generate::ATOMICS, 4);
}

#[test]
fn sections() {
    agree(1200, generate::SECTIONS | generate::ATOMICS, 4);
    agree(600, generate::SECTIONS | generate::ATOMICS | generate::CHOICES, 4);
    agree(600, generate::SECTIONS | generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS, 4);
    agree(400, generate::SECTIONS | generate::SEMAPHORES | generate::ASSUMES | generate::ENDS, 4);
}

#[test]
fn assumptions() {
    agree(1500, generate::ASSUMES | generate::ATOMICS, 4);
    agree(600, generate::ASSUMES | generate::LOCKS | generate::ATOMICS | generate::ENDS, 4);
}

#[test]
fn threads() {
    agree(2000, generate::THREADS | generate::JOINS | generate::ATOMICS, 4);
}

#[test]
fn robust_mutexes() {
    let kinds = generate::KINDS | generate::ROBUST | generate::LOCKS;
    agree(800, kinds | generate::TRYLOCKS, 5);
    agree(800, kinds | generate::JOINS | generate::THREADS, 5);
    agree(800, kinds | generate::CONDITIONS, 5);
}

#[test]
fn cancellation() {
    agree(1500, generate::CANCELS | generate::SEMAPHORES | generate::ATOMICS, 4);
    agree(1500, generate::CANCELS | generate::CONDITIONS | generate::LOCKS, 5);
    agree(800, generate::CANCELS | generate::THREADS | generate::JOINS | generate::TRYJOINS, 4);
    agree(800, generate::CANCELS | generate::ROBUST | generate::LOCKS | generate::CONDITIONS, 5);
}

#[test]
fn tryjoins() {
    agree(800, generate::TRYJOINS | generate::THREADS | generate::JOINS | generate::ATOMICS, 4);
}

#[test]
fn writers_are_preferred() {
    agree(1200, generate::RWLOCKS | generate::PREFERS, 5);
    agree(800, generate::RWLOCKS | generate::PREFERS | generate::ATOMICS | generate::ENDS, 5);
}

#[test]
fn ends() {
    agree(1000, generate::ENDS | generate::ATOMICS, 3);
}

#[test]
fn everything() {
    agree(4000, generate::ALL, 4);
}

/// The truth that the others are held against, against brute force, which believes nothing.
fn brute_force(programs: u64, kinds: u32, enough: u32) {
    let mut looked_at = 0;
    let first = environment::seed(0);
    for seed in first..first + programs {
        let program = generate::program(&mut Random::new(seed), Shape { threads: 2, operations: 4, kinds });
        let dfs = Options { algorithm: Algorithm::Dfs, max_executions: Some(500), ..Options::default() };
        let brute = oracle::explore(&program, &dfs, 1);
        if brute.summary.stop != Stop::Exhausted {
            continue;
        }
        looked_at += 1;
        let (traces, states) = oracle::all_traces(&program, usize::MAX).unwrap_or_default();
        assert_eq!(states, brute.states, "{program}");
        assert_eq!(traces, brute.traces.into_keys().collect::<HashSet<_>>(), "{program}");
    }
    assert!(looked_at > enough, "{looked_at} of kinds {kinds}");
}

#[test]
fn interleavings_have_no_other_traces() {
    brute_force(3000, generate::ALL, 1000);
}

/// Locks and barriers against brute force: that their operations commute is a claim of its own.
#[test]
fn interleavings_of_locks_and_barriers() {
    brute_force(800, generate::KINDS | generate::LOCKS | generate::TRYLOCKS, 300);
    brute_force(800, generate::RWLOCKS | generate::ATOMICS, 300);
    brute_force(800, generate::BARRIERS | generate::ATOMICS, 300);
    brute_force(800, generate::ASSUMES | generate::ATOMICS, 300);
    brute_force(800, generate::SECTIONS | generate::ATOMICS, 300);
    brute_force(800, generate::SECTIONS | generate::LOCKS | generate::CHOICES | generate::COMPARE, 300);
    brute_force(800, generate::RWLOCKS | generate::PREFERS, 300);
    brute_force(800, generate::ROBUST | generate::KINDS | generate::LOCKS | generate::TRYLOCKS, 300);
    brute_force(800, generate::TIMED | generate::LOCKS | generate::SEMAPHORES, 300);
    brute_force(800, generate::TIMED | generate::RWLOCKS, 300);
    brute_force(400, generate::TIMED | generate::RWLOCKS | generate::PREFERS, 200);
    brute_force(400, generate::TIMED | generate::TRYJOINS | generate::JOINS | generate::THREADS, 200);
    brute_force(800, generate::FAILURES | generate::TRYLOCKS | generate::COMPARE, 300);
    brute_force(800, generate::QUEUES | generate::LOCKS | generate::TRYLOCKS, 200);
    brute_force(800, generate::QUEUES | generate::SEMAPHORES, 200);
    brute_force(800, generate::QUEUES | generate::RWLOCKS, 200);
    brute_force(800, generate::QUEUES | generate::TIMED | generate::LOCKS | generate::CONDITIONS, 100);
    brute_force(800, generate::QUEUES | generate::TIMED | generate::SEMAPHORES | generate::RWLOCKS, 100);
    brute_force(1500, generate::FUTEXES, 300);
    brute_force(1000, generate::FUTEXES | generate::ATOMICS, 300);
    brute_force(800, generate::TIMED | generate::LOCKS | generate::CONDITIONS, 200);
}

/// Every algorithm agrees with brute force if threads are cancelled.
#[test]
fn interleavings_of_cancellation() {
    brute_force(1500, generate::CANCELS | generate::SEMAPHORES | generate::ATOMICS, 300);
    brute_force(1500, generate::CANCELS | generate::CONDITIONS | generate::LOCKS, 300);
    brute_force(800, generate::CANCELS | generate::TRYJOINS | generate::JOINS | generate::THREADS, 300);
}
