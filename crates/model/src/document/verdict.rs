//! What a run of Heddle has to say, and what it covers.
//!
//! A verdict is never better than its coverage: `safe` stands beside what was explored and what was not looked
//! at. [`RunReport`] is the JSON document of a run, schema `heddle/1`.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::remark::Remark;

/// The name of the schema of [`RunReport`].
pub const SCHEMA: &str = "heddle/1";

/// What a run came to. Never mixed up: each has an exit code of its own.
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
    /// There is no verdict: an error of use, or of Heddle.
    Error,
}

impl Verdict {
    /// The exit code of a run with this verdict: part of the contract of the command line.
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

/// The bounds that a search was given. `None` is no bound.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// The most preemptions in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u32>,
    /// The most delays in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<u32>,
    /// The most context switches in an execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// The most operations of one thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The most time-outs of one thread while others could go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<u32>,
    /// The most executions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executions: Option<u64>,
    /// The most time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Only executions that begin with so many given steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<u64>,
}

/// What a verdict covers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The memory model: `sc`, sequential consistency.
    pub model: String,
    /// Every execution was explored, up to the order of independent operations, without a bound that cut any off.
    pub exhaustive: bool,
    /// The bounds that were given.
    pub bounds: Bounds,
    /// What the search could see of the program: `memory` or `sync-only`.
    pub instrumented: String,
    /// How executions start over: `snapshot`, `fork` or `exec`.
    pub restart: String,
    /// Why they do not start over by snapshot, where nobody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart_reason: Option<String>,
    /// Whether data races were looked for: `checked`, `ignored` (looked for, explored and not reported) or `not checked`.
    pub races: String,
    /// Sentences about what was not covered, for people.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One way in which executions ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OutcomeCount {
    /// What the program had printed, as far as it was kept.
    pub output: String,
    /// How it ended, in words.
    pub end: String,
    /// In how many executions.
    pub executions: u64,
}

/// The document of one run: schema `heddle/1`. Fields may be added, never renamed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// What it came to.
    pub verdict: Verdict,
    /// Why it is not `safe` or `found`; null if it is.
    pub reason: Option<String>,
    /// What the verdict covers; null where nothing was run.
    pub coverage: Option<Coverage>,
    /// The algorithm; null where nothing was run.
    pub algorithm: Option<String>,
    /// Complete executions.
    pub executions: u64,
    /// Executions that were given up because another covers them.
    pub blocked: u64,
    /// Executions that the program assumed away: in them an assumption of its own does not hold.
    #[serde(default, skip_serializing_if = "is_none")]
    pub assumed: u64,
    /// Operations taken in all executions.
    pub events: u64,
    /// Time spent.
    pub seconds: f64,
    /// Speed.
    pub executions_per_second: u64,
    /// The most threads in one execution, the main thread included.
    pub threads: u32,
    /// What was found.
    pub findings: Vec<Finding>,
    /// How executions ended and what the program printed in them, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutcomeCount>,
    /// What is worth a word and not wrong: objects that are never destroyed, locks that are locked when the process ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Remark>,
}

impl RunReport {
    /// A run that did not come to run anything.
    pub fn error(reason: String) -> RunReport {
        RunReport {
            schema: SCHEMA.to_string(),
            verdict: Verdict::Error,
            reason: Some(reason),
            coverage: None,
            algorithm: None,
            executions: 0,
            blocked: 0,
            assumed: 0,
            events: 0,
            seconds: 0.0,
            executions_per_second: 0,
            threads: 0,
            findings: Vec::new(),
            outcomes: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// Nothing is said of what there is none of.
fn is_none(count: &u64) -> bool {
    *count == 0
}
