//! One step of a trace, as codes and numbers.
//!
//! Reports make words of these. Nothing reads the words again: what a program wants to know of a step is a field here.

use serde::{Deserialize, Serialize};

use crate::finding::Location;
use crate::primitive::atomic::Order;
use crate::race::Access;
use crate::{Ending, OpCode, ThreadId};

/// What a thread did in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It took this operation.
    Operation(OpCode),
    /// A plan asked it to take this operation. Whether it did is not known: the process took what it did with it.
    Planned(OpCode),
    /// It ended the process.
    End(Ending),
    /// It accessed memory in a data race. Such an access is no step of the schedule, because nothing orders it.
    Access(Access),
    /// It ran without end and without a visible operation.
    Run,
}

impl Action {
    /// The operation that was taken, if this is one that the schedule can name.
    pub fn code(self) -> Option<OpCode> {
        match self {
            Action::Operation(code) | Action::Planned(code) => Some(code),
            Action::End(_) => Some(crate::primitive::process::END),
            Action::Access(_) | Action::Run => None,
        }
    }
}

/// What came of an operation, where that is not a matter of course.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    /// It timed out.
    TimedOut,
    /// It timed out because no thread could go on.
    TimedOutAlone,
    /// It ended although nothing happened that it waits for.
    Spurious,
    /// An attempt that may fail for no reason failed.
    AttemptFailed,
    /// It read or wrote this value.
    Value {
        /// The value.
        value: u64,
        /// The memory order, of an atomic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<Order>,
    },
    /// A read-modify-write replaced this value.
    Replaced {
        /// The value before.
        value: u64,
        /// The memory order.
        order: Order,
    },
    /// A compare-exchange found another value than it expects, and wrote nothing.
    Mismatch {
        /// The value that it found.
        value: u64,
        /// The memory order.
        order: Order,
    },
    /// A fence of this memory order.
    Fence(Order),
    /// The program was given one of several values.
    Chosen {
        /// The value.
        value: u64,
        /// How many values there were.
        of: u64,
    },
    /// A futex wait returned at once, because the word has this value.
    NotAsleep(u64),
    /// A futex operation found another value than it expects.
    OtherValue,
    /// It woke nobody.
    WokeNobody,
    /// It woke so many threads.
    WokeMany(u64),
    /// It woke this thread.
    Woke(ThreadId),
    /// What it would initialise is initialised already.
    AlreadyDone,
    /// It failed, because the lock is locked.
    Locked,
    /// It failed, because the thread has locked the lock itself.
    LockedByItself,
    /// It failed, because the thread has not locked the lock.
    NotLockedByIt,
    /// It locked a lock that the thread had locked before.
    LockedAgain,
    /// It failed, because the semaphore's count is zero.
    NoneLeft,
    /// It returned from a barrier as the serial thread.
    SerialThread,
    /// It failed.
    Failed,
}

/// One step of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// The thread that took it.
    pub thread: ThreadId,
    /// What the thread did.
    pub action: Action,
    /// What the operation was applied to: "mutex `a`". Empty where there is nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// What came of it, where that is not a matter of course.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<StepResult>,
    /// Of a thread that is left at the end: whether it could not go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// Where in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
    /// Another thread ran just before, and could have gone on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preempts: bool,
    /// The steps of other threads, by their index, that this one follows from: who woke it, who unlocked the lock. Steps that
    /// it follows from only by way of another step are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
    /// What its thread holds from here on, where that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<String>>,
    /// Threads that cannot go on from here on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<ThreadId>,
    /// Threads that could not go on before, and can from here on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frees: Vec<ThreadId>,
}

impl TraceStep {
    /// A step of which nothing is known but who does what.
    pub fn new(thread: ThreadId, action: Action) -> TraceStep {
        TraceStep {
            thread,
            action,
            object: String::new(),
            result: None,
            waits: false,
            at: None,
            preempts: false,
            after: Vec::new(),
            holds: None,
            blocks: Vec::new(),
            frees: Vec::new(),
        }
    }

    /// Whether it is this operation.
    pub fn is(&self, code: OpCode) -> bool {
        self.action == Action::Operation(code)
    }
}
