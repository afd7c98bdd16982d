//! The program's state: saving it, putting it back, and comparing it with an earlier one.

pub mod livelock;
pub mod snapshot;
