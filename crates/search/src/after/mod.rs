//! What is done with an execution after a search has come upon it.
//!
//! * [`minimise`]: from an execution that shows something to the smallest one that does.
//! * [`livelock`]: from an execution that was cut off to a round that can be repeated for ever.
//!
//! And after a search over states that was cut off: [`apart`], what keeps states apart.

pub mod apart;
pub mod livelock;
pub mod minimise;
