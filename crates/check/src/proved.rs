//! The verdict of a proof: of an engine that does not run the program.
//!
//! Such an engine can only say *safe* or *incomplete*. What it finds is a conjecture until the program has done it, and then it is a finding
//! of a check like any other.

use std::time::Duration;

use heddle_model::verdict::{Bounds, Unwound};
use heddle_model::{Coverage, RunReport, Verdict};

/// How a proof ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing can happen, and every loop was followed to its end.
    Safe,
    /// Nothing can happen within the bounds that the user has set. The number is the bound of all loops, if there was one.
    Within(Option<u32>),
    /// Something is not known: why.
    Incomplete(String),
}

/// What the verdict of a proof is decided from.
#[derive(Clone, Debug)]
pub struct Proved {
    /// How it ended.
    pub end: End,
    /// The loops.
    pub unwound: Vec<Unwound>,
    /// Whether data races were asked for.
    pub races: bool,
    /// Whether an atomic orders less than acquire and release do.
    pub relaxed: bool,
    /// Whether overflow and shifts were asked for.
    pub undefined: bool,
    /// Whether exit statuses were asked for.
    pub exits: bool,
    /// Whether all answers were checked by their proofs.
    pub certified: bool,
    /// Library functions whose models were used.
    pub modelled: Vec<String>,
    /// How orders were expressed.
    pub encoding: &'static str,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// How many events the threads have.
    pub events: u64,
    /// How many threads there are.
    pub threads: u32,
    /// How many formulas were made.
    pub formulas: u64,
    /// How long it took.
    pub elapsed: Duration,
}

impl Proved {
    /// The report, with the verdict.
    pub fn report(&self) -> RunReport {
        let (verdict, reason) = self.verdict();
        RunReport {
            verdict,
            coverage: Some(self.coverage(verdict)),
            algorithm: Some(self.encoding.to_string()),
            formulas: self.formulas,
            events: self.events,
            seconds: self.elapsed.as_secs_f64(),
            threads: self.threads,
            reason,
            ..RunReport::error(String::new())
        }
    }

    fn verdict(&self) -> (Verdict, Option<String>) {
        match &self.end {
            End::Incomplete(why) => (Verdict::Incomplete, Some(why.clone())),
            End::Safe | End::Within(_) if self.races && self.relaxed => {
                let why = "nothing was found, and data races that only atomics weaker than acquire and release allow were not looked for";
                (Verdict::Incomplete, Some(why.to_string()))
            }
            End::Safe | End::Within(_) => (Verdict::Safe, None),
        }
    }

    fn coverage(&self, verdict: Verdict) -> Coverage {
        Coverage {
            model: "sc".to_string(),
            exhaustive: verdict == Verdict::Safe && self.end == End::Safe,
            bounds: Bounds {
                iterations: match self.end {
                    End::Within(bound) => bound,
                    _ => None,
                },
                seconds: self.timeout.map(|limit| limit.as_secs_f64()),
                ..Bounds::default()
            },
            instrumented: "memory".to_string(),
            restart: "none".to_string(),
            restart_reason: None,
            nets: Vec::new(),
            states_reason: None,
            races: if self.races { "checked" } else { "not checked" }.to_string(),
            engine: Some("symbolic".to_string()),
            inputs: Some("all".to_string()),
            unwind: self.unwound.clone(),
            checked_by: self.certified.then(|| "proof".to_string()),
            notes: self.notes(),
            grounds: Vec::new(),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.races {
            notes.push("data races: not checked (--races)".to_string());
        }
        if !self.undefined {
            notes.push("overflow and shifts: not checked (--ub)".to_string());
        }
        if !self.exits {
            notes.push("exit statuses: not checked".to_string());
        }
        notes.push("misuse of primitives, except a join of what is no thread".to_string());
        let cut: Vec<String> =
            self.unwound.iter().filter(|unwound| unwound.cut).map(|unwound| unwound.at.to_string()).collect();
        if !cut.is_empty() {
            notes.push(format!("further iterations of the loops at {}", cut.join(", ")));
        }
        if !self.modelled.is_empty() {
            notes.push(format!("what library functions do beyond their models: {}", self.modelled.join(", ")));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proved(end: End) -> Proved {
        Proved {
            end,
            unwound: Vec::new(),
            races: false,
            relaxed: true,
            undefined: false,
            exits: false,
            certified: false,
            modelled: Vec::new(),
            encoding: "order",
            timeout: None,
            events: 1,
            threads: 1,
            formulas: 1,
            elapsed: Duration::ZERO,
        }
    }

    #[test]
    fn a_verdict_is_never_better_than_what_was_asked() {
        let safe = proved(End::Safe).report();
        assert_eq!((safe.verdict, safe.coverage.unwrap().exhaustive), (Verdict::Safe, true));
        let within = proved(End::Within(Some(3))).report();
        let coverage = within.coverage.unwrap();
        assert_eq!((within.verdict, coverage.exhaustive, coverage.bounds.iterations), (Verdict::Safe, false, Some(3)));
        let weak = Proved { races: true, ..proved(End::Safe) }.report();
        assert_eq!((weak.verdict, weak.coverage.unwrap().exhaustive), (Verdict::Incomplete, false));
        assert_eq!(proved(End::Incomplete("late".into())).report().reason.as_deref(), Some("late"));
    }
}
