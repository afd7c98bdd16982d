//! Decides the verdict of a run. Nothing else does.
//!
//! The first that applies: *found*, if there is a finding; *unsupported*, if the program does something that Heddle does not
//! control; *incomplete*, if not everything was explored; else *safe*.

use std::time::Duration;

use heddle_model::Settings;
use heddle_model::verdict::SCHEMA;
use heddle_model::{Facts, Finding, FindingKind, Location, Outcome, Property, Remark, RunReport, Verdict};
use heddle_report::outcome::{Class, Lost};
use heddle_report::text;
use heddle_search::{Counts, Method, OverStates, StateCounts, Stop};

use crate::after::cycles::Asked;
use crate::coverage;
use crate::internal::Panic;
use crate::options::Options;
use crate::tally::outcomes::Outcomes;
use crate::tally::{Candidate, Tally};
use crate::{unseen, words};

/// Why the search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The search ended by itself.
    Search(Stop),
    /// The user interrupted the search.
    Interrupted,
    /// The program has damaged what it shares with the engine, on its way to `main`. The text says so.
    Damaged(String),
    /// The search failed. The text is the reason.
    Failed(String),
}

/// What a bound on preemptions, switches or delays has left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// Whether the bound has left anything out.
    pub bounded: bool,
    /// The largest number of preemptions for which everything was explored, if preemptions were bounded.
    pub completed: Option<u32>,
}

/// How the reason begins if only the values of inputs are missing.
const UNDETERMINED: &str = "nondeterministic values (__VERIFIER_nondet_...)";

/// Whether a verdict would be *safe* if all inputs had been tried.
pub fn lacks_only_inputs(report: &RunReport) -> bool {
    let reason = report.reason.as_deref().unwrap_or("");
    report.verdict == Verdict::Incomplete && report.findings.is_empty() && reason.starts_with(UNDETERMINED)
}

/// What a verdict is decided from.
pub struct Judgement<'c> {
    /// The options of the check.
    pub options: &'c Options,
    /// What was kept of the executions.
    pub tally: &'c Tally,
    /// The number of executions of each kind.
    pub counts: Counts,
    /// The number of samples of each kind beside the search.
    pub samples: Counts,
    /// The algorithm that ran.
    pub method: Method,
    /// The graph of a search over states.
    pub states: Option<StateCounts>,
    /// What the graph was asked about executions that go on for ever, if it was.
    pub asked: Option<&'c Asked>,
    /// Whether the search has turned to states by itself.
    pub over_states: OverStates,
    /// The number of executions of earlier rounds, which do not count.
    pub earlier: u64,
    /// The most operations of a thread, if the search had to bound them itself.
    pub own_bound: Option<u32>,
    /// Why the search ended.
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
    /// Notes on what executions left behind.
    pub remarks: Vec<Remark>,
    /// The message about an unsupported call.
    pub unsupported: Option<String>,
    /// Where an execution ran out of memory.
    pub out_of_memory: Option<Location>,
    /// The number of findings that were not reproduced.
    pub unrepeatable: u64,
    /// Where executions were cut off: the loop, or the next operation of a stopped thread.
    pub looping: Option<String>,
    /// Where the program has atomics with weaker orders than sequential consistency, in words. `None` if it has none.
    pub weaker: Option<String>,
    /// The bug in Heddle that ended a part of the check, if there was one.
    pub panic: Option<Panic>,
}

/// Why there is no verdict about the program, if Heddle itself has failed.
pub(crate) fn why(panics: &[Panic]) -> String {
    let Some(Panic { doing, message }) = panics.first() else { return String::new() };
    format!("this is a bug in heddle and says nothing about the program ({doing}): {message}")
}

impl Judgement<'_> {
    /// The report of the run, with the verdict.
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
            samples: self.samples.ran(),
            blocked: counts.blocked,
            states: self.states.map_or(0, |counts| counts.states),
            transitions: self.states.map_or(0, |counts| counts.edges),
            visited: counts.visited,
            assumed: counts.assumed,
            cut: counts.cut + counts.bounded,
            formulas: 0,
            events: counts.events,
            seconds,
            executions_per_second: ((counts.executions + self.samples.ran()) as f64 / seconds.max(1e-9)) as u64,
            threads: counts.threads.max(self.samples.threads),
            findings: self.findings,
            exit_statuses: tally.exits.list(),
            outcomes: tally.outcomes.as_ref().map_or_else(Vec::new, Outcomes::list),
            notes: self.remarks,
        }
    }

    fn verdict(&self) -> (Verdict, Option<String>) {
        if let Some(panic) = &self.panic {
            return (Verdict::Error, Some(why(std::slice::from_ref(panic))));
        }
        let why = self.why_incomplete();
        if self.findings.iter().any(|finding| finding.certain) {
            // The first finding ends a search unless all are wanted: that is not worth a word.
            let expected = self.end == End::Search(Stop::Observer) && !self.options.all;
            return (Verdict::Found, why.filter(|_| !expected));
        }
        if let Some(what) = &self.unsupported {
            return (Verdict::Unsupported, Some(what.clone()));
        }
        if let Some(lost) = self.tally.lost.iter().find(|lost| lost.class == Class::Lost(Lost::NeedsFork))
            && self.states.is_some()
        {
            let what = format!(
                "--algorithm {} does not know the state of everything that the program uses: {}; use another algorithm",
                self.method.name(),
                lost.message
            );
            return (Verdict::Unsupported, Some(what));
        }
        if let Some(finding) = self.findings.first() {
            // Neither an alarm nor a proof.
            let why = format!("{} is not certain, because not all of the program was built by heddle", finding.id);
            return (Verdict::Incomplete, Some(why));
        }
        let unseen = || {
            let of_program = unseen::why_sync_only(self.facts).filter(|_| !self.options.accept_sync_only);
            unseen::why_incomplete(self.facts).or(of_program)
        };
        match (&self.end, why.or_else(|| self.why_undetermined()).or_else(unseen)) {
            (End::Failed(what), _) => (Verdict::Error, Some(what.clone())),
            (_, Some(why)) => (Verdict::Incomplete, Some(why)),
            (_, None) => (Verdict::Safe, None),
        }
    }

    /// Adds a finding for each label that no execution reached, if the search left no execution out.
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
                sample: None,
                threads: Vec::new(),
                switches: 0,
                preemptions: 0,
                minimal: false,
                certain: true,
                inputs: Vec::new(),
                cycle: None,
                trace: None,
                notes: Vec::new(),
            });
        }
    }

    /// Why nondeterministic values make the verdict incomplete: only some values were tried, and the user did not list them.
    fn why_undetermined(&self) -> Option<String> {
        (self.facts.undetermined && !self.settings.nondet.are_given()).then(|| {
            format!(
                "{UNDETERMINED} were only {}: list the values that matter with --nondet",
                coverage::shown(self.settings.nondet.as_slice())
            )
        })
    }

    /// The reason why not everything was explored. `None` if everything was.
    fn why_incomplete(&self) -> Option<String> {
        if self.unrepeatable > 0 {
            return Some(
                "an execution failed, but not when its schedule was run again: the program \
                 depends on something that heddle does not control"
                    .to_string(),
            );
        }
        // An execution that was too large is no loss where the search went on within a bound of its own.
        let too_large = matches!(self.end, End::Search(Stop::Outcome(Outcome::Capacity(_))));
        let is_lost = |lost: &&Candidate| too_large || lost.class != Class::Lost(Lost::Capacity);
        if let Some(lost) = self.tally.lost.iter().find(is_lost) {
            return Some(self.why_lost(lost));
        }
        match &self.end {
            End::Interrupted => Some("interrupted".to_string()),
            End::Failed(what) | End::Damaged(what) => Some(what.clone()),
            End::Search(Stop::Exhausted) if self.tally.bounded > 0 => {
                let limit = self.own_bound.unwrap_or(self.settings.max_steps);
                let (whose, advice) = match self.own_bound {
                    Some(_) => (
                        ", a bound of heddle's own, because an execution was too large",
                        "--max-steps sets another bound",
                    ),
                    None => (", as asked", "raise --max-steps to see what follows"),
                };
                Some(format!(
                    "{} cut off after {} of a thread{whose}{}; {advice}",
                    text::counted(self.tally.bounded, "execution"),
                    text::counted(limit as u64, "operation"),
                    self.round()
                ))
            }
            End::Search(Stop::Exhausted) if self.asked.is_some_and(|asked| asked.open.is_some()) => {
                self.asked.and_then(|asked| asked.open.clone())
            }
            // All cycles are known, and were asked about.
            End::Search(Stop::Exhausted) if self.asked.is_some_and(|asked| asked.whole) => self.why_ends_are_missed(),
            End::Search(Stop::Exhausted)
                if !self.left_out.bounded
                    && self.states.is_some_and(|of| of.in_vain > 0)
                    && self.findings.is_empty() =>
            {
                let in_vain = self.states.map_or(0, |of| of.in_vain);
                Some(format!(
                    "threads look for ever for what nobody does ({}): --algorithm stateful says where",
                    text::counted(in_vain, "state")
                ))
            }
            End::Search(Stop::Exhausted)
                if self.cycles_count() && self.states.is_some_and(|of| of.endless > 0 && of.endless < of.states) =>
            {
                let endless = self.states.map_or(0, |of| of.endless);
                Some(format!(
                    "the program ends, but not from {}: --liveness ends says what goes round there",
                    text::counted(endless, "state")
                ))
            }
            End::Search(Stop::Exhausted)
                if self.cycles_count()
                    && self.states.is_some_and(|of| of.goes_round && (of.endless == 0 || of.has_progress)) =>
            {
                Some(
                    "the program can go round, and that may be a livelock: --algorithm states says whether it is one"
                        .to_string(),
                )
            }
            End::Search(Stop::Exhausted) if let Some(what) = self.method.misses() => Some(format!(
                "--algorithm {} may miss something: {what}; --algorithm stateful does not",
                self.method.name()
            )),
            // A program that goes round for ever has states, and no execution of it ends.
            End::Search(Stop::Exhausted) if self.counts.visited > 0 => None,
            End::Search(Stop::Exhausted) if self.counts.executions == 0 && self.counts.assumed > 0 => Some(format!(
                "{} discarded by the program's own assumptions, and none is left: nothing was checked",
                text::counted(self.counts.assumed, "execution")
            )),
            // Cannot be, and must not be called safe if it is.
            End::Search(Stop::Exhausted) if self.counts.executions == 0 && self.findings.is_empty() => {
                let within = if self.left_out.bounded { " within the bounds" } else { "" };
                Some(format!("no execution ended{within}"))
            }
            End::Search(Stop::Exhausted) => None,
            End::Search(Stop::Observer) if self.findings.is_empty() => Some("interrupted".to_string()),
            End::Search(Stop::Observer) => Some("stopped at the first finding".to_string()),
            End::Search(Stop::Executions) => {
                if let (None, Some(bound)) = (self.options.search.max_executions, self.own_bound) {
                    return Some(format!(
                        "an execution was too large, so that heddle stops each thread after {}, and stopped after {} of \
                         those{}; --max-steps, --max-executions and --timeout set other limits",
                        text::counted(bound as u64, "operation"),
                        text::counted(self.counts.ran(), "execution"),
                        self.round()
                    ));
                }
                let Some(limit) = self.options.search.max_executions else {
                    return Some("the search ended although executions were left: this is a bug in heddle".to_string());
                };
                let sampled = if self.method.samples() { "sampled" } else { "stopped after" };
                Some(format!("{sampled} {} as asked", text::counted(limit, "execution")))
            }
            End::Search(Stop::States) => {
                let limit = self.options.search.max_states.unwrap_or_default();
                Some(format!("stopped after {} as asked", text::counted(limit, "state")))
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

    /// Whether cycles that nobody has asked about leave the verdict open.
    fn cycles_count(&self) -> bool {
        !self.left_out.bounded && self.settings.properties.look_for(Property::Progress)
    }

    /// Why a program that need not end is not called safe, although all its cycles are known: it ends in some orders, and in others it cannot
    /// end any more. That may be a bug or not.
    fn why_ends_are_missed(&self) -> Option<String> {
        let endless = self.states.filter(|of| of.endless > 0 && of.endless < of.states)?.endless;
        let open = self.settings.properties.look_for(Property::Progress) && !self.settings.liveness.asks();
        open.then(|| {
            format!(
                "the program ends, but not from {}: if it should, --liveness ends says what goes round there; if it need not, say \
                 --livelocks off",
                text::counted(endless, "state")
            )
        })
    }

    /// The description of the loop, as a part of a sentence. Empty if there is none.
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
            Lost::Files => format!(
                "execution {}{often} writes more to files than there is room for in the temporary directory ($TMPDIR): free \
                 some, or name another directory",
                lost.execution
            ),
            Lost::Killed => format!("execution {}{often} was lost: {}", lost.execution, lost.message),
            Lost::Diverged if !lost.message.is_empty() => lost.message.clone(),
            Lost::Diverged => format!(
                "execution {} behaved differently under the same schedule: the program depends on \
                 something that heddle does not control",
                lost.execution
            ),
            Lost::NeedsFork => {
                format!("the program uses {}, which a snapshot cannot undo: use --restart auto or fork", lost.message)
            }
            Lost::Unfinished => format!("execution {}{often} ended in an unexpected way", lost.execution),
        }
    }
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Diverged { .. } => "the program behaved differently under the same schedule",
        Outcome::Capacity(_) => "an execution was too large",
        Outcome::NeedsThreads { .. } => "an execution had more threads than there is room for",
        Outcome::NeedsFork => "the program does something that a snapshot cannot undo: use --restart auto",
        _ => "an execution ended in an unexpected way",
    }
}
