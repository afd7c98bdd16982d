//! What a search asks for: one execution.

use crate::ThreadId;
use crate::follow::{PlanView, Policy, Step};
use crate::race::Race;
use crate::round::Round;

/// One execution that a search asks for: a schedule to follow, who is asleep at its end, and how to go on.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Plan {
    /// The steps to follow.
    pub schedule: Vec<Step>,
    /// Threads whose next operation, taken at the end of the schedule, is covered by another execution.
    pub sleep: Vec<ThreadId>,
    /// How to go on.
    pub policy: Policy,
    /// For policies that draw lots.
    pub seed: u64,
    /// The most operations that one thread may take; 0 for no limit.
    pub max_steps: u32,
    /// Record the call stack of every event and what the program prints. Slow: for replays.
    pub record: bool,
    /// End at this race, and, if it is recorded, say how its earlier access came about.
    pub aim: Option<Race>,
    /// With `record`: see whether these events are a round that changes nothing.
    pub round: Option<Round>,
}

impl Plan {
    /// What a follower needs of it.
    pub fn view(&self) -> PlanView<'_> {
        PlanView {
            schedule: &self.schedule,
            sleep: &self.sleep,
            policy: self.policy,
            seed: self.seed,
            max_steps: self.max_steps,
        }
    }
}
