//! A suspected livelock: a part of an execution that the runtime examines.

/// A part of an execution that may be the round of a livelock. The runtime tests whether the state after event `first +
/// length` equals the state after event `first`, and whether every enabled thread ran in between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Round {
    /// The event after which the round begins.
    pub first: u32,
    /// The number of events in the round.
    pub length: u32,
}
