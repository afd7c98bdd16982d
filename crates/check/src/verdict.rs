//! What a run came to, and what that covers.
//!
//! The one place that decides a verdict. In this order: something was found; the program does something that Heddle
//! does not control; not everything was explored; safe.

use std::time::Duration;

use heddle_model::Settings;
use heddle_model::verdict::SCHEMA;
use heddle_model::{Facts, Finding, FindingKind, Location, Outcome, Remark, RunReport, Verdict};
use heddle_report::outcome::{Class, Lost};
use heddle_report::text;
use heddle_search::{Counts, Method, Stop};

use crate::coverage;
use crate::options::Options;
use crate::tally::outcomes::Outcomes;
use crate::tally::{Candidate, Tally};
use crate::words;

/// Why the search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// For a reason of its own.
    Search(Stop),
    /// The user asked to stop.
    Interrupted,
    /// It could not go on.
    Failed(String),
}

/// What a bound on preemptions or switches has left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// Something.
    pub bounded: bool,
    /// The most preemptions for which everything was run, if preemptions were bounded.
    pub completed: Option<u32>,
}

/// What a verdict is made of.
pub struct Judgement<'c> {
    /// What was asked for.
    pub options: &'c Options,
    /// What was collected.
    pub tally: &'c Tally,
    /// The executions, counted.
    pub counts: Counts,
    /// The algorithm that ran.
    pub method: Method,
    /// Why it ended.
    pub end: End,
    /// What a bound has left out.
    pub left_out: LeftOut,
    /// What the engine sees of the program, and what it has learnt.
    pub facts: &'c Facts,
    /// The settings of the executions.
    pub settings: &'c Settings,
    /// How long the search took.
    pub elapsed: Duration,
    /// The findings, resolved.
    pub findings: Vec<Finding>,
    /// What is worth a word.
    pub remarks: Vec<Remark>,
    /// Where an unsupported call is, in words.
    pub unsupported: Option<String>,
    /// Where an execution ran out of memory.
    pub out_of_memory: Option<Location>,
    /// Findings that did not happen again when they were repeated.
    pub unrepeatable: u64,
    /// Who went round in executions that were cut off, in words.
    pub looping: Option<String>,
}

impl Judgement<'_> {
    /// The document of the run.
    pub fn report(mut self) -> RunReport {
        let coverage = self.coverage();
        if coverage.exhaustive && self.tally.unsupported.is_none() {
            self.add_unreached();
        }
        let (verdict, reason) = self.verdict();
        let (tally, counts) = (self.tally, self.counts);
        let seconds = self.elapsed.as_secs_f64();
        RunReport {
            schema: SCHEMA.to_string(),
            verdict,
            reason,
            coverage: Some(coverage),
            algorithm: Some(self.method.name().to_string()),
            executions: counts.executions,
            blocked: counts.blocked,
            assumed: counts.assumed,
            events: counts.events,
            seconds,
            executions_per_second: (counts.executions as f64 / seconds.max(1e-9)) as u64,
            threads: counts.threads,
            findings: self.findings,
            outcomes: tally.outcomes.as_ref().map_or_else(Vec::new, Outcomes::list),
            notes: self.remarks,
        }
    }

    fn verdict(&self) -> (Verdict, Option<String>) {
        let why = self.why_incomplete();
        if !self.findings.is_empty() {
            // The first finding ends a search unless all are wanted: that is not worth a word.
            let expected = self.end == End::Search(Stop::Observer) && !self.options.all;
            return (Verdict::Found, why.filter(|_| !expected));
        }
        if let Some(what) = &self.unsupported {
            return (Verdict::Unsupported, Some(what.clone()));
        }
        match (&self.end, why.or_else(|| self.why_undetermined())) {
            (End::Failed(what), _) => (Verdict::Error, Some(what.clone())),
            (_, Some(why)) => (Verdict::Incomplete, Some(why)),
            (_, None) => (Verdict::Safe, None),
        }
    }

    /// Adds a finding for each label that no execution reached. Only for searches that left no execution out.
    fn add_unreached(&mut self) {
        for (label, number) in self.facts.unreached().zip(1..) {
            let location = Location { file: label.file.clone(), line: label.line, ..Location::default() };
            self.findings.push(Finding {
                id: format!("{}-{number}", FindingKind::Unreached),
                kind: FindingKind::Unreached,
                message: format!("no execution reaches `{}`", label.name),
                location: Some(location),
                count: 0,
                execution: 0,
                threads: Vec::new(),
                switches: 0,
                preemptions: 0,
                minimal: false,
                trace: None,
                notes: Vec::new(),
            });
        }
    }

    /// An undetermined number had only some of its values, and nobody has said that those are enough.
    fn why_undetermined(&self) -> Option<String> {
        (self.facts.undetermined && !self.settings.nondet.are_given()).then(|| {
            format!(
                "undetermined numbers (__VERIFIER_nondet_...) were only {}: say which values matter with --nondet",
                coverage::shown(self.settings.nondet.as_slice())
            )
        })
    }

    /// Why not everything was explored, if so.
    fn why_incomplete(&self) -> Option<String> {
        if self.unrepeatable > 0 {
            return Some(
                "something went wrong in an execution and did not happen again under the same schedule: the program \
                 depends on something that heddle does not control"
                    .to_string(),
            );
        }
        if let Some(lost) = self.tally.lost.first() {
            return Some(self.why_lost(lost));
        }
        match &self.end {
            End::Interrupted => Some("interrupted".to_string()),
            End::Failed(what) => Some(what.clone()),
            End::Search(Stop::Exhausted) if self.tally.bounded > 0 => {
                let limit = self.settings.max_steps;
                Some(format!(
                    "{} cut off after {} of a thread, as asked{}; raise --max-steps to see what follows",
                    text::counted(self.tally.bounded, "execution"),
                    text::counted(limit as u64, "operation"),
                    self.round()
                ))
            }
            End::Search(Stop::Exhausted) if self.counts.executions == 0 && self.counts.assumed > 0 => Some(format!(
                "{} assumed away by the program itself, and none is left: nothing was checked",
                text::counted(self.counts.assumed, "execution")
            )),
            // Cannot be, and must not be called safe if it is.
            End::Search(Stop::Exhausted) if self.counts.executions == 0 && self.findings.is_empty() => {
                Some("no execution came to its end".to_string())
            }
            End::Search(Stop::Exhausted) => None,
            End::Search(Stop::Observer) if self.findings.is_empty() => Some("interrupted".to_string()),
            End::Search(Stop::Observer) => Some("stopped at the first finding".to_string()),
            End::Search(Stop::Executions) => {
                let Some(limit) = self.options.search.max_executions else {
                    return Some(
                        "the search ended although executions were left, an error of heddle's own".to_string(),
                    );
                };
                let sampled = if self.method.samples() { "sampled" } else { "stopped after" };
                Some(format!("{sampled} {} as asked", text::counted(limit, "execution")))
            }
            End::Search(Stop::Time) => {
                let limit = self
                    .options
                    .search
                    .timeout
                    .map_or(String::new(), |limit| format!(" of {}", words::duration(limit)));
                let completed = self.left_out.completed.map_or(String::new(), |n| {
                    format!(", after all executions with at most {}", text::counted(n as u64, "preemption"))
                });
                Some(format!("time limit{limit}{completed}"))
            }
            End::Search(Stop::Outcome(outcome)) => Some(outcome_words(*outcome).to_string()),
        }
    }

    /// Who goes round, as a part of a sentence.
    fn round(&self) -> String {
        self.looping.as_ref().map_or(String::new(), |round| format!("; {round}"))
    }

    fn why_lost(&self, lost: &Candidate) -> String {
        let often = match lost.count {
            1 => String::new(),
            n => format!(" (and {} more)", text::grouped(n - 1)),
        };
        let Class::Lost(why) = lost.class else { return lost.message.clone() };
        match why {
            Lost::MemoryLimit => {
                let place = self.out_of_memory.as_ref().map_or(String::new(), |at| format!(" at {at}"));
                let limit = words::size(self.settings.memory_limit);
                format!(
                    "execution {}{often} asked for more memory than the limit of {limit}{place}: raise it with \
                     --memory-limit",
                    lost.execution
                )
            }
            Lost::Capacity => format!(
                "execution {} was too large for heddle (too many {}){}: bound it with --max-steps",
                lost.execution,
                lost.message,
                self.round()
            ),
            Lost::Killed => format!("execution {}{often} was lost: {}", lost.execution, lost.message),
            Lost::Diverged if !lost.message.is_empty() => lost.message.clone(),
            Lost::Diverged => format!(
                "execution {} did not do what it had done before under the same schedule: the program depends on \
                 something that heddle does not control",
                lost.execution
            ),
            Lost::NeedsFork => format!(
                "the program uses {}, which a snapshot cannot take back: use --restart auto or fork",
                lost.message
            ),
            Lost::Unfinished => format!("execution {}{often} did not end as executions end", lost.execution),
        }
    }
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Diverged { .. } => "the program did not do the same thing under the same schedule",
        Outcome::Capacity(_) => "an execution was too large",
        Outcome::NeedsThreads { .. } => "an execution had more threads than there is room for",
        Outcome::NeedsFork => "the program does something that a snapshot cannot take back: use --restart auto",
        _ => "an execution could not be made sense of",
    }
}
