//! Satisfiability of formulas with clauses and conditional edges.
//!
//! A formula has clauses over boolean variables, and a graph: some edges are always there, others are there if their literal is true. A model
//! must satisfy the clauses and leave the graph without cycles. [`Backend`] is what a solver offers, [`Cdclt`] is the one in the tree, and
//! [`Blaster`] makes clauses of terms.

mod blast;
mod cdclt;
mod graph;
mod proof;
#[cfg(test)]
mod tests;
mod theory;

use std::time::{Duration, Instant};

pub use blast::Blaster;
pub use cdclt::Cdclt;
pub use graph::Graph;
pub use proof::{Certificate, CheckError, Proof, Step};

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// The literal of a variable that is true if the variable is.
    pub fn new(variable: usize) -> Self {
        Lit((variable as u32) << 1)
    }

    /// Which variable.
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the variable itself, not its negation.
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A number for tables: each literal has its own.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// A node of the graph.
pub type Node = u32;

/// How much a query may cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct Budget {
    /// Gives up at this time.
    pub deadline: Option<Instant>,
    /// Gives up when this thread has computed for so long in all: [`thread_time`].
    pub computed: Option<Duration>,
    /// Gives up after so many conflicts.
    pub conflicts: Option<u64>,
    /// Gives up when the process uses more bytes of memory.
    pub memory: Option<u64>,
    /// Gives up when this is set.
    pub stop: Option<&'static std::sync::atomic::AtomicBool>,
}

impl Budget {
    /// As long as it takes.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most this long, from now on.
    pub fn seconds(seconds: f64) -> Self {
        Budget { deadline: Some(Instant::now() + Duration::from_secs_f64(seconds)), ..Self::default() }
    }

    /// Whether time or memory are used up already.
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
            || self.deadline.is_some_and(|end| Instant::now() >= end)
            || self.computed.is_some_and(|end| thread_time() >= end)
            || self.memory.is_some_and(|most| resident().is_some_and(|now| now > most))
    }
}

/// How long this thread has computed: what others do on the machine does not count.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the time. The clock is there on every Linux, and without it the time stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The memory that this process uses, in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    // The page size of every system that Heddle runs on.
    Some(pages * 4096)
}

/// What came of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model, see [`Backend::value`].
    Sat,
    /// There is none, see [`Backend::core`].
    Unsat,
    /// The budget was used up.
    Unknown,
}

/// A solver that can be asked again after more was added.
pub trait Backend {
    /// A new variable. `phase` is the value that is tried first.
    fn variable(&mut self, phase: bool) -> Lit;
    /// One of these must be true.
    fn clause(&mut self, clause: &[Lit]);
    /// There is an edge if the literal is true.
    fn edge(&mut self, condition: Lit, from: Node, to: Node);
    /// There is an edge.
    fn fix(&mut self, from: Node, to: Node);
    /// Looks for a model in which all assumptions are true.
    fn solve(&mut self, assume: &[Lit], budget: Budget) -> Answer;
    /// The value of a literal in the model that was found last.
    fn value(&self, l: Lit) -> bool;
    /// Assumptions that cannot all be true, after [`Answer::Unsat`].
    fn core(&self) -> &[Lit];
    /// How many conflicts there were, in all queries together.
    fn conflicts(&self) -> u64;
}
