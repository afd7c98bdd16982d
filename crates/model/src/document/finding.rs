//! What went wrong in an execution, in words that a person and a program can read.
//!
//! A finding is finished data: names and places are resolved, nothing in it is an address. Reports print it,
//! trace files carry it, the JSON document of a run lists it. The names of the fields are the schema `heddle/1`:
//! fields may be added, never renamed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Property, ThreadId};

/// A place in the program's source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the compiler was told of it.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    #[serde(default)]
    pub column: u32,
    /// The function, as a person writes it; empty if it is not known.
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

/// What kind of thing went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Threads are left, and none can go on.
    Deadlock,
    /// Some threads wait for each other for ever while others still run.
    PartialDeadlock,
    /// Two accesses, one of them a write, that nothing orders.
    DataRace,
    /// A failed `assert`.
    Assertion,
    /// `abort`.
    Abort,
    /// A signal that kills.
    Crash,
    /// An exit that should not have been.
    Exit,
    /// A primitive used against its rules.
    Misuse,
    /// Memory used against its rules.
    Memory,
    /// Memory that was never given back.
    Leak,
    /// Undefined behaviour that the compiler was asked to look for.
    Undefined,
    /// A thread ran for too long without a visible operation.
    Hang,
    /// The program did not do the same thing twice.
    Divergence,
    /// A place that some execution must reach, and none does.
    Unreached,
    /// Threads keep each other from going on, and nothing changes by what they do.
    Livelock,
}

impl FindingKind {
    /// The property that an execution with such a finding violates.
    pub const fn property(self) -> Property {
        match self {
            FindingKind::Deadlock | FindingKind::PartialDeadlock => Property::Deadlock,
            FindingKind::DataRace => Property::Race,
            FindingKind::Assertion | FindingKind::Abort => Property::Assertion,
            FindingKind::Crash => Property::Crash,
            FindingKind::Exit => Property::Exit,
            FindingKind::Misuse => Property::Misuse,
            FindingKind::Memory => Property::Memory,
            FindingKind::Leak => Property::Leak,
            FindingKind::Undefined => Property::Undefined,
            FindingKind::Hang => Property::Hang,
            FindingKind::Livelock => Property::Progress,
            FindingKind::Divergence => Property::Determinism,
            FindingKind::Unreached => Property::Reach,
        }
    }

    /// The name that the JSON document, file names and command lines use.
    pub const fn name(self) -> &'static str {
        match self {
            FindingKind::Deadlock => "deadlock",
            FindingKind::PartialDeadlock => "partial-deadlock",
            FindingKind::DataRace => "data-race",
            FindingKind::Assertion => "assertion",
            FindingKind::Abort => "abort",
            FindingKind::Crash => "crash",
            FindingKind::Exit => "exit",
            FindingKind::Misuse => "misuse",
            FindingKind::Memory => "memory",
            FindingKind::Leak => "leak",
            FindingKind::Undefined => "undefined",
            FindingKind::Hang => "hang",
            FindingKind::Livelock => "livelock",
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

/// One thread of a finding: what it was doing when it happened.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingThread {
    /// Which thread.
    pub id: ThreadId,
    /// The function that it began with.
    pub name: String,
    /// What it was doing: "waits for mutex `b`".
    pub state: String,
    /// What it holds: "mutex `a`".
    #[serde(default)]
    pub holds: Vec<String>,
    /// Where it was.
    pub at: Option<Location>,
    /// How it got there, innermost first.
    #[serde(default)]
    pub stack: Vec<Location>,
}

/// A remark that belongs to a finding, with the place that it is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Note {
    /// The remark.
    pub message: String,
    /// The place.
    pub location: Option<Location>,
}

/// Something that went wrong, in an execution that happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The kind and a number: `deadlock-1`.
    pub id: String,
    /// What kind.
    pub kind: FindingKind,
    /// What happened, in one line.
    pub message: String,
    /// Where.
    pub location: Option<Location>,
    /// How many executions it happened in, as far as they were explored.
    pub count: u64,
    /// The number of the first of them, from 1.
    pub execution: u64,
    /// The threads that had not ended, in the order of their ids.
    pub threads: Vec<FindingThread>,
    /// How often the running thread changed.
    pub switches: u32,
    /// How often it changed although it could have gone on.
    pub preemptions: u32,
    /// Whether no execution with fewer preemptions shows it.
    #[serde(default)]
    pub minimal: bool,
    /// The file that replays it.
    pub trace: Option<String>,
    /// What else there is to say: the cycle of a deadlock, where a mutex was locked.
    #[serde(default)]
    pub notes: Vec<Note>,
}
