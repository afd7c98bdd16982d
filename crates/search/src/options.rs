//! What a search is asked to do.

use std::time::Duration;

use heddle_model::follow::Step;

pub use crate::algorithm::stateful::summary::Rules;

/// The algorithm that is asked for. See [`Method`](crate::Method) for what runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Algorithm {
    /// Samples in turns beside [`Algorithm::Optimal`] ([`crate::algorithm::portfolio`]).
    Portfolio,
    /// One execution for each trace ([`crate::algorithm::optimal`]).
    #[default]
    Optimal,
    /// Source sets ([`crate::algorithm::source`]).
    Source,
    /// Persistent sets ([`crate::algorithm::dpor`]).
    Dpor,
    /// Every interleaving ([`crate::algorithm::dfs`]).
    Dfs,
    /// Every state once ([`crate::algorithm::stateful`]). Needs an executor with [states](heddle_model::States).
    Stateful,
    /// Every step of every state, no reduction: what [`Algorithm::Stateful`] is held against.
    States,
    /// Every state, those with the fewest switches first ([`crate::algorithm::switches`]).
    Switches,
    /// Like [`Algorithm::Switches`], as it was published: not exact.
    Csdr,
    /// Stateful search as the dissertation has it ([`crate::algorithm::sdpor`]): it misses some.
    Sdpor,
    /// Samples: every thread that can go on has equal chances ([`crate::algorithm::sampling`]).
    Random,
    /// Samples: priorities that change at a few places, with a guarantee ([`crate::algorithm::sampling`]).
    Pct,
    /// Samples: priorities for operations, drawn again after races ([`crate::algorithm::sampling`]).
    Pos,
    /// Samples: a few threads in any order, then the others ([`crate::algorithm::sampling`]).
    Few,
    /// Samples: back to a rare event of an earlier one, and on from there in any order (`crate::algorithm::rare`).
    Rare,
}

impl Algorithm {
    /// The algorithms that a person can ask for, with their names.
    pub const NAMES: &'static [(&'static str, Algorithm)] = &[
        ("default", Algorithm::Portfolio),
        ("optimal", Algorithm::Optimal),
        ("source", Algorithm::Source),
        ("dpor", Algorithm::Dpor),
        ("dfs", Algorithm::Dfs),
        ("stateful", Algorithm::Stateful),
        ("switches", Algorithm::Switches),
        ("csdr", Algorithm::Csdr),
        ("states", Algorithm::States),
        ("sdpor", Algorithm::Sdpor),
        ("random", Algorithm::Random),
        ("pct", Algorithm::Pct),
        ("pos", Algorithm::Pos),
        ("few", Algorithm::Few),
        ("rare", Algorithm::Rare),
    ];

    /// The name that a person types.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, a)| *a == self).map_or("", |(name, _)| name)
    }

    /// Whether the algorithm is a search over states: it needs an executor with [states](heddle_model::States).
    pub fn has_states(self) -> bool {
        use Algorithm::{Csdr, Sdpor, Stateful, States, Switches};
        matches!(self, Stateful | States | Switches | Csdr | Sdpor)
    }

    /// Whether the algorithm only samples, so that its end proves nothing.
    pub fn samples(self) -> bool {
        matches!(self, Algorithm::Random | Algorithm::Pct | Algorithm::Pos | Algorithm::Few | Algorithm::Rare)
    }
}

/// What a search is asked to do. The default is an exhaustive search without bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The most executions of the whole search, also across [`Search::resume`](crate::Search::resume).
    pub max_executions: Option<u64>,
    /// For searches over states: the most states of the whole search. An execution that is under way may add a few more.
    pub max_states: Option<u64>,
    /// For searches over states: how many bytes their graph may take. `None` is no limit.
    pub state_memory: Option<usize>,
    /// How long the search may take, counted from its start or from its resumption.
    pub timeout: Option<Duration>,
    /// The most operations that one thread may take in an execution.
    pub max_steps: Option<u32>,
    /// The most preemptions of an execution ([`crate::algorithm::bound`]).
    pub max_preemptions: Option<u32>,
    /// The most switches between threads of an execution ([`crate::algorithm::bound`]).
    pub max_switches: Option<u32>,
    /// The most delays of an execution ([`crate::algorithm::bound`]).
    pub max_delays: Option<u32>,
    /// Whether to begin without preemptions and to allow one more whenever all executions with that many were run, up to
    /// `max_preemptions` if there is one.
    pub iterate: bool,
    /// The steps that every execution begins with. Only what can follow them is explored.
    pub prefix: Vec<Step>,
    /// Places of plain memory that are visible from the start. `prefix` has a step for each access to them.
    pub places: Vec<u64>,
    /// How often the search is written down ([`crate::Observer::checkpoint`]). It is also written down whenever it is cut
    /// off. `None`: never.
    pub checkpoint: Option<Duration>,
    /// The shortest time between two reports of progress ([`crate::Observer::progress`]).
    pub progress: Duration,
    /// The seed of algorithms that sample.
    pub seed: u64,
    /// For `pct`: how many ordering constraints a bug may need.
    pub depth: u32,
    /// For `dpor`: whether to use sleep sets.
    pub sleep_sets: bool,
    /// For `dpor`: whether two operations under one lock count as not enabled at the same time.
    pub locksets: bool,
    /// For `optimal`: how many bytes pending sequences may take before the search turns depth first. Until then the
    /// sequence with the fewest preemptions comes first. 0 means depth first from the start.
    pub memory: usize,
    /// For `states`: whether the graph is kept in the end, for questions about what can go on for ever
    /// ([`crate::liveness`]).
    pub liveness: bool,
    /// For `stateful`: whether critical sections of mutexes that only exclude are one step. The executor must show every access to memory that
    /// another thread can see.
    pub sections: bool,
    /// For searches over states: whether executions tell what their states consist of ([`heddle_model::Plan::contents`]), to be compared
    /// word for word ([`crate::exact`]).
    pub exact: bool,
    /// For the default: whether the search turns to states by itself where executions go round or meet again (`drive::over_states`).
    /// Needs an executor with [states](heddle_model::States).
    pub turns_to_states: bool,
    /// After that: whether every step of every state is run where what goes round may be a livelock.
    pub asks_for_livelocks: bool,
    /// For `stateful`: whether executions tell what is done with plain memory that is no operation ([`heddle_model::Plan::touches`]). Then states do
    /// not tell apart what the race detector knows, as far as locks alone exclude data races.
    pub plain: bool,
    /// For `stateful`: which of its rules are used. Leaving one out is for tests: the search is not complete then.
    pub rules: Rules,
}

impl Options {
    /// Whether the search may turn to states. Within bounds it does not: there are more states than those within.
    pub(crate) fn may_turn(&self) -> bool {
        self.turns_to_states && self.max_steps.is_none() && self.has_samples_beside()
    }

    /// Whether samples are drawn beside the exhaustive search. Within bounds there are none: a sample would not stay there.
    pub(crate) fn has_samples_beside(&self) -> bool {
        let bounds = [self.max_preemptions, self.max_switches, self.max_delays];
        self.algorithm == Algorithm::Portfolio && !self.iterate && bounds.iter().all(Option::is_none)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Optimal,
            max_executions: None,
            max_states: None,
            state_memory: None,
            sections: false,
            exact: false,
            plain: false,
            timeout: None,
            max_steps: None,
            max_preemptions: None,
            max_switches: None,
            max_delays: None,
            iterate: false,
            prefix: Vec::new(),
            places: Vec::new(),
            checkpoint: None,
            progress: Duration::from_millis(100),
            seed: 0,
            depth: 3,
            sleep_sets: true,
            locksets: true,
            memory: 64 << 20,
            liveness: false,
            turns_to_states: false,
            asks_for_livelocks: true,
            rules: Rules::default(),
        }
    }
}
