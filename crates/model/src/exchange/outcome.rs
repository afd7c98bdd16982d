//! How an execution ended: [`Outcome`], with the data of each case.
//!
//! The runtime creates an outcome inside the program under test, and the driver reads it from shared memory. Therefore
//! nothing here allocates, and its wire form ([`crate::wire::WireOutcome`]) is validated when it is read. An outcome
//! contains no text. Reports put it into words.

use crate::fault::Fault;
use crate::race::Race;
use crate::round::Claim;
use crate::{Misuse, OpCode, ThreadId};

/// What ended the process. The [operation that ends the process](crate::primitive::process::END) carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Ending {
    /// `exit`, `_exit`, or a return from `main`.
    Exit {
        /// The exit status, as the program gave it.
        status: i32,
    },
    /// `abort`.
    Abort,
    /// A failed `assert`. Its text is the execution's message.
    Assertion,
    /// A signal that kills.
    Crash {
        /// The number of the signal.
        signal: u8,
        /// Whether the thread overflowed its stack.
        overflow: bool,
    },
    /// A memory error ([`crate::fault`]).
    Memory,
    /// Undefined behaviour that the compiler was asked to detect. The execution's message says which.
    Undefined,
    /// A misuse of a primitive.
    Misuse {
        /// The rule that was broken.
        misuse: Misuse,
        /// The [family](crate::primitive) of the primitive.
        family: u8,
    },
    /// A thread would have to wait inside an atomic section, where no other thread can run.
    Waits {
        /// The operation that would have to wait.
        code: OpCode,
    },
    /// An assumption does not hold inside an atomic section. This is not an execution of the program.
    Assumed,
}

/// The bit of the detail that marks a stack overflow. The signal of a crash is in the low byte.
const OVERFLOW: u32 = 1 << 8;

impl Ending {
    /// The exit status that the parent of the process sees: the low byte of what the program gave. `None` if the process
    /// does not exit by itself.
    pub const fn exit_status(self) -> Option<u8> {
        match self {
            Ending::Exit { status } => Some(status as u8),
            _ => None,
        }
    }

    /// Encodes this ending as the `argument` and the `detail` of an operation.
    pub const fn to_numbers(self) -> (u64, u32) {
        match self {
            // The kernel keeps eight bits of a status. The others have other meanings in an operation.
            Ending::Exit { status } => (1, status as u32 & 0xff),
            Ending::Abort => (2, 0),
            Ending::Assertion => (3, 0),
            Ending::Crash { signal, overflow } => (4, signal as u32 | if overflow { OVERFLOW } else { 0 }),
            Ending::Memory => (5, 0),
            Ending::Undefined => (6, 0),
            Ending::Misuse { misuse, family } => (7, misuse as u32 | (family as u32) << 8),
            Ending::Waits { code } => (8, code.0 as u32),
            Ending::Assumed => (9, 0),
        }
    }

    /// Decodes an ending from these numbers. `None` if they are invalid.
    pub fn from_numbers(argument: u64, detail: u32) -> Option<Ending> {
        Some(match argument {
            1 => Ending::Exit { status: detail as i32 },
            2 => Ending::Abort,
            3 => Ending::Assertion,
            4 if detail >> 9 == 0 => Ending::Crash { signal: detail as u8, overflow: detail & OVERFLOW != 0 },
            5 => Ending::Memory,
            6 => Ending::Undefined,
            7 if detail >> 16 == 0 => {
                Ending::Misuse { misuse: Misuse::from_code(detail as u8)?, family: (detail >> 8) as u8 }
            }
            8 => Ending::Waits { code: OpCode(u16::try_from(detail).ok()?) },
            9 => Ending::Assumed,
            _ => return None,
        })
    }
}

/// How a process died that did not report its end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Death {
    /// The signal with this number killed it.
    Signal(u8),
    /// The process exited with this status.
    Exit(u8),
    /// The shared memory is corrupt: the program wrote over it.
    Damaged,
    /// The process did not reach `main` in time.
    Unstarted,
}

impl Death {
    /// The death that the wait status `status` describes.
    pub const fn from_status(status: i32) -> Death {
        // The low seven bits are the signal, the eighth says that there is a core file, the next byte is the exit status.
        match status & 0x7f {
            0 => Death::Exit((status >> 8) as u8),
            signal => Death::Signal(signal as u8),
        }
    }

    /// The signals that a process raises by its own fault: illegal instruction, breakpoint, abort, bus error,
    /// arithmetic error, segmentation fault, bad system call.
    const OWN_FAULT: [u8; 7] = [4, 5, 6, 7, 8, 11, 31];

    /// Whether the program caused its own death. Any other death came from outside.
    pub fn is_own_fault(self) -> bool {
        matches!(self, Death::Signal(signal) if Death::OWN_FAULT.contains(&signal))
    }
}

/// A capacity that an execution can exceed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Capacity {
    /// The number of threads.
    Threads = 1,
    /// The number of events of one execution.
    Events = 2,
    /// The number of synchronisation objects of one execution.
    Objects = 3,
    /// The number of atomic objects of one execution.
    Atomics = 4,
    /// The shadow memory of the race detector.
    Shadow = 5,
    /// The number of places that many threads access.
    Readers = 6,
    /// The number of heaps: one for each thread.
    Heaps = 7,
    /// The room for private copies of files in the temporary directory.
    Files = 8,
}

impl Capacity {
    /// Whether executions in which threads take fewer operations need less of it. The room for files is the machine's.
    pub const fn grows_with_steps(self) -> bool {
        !matches!(self, Capacity::Files)
    }

    /// All capacities, in order of their numbers.
    pub const ALL: [Capacity; 8] = [
        Capacity::Threads,
        Capacity::Events,
        Capacity::Objects,
        Capacity::Atomics,
        Capacity::Shadow,
        Capacity::Readers,
        Capacity::Heaps,
        Capacity::Files,
    ];
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Outcome {
    /// The execution is not over yet.
    Running,
    /// The process ended by its own last event. This covers normal exits, assertions, aborts and crashes.
    Ended {
        /// What ended it.
        ending: Ending,
        /// The memory fault: that of a memory error, of a crash at a known address, or of a leak.
        fault: Option<Fault>,
    },
    /// Some threads have not finished, and none of them is enabled.
    Deadlock,
    /// Every enabled thread is in the sleep set. Another execution covers what follows.
    Blocked,
    /// The program did not do what the plan expected.
    Diverged {
        /// The position of the step in the schedule that could not be taken, from 0.
        step: u32,
    },
    /// A thread ran too long without a visible operation.
    Hang,
    /// No thread is enabled, but some are stopped by the limit of operations. Threads that the limit has stopped are in
    /// [`crate::Execution::stopped`], however an execution ends.
    StepLimit {
        /// The first of the threads that would be enabled without the limit.
        thread: ThreadId,
    },
    /// The plan allowed no more switches between threads.
    SwitchLimit {
        /// The thread that would have gone on.
        thread: ThreadId,
    },
    /// The program exceeded its memory limit.
    MemoryLimit {
        /// The size of the allocation that failed, in bytes.
        bytes: u64,
    },
    /// The program called a function that Heddle does not control. The execution's message is its name.
    Unsupported,
    /// The program did something that a snapshot cannot undo. The execution's message is its name.
    NeedsFork,
    /// The program has more threads than were prepared.
    NeedsThreads {
        /// How many threads to prepare.
        count: u32,
    },
    /// The process died without a report: killed from outside, or too damaged to report.
    Killed(Death),
    /// The shared memory or the runtime ran out of room.
    Capacity(Capacity),
    /// A data race.
    Race(Race),
    /// No thread is enabled, and one of them stands at an assumption that does not hold. This is not an execution of
    /// the program.
    Assumed,
    /// The execution has come to a state that is known, so what follows from it is, too. See [`crate::States`].
    Visited,
    /// The execution ended because it showed something that a search must know of the program before it goes on: more that is
    /// visible, or a look in vain ([`crate::vain`]). It says nothing else.
    Learnt {
        /// What is to be among the visible places.
        place: u64,
        /// What is to be there, too, or 0.
        also: u64,
    },
    /// The state after the plan's [round](crate::round::Round) equals the state before it, so the round can repeat forever.
    Cycle {
        /// The number of events in the round. 0 if the execution has ended, and stays where it is.
        length: u32,
        /// What is said of the round.
        claim: Claim,
    },
}

impl Outcome {
    /// The name of the case without its data, for keys, logs and tests.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Running => "running",
            Outcome::Ended { .. } => "ended",
            Outcome::Deadlock => "deadlock",
            Outcome::Blocked => "blocked",
            Outcome::Diverged { .. } => "diverged",
            Outcome::Hang => "hang",
            Outcome::StepLimit { .. } => "step-limit",
            Outcome::SwitchLimit { .. } => "switch-limit",
            Outcome::MemoryLimit { .. } => "memory-limit",
            Outcome::Unsupported => "unsupported",
            Outcome::NeedsFork => "needs-fork",
            Outcome::NeedsThreads { .. } => "needs-threads",
            Outcome::Killed(_) => "killed",
            Outcome::Capacity(_) => "capacity",
            Outcome::Race(_) => "race",
            Outcome::Assumed => "assumed",
            Outcome::Cycle { .. } => "cycle",
            Outcome::Visited => "visited",
            Outcome::Learnt { .. } => "learnt",
        }
    }

    /// Whether the process ended by its own last event.
    pub const fn is_ended(&self) -> bool {
        matches!(self, Outcome::Ended { .. })
    }

    /// What ended the process, if it ended by its own last event.
    pub const fn ending(&self) -> Option<Ending> {
        match self {
            Outcome::Ended { ending, .. } => Some(*ending),
            _ => None,
        }
    }

    /// The memory fault that ended the process or was found at its end.
    pub const fn fault(&self) -> Option<&Fault> {
        match self {
            Outcome::Ended { fault, .. } => fault.as_ref(),
            _ => None,
        }
    }

    /// The data race that ended the execution.
    pub const fn race(&self) -> Option<&Race> {
        match self {
            Outcome::Race(race) => Some(race),
            _ => None,
        }
    }

    /// Whether an assumption of the program does not hold, so that this is not one of its executions.
    pub const fn is_assumed_away(&self) -> bool {
        matches!(self, Outcome::Assumed | Outcome::Ended { ending: Ending::Assumed, .. })
    }
}
