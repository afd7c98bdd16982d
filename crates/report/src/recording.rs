//! One execution, copied out of shared memory, with its names and places resolved.

use std::collections::{BTreeMap, HashMap};

use heddle_model::finding::Location;
use heddle_model::primitive::condvar;
use heddle_model::{Event, Execution, ObjectId, Outcome, Pending, ThreadId};

/// One execution with names and places. Whoever ran the program fills it in; what is missing stays empty.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// The threads that had not ended.
    pub pending: Vec<Pending>,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether some threads wait for each other for ever although others could still go on.
    pub circle: bool,
    /// The thread that was running when it ended.
    pub thread: ThreadId,
    /// Text that the outcome refers to: see [`Execution::message`].
    pub message: String,
    /// What the program printed.
    pub output: Vec<u8>,
    /// The call stack of each event, innermost first.
    pub stacks: Vec<Vec<Location>>,
    /// The call stack of each pending thread, innermost first.
    pub pending_stacks: Vec<Vec<Location>>,
    /// Where the program was at the end, for outcomes that are no event.
    pub end_stack: Vec<Location>,
    /// Where the earlier of two racing accesses was.
    pub earlier_stack: Vec<Location>,
    /// Call stacks that belong to a fault: where its block was allocated and freed; of a leak, where each block was
    /// allocated.
    pub more_stacks: Vec<Vec<Location>>,
    /// Where objects without a name are: `allocated at a.c:12`, `on the stack of main`.
    pub whereabouts: HashMap<ObjectId, String>,
    /// The address and the size of the block of the heap that a race is in; its allocation is the one of `more_stacks`.
    pub block: Option<(u64, u64)>,
    /// Objects that have a name in the program: `account.lock`.
    pub objects: HashMap<ObjectId, String>,
    /// Objects that were made by a call before `main` began; with [`ObjectId::NONE`], any may have been.
    pub made_before: Vec<ObjectId>,
    /// Lines of source, by file and line: at least those that the stacks lie in.
    pub lines: Lines,
}

/// Lines of source, by file and line.
pub type Lines = BTreeMap<String, BTreeMap<u32, String>>;

impl Recording {
    /// A copy of `execution`, nothing resolved.
    pub fn new(execution: &Execution<'_>) -> Recording {
        Recording {
            events: execution.events.to_vec(),
            pending: execution.pending.to_vec(),
            outcome: execution.outcome,
            circle: execution.circle,
            thread: execution.thread,
            message: execution.message.to_string(),
            output: execution.output.to_vec(),
            stacks: vec![Vec::new(); execution.events.len()],
            pending_stacks: vec![Vec::new(); execution.pending.len()],
            end_stack: Vec::new(),
            earlier_stack: Vec::new(),
            more_stacks: Vec::new(),
            whereabouts: HashMap::new(),
            block: None,
            objects: HashMap::new(),
            made_before: Vec::new(),
            lines: Lines::new(),
        }
    }

    /// Where event `index` is in the user's own source.
    pub fn place(&self, index: usize) -> Option<&Location> {
        user_frame(self.stacks.get(index)?)
    }

    /// Where the pending thread `index` (of `pending`, not of all threads) is in the user's own source.
    pub fn pending_place(&self, index: usize) -> Option<&Location> {
        user_frame(self.pending_stacks.get(index)?)
    }
}

/// The objects that the events and the pending operations of `recording` mention.
pub fn objects(recording: &Recording) -> Vec<ObjectId> {
    let operations =
        recording.events.iter().map(|e| &e.operation).chain(recording.pending.iter().map(|p| &p.operation));
    let mut objects = Vec::new();
    for operation in operations {
        let waits = matches!(operation.code, condvar::WAIT | condvar::REACQUIRE);
        objects.push(operation.object);
        objects.extend(waits.then_some(ObjectId(operation.argument)));
    }
    objects.sort();
    objects.dedup();
    objects
}

/// The innermost frame that lies in the user's own source, or the innermost that lies anywhere.
///
/// `std::mutex` locks in a header of the C++ library: the line that a person wants is the one that called it.
pub fn user_frame(stack: &[Location]) -> Option<&Location> {
    stack.iter().find(|at| is_user(at)).or_else(|| stack.iter().find(|at| !at.file.is_empty())).or(stack.first())
}

/// Whether a place is in the user's own source, not in the system's headers.
pub fn is_user(at: &Location) -> bool {
    !at.file.is_empty() && at.line != 0 && !at.file.starts_with("/usr/") && !at.file.contains("/include/c++/")
}
