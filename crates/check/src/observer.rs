//! The receiver of a check's progress.

use heddle_search::Progress;

/// Receives the progress of a check. The default methods do nothing.
pub trait Observer {
    /// Called about ten times a second during the search.
    fn progress(&mut self, _progress: &Progress, _findings: usize) {}

    /// Called when the search is over. The rest of the check takes a few seconds at most.
    fn searched(&mut self) {}
}

/// An observer that ignores the progress.
impl Observer for () {}
