//! How an execution goes on after its schedule, as a value.

/// How to go on after the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub enum Policy {
    /// The same thread as long as it can go on, then the lowest that can: the fewest preemptions.
    #[default]
    NonPreemptive,
    /// Any thread that can go on, and any alternative, with equal chances.
    Random,
    /// Priorities that change at a few places drawn beforehand (`pct.rs`).
    Pct {
        /// How many ordering constraints a bug may need: one less is the number of places.
        depth: u32,
        /// How many operations an execution is expected to have.
        length: u32,
    },
    /// A priority for each pending operation, drawn again after a race (`pos.rs`).
    Pos,
    /// A few threads in any order, then the others (`few.rs`).
    Few {
        /// The first two of them.
        first: u32,
        /// The others.
        second: u32,
    },
    /// The same thread as long as it can go on, then the next that can, by number, round and round: without delays.
    RoundRobin,
    /// Everybody in turn, by number, round and round, for so many operations each.
    Turns {
        /// How many.
        operations: u32,
    },
}

impl Policy {
    /// The number that stands for it in the wire format.
    pub const fn code(self) -> u32 {
        match self {
            Policy::NonPreemptive => 0,
            Policy::Random => 1,
            Policy::Pct { .. } => 2,
            Policy::Pos => 3,
            Policy::Few { .. } => 4,
            Policy::RoundRobin => 5,
            Policy::Turns { .. } => 6,
        }
    }

    /// The numbers that belong to it in the wire format: depth and length, or threads, or zeroes.
    pub const fn parameters(self) -> (u32, u32) {
        match self {
            Policy::Pct { depth, length } => (depth, length),
            Policy::Few { first, second } => (first, second),
            Policy::Turns { operations } => (operations, 0),
            _ => (0, 0),
        }
    }

    /// The policy with these numbers; none if there is no such.
    pub const fn from_code(code: u32, (depth, length): (u32, u32)) -> Option<Policy> {
        match code {
            0 => Some(Policy::NonPreemptive),
            1 => Some(Policy::Random),
            2 => Some(Policy::Pct { depth, length }),
            3 => Some(Policy::Pos),
            4 => Some(Policy::Few { first: depth, second: length }),
            5 => Some(Policy::RoundRobin),
            6 => Some(Policy::Turns { operations: depth }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back() {
        let pct = Policy::Pct { depth: 3, length: 70_000 };
        for policy in [Policy::NonPreemptive, Policy::Random, pct, Policy::Pos, Policy::RoundRobin] {
            assert_eq!(Policy::from_code(policy.code(), policy.parameters()), Some(policy));
        }
        let turns = Policy::Turns { operations: 3 };
        assert_eq!(Policy::from_code(turns.code(), turns.parameters()), Some(turns));
        let few = Policy::Few { first: 70_000, second: 3 };
        assert_eq!(Policy::from_code(few.code(), few.parameters()), Some(few));
        assert_eq!(Policy::from_code(7, (0, 0)), None);
    }
}
