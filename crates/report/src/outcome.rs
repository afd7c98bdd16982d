//! Classifies an execution for the verdict. A search asks this of every execution, so nothing is resolved here.

use heddle_model::round::Claim;
use heddle_model::{Capacity, Ending, Execution, FindingKind, Outcome, Properties, Property};

use serde::{Deserialize, Serialize};

use crate::{Recording, words};

/// What an execution means for the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Class {
    /// The program ended normally.
    Fine,
    /// The execution shows an error.
    Finding(FindingKind),
    /// An assumption of the program does not hold, so the execution does not count.
    Assumed,
    /// Another execution covers this one.
    Redundant,
    /// The program did something that Heddle does not control.
    Unsupported,
    /// A bound on operations cut the execution off.
    Bounded,
    /// The execution ended where a bound allowed no more switches. It is not among those that were asked for.
    OutOfBounds,
    /// Something else cut the execution off. The rest of it is unknown.
    Lost(Lost),
}

/// Why an execution was cut off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Lost {
    /// The program exceeded its memory limit.
    MemoryLimit,
    /// There were more threads, objects or events than there is room for.
    Capacity,
    /// The files that the program writes did not fit into the temporary directory.
    Files,
    /// Something outside the program killed the process.
    Killed,
    /// The program did not follow its schedule as in an earlier execution.
    Diverged,
    /// The program did something that a snapshot cannot undo, and the user allowed only snapshots.
    NeedsFork,
    /// An outcome that should never reach a verdict.
    Unfinished,
}

/// Classifies `execution`. A non-zero exit status is a finding only if `properties` name exit statuses.
pub fn classify(execution: &Execution<'_>, properties: &Properties) -> Class {
    match execution.outcome {
        Outcome::StepLimit { .. }
        | Outcome::SwitchLimit { .. }
        | Outcome::Hang
        | Outcome::Capacity(_)
        | Outcome::Visited
        | Outcome::Blocked
            if execution.circle =>
        {
            Class::Finding(FindingKind::PartialDeadlock)
        }
        Outcome::Ended { ending, fault } => match ending {
            Ending::Exit { .. } if execution.circle => Class::Finding(FindingKind::PartialDeadlock),
            // Before leaks: a test that fails and leaks has failed.
            Ending::Exit { status } if status as u8 != 0 && properties.look_for(Property::Exit) => {
                Class::Finding(FindingKind::Failed)
            }
            Ending::Exit { .. } if fault.is_some() => Class::Finding(FindingKind::Leak),
            Ending::Exit { .. } => Class::Fine,
            Ending::Abort => Class::Finding(FindingKind::Abort),
            Ending::Assertion => Class::Finding(FindingKind::Assertion),
            Ending::Crash { .. } => Class::Finding(FindingKind::Crash),
            Ending::Memory => Class::Finding(FindingKind::Memory),
            Ending::Undefined => Class::Finding(FindingKind::Undefined),
            Ending::Misuse { .. } | Ending::Waits { .. } => Class::Finding(FindingKind::Misuse),
            Ending::Assumed => Class::Assumed,
        },
        Outcome::Deadlock => Class::Finding(FindingKind::Deadlock),
        Outcome::Hang => Class::Finding(FindingKind::Hang),
        Outcome::Cycle { claim, .. } => Class::Finding(match claim {
            Claim::Suspected | Claim::Livelock | Claim::Endless | Claim::Idle => FindingKind::Livelock,
            Claim::Starvation => FindingKind::Starvation,
            Claim::Formula => FindingKind::Ltl,
            Claim::Stuck => FindingKind::PartialDeadlock,
            Claim::Vain => FindingKind::Deadlock,
        }),
        Outcome::Race(_) => Class::Finding(FindingKind::DataRace),
        Outcome::Blocked | Outcome::Visited | Outcome::Learnt { .. } => Class::Redundant,
        Outcome::Assumed => Class::Assumed,
        Outcome::StepLimit { .. } => Class::Bounded,
        Outcome::SwitchLimit { .. } => Class::OutOfBounds,
        Outcome::Unsupported => Class::Unsupported,
        Outcome::MemoryLimit { .. } => Class::Lost(Lost::MemoryLimit),
        Outcome::Capacity(Capacity::Files) => Class::Lost(Lost::Files),
        Outcome::Capacity(_) => Class::Lost(Lost::Capacity),
        Outcome::Killed(death) if death.is_own_fault() => Class::Finding(FindingKind::Crash),
        Outcome::Killed(_) => Class::Lost(Lost::Killed),
        Outcome::Diverged { .. } => Class::Lost(Lost::Diverged),
        Outcome::NeedsFork => Class::Lost(Lost::NeedsFork),
        Outcome::Running | Outcome::NeedsThreads { .. } => Class::Lost(Lost::Unfinished),
    }
}

/// The detail of an outcome beside its name: its text, or the capacity that was exceeded.
pub fn message(execution: &Execution<'_>) -> String {
    match execution.outcome {
        Outcome::Capacity(what) => capacity(what).to_string(),
        Outcome::MemoryLimit { .. } => "the program asked for more memory than it may use".to_string(),
        _ => execution.message.to_string(),
    }
}

/// The name of a capacity that was exceeded.
fn capacity(what: Capacity) -> &'static str {
    match what {
        Capacity::Threads => "threads",
        Capacity::Events => "events in one execution",
        Capacity::Objects => "synchronisation objects in one execution",
        Capacity::Atomics => "atomic objects in one execution",
        Capacity::Shadow => "bytes of memory that are checked for data races",
        Capacity::Readers => "accesses by many threads in one execution",
        Capacity::Heaps => "threads that allocate memory",
        Capacity::Files => "bytes in files",
    }
}

/// How an execution ended, in a few words.
pub fn in_words(recording: &Recording) -> String {
    match recording.outcome {
        Outcome::Ended { .. } => {
            let end = recording.events.last().map_or(String::new(), |event| words::operation(&event.operation));
            if recording.message.is_empty() { end } else { format!("{end}: {}", recording.message) }
        }
        Outcome::Race(_) => "data race".to_string(),
        other => other.name().to_string(),
    }
}

/// The name and the meaning of a signal that kills.
pub fn signal_name(number: u8) -> String {
    let known = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL (illegal instruction)",
        5 => "SIGTRAP (breakpoint)",
        6 => "SIGABRT (abort)",
        7 => "SIGBUS (bus error)",
        8 => "SIGFPE (division by zero or overflow)",
        9 => "SIGKILL",
        11 => "SIGSEGV (invalid memory access)",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS (bad system call)",
        _ => return format!("signal {number}"),
    };
    known.to_string()
}
