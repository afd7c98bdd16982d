//! # The vocabulary of Heddle, and the meaning of every primitive
//!
//! A **thread** takes **operations**. An operation that was taken is an **event**. The events of one run of the program,
//! with the way it ended, are an **execution**. A **plan** says in which order the threads run: a schedule to follow, then
//! a policy. `docs/glossary.md` has all the words.
//!
//! This crate is the only place that says when a mutex can be locked, what a signal wakes and which two operations
//! commute. The runtime inside the program, the scripted programs of the tests, the search and the reports all ask it:
//!
//! * [`primitive`] has one file for each primitive: its state, its operations, when each is enabled, its effect and its
//!   footprint.
//! * [`World`] holds the states of all threads and objects of one execution.
//! * [`access`] derives from the footprints of two events whether their order matters.
//! * `retrace` takes a world through the events of an execution again.
//! * [`follow`] turns a plan and a world into the next step.
//! * [`wire`] is the layout of the memory that Heddle shares with the program under test.
//!
//! Deliberately absent: input and output, processes, searching, and (without the feature `std`) allocation. The runtime
//! uses this crate inside the program under test, between any two of its instructions.

#![cfg_attr(not(feature = "std"), no_std)]

pub mod access;
#[cfg(feature = "std")]
mod document;
mod exchange;
mod faults;
pub mod follow;
pub mod primitive;
#[cfg(feature = "std")]
pub mod retrace;
mod vocabulary;
pub mod wire;
mod world;

pub use access::{Access, Footprint, Mode};
pub use exchange::{
    Attention, Capacity, Death, Ending, Fairness, FormulaText, Goal, Input, LONGEST_FORMULA, Latitude, Liveness,
    MOST_INPUTS, MOST_VALUES, Outcome, PlainTouch, Properties, Property, Restart, RestartMode, Settings, TIMEOUTS,
    Values, Wakeup, WakeupOrder,
};
pub use exchange::{content, round};
pub use faults::misuse::Misuse;
pub use faults::{circle, fault, misuse, race};
pub use vocabulary::{
    Choice, Digest, Event, EventFlags, EventIndex, Fingerprint, MOST_LOOKS, ObjectId, OpCode, Operation, Pending,
    ThreadId, libraries,
};
pub use world::{
    Attempts, Await, Look, Looks, Memory, Needless, NoMemory, ObjectSlot, ObjectTable, Phase, Recorded, ThreadState,
    World,
};
pub use world::{immediate, vain};

#[cfg(feature = "std")]
pub use document::{
    finding::{self, Finding, FindingKind, Location},
    remark::{self, Remark, RemarkKind},
    trace::{self, Trace},
    verdict::{self, Advice, Coverage, Estimate, OutcomeCount, RunReport, Verdict},
};
#[cfg(feature = "std")]
pub use exchange::facts::{self, Facts, Instrumentation, Overlooked};
#[cfg(feature = "std")]
pub use exchange::{Execution, Executor, ExecutorError, Plan, States};
