//! # The vocabulary of Heddle, and the meaning of every primitive
//!
//! A **thread** takes **operations**; an operation that was taken is an **event**; the events of one run
//! of the program, with the way it ended, are an **execution**. A **plan** says in which order the threads
//! are to run: a schedule to follow, then a policy. `docs/glossary.md` has all the words.
//!
//! This crate is the only place that says when a mutex can be locked, what a signal wakes and which two
//! operations commute. The runtime inside the program, the scripted programs of the tests, the search and the
//! reports all ask it:
//!
//! * [`primitive`] has one file for each primitive: its state, its operations, when each is enabled, what it
//!   does, what it touches.
//! * [`World`] holds the states of all threads and objects of one execution.
//! * [`access`] derives from what two events touch whether their order matters.
//! * [`follow`] turns a plan and a world into the next step.
//! * [`wire`] is the layout of the memory that Heddle shares with the program under test.
//!
//! Deliberately absent: input and output, processes, searching, and (without the feature `std`) allocation.
//! The runtime uses this crate from inside a stranger's program, between any two of its instructions.

#![cfg_attr(not(feature = "std"), no_std)]

pub mod access;
pub mod circle;
mod event;
pub mod fault;
mod flags;
pub mod follow;
mod id;
mod latitude;
mod left;
pub mod misuse;
mod operation;
mod outcome;
mod pending;
pub mod primitive;
pub mod race;
pub mod round;
mod table;
pub mod wire;
mod world;

#[cfg(feature = "std")]
mod execution;
#[cfg(feature = "std")]
pub mod finding;
#[cfg(feature = "std")]
mod plan;
#[cfg(feature = "std")]
pub mod remark;
#[cfg(feature = "std")]
pub mod trace;
#[cfg(feature = "std")]
pub mod verdict;

pub use access::{Access, Footprint, Mode};
pub use event::Event;
pub use flags::EventFlags;
pub use id::{EventIndex, ObjectId, ThreadId};
pub use latitude::{Latitude, Order, TIMEOUTS, Wakeup};
pub use misuse::Misuse;
pub use operation::{MOST_LOOKS, OpCode, Operation};
pub use outcome::{Ending, Outcome};
pub use pending::Pending;
pub use table::{ObjectSlot, ObjectTable};
pub use world::{Memory, NoMemory, Phase, Recorded, ThreadState, World};

#[cfg(feature = "std")]
pub use execution::{Execution, Executor, ExecutorError};
#[cfg(feature = "std")]
pub use finding::{Finding, FindingKind, Location};
#[cfg(feature = "std")]
pub use plan::Plan;
#[cfg(feature = "std")]
pub use remark::{Remark, RemarkKind};
#[cfg(feature = "std")]
pub use trace::Trace;
#[cfg(feature = "std")]
pub use verdict::{Coverage, OutcomeCount, RunReport, Verdict};
