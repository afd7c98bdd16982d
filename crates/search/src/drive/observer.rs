//! Who watches a search.

use std::time::Duration;

use heddle_model::{Execution, Plan};

/// Whether a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The search goes on.
    Continue,
    /// The search ends.
    Stop,
}

/// What the search knows about an execution besides its events.
#[derive(Clone, Copy, Debug)]
pub struct Info<'i> {
    /// The number of the execution in this round of the search, from 1. Samples beside an exhaustive search are numbered
    /// apart, through all rounds.
    pub number: u64,
    /// The number of the execution among the complete ones of its kind, from 1, as [`crate::Counts::executions`] counts them. An
    /// execution that was cut off has the number that it would have had.
    pub complete: u64,
    /// Whether the execution is a sample beside an exhaustive search. What that search counts does not include it.
    pub sample: bool,
    /// The name of the sampler that drew it, if it is such a sample.
    pub sampler: Option<&'static str>,
    /// How many executions there were in earlier rounds, which do not count.
    pub earlier: u64,
    /// The plan that the execution followed.
    pub plan: &'i Plan,
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Complete executions so far.
    pub executions: u64,
    /// Executions that were abandoned as redundant.
    pub blocked: u64,
    /// Samples beside the search.
    pub samples: u64,
    /// Events of all executions.
    pub events: u64,
    /// The time since the search began, also before it was resumed.
    pub elapsed: Duration,
    /// How many executions are known to be still to run.
    pub pending: u64,
    /// A lower bound of how many executions there are in all: those that were run and those that are certain to come.
    /// `None` where pending executions may be abandoned.
    pub at_least: Option<u64>,
    /// An estimate of how many executions there are in all, from and to. There is no upper end while more is found than is
    /// run. `None` while there is too little to go by, and where the algorithm has no estimate.
    pub estimate: Option<(u64, Option<u64>)>,
}

/// Watches a search, and can end it.
pub trait Observer {
    /// Called for each execution: complete, blocked, or ended by something that is not part of the model.
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow;

    /// Called when everything begins anew: more of the program has become visible (now all of `places`), or another
    /// algorithm is needed. What was seen so far does not count.
    fn restart(&mut self, _places: &[u64]) {}

    /// Called when more of the program has become visible (now all of `places`) in a search that samples. Such a search
    /// does not begin anew, and what was seen so far counts.
    fn revealed(&mut self, _places: &[u64]) {}

    /// Called when the search waits while another one is tried, over states. What was seen so far does not count for that one.
    fn set_aside(&mut self) {}

    /// Called when what was tried has not come to its end, and the search goes on where it [waited](Self::set_aside). What was seen
    /// since then does not count, except what was found.
    fn take_back(&mut self) {}

    /// Called with the whole search as bytes, from which [`Search::resume`](crate::Search::resume) goes on. The search has
    /// learnt from exactly those executions that this observer has seen.
    fn checkpoint(&mut self, _search: &[u8]) {}

    /// Called about ten times a second ([`Options::progress`](crate::Options::progress)). A good place to notice that the
    /// user wants to stop.
    fn progress(&mut self, _progress: &Progress) -> Flow {
        Flow::Continue
    }
}
