//! What a search suspects to be a livelock: a part of an execution that the runtime is to look at.

/// A part of an execution that may be the round of a livelock: is everything after event `first + length` as it was after event
/// `first`, and did everybody act who could?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Round {
    /// The event after which the round begins.
    pub first: u32,
    /// How many events it has.
    pub length: u32,
}
