//! The result of a run of Heddle, and what it covers.
//!
//! A verdict is never better than its coverage: `safe` comes with what was explored and what was not checked.
//! [`RunReport`] is the JSON document of a run, schema `heddle/1`.

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Location};
use crate::remark::Remark;

/// The name of the schema of [`RunReport`].
pub const SCHEMA: &str = "heddle/1";

/// The result of a run. Each has its own exit code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything that the coverage names was explored, and nothing was found.
    Safe,
    /// Something was found.
    Found,
    /// Nothing was found, and not everything was explored.
    Incomplete,
    /// The program does something that Heddle does not control.
    Unsupported,
    /// There is no verdict, because of an error of the user or of Heddle.
    Error,
}

impl Verdict {
    /// The exit code of a run with this verdict. It is part of the contract of the command line.
    pub const fn exit_code(self) -> u8 {
        match self {
            Verdict::Safe => 0,
            Verdict::Found => 1,
            Verdict::Error => 2,
            Verdict::Incomplete => 3,
            Verdict::Unsupported => 4,
        }
    }

    /// The name in the JSON document.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Found => "found",
            Verdict::Incomplete => "incomplete",
            Verdict::Unsupported => "unsupported",
            Verdict::Error => "error",
        }
    }
}

/// The bounds of a search. `None` means no bound.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// The largest number of preemptions in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u32>,
    /// The largest number of delays in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<u32>,
    /// The largest number of context switches in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// The largest number of operations of one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The largest number of timeouts of one thread while other threads are enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<u32>,
    /// The largest number of executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// The largest number of states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
    /// The largest time in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The largest number of iterations of a loop, if a proof was asked for no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
    /// The number of given steps with which every execution begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<u64>,
}

impl Bounds {
    /// Whether switches, preemptions or delays are bounded.
    pub fn is_of_schedules(&self) -> bool {
        [self.preemptions, self.switches, self.delays].iter().any(Option::is_some)
    }
}

/// A loop that a proof has unwound.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Unwound {
    /// Where it is: file and line.
    pub at: Location,
    /// The most iterations that were followed.
    pub iterations: u32,
    /// Whether it can have more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What a verdict covers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// The memory model: `sc`, sequential consistency.
    pub model: String,
    /// Whether every trace was explored, and no bound cut off any.
    pub exhaustive: bool,
    /// The bounds of the search.
    pub bounds: Bounds,
    /// How much of the program was observed: `memory` or `sync-only`.
    pub instrumented: String,
    /// How executions start over: `snapshot`, `fork` or `exec`.
    pub restart: String,
    /// Why executions do not start over by snapshot, if the user did not ask for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_reason: Option<String>,
    /// What has kept executions that start over by fork or exec from changing files on disk: `calls` and `system calls`, which are answered with
    /// copies, and `landlock`, by which the kernel refuses what gets around them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<String>,
    /// Why a search over executions has turned to states, or why it could not. Null where there was no reason to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states_reason: Option<String>,
    /// Whether data races were checked: `checked`, `ignored` (noticed and explored, but not reported) or `not checked`.
    pub races: String,
    /// The engine that decided: `native`, which runs the program, or `symbolic`, which proves. None in documents of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Which values of the program's inputs were covered: `all`, `listed` by the user, or `default`. None if it has no inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<String>,
    /// The loops of the program that a proof has unwound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwind: Vec<Unwound>,
    /// What else has checked the verdict: `proof`, a checker of the solver's proofs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_by: Option<String>,
    /// Sentences about what was not covered.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Sentences about what the verdict rests on, beside the executions that were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grounds: Vec<String>,
}

/// One way in which executions ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutcomeCount {
    /// The program's output, as far as it was kept.
    pub output: String,
    /// How these executions ended, in words.
    pub end: String,
    /// The exit status of these executions, if the process exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
    /// The number of these executions.
    pub executions: u64,
}

/// How many executions ended with one exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StatusCount {
    /// The exit status, as the parent of the process sees it.
    pub status: u8,
    /// The number of executions that ended with it.
    pub executions: u64,
}

/// The document of one run: schema `heddle/1`. Fields may be added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is neither `safe` nor `found`. Null if it is.
    pub reason: Option<String>,
    /// What the verdict covers. Null if nothing was run.
    pub coverage: Option<Coverage>,
    /// The algorithm. Null if nothing was run.
    pub algorithm: Option<String>,
    /// The number of complete executions.
    pub executions: u64,
    /// The number of samples that were drawn beside the exhaustive search. They are not among `executions`.
    #[serde(default)]
    pub samples: u64,
    /// The number of executions that were abandoned because another covers them.
    pub blocked: u64,
    /// The number of states that were met, if the search is one over states.
    #[serde(default, skip_serializing_if = "is_none")]
    pub states: u64,
    /// The number of steps between states that were run, if the search is one over states.
    #[serde(default, skip_serializing_if = "is_none")]
    pub transitions: u64,
    /// The number of executions that ended at a state that was known. They are not among `executions`.
    #[serde(default, skip_serializing_if = "is_none")]
    pub visited: u64,
    /// The number of executions in which an assumption of the program does not hold.
    #[serde(default, skip_serializing_if = "is_none")]
    pub assumed: u64,
    /// The number of executions that were cut off by a bound or by something else. They are not among `executions`.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cut: u64,
    /// The number of formulas that were solved, if the verdict is that of a proof.
    #[serde(default, skip_serializing_if = "is_none")]
    pub formulas: u64,
    /// The number of operations in all executions.
    pub events: u64,
    /// The time of the run in seconds.
    pub seconds: f64,
    /// The number of executions per second.
    pub executions_per_second: u64,
    /// The largest number of threads in one execution, including the main thread.
    pub threads: u32,
    /// The findings.
    pub findings: Vec<Finding>,
    /// How many executions ended with each exit status, if one of them is not 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exit_statuses: Vec<StatusCount>,
    /// The outcomes of executions and their output, if the user asked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeCount>,
    /// The notes: what executions left that is not an error, such as objects that are never destroyed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Remark>,
}

impl RunReport {
    /// The report of a run that could not run anything.
    pub fn error(reason: String) -> RunReport {
        RunReport {
            schema: SCHEMA.to_string(),
            verdict: Verdict::Error,
            reason: Some(reason),
            coverage: None,
            algorithm: None,
            executions: 0,
            samples: 0,
            blocked: 0,
            states: 0,
            transitions: 0,
            visited: 0,
            assumed: 0,
            cut: 0,
            formulas: 0,
            events: 0,
            seconds: 0.0,
            executions_per_second: 0,
            threads: 0,
            findings: Vec::new(),
            exit_statuses: Vec::new(),
            outcomes: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Whether a count is zero, so that the document leaves it out.
fn is_none(count: &u64) -> bool {
    *count == 0
}
