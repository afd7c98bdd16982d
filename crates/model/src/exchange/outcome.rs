//! How an execution ended.

/// What ended the process. The `argument` of a process-end operation; see [`crate::primitive::process`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Ending {
    /// `exit`, `_exit`, or a return from `main`; the detail is the status.
    Exit = 1,
    /// `abort`.
    Abort = 2,
    /// A failed `assert`.
    Assertion = 3,
    /// A signal that kills; the detail is its number.
    Crash = 4,
    /// Memory was used against its rules ([`crate::fault`]).
    Memory = 5,
    /// Undefined behaviour that the compiler was asked to look for; the result's message says which.
    Undefined = 6,
    /// A primitive was used against its rules; the detail is the [`crate::Misuse`] and, from bit 8 on, the primitive's family.
    Misuse = 7,
    /// A thread would have to wait inside a section that runs as one step; the detail is the code of the operation.
    Waits = 8,
    /// An assumption that does not hold, inside such a section: no execution of the program.
    Assumed = 9,
}

impl Ending {
    /// The ending with this number.
    pub const fn from_code(code: u8) -> Option<Ending> {
        Some(match code {
            1 => Ending::Exit,
            2 => Ending::Abort,
            3 => Ending::Assertion,
            4 => Ending::Crash,
            5 => Ending::Memory,
            6 => Ending::Undefined,
            7 => Ending::Misuse,
            8 => Ending::Waits,
            9 => Ending::Assumed,
            _ => return None,
        })
    }
}

/// How an execution ended. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Outcome {
    /// Not over yet.
    Running = 0,
    /// The process ended by an event of its own: the last event is of [`crate::primitive::process`] and says how.
    /// This covers normal ends, assertions, aborts and crashes.
    Ended = 1,
    /// Threads are left, and none of them can go on.
    Deadlock = 2,
    /// Every thread that can go on is asleep: what follows is covered by another execution.
    Blocked = 3,
    /// The program did not do what the plan expected; `detail` in the result is the step.
    Diverged = 4,
    /// A thread ran for too long without a visible operation.
    Hang = 5,
    /// A thread took more operations than the bound allows.
    StepLimit = 6,
    /// The program used more memory than it may.
    MemoryLimit = 7,
    /// The program called something that Heddle does not control; the result carries its name.
    Unsupported = 8,
    /// The program did something that a snapshot cannot take back; the result carries its name.
    NeedsFork = 9,
    /// More threads than were prepared for; `detail` in the result is how many are needed.
    NeedsThreads = 10,
    /// The process vanished without a word: killed from outside, or too damaged to speak.
    Killed = 11,
    /// More threads, objects or events than the shared memory has room for; the result names which.
    Capacity = 12,
    /// Two accesses to one place that nothing orders; the message is a [`crate::race::Race`].
    Race = 13,
    /// Nobody can go on, and somebody stands before an assumption that does not hold: no execution of the program.
    Assumed = 14,
    /// After the round that the plan names, everything is as it was before it: it can be taken for ever. `detail` in the result
    /// is how many events it has. See [`crate::Plan::round`].
    Livelock = 15,
}

impl Outcome {
    /// The outcome with this number.
    pub const fn from_code(code: u32) -> Option<Outcome> {
        Some(match code {
            0 => Outcome::Running,
            1 => Outcome::Ended,
            2 => Outcome::Deadlock,
            3 => Outcome::Blocked,
            4 => Outcome::Diverged,
            5 => Outcome::Hang,
            6 => Outcome::StepLimit,
            7 => Outcome::MemoryLimit,
            8 => Outcome::Unsupported,
            9 => Outcome::NeedsFork,
            10 => Outcome::NeedsThreads,
            11 => Outcome::Killed,
            12 => Outcome::Capacity,
            13 => Outcome::Race,
            14 => Outcome::Assumed,
            15 => Outcome::Livelock,
            _ => return None,
        })
    }
}
