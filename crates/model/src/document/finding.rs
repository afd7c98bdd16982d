//! Findings: what went wrong in an execution, for people and for programs.
//!
//! A finding is finished data: names and places are resolved, and it contains no addresses. Reports print it, trace
//! files contain it, and the JSON document of a run lists it. The names of the fields are the schema `heddle/1`: fields
//! may be added but never renamed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Property, ThreadId};

/// A source location.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Location {
    /// The file, as named to the compiler.
    pub file: String,
    /// The line, from 1. 0 if it is unknown.
    pub line: u32,
    /// The column, from 1. 0 if it is unknown.
    #[serde(default)]
    pub column: u32,
    /// The function, as written in the source. Empty if it is unknown.
    #[serde(default)]
    pub function: String,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.as_str(), self.line) {
            ("", _) if self.function.is_empty() => write!(f, "an unknown place"),
            ("", _) => write!(f, "{}", self.function),
            (file, 0) => write!(f, "{file}"),
            (file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// The kind of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A deadlock: some threads have not finished, and none of them is enabled.
    Deadlock,
    /// Some threads wait for each other forever while others still run.
    PartialDeadlock,
    /// A data race: two accesses to one place that nothing orders, at least one of them a write and at least one not
    /// atomic.
    DataRace,
    /// A failed `assert`.
    Assertion,
    /// A call of `abort`.
    Abort,
    /// A fatal signal.
    Crash,
    /// The program exits with a status that is not 0: a test that fails.
    Failed,
    /// A misuse of a primitive.
    Misuse,
    /// A memory error, for example a use after free.
    Memory,
    /// A memory leak.
    Leak,
    /// Undefined behaviour that the compiler was asked to detect.
    Undefined,
    /// A thread ran too long without a visible operation.
    Hang,
    /// The program behaved differently when one schedule was run twice.
    Divergence,
    /// A label that some execution must reach and none does.
    Unreached,
    /// A livelock: threads keep each other from making progress, and the state repeats.
    Livelock,
    /// A thread never gets what it wants, although it could, and no scheduler is to blame.
    Starvation,
    /// A formula of linear temporal logic does not hold.
    Ltl,
}

impl FindingKind {
    /// The property that this kind of finding violates.
    pub const fn property(self) -> Property {
        match self {
            FindingKind::Deadlock | FindingKind::PartialDeadlock => Property::Deadlock,
            FindingKind::DataRace => Property::Race,
            FindingKind::Assertion | FindingKind::Abort => Property::Assertion,
            FindingKind::Crash => Property::Crash,
            FindingKind::Failed => Property::Exit,
            FindingKind::Misuse => Property::Misuse,
            FindingKind::Memory => Property::Memory,
            FindingKind::Leak => Property::Leak,
            FindingKind::Undefined => Property::Undefined,
            FindingKind::Hang => Property::Hang,
            FindingKind::Livelock | FindingKind::Starvation | FindingKind::Ltl => Property::Progress,
            FindingKind::Divergence => Property::Determinism,
            FindingKind::Unreached => Property::Reach,
        }
    }

    /// The name in the JSON document, in file names and on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::Deadlock => "deadlock",
            FindingKind::PartialDeadlock => "partial-deadlock",
            FindingKind::DataRace => "data-race",
            FindingKind::Assertion => "assertion",
            FindingKind::Abort => "abort",
            FindingKind::Crash => "crash",
            FindingKind::Failed => "failed",
            FindingKind::Misuse => "misuse",
            FindingKind::Memory => "memory",
            FindingKind::Leak => "leak",
            FindingKind::Undefined => "undefined",
            FindingKind::Hang => "hang",
            FindingKind::Livelock => "livelock",
            FindingKind::Starvation => "starvation",
            FindingKind::Ltl => "ltl",
            FindingKind::Divergence => "divergence",
            FindingKind::Unreached => "unreached",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value that the program was given: what a call of a nondeterministic function returned.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Given {
    /// The thread that called.
    pub thread: ThreadId,
    /// Which of the thread's calls it was, from 0.
    pub index: u32,
    /// The value, as the program's type has it.
    pub value: String,
    /// Where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
}

/// One thread at the moment of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingThread {
    /// The thread.
    pub id: ThreadId,
    /// The function that the thread began with.
    pub name: String,
    /// What the thread was doing, for example "waits for mutex `b`".
    pub state: String,
    /// The locks that the thread holds, for example "mutex `a`".
    #[serde(default)]
    pub holds: Vec<String>,
    /// The thread's source location.
    pub at: Option<Location>,
    /// The thread's call stack, innermost first.
    #[serde(default)]
    pub stack: Vec<Location>,
}

/// A note that belongs to a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Note {
    /// The text of the note.
    pub message: String,
    /// The source location that the note is about.
    pub location: Option<Location>,
}

/// Steps of a trace that lead back to the state in which they begin, and are repeated for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cycle {
    /// The number of the first of them, from 1.
    pub first: u32,
    /// How many they are.
    pub length: u32,
}

/// Something that went wrong in an actual execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The kind and a number, for example `deadlock-1`.
    pub id: String,
    /// The kind of the finding.
    pub kind: FindingKind,
    /// What happened, in one line.
    pub message: String,
    /// Where it happened.
    pub location: Option<Location>,
    /// The number of explored executions with this finding.
    pub count: u64,
    /// The number of the first of these executions, from 1.
    pub execution: u64,
    /// The kind of the samples that showed it beside an exhaustive search, if no execution of that search did. `count` and
    /// `execution` are then numbers of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<String>,
    /// The threads that had not finished, in order of their ids.
    pub threads: Vec<FindingThread>,
    /// The number of context switches.
    pub switches: u32,
    /// The number of preemptions: switches away from a thread that was still enabled.
    pub preemptions: u32,
    /// Whether no execution with fewer preemptions has this finding.
    #[serde(default)]
    pub minimal: bool,
    /// Whether nothing that Heddle did not see can make it a false alarm. False for a data race in a program with parts that were not
    /// built by Heddle and may order the two accesses.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub certain: bool,
    /// The values that the program was given in this execution, in the order of the execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Given>,
    /// The steps that are repeated for ever, if the execution does not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// The trace file that replays it.
    pub trace: Option<String>,
    /// Further notes: the cycle of a deadlock, where a mutex was locked.
    #[serde(default)]
    pub notes: Vec<Note>,
}

/// What a document that does not say it means by [`Finding::certain`].
fn yes() -> bool {
    true
}

/// Whether a document leaves [`Finding::certain`] out.
fn is_true(certain: &bool) -> bool {
    *certain
}
