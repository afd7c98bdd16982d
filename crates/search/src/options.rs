//! What a search is asked to do.

use std::time::Duration;

use heddle_model::follow::Step;

/// Which algorithm decides what to run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// One execution for each trace ([`crate::algorithm::optimal`]).
    #[default]
    Optimal,
    /// Source sets ([`crate::algorithm::source`]).
    Source,
    /// Persistent sets ([`crate::algorithm::dpor`]).
    Dpor,
    /// Every interleaving ([`crate::algorithm::dfs`]).
    Dfs,
    /// Samples: every thread that can go on has equal chances ([`crate::algorithm::sampling`]).
    Random,
    /// Samples: priorities that change at a few places, with a guarantee ([`crate::algorithm::sampling`]).
    Pct,
    /// Samples: priorities for operations, drawn again after races ([`crate::algorithm::sampling`]).
    Pos,
    /// Samples: a few threads in any order, then the others ([`crate::algorithm::sampling`]).
    Few,
}

impl Algorithm {
    /// All of them, with the names that a person types.
    pub const NAMES: &'static [(&'static str, Algorithm)] = &[
        ("optimal", Algorithm::Optimal),
        ("source", Algorithm::Source),
        ("dpor", Algorithm::Dpor),
        ("dfs", Algorithm::Dfs),
        ("random", Algorithm::Random),
        ("pct", Algorithm::Pct),
        ("pos", Algorithm::Pos),
        ("few", Algorithm::Few),
    ];

    /// The name that a person types.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, a)| *a == self).map_or("", |(name, _)| name)
    }

    /// Whether it only samples, so that its end proves nothing.
    pub fn samples(self) -> bool {
        matches!(self, Algorithm::Random | Algorithm::Pct | Algorithm::Pos | Algorithm::Few)
    }
}

/// What a search is asked to do. The default is an exhaustive search without bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Stop after this many executions.
    pub max_executions: Option<u64>,
    /// Stop after this long.
    pub timeout: Option<Duration>,
    /// The most operations that one thread may take in an execution.
    pub max_steps: Option<u32>,
    /// The most preemptions of an execution ([`crate::algorithm::bound`]).
    pub max_preemptions: Option<u32>,
    /// The most switches between threads of an execution ([`crate::algorithm::bound`]).
    pub max_switches: Option<u32>,
    /// The most delays of an execution ([`crate::algorithm::bound`]).
    pub max_delays: Option<u32>,
    /// Begin with no preemptions, and allow one more whenever all executions with so many were run, up to
    /// `max_preemptions` if there is one.
    pub iterate: bool,
    /// Explore only what can follow these steps: every execution begins with them.
    pub prefix: Vec<Step>,
    /// How often the search is to be written down ([`crate::Observer::checkpoint`]), and whenever it is cut off. Only `optimal` without
    /// bounds can.
    pub checkpoint: Option<Duration>,
    /// How often the observer is told how far the search is, at most ([`crate::Observer::progress`]).
    pub progress: Duration,
    /// For algorithms that draw lots.
    pub seed: u64,
    /// `pct`: how many ordering constraints a bug may need.
    pub depth: u32,
    /// `dpor`: use sleep sets.
    pub sleep_sets: bool,
    /// `dpor`: two operations under one lock are not possible at the same time.
    pub locksets: bool,
    /// `optimal`: how much memory what is pending may take, in bytes, before the search turns depth first. Until then
    /// it takes what needs the fewest preemptions first. 0: depth first from the start.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Optimal,
            max_executions: None,
            timeout: None,
            max_steps: None,
            max_preemptions: None,
            max_switches: None,
            max_delays: None,
            iterate: false,
            prefix: Vec::new(),
            checkpoint: None,
            progress: Duration::from_millis(100),
            seed: 0,
            depth: 3,
            sleep_sets: true,
            locksets: true,
            memory: 64 << 20,
        }
    }
}
