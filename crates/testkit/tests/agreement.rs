//! Random programs: every algorithm against brute force.

use heddle_search::{Algorithm, Options, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::oracle::{disagreement, explore};

const LIMIT: u64 = 800;

fn agree(seeds: std::ops::Range<u64>, kinds: u32) {
    let mut tried = 0;
    for seed in seeds {
        let mut random = Random::new(seed.wrapping_mul(7919) ^ (kinds as u64) << 32);
        let shape = Shape { threads: 3, operations: 4, kinds };
        let program = generate::program(&mut random, shape);
        let dfs = Options { algorithm: Algorithm::Dfs, max_executions: Some(LIMIT), ..Options::default() };
        let truth = explore(&program, &dfs, 1);
        if truth.summary.stop != Stop::Exhausted {
            continue;
        }
        tried += 1;
        for memory in [0, 1 << 20] {
            let options = Options { memory, ..Options::default() };
            let found = explore(&program, &options, if memory == 0 { 1 } else { 3 });
            if let Some(what) = disagreement(&truth, &found, true) {
                panic!("seed {seed}, kinds {kinds}, memory {memory}: {what}\n{program}");
            }
        }
    }
    eprintln!("kinds {kinds}: {tried} programs");
}

#[test]
fn locks_and_atomics() {
    agree(0..1500, generate::LOCKS | generate::ATOMICS);
}

#[test]
fn trylocks() {
    agree(0..1500, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS);
}

#[test]
fn compare_exchange() {
    agree(0..1500, generate::COMPARE | generate::ATOMICS);
}

#[test]
fn semaphores() {
    agree(0..1500, generate::SEMAPHORES | generate::ATOMICS);
}

#[test]
fn conditions() {
    agree(0..1500, generate::CONDITIONS | generate::LOCKS);
}

#[test]
fn choices() {
    agree(0..1500, generate::CHOICES | generate::ATOMICS);
}

#[test]
fn threads() {
    agree(0..1500, generate::THREADS | generate::ATOMICS);
}

#[test]
fn ends() {
    agree(0..1500, generate::ENDS | generate::ATOMICS);
}

#[test]
fn everything() {
    agree(0..4000, generate::ALL);
}
