//! The algorithms, one file for each.
//!
//! | module | algorithm |
//! |---|---|
//! | [`dfs`] | every interleaving, no reduction: what the others are held against |
//! | [`dpor`] | persistent sets with sleep sets and clock vectors, as the baseline |
//! | [`source`] | source sets |
//! | [`optimal`] | one execution for each trace, none abandoned |
//! | [`bound`] | persistent sets that are complete within a bound on preemptions, switches or delays |
//! | [`portfolio`] | samples in turns beside `optimal`: the default |
//! | [`stateful`] | every state once |
//! | [`switches`] | every state, those with the fewest switches first |
//! | [`sdpor`] | states as the dissertation has it: for comparison, not complete |
//! | [`rare`] | samples that return to rare events of earlier ones |
//! | [`sampling`] | samples, for programs too big to exhaust |
//!
//! `dpor`, `source` and `bound` are rules for the depth-first exploration of `stack`.

pub mod bound;
pub mod dfs;
pub mod dpor;
mod method;
pub mod optimal;
pub mod portfolio;
pub mod rare;
pub mod sampling;
pub mod sdpor;
pub mod source;
pub(crate) mod stack;
pub mod stateful;
pub mod switches;

pub use method::Method;
