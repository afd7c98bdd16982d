//! One execution, copied out of shared memory, with names and source locations.

use std::collections::{BTreeMap, HashMap};

use heddle_model::finding::Location;
use heddle_model::primitive::condvar;
use heddle_model::trace::Scalar;
use heddle_model::{Event, Execution, ObjectId, Outcome, Pending, ThreadId};

use crate::printed::Printed;

/// One execution with names and source locations. The engine that ran the program resolves them. What is unknown stays
/// empty.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The threads that had not ended, with their next operations.
    pub pending: Vec<Pending>,
    /// How the execution ended.
    pub outcome: Outcome,
    /// Whether some threads wait for each other forever although others could still run.
    pub circle: bool,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Text that belongs to the outcome: see [`Execution::message`].
    pub message: String,
    /// The program's output.
    pub output: Vec<u8>,
    /// The call stack of each event, innermost first.
    pub stacks: Vec<Vec<Location>>,
    /// The call stack of each pending thread, innermost first.
    pub pending_stacks: Vec<Vec<Location>>,
    /// The call stack at the end, for outcomes that are not events.
    pub end_stack: Vec<Location>,
    /// The call stack of the earlier access of a data race.
    pub earlier_stack: Vec<Location>,
    /// Further call stacks of a fault: where its block was allocated and freed, or where each leaked block was
    /// allocated.
    pub more_stacks: Vec<Vec<Location>>,
    /// Descriptions of objects without a name: `allocated at a.c:12`, `on the stack of main`.
    pub whereabouts: HashMap<ObjectId, String>,
    /// The address and the size of the heap block that a data race is in. The first of `more_stacks` is its allocation.
    pub block: Option<(u64, u64)>,
    /// The names of objects in the program: `account.lock`.
    pub objects: HashMap<ObjectId, String>,
    /// What lies at objects, where that is known.
    pub scalars: HashMap<ObjectId, Scalar>,
    /// What values of atomics point to: `&node#2`.
    pub pointees: HashMap<u64, String>,
    /// For each event, the value that it has written, where the event does not say it.
    pub written: Vec<Option<u64>>,
    /// The names that the program gave to threads.
    pub called: BTreeMap<ThreadId, String>,
    /// The objects that a call initialised before `main` began. If it contains [`ObjectId::NONE`], any object may be
    /// one of them.
    pub made_before: Vec<ObjectId>,
    /// What the program printed about a failure, with the place that it named.
    pub printed: Option<Printed>,
    /// Source lines, at least those of the call stacks.
    pub lines: Lines,
}

/// Source lines by file name and line number.
pub type Lines = BTreeMap<String, BTreeMap<u32, String>>;

impl Recording {
    /// A copy of `execution`, without names and locations.
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
            scalars: HashMap::new(),
            pointees: HashMap::new(),
            written: Vec::new(),
            called: BTreeMap::new(),
            made_before: Vec::new(),
            printed: None,
            lines: Lines::new(),
        }
    }

    /// The location of event `index` in the user's own source.
    pub fn place(&self, index: usize) -> Option<&Location> {
        user_frame(self.stacks.get(index)?)
    }

    /// The location of entry `index` of `pending` in the user's own source.
    pub fn pending_place(&self, index: usize) -> Option<&Location> {
        user_frame(self.pending_stacks.get(index)?)
    }
}

/// The objects of all events and pending operations of `recording`.
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

/// The innermost frame in the user's own source. If there is none, the innermost frame with a known file.
///
/// Example: `std::mutex` locks in a header of the C++ library, and the user wants to see the line that called it.
pub fn user_frame(stack: &[Location]) -> Option<&Location> {
    stack.iter().find(|at| is_user(at)).or_else(|| stack.iter().find(|at| !at.file.is_empty())).or(stack.first())
}

/// Whether a location is in the user's own source, not in a system header.
pub fn is_user(at: &Location) -> bool {
    !at.file.is_empty() && at.line != 0 && !at.file.starts_with("/usr/") && !at.file.contains("/include/c++/")
}
