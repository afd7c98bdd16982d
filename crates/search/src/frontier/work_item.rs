//! A piece of an optimal search as a value, and what comes back of it.
//!
//! Somebody who has never seen the search can explore a [`WorkItem`] alone, to its end. An item is one subtree, and it is
//! *closed*: whoever sleeps where it begins is done, so nobody else will ever find anything that belongs into it. What is
//! found inside and belongs above it comes back in one [`Commit`].

use heddle_model::follow::Step;
use heddle_model::{Event, Footprint, ThreadId};
use serde::{Deserialize, Serialize};

pub use crate::frontier::agenda::Cost;
use crate::save::{CheckpointError, Touched};

/// One subtree of an optimal search that another search can explore.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkItem {
    /// The way from the start of the program to the subtree.
    pub steps: Vec<Step>,
    /// How many of `steps` an execution has taken before. Reversals of two events among them are known.
    pub known: u32,
    /// The threads that are asleep after `steps`.
    pub sleepers: Vec<Sleeping>,
    /// The sequence that is pending after `steps`. The first execution of the subtree takes it.
    pub sequence: Vec<Step>,
    /// What the schedule of `steps` and `sequence` costs.
    pub cost: Cost,
}

/// A thread that is asleep: everything that begins with its next event is explored elsewhere, until an event conflicts
/// with that one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sleeping {
    /// The thread.
    pub thread: ThreadId,
    pub(crate) touched: Touched,
}

impl Sleeping {
    pub(crate) fn new(thread: ThreadId, footprint: &Footprint) -> Sleeping {
        Sleeping { thread, touched: Touched::of(footprint) }
    }

    /// What the thread's next event touches.
    ///
    /// # Errors
    ///
    /// When the bytes that this was read from are damaged.
    pub fn footprint(&self) -> Result<Footprint, CheckpointError> {
        self.touched.footprint()
    }
}

/// What came of exploring a [`WorkItem`] to its end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Commit {
    /// How many executions the subtree has.
    pub executions: u64,
    /// How many of them were abandoned because all threads that could go on were asleep.
    pub blocked: u64,
    /// The events of the item's steps. They are the same in all its executions.
    pub path: Vec<Event>,
    /// Events of `path`, by their places, of which other ways are to be tried.
    pub ways: Vec<u32>,
    /// Sequences that belong above the subtree, none twice.
    pub outgoing: Vec<Insertion>,
}

/// A sequence of events that is to be inserted at a node above the subtree where it was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Insertion {
    /// How many steps lead to the node.
    pub depth: u32,
    /// The sequence.
    pub sequence: Vec<Inserted>,
    /// What a schedule with this sequence costs.
    pub cost: Cost,
}

/// One event of an [`Insertion`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inserted {
    /// The step.
    pub step: Step,
    pub(crate) touched: Touched,
    /// The earlier events of the sequence that happen before this one, by their places.
    pub after: Vec<u32>,
    /// The earlier event of the sequence that woke the thread for this one.
    pub cause: Option<u32>,
}

impl WorkItem {
    /// The item as bytes, in postcard's format.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads an item again.
    ///
    /// # Errors
    ///
    /// When the bytes are no item.
    pub fn from_bytes(bytes: &[u8]) -> Result<WorkItem, CheckpointError> {
        from_bytes(bytes)
    }
}

impl Commit {
    /// The commit as bytes, in postcard's format.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads a commit again.
    ///
    /// # Errors
    ///
    /// When the bytes are no commit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Commit, CheckpointError> {
        from_bytes(bytes)
    }
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(value).unwrap_or_else(|error| unreachable!("memory takes whatever is written: {error}"))
}

fn from_bytes<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, CheckpointError> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(CheckpointError::Damaged),
    }
}
