//! What one execution is to a verdict. Cheap: asked of every execution of a search, so nothing is resolved here.

use heddle_model::{Capacity, Ending, Execution, FindingKind, Outcome};

use serde::{Deserialize, Serialize};

use crate::{Recording, words};

/// What one execution is to a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Class {
    /// It ended as programs end. A status other than zero is the program's own business.
    Fine,
    /// Something went wrong in it.
    Finding(FindingKind),
    /// It was assumed away by the program itself.
    Assumed,
    /// It is covered by another execution.
    Redundant,
    /// It did something that Heddle does not control.
    Unsupported,
    /// It was cut off by a bound that the user set.
    Bounded,
    /// It was cut off by something else: what follows is not known.
    Lost(Lost),
}

/// Why an execution was lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Lost {
    /// It used more memory than it may.
    MemoryLimit,
    /// More threads, objects or events than there is room for.
    Capacity,
    /// Killed from outside.
    Killed,
    /// It did not do what it did before under the same schedule.
    Diverged,
    /// It did something that a snapshot cannot take back, and nothing but a snapshot was asked for.
    NeedsFork,
    /// An outcome that should not reach a verdict.
    Unfinished,
}

/// What `execution` is to a verdict.
pub fn classify(execution: &Execution<'_>) -> Class {
    match execution.outcome {
        Outcome::StepLimit { .. } | Outcome::Hang | Outcome::Capacity(_) if execution.circle => {
            Class::Finding(FindingKind::PartialDeadlock)
        }
        Outcome::Ended { ending, fault } => match ending {
            Ending::Exit { .. } if execution.circle => Class::Finding(FindingKind::PartialDeadlock),
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
        Outcome::Livelock { .. } => Class::Finding(FindingKind::Livelock),
        Outcome::Race(_) => Class::Finding(FindingKind::DataRace),
        Outcome::Blocked => Class::Redundant,
        Outcome::Assumed => Class::Assumed,
        Outcome::StepLimit { .. } => Class::Bounded,
        Outcome::Unsupported => Class::Unsupported,
        Outcome::MemoryLimit { .. } => Class::Lost(Lost::MemoryLimit),
        Outcome::Capacity(_) => Class::Lost(Lost::Capacity),
        Outcome::Killed(death) if death.is_own_fault() => Class::Finding(FindingKind::Crash),
        Outcome::Killed(_) => Class::Lost(Lost::Killed),
        Outcome::Diverged { .. } => Class::Lost(Lost::Diverged),
        Outcome::NeedsFork => Class::Lost(Lost::NeedsFork),
        Outcome::Running | Outcome::NeedsThreads { .. } => Class::Lost(Lost::Unfinished),
    }
}

/// What is to be said of an execution beside its outcome's name: the text that the outcome refers to, or what ran out.
pub fn message(execution: &Execution<'_>) -> String {
    match execution.outcome {
        Outcome::Capacity(what) => capacity(what).to_string(),
        Outcome::MemoryLimit { .. } => "the program asked for more memory than it may use".to_string(),
        _ => execution.message.to_string(),
    }
}

/// What an execution had too many of.
fn capacity(what: Capacity) -> &'static str {
    match what {
        Capacity::Threads => "threads",
        Capacity::Events => "events in one execution",
        Capacity::Objects => "synchronisation objects in one execution",
        Capacity::Atomics => "atomic objects in one execution",
        Capacity::Shadow => "memory in which races are looked for",
        Capacity::Readers => "accesses by many threads in one execution",
        Capacity::Heaps => "more threads than the heap has arenas",
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
