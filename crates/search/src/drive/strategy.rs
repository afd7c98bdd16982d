//! What the driver asks of an algorithm.

use heddle_model::{Execution, Fingerprint, Plan};

use crate::algorithm::bound::LeftOut;
use crate::drive::summary::StateCounts;
use crate::liveness::StateGraph;
use crate::save::{CheckpointError, State};

/// Which of the plans under way an execution belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket(pub u32);

/// An algorithm: turns what it has learnt into plans.
pub(crate) trait Strategy: Send {
    /// Fills in the next plan, if there is one that does not wait for an execution under way. The plan is empty before.
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket>;

    /// Learns from an execution.
    fn digest(&mut self, ticket: Ticket, execution: &Execution<'_>);

    /// How many plans are known that were not proposed yet.
    fn pending(&self) -> u64;

    /// Called when more of the program has become visible and the search goes on: schedules so far mean something else now.
    fn revealed(&mut self) {}

    /// What must be visible and is not, after the last execution: everything begins anew. Nothing that was visible when it was started.
    fn reveals(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// What a bound has left out.
    fn left_out(&self) -> LeftOut {
        LeftOut::default()
    }

    /// How many executions are certain to come: each of what is pending is one at least, and none of it twice. None
    /// where that cannot be said.
    fn certain(&self) -> Option<u64> {
        None
    }

    /// How many executions there will be in all, as far as counts of executions tell: 0 where they tell nothing. A cautious guess
    /// that does not depend on the time.
    fn expected(&self) -> u64 {
        0
    }

    /// How many executions there may be in all, from and to: a guess. None where none can be made.
    fn estimate(&self) -> Option<(u64, Option<u64>)> {
        None
    }

    /// The states that are new since the last call: executions are to end there from now on.
    fn new_states(&mut self) -> Vec<Fingerprint> {
        Vec::new()
    }

    /// How many states it knows.
    fn state_count(&self) -> u64 {
        0
    }

    /// How many bytes what it knows of states takes.
    fn bytes(&self) -> usize {
        0
    }

    /// Plans that lead to so many of the states that were met last, and end there.
    fn ways(&self, _: usize) -> Vec<Plan> {
        Vec::new()
    }

    /// The graph of states, in numbers. None if it has none.
    fn states(&self) -> Option<StateCounts> {
        None
    }

    /// All states with all their steps, if it has run all of them.
    fn graph(&self) -> Option<StateGraph> {
        None
    }

    /// All that it has learnt, as a value. Plans under way count as not proposed: nothing was learnt from them. They are
    /// proposed again before all others, in their order.
    fn save(&self) -> State;

    /// Goes on from what another one of the same algorithm has [saved](Self::save), with the same options, as that one
    /// would have gone on. Before the first plan.
    ///
    /// # Errors
    ///
    /// When `state` is of another algorithm, or contradicts itself. What the strategy knows is then undefined.
    fn restore(&mut self, state: State) -> Result<(), CheckpointError>;
}
