//! What a run came to, and what that covers.
//!
//! The one place that decides a verdict. In this order: something was found; the program does something that Heddle
//! does not control; not everything was explored; safe.

use std::time::Duration;

use heddle_model::verdict::{Bounds, SCHEMA};
use heddle_model::wire;
use heddle_model::{Coverage, Finding, FindingKind, Location, Outcome, Remark, RunReport, Verdict};
use heddle_native::{DEFAULT_NONDET, Instrumentation, NativeExecutor, restart_name};
use heddle_report::outcome::{Class, Lost};
use heddle_report::text;
use heddle_search::Stop;

use crate::options::{Options, Races};
use crate::tally::outcomes::Outcomes;
use crate::tally::{Candidate, Collector};
use crate::{sources, words};

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
    pub collector: &'c Collector<'c>,
    /// Why it ended.
    pub end: End,
    /// What a bound has left out.
    pub left_out: LeftOut,
    /// Bytes that the program might allocate.
    pub memory_limit: u64,
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
    pub fn report(mut self, executor: &NativeExecutor) -> RunReport {
        let undetermined = executor.has_undetermined();
        self.add_unreached(executor);
        let (verdict, reason) = self.verdict(undetermined);
        let collector = self.collector;
        let seconds = self.elapsed.as_secs_f64();
        RunReport {
            schema: SCHEMA.to_string(),
            verdict,
            reason,
            coverage: Some(self.coverage(executor)),
            algorithm: Some(self.options.search.algorithm.name().to_string()),
            executions: collector.executions,
            blocked: collector.blocked,
            assumed: collector.assumed,
            events: collector.events,
            seconds,
            executions_per_second: (collector.executions as f64 / seconds.max(1e-9)) as u64,
            threads: collector.threads as u32,
            findings: self.findings,
            outcomes: collector.outcomes.as_ref().map_or_else(Vec::new, Outcomes::list),
            notes: self.remarks,
        }
    }

    fn verdict(&self, undetermined: bool) -> (Verdict, Option<String>) {
        let why = self.why_incomplete();
        if !self.findings.is_empty() {
            // The first finding ends a search unless all are wanted: that is not worth a word.
            let expected = self.end == End::Search(Stop::Observer) && !self.options.all;
            return (Verdict::Found, why.filter(|_| !expected));
        }
        if let Some(what) = &self.unsupported {
            return (Verdict::Unsupported, Some(what.clone()));
        }
        match (&self.end, why.or_else(|| self.why_undetermined(undetermined))) {
            (End::Failed(what), _) => (Verdict::Error, Some(what.clone())),
            (_, Some(why)) => (Verdict::Incomplete, Some(why)),
            (_, None) => (Verdict::Safe, None),
        }
    }

    /// Labels that no execution reached. Where executions are left that could, that is no finding.
    fn add_unreached(&mut self, executor: &NativeExecutor) {
        let all = self.coverage(executor).exhaustive && self.collector.unsupported.is_none();
        if !all {
            return;
        }
        for (label, number) in executor.unreached().into_iter().zip(1..) {
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
    fn why_undetermined(&self, undetermined: bool) -> Option<String> {
        (undetermined && !self.options.values_chosen).then(|| {
            format!(
                "undetermined numbers (__VERIFIER_nondet_...) were only {}: say which values matter with --nondet",
                shown(&DEFAULT_NONDET)
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
        if let Some(lost) = self.collector.lost.first() {
            return Some(self.why_lost(lost));
        }
        match &self.end {
            End::Interrupted => Some("interrupted".to_string()),
            End::Failed(what) => Some(what.clone()),
            End::Search(Stop::Exhausted) if self.collector.bounded > 0 => {
                let limit = self.options.search.max_steps.unwrap_or(0);
                Some(format!(
                    "{} cut off after {} of a thread, as asked{}; raise --max-steps to see what follows",
                    text::counted(self.collector.bounded, "execution"),
                    text::counted(limit as u64, "operation"),
                    self.round()
                ))
            }
            End::Search(Stop::Exhausted) if self.collector.executions == 0 && self.collector.assumed > 0 => {
                Some(format!(
                    "{} assumed away by the program itself, and none is left: nothing was checked",
                    text::counted(self.collector.assumed, "execution")
                ))
            }
            // Cannot be, and must not be called safe if it is.
            End::Search(Stop::Exhausted) if self.collector.executions == 0 && self.findings.is_empty() => {
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
                let sampled = if self.options.search.algorithm.samples() { "sampled" } else { "stopped after" };
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
            // Ends a round, never a search.
            End::Search(Stop::Revealed | Stop::Sections) => {
                Some("the search ended in the middle, an error of heddle's own".to_string())
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
                let limit = words::size(self.memory_limit);
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

    fn coverage(&self, executor: &NativeExecutor) -> Coverage {
        let options = self.options;
        let collector = self.collector;
        let lost = !collector.lost.is_empty() || self.unrepeatable > 0 || self.unsupported.is_some();
        // A hang, a race, or a process that died cuts an execution off: what would have followed is not known.
        let goes_on = executor.options().races == wire::Races::Go;
        let cut = collector.findings.iter().any(|found| {
            let ends = matches!(found.class, Class::Finding(FindingKind::DataRace)) && !goes_on;
            found.lost || ends || matches!(found.class, Class::Finding(FindingKind::Hang))
        });
        let exhausted = self.end == End::Search(Stop::Exhausted) && !self.options.search.algorithm.samples();
        let instrumented = executor.program().instrumentation;
        let left_out = executor.timeouts_left_out();
        let fallback = executor.fallback();
        let looked = options.races != Races::Off && instrumented == Instrumentation::Memory;
        Coverage {
            model: "sc".to_string(),
            exhaustive: exhausted
                && options.prefix.is_none()
                && !executor.has_undetermined()
                && collector.bounded == 0
                && !self.left_out.bounded
                && !left_out
                && !lost
                && !cut,
            bounds: Bounds {
                preemptions: options.search.max_preemptions.filter(|_| self.left_out.bounded || !exhausted),
                switches: options.search.max_switches.filter(|_| self.left_out.bounded || !exhausted),
                delays: options.search.max_delays.filter(|_| self.left_out.bounded || !exhausted),
                steps: options.search.max_steps,
                timeouts: left_out.then_some(executor.options().latitude.timeouts),
                executions: options.search.max_executions,
                seconds: options.search.timeout.map(|limit| limit.as_secs_f64()),
                prefix: options.prefix.as_ref().map(|steps| steps.len() as u64),
            },
            instrumented: instrumented.name().to_string(),
            restart: restart_name(executor.restart()).to_string(),
            restart_reason: fallback.map(|fallback| format!("the program uses {}", fallback.what)),
            races: match (looked, options.races) {
                (true, Races::Ignore) => "ignored",
                (true, _) => "checked",
                (false, _) => "not checked",
            }
            .to_string(),
            notes: self.notes(instrumented, looked, executor),
        }
    }
}

/// Values, for people.
fn shown(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// So many lines are named.
const LINES: usize = 3;

/// What to say of atomic instructions that are not seen.
pub fn assembly(lines: &[Location]) -> Option<String> {
    let directory = std::env::current_dir().unwrap_or_default();
    let name = |at: &Location| format!("{}:{}", sources::shorten(&at.file, &directory), at.line);
    let named: Vec<String> = lines.iter().take(LINES).map(name).collect();
    let more = lines.len().saturating_sub(LINES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| {
        format!(
            "atomic instructions in inline assembly at {}{more}: they are not seen, so what they order may be missed, or be called \
             a data race",
            named.join(", ")
        )
    })
}

impl Judgement<'_> {
    fn notes(&self, instrumented: Instrumentation, races: bool, executor: &NativeExecutor) -> Vec<String> {
        let mut notes = notes(instrumented, races, executor.options().misuse);
        let unseen = executor.unseen();
        if instrumented == Instrumentation::Memory && !unseen.is_empty() {
            notes.push(format!(
                "memory accesses and atomics in {}: not built by heddle, they are not seen",
                unseen.join(", ")
            ));
        }
        if instrumented == Instrumentation::Memory {
            notes.extend(assembly(&executor.assembly()));
        }
        if races && self.options.races == Races::Ignore && !executor.places().is_empty() {
            let places = text::counted(executor.places().len() as u64, "place");
            notes.push(format!("data races: there are some, on {places}; their orders were explored, as asked"));
        }
        if executor.options().latitude.spurious_failures > 0 && instrumented == Instrumentation::Memory {
            notes.push("weak compare-exchanges: gcc says which ones are; what clang compiled has none".to_string());
        }
        if executor.went_outside(wire::Outside::Processes) {
            notes.push(
                "processes that the program makes: they run by themselves, and use the files on disk, not those that the \
                 program wrote"
                    .to_string(),
            );
        }
        if executor.went_outside(wire::Outside::Files) {
            notes.push(
                "files are not put back: there is no room for copies in the directory for temporary files ($TMPDIR), so \
                 executions see what others wrote"
                    .to_string(),
            );
        }
        if executor.has_undetermined() {
            let values = shown(&executor.options().nondet);
            notes.push(format!("undetermined numbers (__VERIFIER_nondet_...): only the values {values} were tried"));
        }
        if !self.coverage_is_whole() {
            notes.extend(executor.unreached().iter().map(|label| {
                format!("`{}` at {}:{}: no execution has reached it so far", label.name, label.file, label.line)
            }));
        }
        notes
    }

    fn coverage_is_whole(&self) -> bool {
        self.end == End::Search(Stop::Exhausted) && !self.options.search.algorithm.samples() && !self.left_out.bounded
    }
}

/// What a verdict does not cover, in plain words.
fn notes(instrumented: Instrumentation, races: bool, misuse: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if !misuse {
        notes.push("misuse of primitives: it was not looked for".to_string());
    }
    if !races {
        // Without races the orders of plain accesses cannot matter; with them they can.
        notes.push("data races: they were not looked for".to_string());
        let seen = if instrumented == Instrumentation::SyncOnly {
            "calls of the thread library"
        } else {
            "synchronisation and atomics"
        };
        notes.push(format!("orders of plain memory accesses: only {seen} are interleaved"));
    }
    if instrumented == Instrumentation::SyncOnly {
        notes.push(
            "atomics: the program was not built by heddle; build it with `heddle cc` or `heddle c++` as the compiler to see all"
                .to_string(),
        );
    }
    notes
}

fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Diverged => "the program did not do the same thing under the same schedule",
        Outcome::Capacity => "an execution was too large",
        Outcome::NeedsThreads => "an execution had more threads than there is room for",
        Outcome::NeedsFork => "the program does something that a snapshot cannot take back: use --restart auto",
        _ => "an execution could not be made sense of",
    }
}
