//! Random programs until the time is over or there were enough: every algorithm against the truth; the first that disagrees is made small.
//!
//! ```text
//! cargo run --release -p heddle-testkit --example fuzz -- [seconds | Nprograms] [group | kinds] [seed] [operations] [prefixes]
//! ```
//!
//! It tells every ten seconds how far it is: programs that agree, those that were too large, the next seed, the rate. A run that was
//! interrupted goes on from that seed. `10000000programs exits` is ten million programs of the group `exits`. A group is one of [`Group::ALL`], `groups` for all of them in
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

/// How often progress is told.
const TELL: Duration = Duration::from_secs(10);

/// What a run has done so far.
struct Done {
    begin: Instant,
    first: u64,
    /// The next program.
    seed: u64,
    agreed: u64,
    too_large: u64,
    /// The executions of optimal, source and dpor.
    executions: [u64; 3],
}

impl Done {
    fn tell(&self, disagreed: u64) {
        let Done { begin, first, seed, agreed, too_large, executions } = self;
        let seconds = begin.elapsed().as_secs_f64();
        println!(
            "{seconds:.0} s: {agreed} programs agree, {disagreed} disagree, {too_large} too large, seeds {first} to {seed}, {:.0} programs a second",
            *agreed as f64 / seconds.max(0.001)
        );
        println!("executions of optimal, source, dpor: {executions:?}; go on from here: seed {seed}");
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
    let mut done = Done { begin, first, seed: first, agreed: 0, too_large: 0, executions: [0; 3] };
    let mut next = begin + TELL;
    while time.is_none_or(|time| begin.elapsed() < time) && most.is_none_or(|most| done.agreed < most) {
        if Instant::now() >= next {
            done.tell(0);
            next += TELL;
        }
        let program = subject.draw(done.seed, operations.max(1));
        match compare(&program, limit as usize) {
            Comparison::TooLarge => done.too_large += 1,
            Comparison::Agree(counts) => {
                done.agreed += 1;
                (0..3).for_each(|i| done.executions[i] += counts[i]);
            }
            Comparison::Disagree(what) => {
                println!("seed {}: {what}\n{program}", done.seed);
                done.tell(1);
                let fails = |p: &_| matches!(compare(p, limit as usize), Comparison::Disagree(_));
                let small = shrink(&program, fails);
                println!("smallest: {:?}\n{small}", compare(&small, limit as usize));
                return ExitCode::FAILURE;
            }
        }
        done.seed += 1;
    }
    done.tell(0);
    ExitCode::SUCCESS
}
