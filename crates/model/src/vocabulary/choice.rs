//! How an operation with several outcomes is taken.

/// Which of its outcomes an operation takes.
///
/// A search counts outcomes and names them by their numbers: [`Way`](Self::Way). It need not know what they mean. A
/// trace, or an engine that has computed an input, names the data itself: [`Value`](Self::Value). So a value can be
/// given to the program that no search would try.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Choice {
    /// The outcome with this number, of those that a search tries: [`crate::World::alternatives`]. Examples: the
    /// second waiting thread is woken, the fourth value of the settings is read. An operation with one outcome takes
    /// way 0.
    Way(u16),
    /// This value. Only operations that hand data to the program take one: [`crate::primitive::choice`].
    Value(u64),
}

impl Choice {
    /// The way of an operation with one outcome, and the first way of any other.
    pub const FIRST: Choice = Choice::Way(0);
}

impl Default for Choice {
    fn default() -> Choice {
        Choice::FIRST
    }
}
