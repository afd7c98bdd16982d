//! The loop that every algorithm shares: ask for a plan, have it run, show it, learn from it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use heddle_model::follow::Policy;
use heddle_model::immediate::Immediate;
use heddle_model::race::Race;
use heddle_model::{Execution, Executor, ExecutorError, Outcome, Plan, States, vain};
use tracing::debug;

use crate::after::livelock;
use crate::algorithm::Method;
use crate::algorithm::portfolio::{Portfolio, Turn};
use crate::drive::observer::{Flow, Observer, Progress};
use crate::drive::over_states::{OverStates, Why};
use crate::drive::position::Position;
use crate::drive::prefix;
use crate::drive::strategy::{Strategy, Ticket};
use crate::drive::summary::Stop;
use crate::options::Options;
use crate::save;

/// How long executions are waited for that nobody looks at.
const GRACE: Duration = Duration::from_millis(100);

/// How a phase of a search ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// For good, unless the search has another phase.
    Stop(Stop),
    /// The position says that everything begins anew.
    Again,
    /// The search waits, and states are tried. Nothing is under way.
    Try,
}

/// The loop, with everybody who takes part in it.
pub(crate) struct Round<'r> {
    pub options: &'r Options,
    /// The samples beside the search, if it has any.
    pub portfolio: Option<&'r mut Portfolio>,
    /// Places do not become visible.
    pub fixed: bool,
    /// When the search was started, or resumed.
    pub begin: Instant,
    /// How long it took before that.
    pub elapsed: Duration,
    /// When it was last written down.
    pub kept: Instant,
    /// When the observer was last told how far it is.
    pub shown: Instant,
    pub executor: &'r mut dyn Executor,
    pub observer: &'r mut dyn Observer,
}

impl Round<'_> {
    /// Runs one phase, from where `strategy` and `position` are.
    pub fn run(
        &mut self,
        strategy: &mut dyn Strategy,
        method: &Method,
        position: &mut Position,
    ) -> Result<End, ExecutorError> {
        let options = self.options;
        let deadline = options.timeout.map(|limit| self.begin + limit);
        let mut under_way: VecDeque<(Turn, Ticket, Plan)> = VecDeque::new();
        // How many of them are not samples: only those count against the limit.
        let mut running = 0;
        let mut spare: Vec<Plan> = Vec::new();
        // A search that reaches its limit and is written down has proposed what it would have proposed without the limit. In
        // which order plans are proposed depends on what was known at the time.
        let looks_ahead = options.checkpoint.is_some() && !method.samples();
        // Plans that were proposed beyond the limit. They are not run.
        let mut held = 0;
        self.executor.wait_until(deadline);
        let end = loop {
            let room = self.executor.depth().max(1);
            let is_full = position.max_states(options).is_some_and(|most| strategy.state_count() >= most);
            if is_full && !(under_way.is_empty() && strategy.pending() == 0) {
                if options.max_states.is_none() {
                    // A limit of our own.
                    position.turn(OverStates::Back(Why::TooMany));
                    break End::Again;
                }
                // What is under way is run again when the search goes on, before anything else.
                break End::Stop(Stop::States);
            }
            if is_due(position) && options.state_memory.is_some_and(|most| strategy.bytes() > most) {
                break End::Stop(Stop::Memory);
            }
            if position.over_states == OverStates::MeetsAgain && position.has_failed() {
                position.turn(OverStates::Back(Why::TooMany));
                break End::Again;
            }
            let tries = position.tries(options, &*strategy);
            while !tries && under_way.len() + held < room {
                let is_run = position.has_room(options, running);
                let is_held = !is_run && looks_ahead && position.phase_has_room(running + held);
                if !is_run && !is_held {
                    break;
                }
                let mut plan = spare.pop().unwrap_or_default();
                plan.schedule.clear();
                plan.policy = Policy::default();
                plan.sleep.clear();
                plan.states = States::Off;
                plan.immediate = Immediate::Nothing;
                plan.touches = None;
                plan.contents = false;
                plan.max_steps = position.max_steps(options);
                plan.max_switches = method.max_switches();
                let turn = self.turn(strategy, position);
                let proposed = match (turn, self.portfolio(position)) {
                    (Turn::Sample, Some(portfolio)) => portfolio.propose(&mut plan),
                    _ => strategy.propose(&mut plan),
                };
                let Some(ticket) = proposed else {
                    spare.push(plan);
                    break;
                };
                if let Some(portfolio) = self.portfolio(position) {
                    portfolio.proposed(turn);
                }
                if is_held {
                    held += 1;
                    spare.push(plan);
                    continue;
                }
                plan.contents = options.exact && plan.states.are_computed();
                if plan.schedule.is_empty() {
                    // The first of a search, or a sample.
                    plan.schedule.extend_from_slice(&position.prefix);
                }
                self.executor.submit(&plan)?;
                running += usize::from(turn == Turn::Exhaustive);
                under_way.push_back((turn, ticket, plan));
            }
            let Some((turn, ticket, plan)) = under_way.pop_front() else {
                if tries {
                    break End::Try;
                }
                let exhausted = held == 0 && strategy.pending() == 0;
                break End::Stop(if exhausted { Stop::Exhausted } else { Stop::Executions });
            };
            let execution = match self.executor.receive() {
                Ok(execution) => execution,
                Err(ExecutorError::Late) => {
                    self.executor.abandon();
                    under_way.clear();
                    break End::Stop(Stop::Time);
                }
                Err(error) => {
                    if matches!(error, ExecutorError::Interrupted) {
                        self.keep(strategy, position);
                    }
                    return Err(error);
                }
            };
            let sample = turn == Turn::Sample;
            let too_large = matches!(execution.outcome, Outcome::Capacity(what) if what.grows_with_steps());
            running -= usize::from(!sample);
            let flow = if !self.fixed && spins_on_something_new(&execution, position) {
                Flow::Continue
            } else {
                let info = position.count(&execution, &plan, sample);
                self.observer.execution(&execution, &info)
            };
            if too_large && !sample {
                // Nothing follows from it, and it must not end the search.
                if !self.fixed && position.turns_after_too_large(options) {
                    if let Some(portfolio) = &mut self.portfolio {
                        portfolio.begin_again();
                    }
                    break End::Again;
                }
                let given = livelock::longest(&position.prefix);
                if !position.steps.lower(plan.max_steps, options.max_steps, given) {
                    break End::Stop(Stop::Outcome(execution.outcome));
                }
                position.again |= !method.samples();
            } else if execution.outcome == Outcome::NeedsFork && position.over_states.is_on() {
                position.turn(OverStates::Back(Why::Unknown));
                break End::Again;
            } else if makes_no_sense(execution.outcome, sample) {
                break End::Stop(Stop::Outcome(execution.outcome));
            }
            if !position.sections && has_sections(&execution) {
                position.sections = true;
                position.again = method.foresees();
            }
            let known = position.places.len();
            if !self.fixed {
                position.places.extend(execution.races.iter().map(|race| race.place));
            }
            if let Outcome::Learnt { place, also } = execution.outcome {
                match self.fixed {
                    true => position.counts.cut += 1,
                    false => position.places.extend([place, also].into_iter().filter(|place| *place != 0)),
                }
                if !self.fixed && position.is_late_to_learn() {
                    position.places.insert(vain::ENOUGH);
                }
            }
            let fresh = position.places.len() != known;
            if matches!(execution.outcome, Outcome::Learnt { .. }) && !fresh && !self.fixed {
                // It was told before: nothing that follows could be trusted.
                break End::Stop(Stop::Outcome(execution.outcome));
            }
            position.again |= fresh && !method.samples();
            if !position.again && !sample {
                strategy.digest(ticket, &execution);
                let missing = strategy.reveals();
                if !missing.is_empty() {
                    position.places.extend(missing);
                    position.again = true;
                }
            }
            if fresh {
                strategy.revealed();
            }
            if let Some(portfolio) = self.portfolio.as_mut().filter(|_| !position.over_states.is_on()) {
                portfolio.received(turn, &execution);
                if position.again {
                    portfolio.begin_again();
                }
            }
            spare.push(plan);
            let states = strategy.new_states();
            if !states.is_empty() {
                self.executor.remember(&states);
            }
            if flow == Flow::Stop {
                break End::Stop(Stop::Observer);
            }
            if position.again {
                break End::Again;
            }
            if fresh && let Err(error) = self.run_again(&mut under_way, position) {
                if matches!(error, ExecutorError::Interrupted) {
                    self.keep(strategy, position);
                }
                return Err(error);
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) && !(under_way.is_empty() && strategy.pending() == 0) {
                break End::Stop(Stop::Time);
            }
            if options.checkpoint.is_some_and(|every| now - self.kept >= every) {
                self.keep(strategy, position);
                self.kept = Instant::now();
            }
            if now - self.shown >= options.progress {
                self.shown = now;
                let elapsed = self.elapsed + (now - self.begin);
                if self.observer.progress(&progress(strategy, position, elapsed)) == Flow::Stop {
                    break End::Stop(Stop::Observer);
                }
            }
        };
        if let End::Stop(Stop::Observer | Stop::Time | Stop::Executions | Stop::States | Stop::Memory) = end {
            self.keep(strategy, position);
            // How far it came. It ends anyway.
            let _ = self.observer.progress(&progress(strategy, position, self.elapsed + self.begin.elapsed()));
        }
        let drained = self.drain(under_way.len());
        if end == End::Again && matches!(drained, Err(ExecutorError::Interrupted)) {
            // The next round has not begun. It is where the search goes on.
            self.keep(strategy, position);
        }
        drained.map(|()| end)
    }

    /// Runs what is under way again, because more of the program is visible now. It may have been run before that or not, and a
    /// schedule means something only with what was visible.
    fn run_again(
        &mut self,
        under_way: &mut VecDeque<(Turn, Ticket, Plan)>,
        position: &mut Position,
    ) -> Result<(), ExecutorError> {
        for _ in 0..under_way.len() {
            self.executor.receive()?;
        }
        let places: Vec<u64> = position.places.iter().copied().collect();
        self.executor.reveal(&places)?;
        self.observer.revealed(&places);
        position.prefix = prefix::retold(self.options, &position.places, self.executor)?;
        for (_, _, plan) in under_way {
            // The schedule of a sample is what is given.
            plan.schedule.clone_from(&position.prefix);
            self.executor.submit(plan)?;
        }
        Ok(())
    }

    /// The samples beside the search. There are none beside a search over states: they would go round without an end.
    fn portfolio(&mut self, position: &Position) -> Option<&mut Portfolio> {
        self.portfolio.as_deref_mut().filter(|_| !position.over_states.is_on())
    }

    /// Decides who proposes the next plan.
    fn turn(&mut self, strategy: &dyn Strategy, position: &Position) -> Turn {
        let Round { portfolio, executor, .. } = self;
        portfolio.as_mut().filter(|_| !position.over_states.is_on()).map_or(Turn::Exhaustive, |p| {
            p.turn((strategy.pending(), strategy.expected()), || executor.facts().restart)
        })
    }

    /// Gets rid of executions under way that nobody looks at. They are mostly done soon; then the executor need not begin
    /// anew.
    fn drain(&mut self, under_way: usize) -> Result<(), ExecutorError> {
        self.executor.wait_until(Some(Instant::now() + GRACE));
        for _ in 0..under_way {
            match self.executor.receive() {
                Ok(_) => {}
                Err(ExecutorError::Late) => {
                    self.executor.abandon();
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        self.executor.wait_until(None);
        Ok(())
    }

    /// Has the search written down, if that is asked for.
    pub fn keep(&mut self, strategy: &dyn Strategy, position: &mut Position) {
        if self.options.checkpoint.is_some() {
            position.elapsed = self.elapsed + self.begin.elapsed();
            let bytes = save::write(position, strategy, self.portfolio.as_deref(), self.executor.facts());
            debug!(bytes = bytes.len(), executions = position.total().executions, "checkpoint");
            self.observer.checkpoint(&bytes);
        }
    }
}

/// Whether a thread ran for ever or waits in a loop for ever, and another one wrote to plain memory that is about to become visible. That may be
/// what the first one waits for, so this execution says nothing: whether there is a hang or a deadlock is seen when the memory is visible.
fn spins_on_something_new(execution: &Execution<'_>, position: &Position) -> bool {
    let is_new = |race: &Race| !position.places.contains(&race.place);
    let awaits = || execution.pending.iter().any(|pending| pending.operation.is_await());
    let spins = execution.outcome == Outcome::Hang || execution.outcome == Outcome::Deadlock && awaits();
    spins && execution.races.iter().any(is_new)
}

/// Whether it is time to look how much memory the states take.
fn is_due(position: &Position) -> bool {
    position.total().ran().is_multiple_of(256)
}

/// Whether nothing that follows from an execution with this outcome could be trusted. A sample may be too large; nothing follows
/// from it.
fn makes_no_sense(outcome: Outcome, sample: bool) -> bool {
    use Outcome::*;
    match outcome {
        Capacity(_) => !sample,
        other => matches!(other, Diverged { .. } | Unsupported | NeedsFork | NeedsThreads { .. } | Running),
    }
}

/// Whether an atomic section occurs. See [`Method`] for what follows from that.
fn has_sections(execution: &Execution<'_>) -> bool {
    execution.events.iter().any(|event| event.operation.begins_section())
}

fn progress(strategy: &dyn Strategy, position: &Position, elapsed: Duration) -> Progress {
    let counts = position.total();
    Progress {
        executions: counts.executions,
        blocked: counts.blocked,
        samples: position.samples.ran(),
        events: counts.events,
        elapsed,
        pending: strategy.pending(),
        at_least: strategy.certain().map(|certain| counts.executions + counts.cut + certain),
        estimate: strategy.estimate(),
    }
}
