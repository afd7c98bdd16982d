//! The vocabulary of every other part of Heddle: identifiers of threads and objects, operations, events, states.

mod choice;
mod event;
mod fingerprint;
mod flags;
mod id;
pub mod libraries;
mod operation;
mod pending;

pub use choice::Choice;
pub use event::Event;
pub use fingerprint::{Digest, Fingerprint};
pub use flags::EventFlags;
pub use id::{EventIndex, ObjectId, ThreadId};
pub use operation::{MOST_LOOKS, OpCode, Operation};
pub use pending::Pending;
