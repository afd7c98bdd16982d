//! What a search gets back, and from whom.

use std::time::Instant;

use crate::race::Race;
use crate::{Event, Facts, Outcome, Pending, Plan, ThreadId};

/// One execution, as data. Borrowed from whoever ran it: the events may lie in memory shared with the program.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'e> {
    /// What happened, in order.
    pub events: &'e [Event],
    /// The threads that had not ended, in the order of their ids.
    pub pending: &'e [Pending],
    /// How it ended.
    pub outcome: Outcome,
    /// Whether some threads wait for each other for ever although others could still go on: see [`crate::circle`].
    pub circle: bool,
    /// Stands for what was left behind where the process ended: locks that are locked, objects that were made and not
    /// destroyed, objects that nobody made. 0 if nothing is; the same where the same is.
    pub left: u64,
    /// The thread that was running when it ended.
    pub thread: ThreadId,
    /// Text that the outcome refers to: the name of a call that is not supported, the text of a failed assertion, what was
    /// seen of a process that died.
    pub message: &'e str,
    /// What the program printed, as far as it was kept.
    pub output: &'e [u8],
    /// The data races that were seen in it, where it goes on after them.
    pub races: &'e [Race],
}

/// Why there is no execution: not the program's doing, or nothing that can be attributed to one schedule.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The program cannot be run at all.
    #[error("{0}")]
    CannotRun(String),
    /// Heddle itself, or the machine, failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// It did not come in time.
    #[error("the execution did not end in time")]
    Late,
}

/// Somebody who runs plans. A search knows nothing else of how a program is run.
///
/// Several plans can be under way: the program runs the next one while the search still looks at the last.
pub trait Executor {
    /// How many plans may be submitted before the first result is taken. At least 1.
    fn depth(&self) -> usize {
        1
    }

    /// Hands over a plan.
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError>;

    /// The execution of the oldest plan that was handed over. Valid until the next call.
    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError>;

    /// From now on nobody waits for an execution longer than until then: [`Executor::receive`] says that it is [late](ExecutorError::Late),
    /// and then everything under way is to be [abandoned](Executor::abandon).
    fn wait_until(&mut self, _deadline: Option<Instant>) {}

    /// Forgets the plans under way, even if one of them does not come to its end.
    fn abandon(&mut self);

    /// From now on accesses to these places (granules of eight bytes, by their addresses; all that there are, each once) are
    /// visible operations. No plan that has a schedule is under way.
    fn reveal(&mut self, _places: &[u64]) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// What was learnt about the program so far, in executions of this executor and of those that it has
    /// [learnt from](Executor::learn).
    fn facts(&mut self) -> Facts {
        Facts::default()
    }

    /// Continues with what another executor of the same program has learnt. Before the first plan.
    ///
    /// # Errors
    ///
    /// When the facts cannot be about this program.
    fn learn(&mut self, _facts: &Facts) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// Runs one plan.
    fn run(&mut self, plan: &Plan) -> Result<Execution<'_>, ExecutorError> {
        self.submit(plan)?;
        self.receive()
    }
}
