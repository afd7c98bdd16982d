//! An executor that runs a sample of executions twice and compares the two runs.
//!
//! A search relies on a plan to determine an execution. That is wrong if the program depends on something that nobody
//! controls: a clock or a random number that it reads by an instruction, a file that somebody writes, memory that was
//! never written. Everything that follows may then be wrong, too. A schedule that cannot be followed any more shows it,
//! but only if the difference is in the next operation of a thread where the search looks. So the first, second, fourth,
//! ... execution and every [`EVERY`]th is run once more by its plan, and all events are compared: thread, operation,
//! object, place in the program and values.
//!
//! The second run is queued behind the plans under way, so the executor does not wait for it. The search does not see it
//! unless it differs. In that case the search gets an execution with the outcome [`Outcome::Diverged`].

use std::collections::VecDeque;
use std::time::Instant;

use heddle_model::race::Race;
use heddle_model::{
    Event, Execution, Executor, ExecutorError, Facts, Fingerprint, Outcome, Pending, PlainTouch, Plan, ThreadId,
};

/// At least one of this many executions is run twice.
pub const EVERY: u64 = 1000;

/// Two executions of one plan that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The number of the execution, among those that were drawn or among those that were not.
    pub execution: u64,
    /// Whether the execution was drawn by a policy that samples.
    pub drawn: bool,
    /// The position of the first event that differs.
    pub at: usize,
    /// The event of the first run at that position, if there is one.
    pub first: Option<Event>,
    /// The event of the second run at that position, if there is one.
    pub second: Option<Event>,
    /// How the first and the second run ended.
    pub outcomes: (Outcome, Outcome),
}

/// A copy of an execution.
struct Kept {
    number: u64,
    drawn: bool,
    events: Vec<Event>,
    pending: Vec<Pending>,
    outcome: Outcome,
    circle: bool,
    left: u64,
    thread: ThreadId,
    message: String,
    output: Vec<u8>,
    races: Vec<Race>,
    states: Vec<Fingerprint>,
    touches: Vec<PlainTouch>,
}

impl Kept {
    fn view(&self) -> Execution<'_> {
        Execution {
            events: &self.events,
            pending: &self.pending,
            outcome: self.outcome,
            circle: self.circle,
            left: self.left,
            thread: self.thread,
            message: &self.message,
            output: &self.output,
            races: &self.races,
            states: &self.states,
            touches: &self.touches,
            // Nobody compares states behind this executor.
            contents: &[],
        }
    }

    fn keep(&mut self, execution: &Execution<'_>) {
        self.events.clear();
        self.events.extend_from_slice(execution.events);
        self.pending.clear();
        self.pending.extend_from_slice(execution.pending);
        (self.outcome, self.circle, self.thread) = (execution.outcome, execution.circle, execution.thread);
        self.left = execution.left;
        self.message.clear();
        self.message.push_str(execution.message);
        self.output.clear();
        self.output.extend_from_slice(execution.output);
        self.races.clear();
        self.races.extend_from_slice(execution.races);
        self.states.clear();
        self.states.extend_from_slice(execution.states);
        self.touches.clear();
        self.touches.extend_from_slice(execution.touches);
    }
}

/// A plan that is under way.
enum UnderWay {
    /// The plan is run once.
    Once,
    /// The plan of the execution with this number. It is run once more when its execution is there.
    Sample(u64, Plan),
    /// The plan is run for the second time.
    Again,
}

/// An [`Executor`] that runs a sample of the executions of another one twice.
pub struct Repeated<'e> {
    inner: &'e mut dyn Executor,
    under_way: VecDeque<UnderWay>,
    submitted: u64,
    /// How many plans of those were drawn by a policy that samples.
    drawn: u64,
    /// Whether a sample was due while another one was under way.
    postponed: bool,
    /// The first run of the sample, and whether the second is under way.
    kept: Kept,
    comparing: bool,
    /// Whether more became visible between the two runs, so that they cannot be compared.
    spoilt: bool,
    divergence: Option<Divergence>,
    told: bool,
}

impl<'e> Repeated<'e> {
    /// An executor that runs the plans of `inner`, a sample of them twice.
    pub fn new(inner: &'e mut dyn Executor) -> Repeated<'e> {
        Repeated {
            inner,
            under_way: VecDeque::new(),
            submitted: 0,
            drawn: 0,
            postponed: false,
            kept: Kept {
                number: 0,
                drawn: false,
                events: Vec::new(),
                pending: Vec::new(),
                outcome: Outcome::Running,
                circle: false,
                left: 0,
                thread: ThreadId::MAIN,
                message: String::new(),
                output: Vec::new(),
                races: Vec::new(),
                states: Vec::new(),
                touches: Vec::new(),
            },
            comparing: false,
            spoilt: false,
            divergence: None,
            told: false,
        }
    }

    /// Waits for the plans under way, and returns the first difference, if there was one.
    ///
    /// # Errors
    ///
    /// When the executor fails.
    pub fn finish(mut self) -> Result<Option<Divergence>, ExecutorError> {
        while let Some(next) = self.under_way.pop_front() {
            match next {
                UnderWay::Again => self.compare()?,
                _ => _ = self.inner.receive()?,
            }
        }
        Ok(self.divergence)
    }

    /// Compares the second run with the first.
    fn compare(&mut self) -> Result<(), ExecutorError> {
        self.comparing = false;
        let again = self.inner.receive()?;
        let first = &self.kept;
        let mut same = first.events.iter().zip(again.events).map(|(one, other)| is_same(one, other));
        let same_outcome = again.outcome.name() == first.outcome.name();
        // Whether it takes too long depends on how busy the machine is.
        if std::mem::take(&mut self.spoilt)
            || again.outcome == Outcome::Hang
            || matches!(again.outcome, Outcome::Learnt { .. })
            || (first.events.len() == again.events.len()
                && same.all(|same| same)
                && same_outcome
                && again.states == first.states)
        {
            return Ok(());
        }
        let at = first.events.iter().zip(again.events).take_while(|(one, other)| is_same(one, other)).count();
        self.divergence.get_or_insert(Divergence {
            execution: first.number,
            drawn: first.drawn,
            at,
            first: first.events.get(at).copied(),
            second: again.events.get(at).copied(),
            outcomes: (first.outcome, again.outcome),
        });
        Ok(())
    }
}

/// Whether two events are the same to the program. What the slots of a stack held before anything was written to them is no matter of
/// the program's, but a part of a state ([`Event::state`]).
fn is_same(one: &Event, other: &Event) -> bool {
    *one == Event { state: one.state, ..*other }
}

/// Whether a second run must end in the same way. It need not if the process was killed or has failed.
fn can_be_repeated(outcome: Outcome) -> bool {
    use Outcome::*;
    matches!(outcome, Ended { .. } | Deadlock | Blocked | Assumed | Race(_) | StepLimit { .. } | SwitchLimit { .. })
}

impl Executor for Repeated<'_> {
    fn depth(&self) -> usize {
        (self.inner.depth() - usize::from(self.comparing)).max(1)
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        // Where there is room for one plan only, it may be the second run's.
        while self.under_way.len() >= self.inner.depth() && matches!(self.under_way.front(), Some(UnderWay::Again)) {
            self.under_way.pop_front();
            self.compare()?;
        }
        self.inner.submit(plan)?;
        self.submitted += 1;
        let drawn = plan.policy.sampler().is_some();
        self.drawn += u64::from(drawn);
        let number = if drawn { self.drawn } else { self.submitted - self.drawn };
        let due = self.submitted.is_power_of_two() || self.submitted.is_multiple_of(EVERY) || self.postponed;
        self.postponed = false;
        self.under_way.push_back(match due && !plan.record {
            // What the first run has passed is known by then. The second must pass it, too.
            true => UnderWay::Sample(number, Plan { states: plan.states.without_stops(), ..plan.clone() }),
            false => UnderWay::Once,
        });
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        loop {
            if let Some(divergence) = self.divergence.as_ref().filter(|_| !self.told) {
                self.told = true;
                let events = &self.kept.events[..divergence.at];
                let outcome = Outcome::Diverged { step: divergence.at as u32 };
                return Ok(Execution { events, outcome, message: "", ..self.kept.view() });
            }
            match self.under_way.pop_front() {
                Some(UnderWay::Again) => self.compare()?,
                Some(UnderWay::Sample(number, plan)) if !self.comparing => {
                    let execution = self.inner.receive()?;
                    self.kept.keep(&execution);
                    self.kept.number = number;
                    if can_be_repeated(self.kept.outcome) {
                        self.inner.submit(&plan)?;
                        self.under_way.push_back(UnderWay::Again);
                        self.comparing = true;
                    }
                    return Ok(self.kept.view());
                }
                Some(UnderWay::Sample(..)) => {
                    self.postponed = true;
                    return self.inner.receive();
                }
                Some(UnderWay::Once) | None => return self.inner.receive(),
            }
        }
    }

    fn wait_until(&mut self, deadline: Option<Instant>) {
        self.inner.wait_until(deadline);
    }

    fn abandon(&mut self) {
        self.under_way.clear();
        (self.comparing, self.spoilt) = (false, false);
        self.inner.abandon();
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.inner.remember(states);
    }

    fn forget_states(&mut self) {
        self.inner.forget_states();
    }

    fn facts(&mut self) -> Facts {
        self.inner.facts()
    }

    fn learn(&mut self, facts: &Facts) -> Result<(), ExecutorError> {
        self.inner.learn(facts)
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        // Plans that are under way may see the places or not.
        self.spoilt = self.comparing;
        for plan in self.under_way.iter_mut().filter(|plan| matches!(plan, UnderWay::Sample(..))) {
            *plan = UnderWay::Once;
        }
        self.inner.reveal(places)
    }
}
