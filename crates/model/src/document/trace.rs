//! The trace file: one execution that can be made to happen again.
//!
//! Versioned JSON. It carries how the program was built, the schedule with the operation that each step is expected
//! to be, what happened in words, and the finding, so that a replay and every kind of report need nothing else.
//! `docs/trace-format.md` describes it for people. Reading is total: whatever the bytes are, the answer is a
//! [`Trace`] whose parts fit together or a [`TraceError`] that says what is wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::follow::{Policy, Step};
use crate::{OpCode, Outcome, Restart, Settings, ThreadId};

pub use super::step::{Action, StepResult, TraceStep};

/// What every trace file says it is.
pub const FORMAT: &str = "heddle-trace";
/// Raised when an older reader would misunderstand the file.
pub const TRACE_VERSION: u32 = 2;

/// Why a trace file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Not JSON, or cut off.
    #[error("the file is damaged or cut off: {0}")]
    Damaged(String),
    /// JSON, but something else.
    #[error("this is not a trace file: {0}")]
    NotATrace(String),
    /// From another time.
    #[error(
        "the file has trace format {found}, this version of heddle reads format {TRACE_VERSION}: check the program again to \
         get a trace that it can replay"
    )]
    Version {
        /// The version that the file says it has.
        found: u64,
    },
    /// The parts do not fit together.
    #[error("the file is inconsistent: {0}")]
    Inconsistent(String),
}

/// A source file and what it was when the trace was made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceFile {
    /// As it was given to the compiler.
    pub path: String,
    /// A fingerprint of its bytes, to notice changes.
    pub hash: String,
}

/// A compiler that took part.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompilerUsed {
    /// What it compiled: `C` or `C++`.
    pub language: String,
    /// The command and what always came first.
    pub command: Vec<String>,
    /// What it is: `gcc 12`.
    pub version: String,
}

/// How to get the program: enough to build it again, or to find it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The directory that relative names are relative to.
    pub directory: String,
    /// Files and flags for the compiler, in the order in which they were given; empty if a finished program was.
    #[serde(default)]
    pub build: Vec<String>,
    /// The files among them, and files that they include and that events lie in.
    #[serde(default)]
    pub sources: Vec<SourceFile>,
    /// The compilers that built it.
    #[serde(default)]
    pub compilers: Vec<CompilerUsed>,
    /// The finished program, where one was given.
    #[serde(default)]
    pub binary: Option<SourceFile>,
    /// Arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// What it reads as its standard input, where that is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<SourceFile>,
}

/// How the execution ended, to compare a replay with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceEnd {
    /// The outcome, with its data.
    pub outcome: Outcome,
    /// The thread that was running.
    pub thread: ThreadId,
    /// Text that the outcome refers to: see [`crate::Execution::message`].
    #[serde(default)]
    pub message: String,
}

/// How an execution went on after its schedule, where the steps that followed are not known: its process died and took
/// them with it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Continuation {
    /// Threads that were not to go on.
    pub sleep: Vec<ThreadId>,
    /// Who went next.
    pub policy: Policy,
    /// For policies that draw lots.
    pub seed: u64,
}

/// One execution that can be made to happen again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// [`FORMAT`].
    pub format: String,
    /// [`TRACE_VERSION`].
    pub version: u32,
    /// The version of Heddle that wrote it.
    pub heddle: String,
    /// How to get the program.
    pub program: Program,
    /// How it was run.
    pub settings: Settings,
    /// How executions started over when it was found.
    pub restart: Restart,
    /// Places of plain memory whose accesses are steps: granules of eight bytes, by their addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<u64>,
    /// The functions that the threads began with.
    #[serde(default)]
    pub threads: BTreeMap<ThreadId, String>,
    /// What to replay. Each step names the operation that it is expected to be.
    pub schedule: Vec<Step>,
    /// How it went on, where that is not known step by step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
    /// What happened in each step of the schedule.
    pub steps: Vec<TraceStep>,
    /// What the threads that are left were doing or about to do when it ended, in the order of their ids. Of those that could
    /// not go on, `waits` is true.
    #[serde(default)]
    pub last: Vec<TraceStep>,
    /// The steps, by their index, that the finding follows from: what is not before one of them does not matter to it.
    /// Empty where that is not known.
    #[serde(default)]
    pub focus: Vec<u32>,
    /// How it ended.
    pub end: TraceEnd,
    /// What was found.
    pub finding: Finding,
    /// What the program printed, as far as it was kept.
    #[serde(default)]
    pub output: String,
    /// The source lines that the steps and the finding lie in, by file and line.
    #[serde(default)]
    pub lines: BTreeMap<String, BTreeMap<u32, String>>,
}

/// What is looked at first: enough to say that a file is of another kind or time.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

impl Trace {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a trace has only string keys and finite numbers");
        bytes.push(b'\n');
        bytes
    }

    /// From the file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Trace, TraceError> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| TraceError::Damaged(error.to_string()))?;
        let head = Head::deserialize(&value).map_err(|error| TraceError::NotATrace(error.to_string()))?;
        match (head.format.as_deref(), head.version) {
            (Some(FORMAT), Some(version)) if version == TRACE_VERSION as u64 => {}
            (Some(FORMAT), Some(found)) => return Err(TraceError::Version { found }),
            (Some(FORMAT), None) => return Err(TraceError::NotATrace("it has no version".to_string())),
            _ => return Err(TraceError::NotATrace(format!("it does not say \"format\": \"{FORMAT}\""))),
        }
        let trace = Trace::deserialize(value).map_err(|error| TraceError::Inconsistent(error.to_string()))?;
        trace.check()?;
        Ok(trace)
    }

    /// Whether the parts fit together.
    fn check(&self) -> Result<(), TraceError> {
        let wrong = |text: String| Err(TraceError::Inconsistent(text));
        if self.schedule.len() != self.steps.len() {
            return wrong(format!("{} steps to replay, {} described", self.schedule.len(), self.steps.len()));
        }
        for (index, (step, described)) in self.schedule.iter().zip(&self.steps).enumerate() {
            if step.thread != described.thread {
                return wrong(format!(
                    "step {} is of thread {}, described as of thread {}",
                    index + 1,
                    step.thread,
                    described.thread
                ));
            }
            if described.action.code() != Some(step.code) && self.continuation.is_none() && step.code != OpCode::ANY {
                return wrong(format!("step {} is described as another operation", index + 1));
            }
            if step.code == OpCode::ANY && self.continuation.is_none() {
                return wrong(format!("step {} does not say which operation it is", index + 1));
            }
        }
        for (index, described) in self.steps.iter().enumerate() {
            if let Some(cause) = described.after.iter().find(|cause| **cause as usize >= index) {
                return wrong(format!(
                    "step {} follows from step {}, which is not before it",
                    index + 1,
                    cause.saturating_add(1)
                ));
            }
        }
        if let Some(step) = self.focus.iter().find(|step| **step as usize >= self.steps.len()) {
            return wrong(format!("the finding follows from step {}, which there is not", step.saturating_add(1)));
        }
        if self.program.build.is_empty() && self.program.binary.is_none() {
            return wrong("it names neither sources nor a program".to_string());
        }
        Ok(())
    }
}
