//! What is done with an execution after a search has come upon it.
//!
//! * [`minimise`]: from an execution that shows something to the smallest one that does.
//! * [`livelock`]: from an execution that was cut off to a round that can be repeated for ever.

pub mod livelock;
pub mod minimise;
