//! What an optimal search knows and has not explored yet.
//!
//! * [`tree`]: where executions branched off, and what sleeps there.
//! * [`agenda`]: the pending sequences, in the order in which they are to be run.
//! * [`item`]: a part of the tree as a value.
//! * [`estimate`]: how many executions there will be in all.

pub(crate) mod agenda;
pub(crate) mod estimate;
pub(crate) mod item;
pub(crate) mod tree;
