//! All orders of a program's events as one formula.
//!
//! [`event`] says what goes in: the guarded events of all threads. [`Formula::new`] makes clauses and edges of them, [`Formula::solve`] asks:
//! can this check fail, can everybody wait for ever, can these two accesses race? The answer is *impossible*, or an execution: values of
//! the inputs and the order of the events.

mod access;
mod decode;
mod encode;
pub mod event;
mod lazy;
mod locks;
mod races;
mod schedule;
mod sections;
mod skeleton;
#[cfg(test)]
mod tests;
mod waiting;

use std::collections::BTreeMap;

pub use decode::Counterexample;
use encode::Encoder;
use event::{Kind, Program};
use skeleton::Skeleton;

use crate::solve::{Answer, Backend, Blaster, Budget, Cdclt, Certificate, CheckError, Lit, Node};
use crate::term::{TermId, Terms};

/// What the formula is about, and how it is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Deadlocks can be asked for.
    pub deadlocks: bool,
    /// Data races can be asked for.
    pub races: bool,
    /// Mutexes are sections where they can be matched. Otherwise all are words in memory.
    pub sections: bool,
    /// Reads that can have one value only are replaced by it.
    pub substitute: bool,
    /// Edges that would close a cycle are propagated.
    pub propagate: bool,
    /// Values are left out of the formula at first and compared for each choice of reads: see the module `lazy`.
    pub lazy_data: bool,
    /// Answers *impossible* come with a proof. Not with lazy data.
    pub certify: bool,
    /// How the order of events is expressed and searched.
    pub encoding: Encoding,
    /// A family of clauses to leave out: the tests must notice.
    pub without: Option<Family>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            deadlocks: false,
            races: false,
            sections: true,
            substitute: true,
            propagate: true,
            lazy_data: false,
            certify: false,
            encoding: Encoding::Order,
            without: None,
        }
    }
}

/// How the order of events is expressed and searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// An acyclic relation, by the theory in the solver.
    Order,
    /// Schedule recording: each step of a schedule names the thread that runs.
    Schedule,
    /// Underapproximation and widening over the steps of a schedule: first one thread after the other, then what a proof of impossibility
    /// used of that is given up.
    Uw,
    /// Underapproximation and widening over the order of pairs of events and sections.
    UwOrder,
}

/// The families of clauses. Leaving one out must make tests fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Family {
    /// The order of a thread's events.
    Program,
    Assume,
    WriteHappens,
    Cells,
    WriteFirst,
    Values,
    NothingBetween,
    ReadsSomething,
    Join,
    JoinOrder,
    SectionOrder,
    SectionLeft,
    WordFree,
    TryLock,
    DeadlockMain,
    DeadlockLock,
    DeadlockJoin,
    DeadlockTake,
    DeadlockWake,
    DeadlockDepart,
    TokenFirst,
    TokenOnce,
    TokenNeeded,
    WordTake,
    WakeNeedsSignal,
    SignalAfterSleep,
    SignalOnce,
    SleepOnce,
    SignalNotWasted,
    BarrierCount,
    BarrierLast,
    RaceHappens,
    RaceAdjacent,
    RaceCells,
    RaceWrites,
    RaceBetween,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 36] = [
        Family::Program,
        Family::Assume,
        Family::WriteHappens,
        Family::Cells,
        Family::WriteFirst,
        Family::Values,
        Family::NothingBetween,
        Family::ReadsSomething,
        Family::Join,
        Family::JoinOrder,
        Family::SectionOrder,
        Family::SectionLeft,
        Family::WordFree,
        Family::TryLock,
        Family::DeadlockMain,
        Family::DeadlockLock,
        Family::DeadlockJoin,
        Family::DeadlockTake,
        Family::DeadlockWake,
        Family::DeadlockDepart,
        Family::TokenFirst,
        Family::TokenOnce,
        Family::TokenNeeded,
        Family::WordTake,
        Family::WakeNeedsSignal,
        Family::SignalAfterSleep,
        Family::SignalOnce,
        Family::SleepOnce,
        Family::SignalNotWasted,
        Family::BarrierCount,
        Family::BarrierLast,
        Family::RaceHappens,
        Family::RaceAdjacent,
        Family::RaceCells,
        Family::RaceWrites,
        Family::RaceBetween,
    ];
}

/// The formula would need more time or memory than there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the formula of all orders is too large for the limits of time and memory")
    }
}

impl std::error::Error for TooLarge {}

/// Two accesses that may race: thread and event of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pair {
    /// The access of the thread with the smaller number.
    pub first: (usize, usize),
    /// The other one.
    pub second: (usize, usize),
}

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Can a check with this number fail?
    Property(u32),
    /// Can `main` wait for ever, with nobody able to go on?
    Deadlock,
    /// Can the accesses of this number (in [`Formula::pairs`]) race?
    Race(usize),
    /// Can any two accesses race?
    AnyRace,
}

/// An answer.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// In no execution, for no input.
    Impossible,
    /// It happens here.
    Possible(Counterexample),
    /// The budget was used up.
    Unknown,
}

/// The formula of a program.
pub struct Formula {
    program: Program,
    skeleton: Skeleton,
    backend: Cdclt,
    blaster: Blaster,
    /// By thread and event: whether it happens.
    happens: Vec<Vec<Lit>>,
    properties: BTreeMap<u32, Lit>,
    dead: Option<Lit>,
    /// Whether deadlocks were excluded without asking the solver.
    never_dead: bool,
    races: Vec<(Pair, Lit)>,
    any_race: Option<Lit>,
    edges: Vec<(Lit, Node, Node)>,
    /// Which sleeps a signal ends.
    wakes: Vec<waiting::Wakeup>,
    /// What underapproximation assumes first.
    preferences: Vec<Lit>,
    /// The thread of each step, if schedules are recorded.
    steps: Option<Vec<TermId>>,
    /// How many times the last query was asked, with more and more allowed.
    iterations: u64,
    /// What reads can read, if data is left out of the formula.
    lazy: Option<lazy::Data>,
    /// Of the last answer *impossible* that the solver gave: the assumptions that exclude each other.
    last_core: Option<Vec<Lit>>,
}

impl Formula {
    /// Makes the formula of a program. Terms of the program are of `terms`, and so must be those of later calls.
    pub fn new(program: &Program, terms: &mut Terms, options: &Options, budget: Budget) -> Result<Formula, TooLarge> {
        let mut program = program.clone();
        let skeleton = Skeleton::new(&program);
        let settled = if options.substitute {
            access::substitute(&mut program, terms, &skeleton)
        } else {
            rustc_hash::FxHashSet::default()
        };
        let locks = locks::Locks::new(&program, terms, options);
        let free = locks.always_end(&program, terms);
        let mut encoder = Encoder::new(terms, &program, &skeleton, options, budget);
        encoder.record_schedule();
        encoder.lives(!free);
        encoder.accesses = access::of_program(&program, &skeleton);
        for a in &mut encoder.accesses {
            if a.writes.is_none() && a.reads.is_some_and(|value| settled.contains(&value)) {
                a.reads = None;
            }
        }
        encoder.locks(&locks);
        encoder.joins();
        encoder.semaphores();
        encoder.barriers();
        let wakes = encoder.conditions(&locks);
        encoder.memory()?;
        let races = if options.races { encoder.races(&locks)? } else { Vec::new() };
        let any_race = encoder.any_of(&races);
        let properties = encoder.properties();
        encoder.deadlocks();
        let dead = encoder.dead.map(|d| encoder.lit(d));
        let mut happens = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            let mut all = Vec::new();
            for i in 0..thread.events.len() {
                let happens = encoder.happens(t, i);
                all.push(encoder.lit(happens));
            }
            happens.push(all);
        }
        let never_dead = free && !encoder.leaves_out(Family::DeadlockMain);
        let Encoder { backend, blaster, edges, reads_from, preferences, steps, .. } = encoder;
        let steps = steps.map(|steps| steps.threads());
        let lazy = options.lazy_data.then(|| lazy::Data::new(reads_from));
        Ok(Formula {
            program,
            skeleton,
            backend,
            blaster,
            happens,
            properties,
            dead,
            never_dead,
            races,
            any_race,
            edges,
            wakes,
            lazy,
            preferences,
            steps,
            iterations: 0,
            last_core: None,
        })
    }

    /// The numbers of the checks that there are.
    pub fn properties(&self) -> impl Iterator<Item = u32> {
        self.properties.keys().copied()
    }

    /// The pairs of accesses that may race, as far as locks and the static order do not exclude it.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        self.races.iter().map(|(pair, _)| *pair)
    }

    /// How many conflicts the solver had.
    pub fn conflicts(&self) -> u64 {
        self.backend.conflicts()
    }

    /// How many times the last query was asked by underapproximation and widening, or with lazy data.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Asks. `terms` must be those that the formula was made with.
    pub fn solve(&mut self, terms: &mut Terms, query: Query, budget: Budget) -> Outcome {
        let selector = match query {
            Query::Property(number) => self.properties.get(&number).copied(),
            Query::Deadlock if self.never_dead => None,
            Query::Deadlock => self.dead,
            Query::Race(pair) => self.races.get(pair).map(|(_, l)| *l),
            Query::AnyRace => self.any_race,
        };
        // Nothing of that kind is in the program.
        let Some(selector) = selector else {
            self.last_core = None;
            return Outcome::Impossible;
        };
        let mut assume = vec![selector];
        if let Some(dead) = self.dead
            && dead != selector
        {
            assume.push(!dead);
        }
        self.last_core = None;
        self.iterations = 0;
        let wanted = assume.len();
        assume.extend_from_slice(&self.preferences);
        loop {
            self.iterations += 1;
            match self.backend.solve(&assume, budget) {
                Answer::Unsat => {
                    // What the proof used of the assumed order is given up.
                    let core = self.backend.core();
                    let before = assume.len();
                    let mut n = 0;
                    assume.retain(|l| {
                        n += 1;
                        n <= wanted || !core.contains(l)
                    });
                    if assume.len() < before {
                        continue;
                    }
                    self.last_core = Some(self.backend.core().to_vec());
                    return Outcome::Impossible;
                }
                Answer::Unknown => return Outcome::Unknown,
                Answer::Sat => {}
            }
            let Some(mut lazy) = self.lazy.take() else {
                let values = self.blaster.assignment(terms, &self.backend);
                return Outcome::Possible(self.decode(terms, values));
            };
            let values = self.refine(terms, &mut lazy, budget);
            self.lazy = Some(lazy);
            match values {
                lazy::Refined::Values(values) => return Outcome::Possible(self.decode(terms, values)),
                lazy::Refined::Again => {}
                lazy::Refined::Unknown => return Outcome::Unknown,
            }
        }
    }

    /// Checks the proof of the last answer *impossible*; none if no proofs are written, or if the solver was not needed.
    pub fn certify(&self) -> Option<Result<Certificate, CheckError>> {
        let core = self.last_core.as_ref().filter(|_| self.lazy.is_none())?;
        self.backend.proof().map(|proof| proof.check(core))
    }
}

impl Encoder<'_> {
    /// One literal for each number: a check with it happens and fails.
    fn properties(&mut self) -> BTreeMap<u32, Lit> {
        let mut failing: BTreeMap<u32, Vec<TermId>> = BTreeMap::new();
        for t in 0..self.program.threads.len() {
            for i in 0..self.program.threads[t].events.len() {
                if let Kind::Check { violated, property } = self.program.threads[t].events[i].kind {
                    let happens = self.happens(t, i);
                    let fails = self.terms.and(happens, violated);
                    failing.entry(property).or_default().push(fails);
                }
            }
        }
        let mut selectors = BTreeMap::new();
        for (number, fails) in failing {
            let selector = self.choice("property", false);
            let mut clause = vec![self.terms.not(selector)];
            clause.extend(fails);
            self.clause(&clause);
            let l = self.lit(selector);
            selectors.insert(number, l);
        }
        selectors
    }
}
