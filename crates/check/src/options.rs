//! What a check is asked to do.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use heddle_model::follow::Step;

/// What a check is asked to do. The default explores everything and stops at the first finding.
///
/// How executions go, and what is looked for in them, is not said here: the executor that runs the program has the
/// [`Settings`](heddle_model::Settings), and the check asks it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The algorithm, its bounds and its limits.
    pub search: heddle_search::Options,
    /// Only executions that begin with these steps.
    pub prefix: Option<Vec<Step>>,
    /// Places of plain memory that are visible from the start: those that the prefix was found with.
    pub places: Vec<u64>,
    /// Go on after the first finding.
    pub all: bool,
    /// How long to look for smaller executions that show the findings; zero for not at all.
    pub minimise: Duration,
    /// Count in how many ways executions end. Implies `all`.
    pub outcomes: bool,
    /// List every execution.
    pub dump: bool,
    /// Keep the search in this file, to go on from it.
    pub checkpoint: Option<PathBuf>,
    /// How often the search is kept.
    pub checkpoint_interval: Duration,
    /// Go on from this file. The search is kept in it, too, unless `checkpoint` names another.
    pub resume: Option<PathBuf>,
    /// Raised by whoever wants the search to end early. What was found by then is concluded.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            search: heddle_search::Options::default(),
            prefix: None,
            places: Vec::new(),
            all: false,
            minimise: Duration::from_secs(2),
            outcomes: false,
            dump: false,
            checkpoint: None,
            checkpoint_interval: Duration::from_secs(10),
            resume: None,
            interrupted: Arc::default(),
        }
    }
}

impl Options {
    /// Whether the search goes on after a finding.
    pub(crate) fn goes_on(&self) -> bool {
        self.all || self.outcomes
    }

    /// The file that the search is kept in, if it is.
    pub(crate) fn kept_in(&self) -> Option<&PathBuf> {
        self.checkpoint.as_ref().or(self.resume.as_ref())
    }
}
