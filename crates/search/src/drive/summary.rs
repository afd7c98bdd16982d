//! What a search says in the end.

use std::time::Duration;

use heddle_model::Outcome;

use crate::algorithm::Method;
use crate::drive::counts::Counts;
use crate::drive::over_states::OverStates;

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There is nothing left to run (within the bounds, if there are any).
    Exhausted,
    /// The observer said so.
    Observer,
    /// The number of executions that were asked for is reached, and there are more.
    Executions,
    /// The number of states that were asked for is reached, and there is more to run.
    States,
    /// The graph of states takes [as much memory](crate::Options::state_memory) as it may, and there is more to run.
    Memory,
    /// The time is over.
    Time,
    /// An execution could not be made sense of (`Diverged`, `Unsupported`, `Capacity`, ...). Nothing that follows from
    /// it could be trusted.
    Outcome(Outcome),
}

/// The graph of a search over states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StateCounts {
    /// The states that were met.
    pub states: u64,
    /// The steps between them that were run.
    pub edges: u64,
    /// The states from which no end is reached: neither of the process, nor one where nobody can go on. Reductions keep whether there are any,
    /// and whether there are others.
    pub endless: u64,
    /// Whether some steps that were run lead back to a state before them: a thread can wait in vain, or the program need not end.
    pub goes_round: bool,
    /// The states in which threads wait in vain: whoever can go on looks again and again, for ever, and nobody writes.
    pub in_vain: u64,
    /// Whether the program says anywhere that it makes progress.
    pub has_progress: bool,
    /// The bytes that the graph takes.
    pub bytes: u64,
    /// What is said of locks and of data races.
    pub discipline: DisciplineCounts,
}

/// What a search over states says of locks and of data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DisciplineCounts {
    /// Whether executions told what is done with plain memory. Otherwise what the race detector knows is part of each state.
    pub told: bool,
    /// The places (of eight bytes) of plain memory that several threads touch and one of them writes to.
    pub places: u64,
    /// The places at which what the race detector knows is part of each state: locks, beginnings and ends of threads do not order who uses them.
    pub watched: u64,
    /// Whether what the race detector knows is part of each state at all places.
    pub all_watched: bool,
    /// The mutexes that were held.
    pub locks: u64,
    /// The mutexes whose critical sections are one step each.
    pub steps: u64,
}

impl StateCounts {
    /// Whether what goes round may be a livelock: in states from which the program could end, or where it says what progress is.
    /// A graph with every step of every state can be asked.
    pub fn may_go_round_in_vain(&self) -> bool {
        self.goes_round && (self.endless < self.states || self.has_progress)
    }
}

/// What a search says in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The executions of the last round.
    pub counts: Counts,
    /// The samples beside the search, of all rounds.
    pub samples: Counts,
    /// The algorithm that ran. Not always the one that was asked for: see [`Method`].
    pub method: Method,
    /// Whether a bound on preemptions, switches or delays left something out.
    pub bounded: bool,
    /// With a bound on preemptions: the highest for which everything was run.
    pub completed_preemptions: Option<u32>,
    /// Executions of earlier rounds, which do not count: more of the program became visible after them, or another
    /// algorithm was needed.
    pub earlier: u64,
    /// The most operations of a thread, if the search had to bound them itself: without a bound, or with the one that was
    /// asked for, an execution was too large ([`Outcome::Capacity`]).
    pub own_bound: Option<u32>,
    /// The graph of a search over states.
    pub states: Option<StateCounts>,
    /// Whether a search over executions has turned to states by itself.
    pub over_states: OverStates,
    /// Why the search ended.
    pub stop: Stop,
    /// How long it took, before and after it was resumed.
    pub elapsed: Duration,
}

impl Summary {
    /// Whether everything (within the bounds, if `bounded`) was covered.
    pub fn complete(&self) -> bool {
        self.stop == Stop::Exhausted && self.counts.cut == 0
    }
}
