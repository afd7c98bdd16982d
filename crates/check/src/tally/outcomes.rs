//! `--outcomes`: the distinct outcomes of executions, and how often each occurred.
//!
//! An outcome is how an execution ended and what the program had printed. Output is not an operation, so unordered output of several
//! threads is seen in only one order. A program that prints its results at its end has all its outcomes here.

use std::collections::BTreeMap;

use heddle_model::{Ending, Execution, OutcomeCount};
use heddle_report::{Recording, outcome};
use serde::{Deserialize, Serialize};

/// The most different outcomes that are kept.
const KEPT: usize = 100_000;

/// How often each outcome occurred.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcomes {
    /// By output, end in words, and exit status.
    counts: BTreeMap<(String, String, Option<u8>), u64>,
    /// The number of executions whose outcomes were not kept.
    pub more: u64,
}

impl Outcomes {
    /// Counts an execution.
    pub fn add(&mut self, execution: &Execution<'_>) {
        // What it ended with needs no names; to copy the events for it would cost more than the rest.
        let end = outcome::in_words(&Recording::new(&Execution {
            events: execution.events.last().map_or(&[], std::slice::from_ref),
            pending: &[],
            ..*execution
        }));
        let output = String::from_utf8_lossy(execution.output).into_owned();
        let room = self.counts.len() < KEPT;
        let status = execution.outcome.ending().and_then(Ending::exit_status);
        let key = (output, end, status);
        match self.counts.get_mut(&key) {
            Some(count) => *count += 1,
            None if room => {
                self.counts.insert(key, 1);
            }
            None => self.more += 1,
        }
    }

    /// Forgets all outcomes, because the search starts over.
    pub fn clear(&mut self) {
        *self = Outcomes::default();
    }

    /// The outcomes, the most frequent first.
    pub fn list(&self) -> Vec<OutcomeCount> {
        let count = |((output, end, status), &executions): (&(String, String, Option<u8>), &u64)| OutcomeCount {
            output: output.clone(),
            end: end.clone(),
            status: *status,
            executions,
        };
        let mut list: Vec<OutcomeCount> = self.counts.iter().map(count).collect();
        list.sort_by_key(|outcome| std::cmp::Reverse(outcome.executions));
        list
    }
}
