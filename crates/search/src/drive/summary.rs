//! What a search says in the end.

use std::time::Duration;

use heddle_model::Outcome;

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// There is nothing left to run (within the bounds, if there are any).
    Exhausted,
    /// The observer said so.
    Observer,
    /// So many executions were asked for, and there were more.
    Executions,
    /// The time is over.
    Time,
    /// A race was seen on a place that is not visible yet; never the end of a whole search.
    Revealed,
    /// The program has sections that run as one step, which need another algorithm; never the end of a whole search.
    Sections,
    /// An execution could not be made sense of (`Diverged`, `Unsupported`, `Capacity`, ...): nothing that follows from
    /// it could be trusted.
    Outcome(Outcome),
}

/// What a search says in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Complete executions.
    pub executions: u64,
    /// Executions abandoned as redundant.
    pub blocked: u64,
    /// Executions that were assumed away.
    pub assumed: u64,
    /// Events of all executions.
    pub events: u64,
    /// The most threads that one execution had.
    pub threads: usize,
    /// Executions cut short by something that is not part of the model (a hang, a limit, a kill): what would have
    /// followed is not covered.
    pub cut: u64,
    /// Whether a bound on preemptions or switches left something out.
    pub bounded: bool,
    /// With a bound on preemptions: the highest for which everything was run.
    pub completed_preemptions: Option<u32>,
    /// Executions of earlier rounds, before all places were visible that races were seen on.
    pub earlier: u64,
    /// Why it ended.
    pub stop: Stop,
    /// How long it took.
    pub elapsed: Duration,
}

impl Summary {
    /// Of a search that has not begun.
    pub(crate) fn none() -> Summary {
        Summary {
            executions: 0,
            blocked: 0,
            assumed: 0,
            events: 0,
            threads: 0,
            cut: 0,
            earlier: 0,
            bounded: false,
            completed_preemptions: None,
            stop: Stop::Exhausted,
            elapsed: Duration::ZERO,
        }
    }

    /// Counts what an earlier round with a lower bound has run.
    pub(crate) fn add(&mut self, before: &Summary) {
        self.executions += before.executions;
        self.blocked += before.blocked;
        self.assumed += before.assumed;
        self.events += before.events;
        self.threads = self.threads.max(before.threads);
        self.cut += before.cut;
        self.earlier = before.earlier;
        self.elapsed += before.elapsed;
        self.completed_preemptions = self.completed_preemptions.or(before.completed_preemptions);
    }

    /// Whether everything (within the bounds, if `bounded`) was covered.
    pub fn complete(&self) -> bool {
        self.stop == Stop::Exhausted && self.cut == 0
    }
}
