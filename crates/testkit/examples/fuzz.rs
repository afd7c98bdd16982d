//! Random programs until the time is over or there were enough: every algorithm against the truth; the first that disagrees is made small.
//!
//! ```text
//! cargo run --release -p heddle-testkit --example fuzz -- [seconds | Nprograms] [group | kinds] [seed] [operations] [prefixes]
//! ```
//!
//! `10000000programs exits` is ten million programs of the group `exits`. A group is one of [`Group::ALL`], `groups` for all of them in
//! turn, `all` for the other random programs; a number names kinds of those.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use heddle_testkit::Program;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::groups::{self, Group};
use heddle_testkit::oracle::{Comparison, compare};
use heddle_testkit::shrink::shrink;

/// Which programs are drawn.
#[derive(Clone, Copy)]
enum Subject {
    Kinds(u32),
    Group(Option<Group>),
}

impl Subject {
    fn named(word: &str) -> Option<Subject> {
        match word {
            "all" => Some(Subject::Kinds(generate::MIXED)),
            "groups" => Some(Subject::Group(None)),
            _ => match word.parse() {
                Ok(kinds) => Some(Subject::Kinds(kinds)),
                Err(_) => Group::named(word).map(|group| Subject::Group(Some(group))),
            },
        }
    }

    fn draw(self, seed: u64, operations: u64) -> Program {
        let mut random = Random::new(seed);
        match self {
            Subject::Group(group) => {
                let group = group.unwrap_or(Group::ALL[seed as usize % Group::ALL.len()]);
                groups::program(&mut random, group, operations)
            }
            Subject::Kinds(kinds) => {
                // Every kind of operation, or a few of them: those find each other more often.
                let some = if seed.is_multiple_of(4) { kinds } else { generate::some_of(kinds, &mut random) };
                let shape = Shape { threads: 2 + seed % 3, operations: 2 + seed % operations.max(1), kinds: some };
                generate::program(&mut random, shape)
            }
        }
    }
}

fn usage(word: &str) -> ExitCode {
    let groups: Vec<_> = Group::ALL.iter().map(|group| group.name()).collect();
    eprintln!(
        "fuzz: {word} is not understood: [SECONDS | Nprograms] [GROUP] [SEED] [OPERATIONS] [PREFIXES], where GROUP is one of"
    );
    eprintln!("all, groups, {}", groups.join(", "));
    ExitCode::FAILURE
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, otherwise: &str| words.get(at).cloned().unwrap_or(otherwise.to_owned());
    let much = word(0, "60");
    let (time, most) = match much.strip_suffix("programs") {
        Some(count) => (None, count.parse::<u64>().ok()),
        None => (much.parse().ok().map(Duration::from_secs), None),
    };
    if time.is_none() && most.is_none() {
        return usage(&much);
    }
    let Some(subject) = Subject::named(&word(1, "all")) else { return usage(&word(1, "")) };
    let number = |at: usize, otherwise: u64| words.get(at).map_or(Some(otherwise), |word| word.parse().ok());
    let (Some(first), Some(operations), Some(limit)) = (number(2, 1), number(3, 6), number(4, 5000)) else {
        return usage(&words[2..].join(" "));
    };
    let begin = Instant::now();
    let (mut seed, mut agreed, mut too_large) = (first, 0u64, 0u64);
    let mut sums = [0; 3];
    while time.is_none_or(|time| begin.elapsed() < time) && most.is_none_or(|most| agreed < most) {
        let program = subject.draw(seed, operations.max(1));
        match compare(&program, limit as usize) {
            Comparison::TooLarge => too_large += 1,
            Comparison::Agree(counts) => {
                agreed += 1;
                (0..3).for_each(|i| sums[i] += counts[i]);
            }
            Comparison::Disagree(what) => {
                println!("seed {seed}: {what}\n{program}");
                let fails = |p: &_| matches!(compare(p, limit as usize), Comparison::Disagree(_));
                let small = shrink(&program, fails);
                println!("smallest: {:?}\n{small}", compare(&small, limit as usize));
                return ExitCode::FAILURE;
            }
        }
        seed += 1;
    }
    println!("{agreed} programs agree, {too_large} were too large, seeds {first} to {seed}");
    println!("executions of optimal, source, dpor: {sums:?}");
    ExitCode::SUCCESS
}
