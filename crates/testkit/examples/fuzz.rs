//! Random programs until the time is over: every algorithm against the truth; the first that disagrees is made small.
//!
//! `cargo run --release -p heddle-testkit --example fuzz -- [seconds] [seed] [kinds] [operations] [prefixes]`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::oracle::{Comparison, compare};
use heddle_testkit::shrink::shrink;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap_or(0));
    let time = Duration::from_secs(arguments.next().unwrap_or(60));
    let first = arguments.next().unwrap_or(1);
    let kinds = arguments.next().map_or(generate::MIXED, |k| k as u32);
    let operations = arguments.next().unwrap_or(6);
    let limit = arguments.next().unwrap_or(5000) as usize;
    let begin = Instant::now();
    let (mut seed, mut agreed, mut too_large) = (first, 0u64, 0u64);
    let mut sums = [0; 3];
    while begin.elapsed() < time {
        let mut random = Random::new(seed);
        // Every kind of operation, or a few of them: those find each other more often.
        let some = if seed % 4 == 0 { kinds } else { generate::some_of(kinds, &mut random) };
        let shape = Shape { threads: 2 + seed % 3, operations: 2 + seed % operations.max(1), kinds: some };
        let program = generate::program(&mut random, shape);
        match compare(&program, limit) {
            Comparison::TooLarge => too_large += 1,
            Comparison::Agree(counts) => {
                agreed += 1;
                (0..3).for_each(|i| sums[i] += counts[i]);
            }
            Comparison::Disagree(what) => {
                println!("seed {seed}: {what}\n{program}");
                let fails = |p: &_| matches!(compare(p, limit), Comparison::Disagree(_));
                let small = shrink(&program, fails);
                println!("smallest: {:?}\n{small}", compare(&small, limit));
                return ExitCode::FAILURE;
            }
        }
        seed += 1;
    }
    println!("{agreed} programs agree, {too_large} were too large, seeds {first} to {seed}");
    println!("executions of optimal, source, dpor: {sums:?}");
    ExitCode::SUCCESS
}
