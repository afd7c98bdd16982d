//! What an optimal search knows and has not explored yet.
//!
//! * [`tree`]: where executions branched off, and what sleeps there.
//! * [`agenda`]: the pending sequences, in the order in which they are to be run.
//! * [`saved_tree`]: the whole tree as a value, for checkpoints.
//! * [`work_item`]: one subtree as a value, for another search to explore.
//! * [`estimate`]: how many executions there will be in all.
//! * [`levels`]: how many there will be at least, by preemptions.

pub(crate) mod agenda;
pub(crate) mod estimate;
pub(crate) mod levels;
pub(crate) mod saved_tree;
pub(crate) mod tree;
pub mod work_item;
