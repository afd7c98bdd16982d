//! How many executions there were, by how they ended.

use heddle_model::{Execution, Outcome};
use serde::{Deserialize, Serialize};

/// The executions of a search, counted. Nobody else counts them: observers and reports ask for these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Complete executions.
    pub executions: u64,
    /// Executions abandoned as redundant.
    pub blocked: u64,
    /// Executions that the program assumed away.
    pub assumed: u64,
    /// Executions cut short by something that is not part of the model (a hang, a kill), and executions in which a bound
    /// on operations has stopped a thread. What would have followed is not covered.
    pub cut: u64,
    /// Executions that ended where a bound allowed no more switches. Such a bound leaves out executions in any case.
    pub bounded: u64,
    /// Executions that ended at a state that was known.
    pub visited: u64,
    /// Events of all executions.
    pub events: u64,
    /// The most threads that one execution had.
    pub threads: u32,
}

impl Counts {
    /// Every execution, however it ended.
    pub fn ran(&self) -> u64 {
        self.executions + self.blocked + self.assumed + self.cut + self.bounded + self.visited
    }

    /// Counts one more.
    pub(crate) fn count(&mut self, execution: &Execution<'_>) {
        match execution.outcome {
            outcome if outcome.is_assumed_away() => self.assumed += 1,
            Outcome::Blocked => self.blocked += 1,
            Outcome::Visited => self.visited += 1,
            // It is run again when the search has learnt from it.
            Outcome::Learnt { .. } => {}
            _ if execution.stopped().next().is_some() => self.cut += 1,
            Outcome::Ended { .. } | Outcome::Deadlock => self.executions += 1,
            Outcome::SwitchLimit { .. } => self.bounded += 1,
            _ => self.cut += 1,
        }
        self.events += execution.events.len() as u64;
        let threads = execution.events.iter().map(|event| event.thread.index() + 1).max().unwrap_or(0);
        self.threads = self.threads.max(threads as u32);
    }

    /// Both together.
    pub(crate) fn plus(&self, other: &Counts) -> Counts {
        Counts {
            executions: self.executions + other.executions,
            blocked: self.blocked + other.blocked,
            assumed: self.assumed + other.assumed,
            cut: self.cut + other.cut,
            bounded: self.bounded + other.bounded,
            visited: self.visited + other.visited,
            events: self.events + other.events,
            threads: self.threads.max(other.threads),
        }
    }
}
