//! Cycles: a part of an execution that leads back to the state in which it began, and can be repeated for ever.

/// What a search says of a part of an execution that can be repeated for ever. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Claim {
    /// It may be a livelock. Whoever runs it tests that, too: every enabled thread runs and gets nowhere.
    #[default]
    Suspected = 0,
    /// The program could still end, and a fair scheduler need not let it.
    Livelock = 1,
    /// The program was to end, and does not.
    Endless = 2,
    /// The program never says that it makes progress.
    Idle = 3,
    /// A thread never gets what it wants, although it could.
    Starvation = 4,
    /// A formula does not hold.
    Formula = 5,
    /// Some threads wait for ever, whatever the others do.
    Stuck = 6,
    /// Every thread that can run looks again and again for what nobody does.
    Vain = 7,
}

impl Claim {
    /// All claims, in order of their numbers.
    pub const ALL: [Claim; 8] = [
        Claim::Suspected,
        Claim::Livelock,
        Claim::Endless,
        Claim::Idle,
        Claim::Starvation,
        Claim::Formula,
        Claim::Stuck,
        Claim::Vain,
    ];
}

/// A part of an execution that may be repeated for ever. The runtime compares the state after it with the state before.
///
/// A [suspected](Claim::Suspected) one comes from a search without states. It reaches from after event `first` to after event
/// `first + length`. All others reach from before event `first` to before event `first + length`, where everybody stands before an
/// operation. A formula may fail in an execution that ends: `length` is then 0, and `first` is the number of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Round {
    /// Where it begins.
    pub first: u32,
    /// The number of events in the round.
    pub length: u32,
    /// What is said of it.
    pub claim: Claim,
}
