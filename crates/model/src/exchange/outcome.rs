//! How an execution ended: [`Outcome`], with the data that belongs to each case.
//!
//! The runtime makes an outcome inside the program under test and the driver reads it from shared memory, so nothing here
//! allocates, and the form in which it travels ([`crate::wire::WireOutcome`]) is checked number by number when it is read.
//! Text is no part of an outcome. Words are made of it by the reports.

use crate::fault::Fault;
use crate::race::Race;
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
        /// Whether the thread ran off its stack.
        overflow: bool,
    },
    /// Memory was used against its rules ([`crate::fault`]).
    Memory,
    /// Undefined behaviour that the compiler was asked to look for. The execution's message says which.
    Undefined,
    /// A primitive was used against its rules.
    Misuse {
        /// The rule that was broken.
        misuse: Misuse,
        /// The [family](crate::primitive) of the primitive.
        family: u8,
    },
    /// A thread would have to wait inside an atomic section, where nobody else can go on.
    Waits {
        /// The operation that would have to wait.
        code: OpCode,
    },
    /// An assumption does not hold inside an atomic section. This is no execution of the program.
    Assumed,
}

/// A crash's signal is in the low byte of the detail, this bit says that the stack overflowed.
const OVERFLOW: u32 = 1 << 8;

impl Ending {
    /// The two numbers that stand for this ending in an operation: its `argument` and its `detail`.
    pub const fn to_numbers(self) -> (u64, u32) {
        match self {
            Ending::Exit { status } => (1, status as u32),
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

    /// The ending that these numbers stand for; none if they stand for no ending.
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

/// How a process ended that did not say so itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Death {
    /// By the signal with this number.
    Signal(u8),
    /// It exited with this status.
    Exit(u8),
    /// What it left in the shared memory makes no sense: the program wrote over it.
    Damaged,
    /// It did not reach `main` in time.
    Unstarted,
}

impl Death {
    /// The death that `status`, as `wait` reports it, tells of.
    pub const fn from_status(status: i32) -> Death {
        // The low seven bits are the signal, the eighth says that there is a core file, the next byte is the exit status.
        match status & 0x7f {
            0 => Death::Exit((status >> 8) as u8),
            signal => Death::Signal(signal as u8),
        }
    }

    /// The signals by which a process kills itself: illegal instruction, breakpoint, abort, bus error, arithmetic,
    /// segmentation fault, bad system call.
    const OWN_FAULT: [u8; 7] = [4, 5, 6, 7, 8, 11, 31];

    /// Whether the program did this to itself. Any other death came from outside.
    pub fn is_own_fault(self) -> bool {
        matches!(self, Death::Signal(signal) if Death::OWN_FAULT.contains(&signal))
    }
}

/// Room that an execution can run out of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Capacity {
    /// Threads.
    Threads = 1,
    /// Events of one execution.
    Events = 2,
    /// Synchronisation objects of one execution.
    Objects = 3,
    /// Atomic objects of one execution.
    Atomics = 4,
    /// Memory in which data races are looked for.
    Shadow = 5,
    /// Places that many threads access.
    Readers = 6,
    /// Heaps: one for each thread.
    Heaps = 7,
}

impl Capacity {
    /// All of them, in the order of their numbers.
    pub const ALL: [Capacity; 7] = [
        Capacity::Threads,
        Capacity::Events,
        Capacity::Objects,
        Capacity::Atomics,
        Capacity::Shadow,
        Capacity::Readers,
        Capacity::Heaps,
    ];
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Outcome {
    /// It is not over yet.
    Running,
    /// The process ended by an event of its own, the last one. This covers normal ends, assertions, aborts and crashes.
    Ended {
        /// What ended it.
        ending: Ending,
        /// What was done to memory: of a memory error, of a crash at an address that is known, or blocks that leaked.
        fault: Option<Fault>,
    },
    /// Threads are left, and none of them can go on.
    Deadlock,
    /// Every thread that can go on is asleep. Another execution covers what follows.
    Blocked,
    /// The program did not do what the plan expected.
    Diverged {
        /// The step of the schedule that could not be taken, from 0.
        step: u32,
    },
    /// A thread ran for too long without a visible operation.
    Hang,
    /// A thread took more operations than the bound allows.
    StepLimit {
        /// Which thread.
        thread: ThreadId,
    },
    /// The program wanted more memory than it may use.
    MemoryLimit {
        /// How many bytes it asked for when there were not enough left.
        bytes: u64,
    },
    /// The program called something that Heddle does not control. The execution's message is its name.
    Unsupported,
    /// The program did something that a snapshot cannot take back. The execution's message is its name.
    NeedsFork,
    /// The program has more threads than were prepared for.
    NeedsThreads {
        /// How many threads to prepare for.
        count: u32,
    },
    /// The process vanished without a word: killed from outside, or too damaged to speak.
    Killed(Death),
    /// The shared memory or the runtime has too little room.
    Capacity(Capacity),
    /// Two accesses to one place that nothing orders.
    Race(Race),
    /// Nobody can go on, and somebody stands before an assumption that does not hold. This is no execution of the program.
    Assumed,
    /// After the round that the plan names, everything is as it was before it. The round can be repeated for ever. See
    /// [`crate::round::Round`].
    Livelock {
        /// How many events the round has.
        length: u32,
    },
}

impl Outcome {
    /// The name of the case, without its data: for keys, logs and tests.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Running => "running",
            Outcome::Ended { .. } => "ended",
            Outcome::Deadlock => "deadlock",
            Outcome::Blocked => "blocked",
            Outcome::Diverged { .. } => "diverged",
            Outcome::Hang => "hang",
            Outcome::StepLimit { .. } => "step-limit",
            Outcome::MemoryLimit { .. } => "memory-limit",
            Outcome::Unsupported => "unsupported",
            Outcome::NeedsFork => "needs-fork",
            Outcome::NeedsThreads { .. } => "needs-threads",
            Outcome::Killed(_) => "killed",
            Outcome::Capacity(_) => "capacity",
            Outcome::Race(_) => "race",
            Outcome::Assumed => "assumed",
            Outcome::Livelock { .. } => "livelock",
        }
    }

    /// Whether the process ended by an event of its own.
    pub const fn is_ended(&self) -> bool {
        matches!(self, Outcome::Ended { .. })
    }

    /// What ended the process, if it ended by an event of its own.
    pub const fn ending(&self) -> Option<Ending> {
        match self {
            Outcome::Ended { ending, .. } => Some(*ending),
            _ => None,
        }
    }

    /// What was done to memory, if that ended the process or was left at its end.
    pub const fn fault(&self) -> Option<&Fault> {
        match self {
            Outcome::Ended { fault, .. } => fault.as_ref(),
            _ => None,
        }
    }

    /// The race that ended the execution, if one did.
    pub const fn race(&self) -> Option<&Race> {
        match self {
            Outcome::Race(race) => Some(race),
            _ => None,
        }
    }

    /// Whether this is no execution of the program, because an assumption of its own does not hold.
    pub const fn is_assumed_away(&self) -> bool {
        matches!(self, Outcome::Assumed | Outcome::Ended { ending: Ending::Assumed, .. })
    }
}
