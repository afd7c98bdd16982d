//! The vocabulary of every other part of Heddle: identifiers of threads and objects, operations, events.

mod choice;
mod event;
mod flags;
mod id;
mod operation;
mod pending;

pub use choice::Choice;
pub use event::Event;
pub use flags::EventFlags;
pub use id::{EventIndex, ObjectId, ThreadId};
pub use operation::{MOST_LOOKS, OpCode, Operation};
pub use pending::Pending;
