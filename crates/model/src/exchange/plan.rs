//! Plans: what a search asks an executor to run.

use crate::ThreadId;
use crate::follow::{PlanView, Policy, Step};
use crate::race::Race;
use crate::round::Round;

/// One execution that a search asks for: a schedule to follow, the sleep set at its end, and a policy to continue.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Plan {
    /// The steps to follow.
    pub schedule: Vec<Step>,
    /// The sleep set: threads whose next operation after the schedule is covered by another execution.
    pub sleep: Vec<ThreadId>,
    /// The policy after the end of the schedule.
    pub policy: Policy,
    /// The seed of randomised policies.
    pub seed: u64,
    /// The largest number of operations for each thread. 0 means no limit.
    pub max_steps: u32,
    /// The largest number of switches between threads. `None` means no limit. The schedule is followed in any case.
    pub max_switches: Option<u32>,
    /// Whether to record the output and the call stack of every event. Slow; used for replays.
    pub record: bool,
    /// The data race at which the execution ends. With `record`, the execution also captures the call stack of the
    /// race's earlier access.
    pub aim: Option<Race>,
    /// A suspected round of a livelock. With `record`, the runtime tests whether it changes the state.
    pub round: Option<Round>,
}

impl Plan {
    /// The parts that a follower needs.
    pub fn view(&self) -> PlanView<'_> {
        PlanView {
            schedule: &self.schedule,
            sleep: &self.sleep,
            policy: self.policy,
            seed: self.seed,
            max_steps: self.max_steps,
            max_switches: self.max_switches,
        }
    }
}
