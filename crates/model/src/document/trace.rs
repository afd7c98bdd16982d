//! The trace file: one execution that can be replayed.
//!
//! The file is versioned JSON. It contains how the program was built, the schedule with the expected operation of each
//! step, what happened, and the finding, so that a replay and every kind of report need nothing else.
//! `docs/trace-format.md` describes it for people. Reading handles any bytes: the result is a [`Trace`] whose parts fit
//! together, or a [`TraceError`] that says what is wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::follow::{Policy, Step};
use crate::wire::ThreadName;
use crate::{Input, OpCode, Outcome, Restart, Settings, ThreadId};

pub use super::step::{Action, Scalar, StepResult, TraceStep};

/// The value of the field `format` in every trace file.
pub const FORMAT: &str = "heddle-trace";
/// The version of the format. It is raised when an older reader would misunderstand the file.
pub const TRACE_VERSION: u32 = 4;

/// Why a trace file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file is not JSON, or is cut off.
    #[error("the file is damaged or cut off: {0}")]
    Damaged(String),
    /// The file is JSON, but not a trace.
    #[error("this is not a trace file: {0}")]
    NotATrace(String),
    /// The file has another version of the format.
    #[error(
        "the file has trace format {found}, this version of heddle reads format {TRACE_VERSION}: check the program again to \
         get a trace that it can replay"
    )]
    Version {
        /// The version in the file.
        found: u64,
    },
    /// The parts of the file do not fit together.
    #[error("the file is inconsistent: {0}")]
    Inconsistent(String),
}

/// A file, and its fingerprint when the trace was made.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceFile {
    /// The path, as given to the compiler.
    pub path: String,
    /// A fingerprint of the file's bytes, to notice changes.
    pub hash: String,
}

/// A compiler that built a part of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CompilerUsed {
    /// The language that it compiled: `C` or `C++`.
    pub language: String,
    /// The command with its fixed arguments.
    pub command: Vec<String>,
    /// The name and version of the compiler: `gcc 12`.
    pub version: String,
}

/// How to obtain the program: enough to build it again, or to find it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The directory to which relative names are relative.
    pub directory: String,
    /// The files and flags for the compiler, in the order in which they were given. Empty for a finished program.
    #[serde(default)]
    pub build: Vec<String>,
    /// The source files among them, and included files in which events lie.
    #[serde(default)]
    pub sources: Vec<SourceFile>,
    /// The compilers that built the program.
    #[serde(default)]
    pub compilers: Vec<CompilerUsed>,
    /// The finished program, if one was given.
    #[serde(default)]
    pub binary: Option<SourceFile>,
    /// The arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The standard input of the program, if it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<SourceFile>,
}

/// How the execution ended, for comparison with a replay.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceEnd {
    /// The outcome, with its data.
    pub outcome: Outcome,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Text that belongs to the outcome: see [`crate::Execution::message`].
    #[serde(default)]
    pub message: String,
}

/// How an execution continued after its schedule, if the further steps are unknown because its process died.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Continuation {
    /// The sleep set at the end of the schedule.
    pub sleep: Vec<ThreadId>,
    /// The policy after the end of the schedule.
    pub policy: Policy,
    /// The seed of a randomised policy.
    pub seed: u64,
}

/// One execution that can be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`TRACE_VERSION`].
    pub version: u32,
    /// The version of Heddle that wrote the file.
    pub heddle: String,
    /// How to obtain the program.
    pub program: Program,
    /// The settings of the execution.
    pub settings: Settings,
    /// How executions started over when this one was found.
    pub restart: Restart,
    /// The visible places: the addresses of granules of plain memory whose accesses are steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<u64>,
    /// Who creates each thread: entry `i` is about thread `i`. Empty if the main thread creates all of them. Otherwise threads have other
    /// numbers where others are created first, and the numbers of the schedule are those of the search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<ThreadName>,
    /// The inputs that were given, sorted. The steps hold them too, so they matter only to what follows the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
    /// Whether wait loops went round, as they do when states are searched. Otherwise threads in them wait.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rounds: bool,
    /// The name or start function of each thread.
    #[serde(default)]
    pub threads: BTreeMap<ThreadId, String>,
    /// The schedule to replay. Each step names the expected operation.
    pub schedule: Vec<Step>,
    /// How the execution continued after the schedule, if the further steps are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
    /// What happened in each step of the schedule.
    pub steps: Vec<TraceStep>,
    /// What the remaining threads were doing or about to do at the end, in order of their ids.
    #[serde(default)]
    pub last: Vec<TraceStep>,
    /// The indices of the steps that the finding follows from. Steps that happen before none of them do not matter to
    /// it. Empty if that is unknown.
    #[serde(default)]
    pub focus: Vec<u32>,
    /// How the execution ended.
    pub end: TraceEnd,
    /// The finding.
    pub finding: Finding,
    /// The program's output, as far as it was kept.
    #[serde(default)]
    pub output: String,
    /// The source lines of the steps and the finding, by file name and line number.
    #[serde(default)]
    pub lines: BTreeMap<String, BTreeMap<u32, String>>,
}

/// The part of a file that is read first, to recognise other formats and versions.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
    version: Option<u64>,
}

impl Trace {
    /// Encodes the trace as the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a trace has only string keys and finite numbers");
        bytes.push(b'\n');
        bytes
    }

    /// Decodes a trace from the bytes of a file.
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

    /// Checks that the parts fit together.
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
