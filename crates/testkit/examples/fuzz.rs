//! Random programs until the time is over or there were enough: every algorithm against the truth; the first that disagrees is made small.
//!
//! ```text
//! cargo run --release -p heddle-testkit --example fuzz -- [seconds | Nprograms] [group | kinds] [seed] [operations] [prefixes]
//! ```
//!
//! Each program is searched by optimal, source and dpor, and by one of the other configurations in turn, on all processors.
//!
//! It tells every ten seconds how far it is: programs that agree, those that were too large, the next seed, the rate. A run that was
//! interrupted goes on from that seed. `10000000programs exits` is ten million programs of the group `exits`. A group is one of [`Group::ALL`], `groups` for all of them in
//! turn, `all` for the other random programs; a number names kinds of those.

use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use heddle_testkit::Program;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::groups::{self, Group};
use heddle_testkit::oracle::{Comparison, compare_in_turn};
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
    /// The programs that are being compared: one for each worker.
    under_way: Vec<Option<u64>>,
    agreed: u64,
    too_large: u64,
    /// The executions of optimal, source and dpor.
    executions: [u64; 3],
    /// When progress is told next.
    next: Instant,
    /// The first disagreement.
    disagrees: Option<(u64, String)>,
}

impl Done {
    fn tell(&self) {
        let Done { begin, first, agreed, too_large, executions, disagrees, .. } = self;
        let seconds = begin.elapsed().as_secs_f64();
        let seed = self.under_way.iter().flatten().copied().min().unwrap_or(self.seed);
        println!(
            "{seconds:.0} s: {agreed} programs agree, {} disagree, {too_large} too large, seeds {first} to {seed}, {:.0} programs a second",
            u64::from(disagrees.is_some()),
            *agreed as f64 / seconds.max(0.001)
        );
        println!("executions of optimal, source, dpor: {executions:?}; go on from here: seed {seed}");
    }

    /// Takes note of what came of the program with this seed.
    fn take(&mut self, seed: u64, comparison: Comparison) {
        match comparison {
            Comparison::TooLarge => self.too_large += 1,
            Comparison::Agree(counts) => {
                self.agreed += 1;
                (0..3).for_each(|i| self.executions[i] += counts[i]);
            }
            Comparison::Disagree(what) => {
                self.disagrees.get_or_insert((seed, what));
            }
        }
        if Instant::now() >= self.next {
            self.tell();
            self.next += TELL;
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
    let (begin, limit, operations) = (Instant::now(), limit as usize, operations.max(1));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let done = Mutex::new(Done {
        begin,
        first,
        seed: first,
        under_way: vec![None; workers],
        agreed: 0,
        too_large: 0,
        executions: [0; 3],
        next: begin + TELL,
        disagrees: None,
    });
    // Nobody panics with the lock.
    let locked = || done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let next = |worker: usize| {
        let mut done = locked();
        let goes_on = done.disagrees.is_none()
            && time.is_none_or(|time| begin.elapsed() < time)
            && most.is_none_or(|most| done.agreed < most);
        done.under_way[worker] = goes_on.then_some(done.seed);
        done.seed += u64::from(goes_on);
        done.under_way[worker]
    };
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, locked) = (&next, &locked);
            scope.spawn(move || {
                while let Some(seed) = next(worker) {
                    let comparison = compare_in_turn(&subject.draw(seed, operations), limit, seed);
                    locked().take(seed, comparison);
                }
            });
        }
    });
    let done = locked();
    if let Some((seed, what)) = &done.disagrees {
        let program = subject.draw(*seed, operations);
        println!("seed {seed}: {what}\n{program}");
        done.tell();
        let fails = |p: &_| matches!(compare_in_turn(p, limit, *seed), Comparison::Disagree(_));
        let small = shrink(&program, fails);
        println!("smallest: {:?}\n{small}", compare_in_turn(&small, limit, *seed));
        return ExitCode::FAILURE;
    }
    done.tell();
    ExitCode::SUCCESS
}
