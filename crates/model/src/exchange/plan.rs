//! Plans: what a search asks an executor to run.

use crate::ThreadId;
use crate::follow::{PlanView, Policy, Step};
use crate::immediate::Immediate;
use crate::race::Race;
use crate::round::Round;

/// What an execution does about the states that it passes.
///
/// A state is what the program is in at a decision: every thread stands before an operation. It decides everything that
/// can follow. In an execution with states, wait loops really go round: an
/// [await](crate::Operation::is_await) depends on what happened before, which is not part of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum States {
    /// Nothing. No state is computed.
    #[default]
    Off,
    /// Nothing, but wait loops go round as they do with states: for an execution that a search with states has found.
    Rounds,
    /// Computes the state at each decision past the schedule.
    Record,
    /// Computes them, and ends at the first that is [known](crate::Executor::remember) or occurred in this execution
    /// past the schedule before: [`Outcome::Visited`](crate::Outcome::Visited).
    Stop,
}

impl States {
    /// These, without ends at known states.
    pub fn without_stops(self) -> States {
        if self == States::Stop { States::Record } else { self }
    }

    /// What runs an execution again that was run with these.
    pub fn again(self) -> States {
        if self == States::Off { States::Off } else { States::Rounds }
    }

    /// Whether states are computed.
    pub fn are_computed(self) -> bool {
        matches!(self, States::Record | States::Stop)
    }
}

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
    /// A part of the execution that may be repeated for ever. With `record`, the runtime tests whether it changes the state.
    pub round: Option<Round>,
    /// What to do about states.
    #[serde(default)]
    pub states: States,
    /// Which operations past the schedule are taken at once, because they are no decisions.
    #[serde(default)]
    pub immediate: Immediate,
    /// After how many events the execution begins to tell what threads do with plain memory ([`crate::Execution::touches`]). `None`: never.
    #[serde(default)]
    pub touches: Option<u32>,
    /// Whether the execution tells what each state consists of ([`crate::Execution::contents`]). Slow.
    #[serde(default)]
    pub contents: bool,
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
            immediate: self.immediate,
        }
    }
}
