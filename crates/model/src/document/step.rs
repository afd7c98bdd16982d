//! One step of a trace, as codes and numbers.
//!
//! Reports put these into words, and no program reads the words again: everything that a program needs to know about a
//! step is a field here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::finding::Location;
use crate::primitive::atomic::MemoryOrder;
use crate::primitive::choice::InputType;
use crate::race::Access;
use crate::{Ending, OpCode, ThreadId};

/// What a thread did in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The thread took this operation.
    Operation(OpCode),
    /// The plan asked the thread to take this operation. Whether it did is unknown, because its process died.
    Planned(OpCode),
    /// The thread ended the process.
    End(Ending),
    /// The thread accessed memory in a data race. Such an access is not a step of the schedule, because nothing orders
    /// it.
    Access(Access),
    /// The thread ran on without a visible operation.
    Run,
}

impl Action {
    /// The operation that was taken, if a schedule can name it.
    pub fn code(self) -> Option<OpCode> {
        match self {
            Action::Operation(code) | Action::Planned(code) => Some(code),
            Action::End(_) => Some(crate::primitive::process::END),
            Action::Access(_) | Action::Run => None,
        }
    }
}

/// The result of an operation, where it is worth showing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    /// The operation timed out.
    TimedOut,
    /// The operation timed out because no thread was enabled.
    TimedOutAlone,
    /// A wait ended spuriously.
    Spurious,
    /// An attempt failed spuriously.
    AttemptFailed,
    /// The operation read or wrote this value.
    Value {
        /// The value.
        value: u64,
        /// The memory order, of an atomic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        order: Option<MemoryOrder>,
    },
    /// A read-modify-write replaced this value.
    Replaced {
        /// The value before.
        value: u64,
        /// The value after, if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new: Option<u64>,
        /// The memory order.
        order: MemoryOrder,
    },
    /// A compare-exchange found another value than it expected, and wrote nothing.
    Mismatch {
        /// The value that it found.
        value: u64,
        /// The memory order.
        order: MemoryOrder,
    },
    /// A fence of this memory order.
    Fence(MemoryOrder),
    /// The program got one of several values.
    Chosen {
        /// The value.
        value: u64,
        /// The number of values to choose from.
        of: u64,
    },
    /// The program read this input.
    Input {
        /// The value, as 64 bits.
        value: u64,
        /// The type of the input.
        of: InputType,
    },
    /// A futex wait returned at once, because the word has this value.
    NotAsleep(u64),
    /// A futex operation found another value than it expected.
    OtherValue,
    /// The operation woke no thread.
    WokeNobody,
    /// The operation woke this many threads.
    WokeMany(u64),
    /// The operation woke this thread.
    Woke(ThreadId),
    /// The initialisation was done already.
    AlreadyDone,
    /// The operation failed because the lock is locked.
    Locked,
    /// The operation failed because the thread itself has locked the lock.
    LockedByItself,
    /// The operation failed because the thread has not locked the lock.
    NotLockedByIt,
    /// The operation locked a lock that the thread had locked before.
    LockedAgain,
    /// The operation failed because the semaphore's count is zero.
    NoneLeft,
    /// The thread left a barrier as the serial thread.
    SerialThread,
    /// The operation failed.
    Failed,
}

/// What a value in memory is, as far as it changes how the value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// A number.
    Number(InputType),
    /// A truth value.
    Truth,
    /// The address of something.
    Pointer,
}

/// One step of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// The thread that took the step.
    pub thread: ThreadId,
    /// What the thread did.
    pub action: Action,
    /// The object of the operation: "mutex `a`". Empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// The name of the object without its kind, for tables, where the operation shows the kind: `a`, `thread 1`. Empty if it
    /// is [`object`](Self::object) itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub short: String,
    /// The result, where it is worth showing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<StepResult>,
    /// How the program writes values of the result that are more than plain numbers: `-1`, `true`, `&node#2`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<u64, String>,
    /// For a thread that remains at the end: whether it was blocked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// The source location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
    /// Whether another thread ran just before and was still enabled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preempts: bool,
    /// The indices of the steps of other threads that this one follows from directly: the step that woke the thread,
    /// the step that unlocked the lock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
    /// The locks that the thread holds after this step. `None` if they did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<String>>,
    /// The thread that this step created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creates: Option<ThreadId>,
    /// The threads that this step blocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<ThreadId>,
    /// The threads that this step unblocked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frees: Vec<ThreadId>,
}

impl TraceStep {
    /// A step with this thread and action. Everything else is empty.
    pub fn new(thread: ThreadId, action: Action) -> TraceStep {
        TraceStep {
            thread,
            action,
            object: String::new(),
            short: String::new(),
            result: None,
            values: BTreeMap::new(),
            waits: false,
            at: None,
            preempts: false,
            after: Vec::new(),
            holds: None,
            creates: None,
            blocks: Vec::new(),
            frees: Vec::new(),
        }
    }

    /// The short name of the object.
    pub fn short_name(&self) -> &str {
        if self.short.is_empty() { &self.object } else { &self.short }
    }

    /// Whether the step is this operation.
    pub fn is(&self, code: OpCode) -> bool {
        self.action == Action::Operation(code)
    }
}
