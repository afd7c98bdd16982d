//! The interface between a check and what runs the program.
//!
//! An engine runs plans ([`Executor`]), records one execution with everything in it, knows the program's names, and says
//! how much of the program it sees. A native process is one engine. Nothing in this crate knows which one it works with.

use heddle_model::trace::Scalar;
use heddle_model::{
    Event, Executor, ExecutorError, Input, Location, ObjectId, Outcome, Pending, Plan, Restart, Settings, ThreadId,
};
use heddle_search::Summary;

/// Runs the executions of a check, and describes the program and what it has learnt about it.
pub trait Engine: Executor {
    /// The settings that, together with its plan, determine an execution. Traces record them.
    fn settings(&self) -> Settings;

    /// The inputs that are given in all executions, sorted. Traces record them.
    fn inputs(&self) -> Vec<Input> {
        Vec::new()
    }

    /// How the program currently returns to its start after an execution.
    fn restart(&self) -> Restart;

    /// The granules of plain memory whose accesses are currently visible operations.
    fn places(&self) -> Vec<u64>;

    /// Runs `plan` alone and records everything: call stacks, output, allocation sites. Plans under way are discarded.
    ///
    /// # Errors
    ///
    /// When there is no execution, as in [`Executor::receive`].
    fn replay(&mut self, plan: &Plan) -> Result<Recorded, ExecutorError>;

    /// The names and source lines of the program.
    fn names(&self) -> Box<dyn Names>;

    /// What must be equal for another engine to resume from a checkpoint of this one: names and values.
    ///
    /// # Errors
    ///
    /// When the program cannot be read any more.
    fn identity(&self) -> Result<Vec<(&'static str, String)>, ExecutorError>;

    /// Waits for the plans under way and drops their executions.
    ///
    /// # Errors
    ///
    /// When the engine fails.
    fn discard(&mut self) -> Result<(), ExecutorError>;

    /// Called when the search is over. Releases what only the search needed, such as helper processes, and keeps what they have
    /// learnt.
    ///
    /// # Errors
    ///
    /// When plans are under way that cannot be finished.
    fn settle(&mut self) -> Result<(), ExecutorError> {
        self.discard()
    }

    /// Whether two runs of one plan have equal addresses. If so, a check runs a sample of executions twice and compares them.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Explores the program by the engine's own search. `None` if the engine has none; `heddle-search` then explores the program.
    fn explore(
        &mut self,
        _options: &heddle_search::Options,
        _observer: &mut dyn heddle_search::Observer,
    ) -> Option<Result<Summary, ExecutorError>> {
        None
    }
}

/// The names and source lines of a program.
pub trait Names {
    /// The functions that a return address lies in, innermost first. Several where calls were inlined.
    fn frames(&self, address: u64) -> Vec<Location>;

    /// The innermost place of a call stack that lies in the user's own source, or else its innermost place.
    fn location(&self, addresses: &[u64]) -> Option<Location>;

    /// The program's name for an object, if it has one.
    fn object(&self, object: ObjectId) -> Option<String>;

    /// The local variable at `address`. Its frame ends at `end` and belongs to the function around `code`.
    fn local(&self, address: u64, code: u64, end: u64) -> Option<Local>;

    /// What lies at `object`, if it is a static variable and its type is known.
    fn scalar(&self, object: ObjectId) -> Option<Scalar>;

    /// What lies `offset` bytes into a heap block of `size` bytes that was allocated by the call stack `site`. `None` if the block's type is
    /// not known.
    fn part(&self, site: &[u64], size: u64, offset: u64) -> Option<Part>;

    /// The thread whose stack `address` lies on.
    fn stack_owner(&self, address: u64) -> Option<ThreadId>;
}

/// A local variable, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// The function that it belongs to.
    pub function: String,
    /// The name of the variable in that function.
    pub name: String,
    /// What it is.
    pub scalar: Option<Scalar>,
}

/// A part of a heap block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The type of the block, or of the elements of the array that it is.
    pub kind: String,
    /// The path to the part: `[2].next`, `.hits`. Empty if it is the whole block.
    pub path: String,
    /// What it is.
    pub scalar: Option<Scalar>,
}

/// Where a heap block was allocated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// The address in the block that an event names.
    pub object: ObjectId,
    /// The block's address.
    pub block: u64,
    /// The block's size in bytes.
    pub size: u64,
    /// The call stack of the allocation: return addresses, innermost first.
    pub stack: Vec<u64>,
}

/// One execution with everything that an engine can record of it. Addresses are not resolved.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// For each event, where the program was: return addresses, innermost first.
    pub stacks: Vec<Vec<u64>>,
    /// The threads that had not ended.
    pub pending: Vec<Pending>,
    /// For each thread in `pending`, its call stack.
    pub pending_stacks: Vec<Vec<u64>>,
    /// More call stacks that belong to a fault.
    pub more_stacks: Vec<Vec<u64>>,
    /// For each event, the value that it has written, where the event itself does not say it.
    pub written: Vec<Option<u64>>,
    /// The blocks of objects that lie in the heap.
    pub sites: Vec<Site>,
    /// The names that the program gave to threads.
    pub called: Vec<(ThreadId, String)>,
    /// Objects that lie on a stack: an address in the code of the function whose variable it is, and where its frame ends.
    pub locals: Vec<(ObjectId, u64, u64)>,
    /// Objects that a call initialised before `main`; contains [`ObjectId::NONE`] if there were too many to keep.
    pub made_before: Vec<ObjectId>,
    /// How the execution ended.
    pub outcome: Outcome,
    /// Whether some threads wait for each other for ever although others could still go on.
    pub circle: bool,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Where, for outcomes that are no event: a return address, or 0.
    pub pc: u64,
    /// Words that belong to the outcome.
    pub message: String,
    /// What the program printed, as far as it was kept.
    pub output: Vec<u8>,
    /// How many bytes it printed in all.
    pub printed: u64,
}
