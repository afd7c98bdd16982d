//! What one execution is to a verdict. Cheap: asked of every execution of a search, so nothing is resolved here.

use heddle_model::primitive::process;
use heddle_model::{Ending, Execution, FindingKind, Outcome, circle};

use crate::{Recording, steps};

/// What one execution is to a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// The signals by which a process kills itself, whatever the kernel says: a process that vanished by one of these
/// has crashed, one that vanished by another was killed.
const OWN_FAULT: [u64; 7] = [4, 5, 6, 7, 8, 11, 31];

/// What `execution` is to a verdict.
pub fn classify(execution: &Execution<'_>) -> Class {
    let partial = execution.detail & circle::PARTIAL != 0;
    match execution.outcome {
        Outcome::StepLimit | Outcome::Hang | Outcome::Capacity if partial => {
            Class::Finding(FindingKind::PartialDeadlock)
        }
        Outcome::Ended => match execution.events.last().and_then(|event| process::ending(&event.operation)) {
            Some(Ending::Exit) if partial => Class::Finding(FindingKind::PartialDeadlock),
            // Blocks that were lost.
            Some(Ending::Exit) if execution.detail > 0 => Class::Finding(FindingKind::Leak),
            Some(Ending::Exit) => Class::Fine,
            Some(Ending::Abort) => Class::Finding(FindingKind::Abort),
            Some(Ending::Assertion) => Class::Finding(FindingKind::Assertion),
            Some(Ending::Crash) => Class::Finding(FindingKind::Crash),
            Some(Ending::Memory) => Class::Finding(FindingKind::Memory),
            Some(Ending::Undefined) => Class::Finding(FindingKind::Undefined),
            Some(Ending::Misuse | Ending::Waits) => Class::Finding(FindingKind::Misuse),
            Some(Ending::Assumed) => Class::Assumed,
            None => Class::Lost(Lost::Unfinished),
        },
        Outcome::Deadlock => Class::Finding(FindingKind::Deadlock),
        Outcome::Hang => Class::Finding(FindingKind::Hang),
        Outcome::Livelock => Class::Finding(FindingKind::Livelock),
        Outcome::Race => Class::Finding(FindingKind::DataRace),
        Outcome::Blocked => Class::Redundant,
        Outcome::Assumed => Class::Assumed,
        Outcome::StepLimit => Class::Bounded,
        Outcome::Unsupported => Class::Unsupported,
        Outcome::MemoryLimit => Class::Lost(Lost::MemoryLimit),
        Outcome::Capacity => Class::Lost(Lost::Capacity),
        Outcome::Killed if OWN_FAULT.contains(&execution.detail) => Class::Finding(FindingKind::Crash),
        Outcome::Killed => Class::Lost(Lost::Killed),
        Outcome::Diverged => Class::Lost(Lost::Diverged),
        Outcome::NeedsFork => Class::Lost(Lost::NeedsFork),
        Outcome::Running | Outcome::NeedsThreads => Class::Lost(Lost::Unfinished),
    }
}

/// How an execution ended, in a few words.
pub fn in_words(recording: &Recording) -> String {
    match recording.outcome {
        Outcome::Ended => {
            let end = recording.events.last().map_or(String::new(), |event| steps::operation(&event.operation));
            if recording.message.is_empty() { end } else { format!("{end}: {}", recording.message) }
        }
        Outcome::Race => "data race".to_string(),
        other => name(other).to_string(),
    }
}

/// The name of an outcome, for trace files.
pub const fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Running => "running",
        Outcome::Ended => "ended",
        Outcome::Deadlock => "deadlock",
        Outcome::Blocked => "blocked",
        Outcome::Diverged => "diverged",
        Outcome::Hang => "hang",
        Outcome::StepLimit => "step-limit",
        Outcome::MemoryLimit => "memory-limit",
        Outcome::Unsupported => "unsupported",
        Outcome::NeedsFork => "needs-fork",
        Outcome::NeedsThreads => "needs-threads",
        Outcome::Killed => "killed",
        Outcome::Capacity => "capacity",
        Outcome::Race => "race",
        Outcome::Assumed => "assumed",
        Outcome::Livelock => "livelock",
    }
}

/// The name and the meaning of a signal that kills.
pub fn signal_name(number: u64) -> String {
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
