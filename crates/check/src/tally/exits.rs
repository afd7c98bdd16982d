//! The exit statuses of executions: whether a test fails always, sometimes or never.

use std::collections::BTreeMap;

use heddle_model::Attention;
use heddle_model::verdict::StatusCount;
use heddle_report::text;
use serde::{Deserialize, Serialize};

/// How many executions must end with one and the same non-zero status before a search for one finding ends without an execution
/// that ends with another. The difference between "in this order" and "always" is worth a few executions.
const ENOUGH: u64 = 64;

/// How many executions ended with each exit status.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Exits {
    counts: BTreeMap<u8, u64>,
}

impl Exits {
    /// Counts an execution that exited with `status`.
    pub fn add(&mut self, status: u8) {
        *self.counts.entry(status).or_default() += 1;
    }

    /// The number of executions that exited.
    pub fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Whether two executions exited with different statuses.
    pub fn differ(&self) -> bool {
        self.counts.len() > 1
    }

    fn any_failed(&self) -> bool {
        self.counts.keys().any(|status| *status != 0)
    }

    /// Whether a search for one finding can end with these statuses: one of them is to be reported, and either another execution
    /// has another one, or there are enough to say that all seem to have it.
    pub fn are_telling(&self, attention: Attention) -> bool {
        let enough = attention != Attention::Differ && self.all() >= ENOUGH;
        attention.reports() && self.any_failed() && (self.differ() || enough)
    }

    /// The statuses with their counts. Empty if all are 0.
    pub fn list(&self) -> Vec<StatusCount> {
        let list = self.counts.iter().map(|(&status, &executions)| StatusCount { status, executions });
        if self.any_failed() { list.collect() } else { Vec::new() }
    }

    /// The message of the finding that an execution exits with `status`. `whole`: the search left no execution out.
    pub fn message(&self, status: u8, whole: bool) -> String {
        let others: Vec<String> = self
            .counts
            .iter()
            .filter(|(other, _)| **other != status)
            .map(|(other, &count)| {
                let noun = if count == 1 { "other" } else { "others" };
                format!("with {other} in {} {noun}", text::grouped(count))
            })
            .collect();
        let says = format!("exits with status {status}");
        match (others.is_empty(), self.all()) {
            (false, _) => format!("{says} in this order; {}", others.join(", ")),
            (true, 1) if whole => format!("the only execution {says}"),
            (true, all) if whole => format!("every execution {says}, all {}", text::grouped(all)),
            (true, all @ 2..) => {
                format!("{says} in this order and in the {} others that were run", text::grouped(all - 1))
            }
            (true, _) => format!("{says} in this order"),
        }
    }

    /// The note about non-zero statuses that are not reported. `None` if there are none.
    pub fn not_reported(&self) -> Option<String> {
        let failed: u64 = self.counts.iter().filter(|(status, _)| **status != 0).map(|(_, count)| count).sum();
        (failed > 0).then(|| {
            let all = text::counted(self.all(), "execution");
            format!(
                "exit statuses: {} of {all} ended with one that is not 0 (--exit-status ignore)",
                text::grouped(failed)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exits(statuses: &[u8]) -> Exits {
        let mut exits = Exits::default();
        statuses.iter().for_each(|status| exits.add(*status));
        exits
    }

    #[test]
    fn a_message_says_what_other_executions_did() {
        assert_eq!(exits(&[1]).message(1, true), "the only execution exits with status 1");
        assert_eq!(exits(&[1, 1]).message(1, true), "every execution exits with status 1, all 2");
        assert_eq!(exits(&[1]).message(1, false), "exits with status 1 in this order");
        assert_eq!(
            exits(&[1, 1, 1]).message(1, false),
            "exits with status 1 in this order and in the 2 others that were run"
        );
        assert_eq!(
            exits(&[0, 0, 1, 1, 3]).message(1, true),
            "exits with status 1 in this order; with 0 in 2 others, with 3 in 1 other"
        );
    }

    #[test]
    fn a_search_for_one_finding_ends_when_enough_is_known() {
        let telling = |statuses: &[u8], attention| exits(statuses).are_telling(attention);
        assert!(telling(&[0, 1], Attention::Stop) && telling(&[1, 0], Attention::Differ));
        assert!(telling(&[2, 1], Attention::Differ), "two statuses, neither of them 0, disagree");
        assert!(!telling(&[0, 0], Attention::Stop) && !telling(&[0, 1], Attention::Off));
        let same = [1; ENOUGH as usize];
        assert!(telling(&same, Attention::Stop) && !telling(&same, Attention::Differ));
        assert!(!telling(&same[1..], Attention::Stop));
    }

    #[test]
    fn statuses_are_listed_if_one_is_not_zero() {
        assert!(exits(&[0, 0]).list().is_empty());
        let two = [StatusCount { status: 0, executions: 1 }, StatusCount { status: 7, executions: 2 }];
        assert_eq!(exits(&[7, 0, 7]).list(), two);
        assert!(exits(&[0]).not_reported().is_none());
        assert!(exits(&[0, 2]).not_reported().is_some_and(|note| note.contains("1 of 2 executions")));
    }
}
