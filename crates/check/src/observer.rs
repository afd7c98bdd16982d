//! Who is told how far a check is.

use heddle_search::Progress;

/// Is told how far a check is, and does nothing by default.
pub trait Observer {
    /// The search is under way. Called about ten times a second.
    fn progress(&mut self, _progress: &Progress, _findings: usize) {}

    /// The search is over. What follows takes seconds at most.
    fn searched(&mut self) {}
}

/// Nobody.
impl Observer for () {}
