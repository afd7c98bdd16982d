//! What a search gets back from an executor.

use std::time::Instant;

use crate::race::Race;
use crate::{Event, Facts, Fingerprint, Outcome, Pending, PlainTouch, Plan, ThreadId};

/// One execution, as data. It borrows from the executor: the events may lie in memory shared with the program.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'e> {
    /// The events, in order.
    pub events: &'e [Event],
    /// The threads that had not finished, in order of their ids.
    pub pending: &'e [Pending],
    /// How the execution ended.
    pub outcome: Outcome,
    /// Whether some threads wait for each other forever although others could still run: see [`crate::circle`].
    pub circle: bool,
    /// A digest of the resources left at the end: locked mutexes, objects that were initialised and not destroyed,
    /// objects that were used without initialisation. 0 if there are none. Equal resources give equal digests.
    pub left: u64,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Text that belongs to the outcome: the name of an unsupported call, the text of a failed assertion, how a process
    /// died.
    pub message: &'e str,
    /// The program's output, as far as it was kept.
    pub output: &'e [u8],
    /// The data races of the execution, if it continues after a race.
    pub races: &'e [Race],
    /// With [states](crate::States): the state at each decision past the schedule. The first is the state in which the
    /// schedule ended. If the execution stopped at a decision, the last is the state that it stopped in. Otherwise the
    /// process has ended, and the last is the state before its last event. Where nothing is to be decided there is
    /// [`Fingerprint::NONE`].
    pub states: &'e [Fingerprint],
    /// What threads did with plain memory, in order, if the plan [asks](crate::Plan::touches) for it.
    pub touches: &'e [PlainTouch],
}

impl Execution<'_> {
    /// The threads that had not finished and could take no more operations, because of a bound. What they would have done
    /// is not covered, however the execution ended.
    pub fn stopped(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter().filter(|pending| pending.stopped != 0)
    }
}

/// Why there is no execution. The cause is not the program, or cannot be attributed to one schedule.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The program cannot be run at all.
    #[error("{0}")]
    CannotRun(String),
    /// The program has damaged what it shares with the engine, so nothing is known of what it did.
    #[error("{0}")]
    Damaged(String),
    /// Heddle or the machine failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The deadline of [`Executor::wait_until`] passed.
    #[error("the execution did not end in time")]
    Late,
}

/// Runs plans. A search knows nothing else about how a program is run.
///
/// Several plans can be in flight: the program runs the next one while the search still examines the last.
pub trait Executor {
    /// How many plans may be submitted before the first result is received. At least 1.
    fn depth(&self) -> usize {
        1
    }

    /// Submits a plan.
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError>;

    /// Returns the execution of the oldest submitted plan. It is valid until the next call.
    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError>;

    /// Sets a deadline for all executions from now on. After it, [`Executor::receive`] returns [`ExecutorError::Late`],
    /// and the caller must [abandon](Executor::abandon) everything in flight.
    fn wait_until(&mut self, _deadline: Option<Instant>) {}

    /// Forgets the plans in flight, even if one of them never ends.
    fn abandon(&mut self);

    /// Makes accesses to these places visible operations from now on. A place is the address of a granule of eight
    /// bytes. The list is complete and has no duplicates. No plan with a schedule may be in flight.
    fn reveal(&mut self, _places: &[u64]) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// Makes these states known: from now on, plans with [`States::Stop`](crate::States::Stop) end there. Plans in
    /// flight may or may not. An executor without states never ends there, and returns none.
    fn remember(&mut self, _states: &[Fingerprint]) {}

    /// Forgets all [known](Self::remember) states. No plan may be in flight.
    fn forget_states(&mut self) {}

    /// The facts about the program so far: those of this executor and those that it has [learnt](Executor::learn).
    fn facts(&mut self) -> Facts {
        Facts::default()
    }

    /// Adopts the facts of another executor of the same program. Call this before the first plan.
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
