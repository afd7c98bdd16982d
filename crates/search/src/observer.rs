//! Who watches a search, and what it says in the end.

use std::time::Duration;

use heddle_model::{Execution, Outcome, Plan};

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End the search.
    Stop,
}

/// What is known of an execution besides its events.
#[derive(Clone, Copy, Debug)]
pub struct Info<'i> {
    /// Its number, from 1, among all that were run.
    pub number: u64,
    /// The plan that it followed.
    pub plan: &'i Plan,
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Complete executions so far.
    pub executions: u64,
    /// Executions that were abandoned as redundant.
    pub blocked: u64,
    /// Events of all executions.
    pub events: u64,
    /// Since the search began.
    pub elapsed: Duration,
    /// How many executions are known to be still to run.
    pub pending: u64,
    /// How many executions there are in all, at the least: what was run and what is certain to come. None where what is
    /// pending may be abandoned.
    pub at_least: Option<u64>,
    /// How many executions there may be in all, from and to: a guess. No upper end while more is found than is run;
    /// None while nothing can be said honestly, or by an algorithm that cannot.
    pub estimate: Option<(u64, Option<u64>)>,
}

/// Watches a search, and can end it.
pub trait Observer {
    /// An execution came back: complete, blocked, or ended by something that is not part of the model.
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow;

    /// Everything begins anew, since more of the program has become visible (now all of `places`), or since another algorithm
    /// is needed: what was counted so far does not count.
    fn restart(&mut self, _places: &[u64]) {}

    /// The same for samples, which need not begin anew: what was counted counts.
    fn revealed(&mut self, _places: &[u64]) {}

    /// The search, written down: [`Search::resume`](crate::Search::resume) goes on from here. What was shown to this observer up to now is
    /// all that the search has learnt.
    fn checkpoint(&mut self, _search: &[u8]) {}

    /// Called about ten times a second. The place to notice that the user wants to stop.
    fn progress(&mut self, _progress: &Progress) -> Flow {
        Flow::Continue
    }
}

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
