//! Who watches a search.

use std::time::Duration;

use heddle_model::{Execution, Plan};

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
    /// Its number in this round of the search, from 1.
    pub number: u64,
    /// How many executions there were in earlier rounds, which do not count.
    pub earlier: u64,
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
