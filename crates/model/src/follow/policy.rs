//! The policy that continues an execution after its schedule, as a value.

/// How an execution continues after its schedule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub enum Policy {
    /// Runs the current thread while it is enabled, then the enabled thread with the lowest id. Gives the fewest
    /// preemptions.
    #[default]
    NonPreemptive,
    /// Draws an enabled thread and an alternative with equal probability.
    Random,
    /// Runs the thread with the highest priority. Priorities change at a few random positions (`pct.rs`).
    Pct {
        /// The number of ordering constraints that a bug may need. There are `depth - 1` changes.
        depth: u32,
        /// The expected number of operations in an execution.
        length: u32,
    },
    /// Takes the pending operation with the highest priority. Priorities are drawn again after a conflict (`pos.rs`).
    Pos,
    /// Runs a handful of threads in random order, then the others (`few.rs`).
    Few {
        /// The first two threads of the handful.
        first: u32,
        /// The last two threads of the handful.
        second: u32,
    },
    /// Runs the current thread while it is enabled, then the next enabled one in cyclic order of the ids. This schedule
    /// has no delays.
    RoundRobin,
    /// Runs every thread in turn, in cyclic order of the ids, for a fixed number of operations.
    Turns {
        /// The number of operations in one turn.
        operations: u32,
    },
    /// Runs the current thread while it is enabled. Then the execution ends
    /// ([`Outcome::Blocked`](crate::Outcome::Blocked)) if another thread could go on.
    Alone,
    /// Lets no thread be ahead of another by more than a turn of so many operations. The order within a turn is drawn
    /// (`even.rs`).
    Even {
        /// The number of operations in one turn.
        operations: u32,
    },
}

impl Policy {
    /// The name of a policy that samples, as a person types it after `--algorithm` where it is an algorithm of its own.
    /// `None` for policies that draw nothing.
    pub const fn sampler(self) -> Option<&'static str> {
        match self {
            Policy::Random => Some("random"),
            Policy::Pct { .. } => Some("pct"),
            Policy::Pos => Some("pos"),
            Policy::Few { .. } => Some("few"),
            Policy::Even { .. } => Some("even"),
            Policy::NonPreemptive | Policy::RoundRobin | Policy::Turns { .. } | Policy::Alone => None,
        }
    }

    /// The policy's number in the wire format.
    pub const fn code(self) -> u32 {
        match self {
            Policy::NonPreemptive => 0,
            Policy::Random => 1,
            Policy::Pct { .. } => 2,
            Policy::Pos => 3,
            Policy::Few { .. } => 4,
            Policy::RoundRobin => 5,
            Policy::Turns { .. } => 6,
            Policy::Even { .. } => 7,
            Policy::Alone => 8,
        }
    }

    /// The policy's parameters in the wire format: depth and length, or threads, or zeroes.
    pub const fn parameters(self) -> (u32, u32) {
        match self {
            Policy::Pct { depth, length } => (depth, length),
            Policy::Few { first, second } => (first, second),
            Policy::Turns { operations } | Policy::Even { operations } => (operations, 0),
            _ => (0, 0),
        }
    }

    /// The policy with this number and these parameters. `None` if the number is unknown.
    pub const fn from_code(code: u32, (depth, length): (u32, u32)) -> Option<Policy> {
        match code {
            0 => Some(Policy::NonPreemptive),
            1 => Some(Policy::Random),
            2 => Some(Policy::Pct { depth, length }),
            3 => Some(Policy::Pos),
            4 => Some(Policy::Few { first: depth, second: length }),
            5 => Some(Policy::RoundRobin),
            6 => Some(Policy::Turns { operations: depth }),
            7 => Some(Policy::Even { operations: depth }),
            8 => Some(Policy::Alone),
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
        for policy in [Policy::NonPreemptive, Policy::Random, pct, Policy::Pos, Policy::RoundRobin, Policy::Alone] {
            assert_eq!(Policy::from_code(policy.code(), policy.parameters()), Some(policy));
        }
        let turns = Policy::Turns { operations: 3 };
        assert_eq!(Policy::from_code(turns.code(), turns.parameters()), Some(turns));
        let few = Policy::Few { first: 70_000, second: 3 };
        assert_eq!(Policy::from_code(few.code(), few.parameters()), Some(few));
        let even = Policy::Even { operations: 2 };
        assert_eq!(Policy::from_code(even.code(), even.parameters()), Some(even));
        assert_eq!(Policy::from_code(9, (0, 0)), None);
    }
}
