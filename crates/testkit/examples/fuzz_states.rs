//! Random programs until the time is over: searches over states against all states by brute force; the first program that
//! disagrees is made small.
//!
//! `cargo run --release -p heddle-testkit --example fuzz_states -- [seconds] [seed] [states]`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::shrink::shrink;
use heddle_testkit::state_search::disagreement_in;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap_or(0));
    let time = Duration::from_secs(arguments.next().unwrap_or(60));
    let first = arguments.next().unwrap_or(1);
    let limit = arguments.next().unwrap_or(1000) as usize;
    let begin = Instant::now();
    let (mut seed, mut agreed) = (first, 0u64);
    while begin.elapsed() < time {
        let mut random = Random::new(seed);
        let loops = if seed % 2 == 0 { generate::LOOPS } else { 0 };
        let kinds = match seed % 4 {
            0 | 1 => generate::LOCKS | generate::ATOMICS,
            _ => generate::some_of(generate::MIXED, &mut random),
        };
        let shape = Shape { threads: 2 + seed % 3, operations: 2 + seed % 3, kinds: kinds | loops };
        let program = generate::program(&mut random, shape);
        match disagreement_in(&program, limit) {
            Some(None) => agreed += 1,
            Some(Some(what)) => {
                println!("seed {seed}: {what}\n{program}");
                let small = shrink(&program, |p| disagreement_in(p, limit).flatten().is_some());
                println!("smallest: {:?}\n{small}", disagreement_in(&small, limit));
                return ExitCode::FAILURE;
            }
            None => {}
        }
        seed += 1;
    }
    println!("{agreed} programs agree, {} were too large, seeds {first} to {seed}", seed - first - agreed);
    ExitCode::SUCCESS
}
