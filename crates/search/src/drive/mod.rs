//! One search from its first plan to its summary, whatever the algorithm.
//!
//! * [`round`]: the loop that every algorithm shares: ask for a plan, have it run, show it, learn from it.
//! * [`position`]: how far a search is, and what comes next.
//! * [`over_states`]: from executions to states, when executions come to no end.
//! * [`own_bound`]: a bound on operations, for executions that are too large.
//! * [`prefix`]: the given steps that every execution begins with.
//! * [`strategy`]: what the loop asks of an algorithm.
//! * [`counts`]: executions, counted.
//! * [`observer`]: who watches.
//! * [`summary`]: what is said in the end.

pub(crate) mod counts;
pub(crate) mod observer;
pub(crate) mod over_states;
pub(crate) mod own_bound;
pub(crate) mod position;
pub(crate) mod prefix;
pub(crate) mod round;
pub(crate) mod strategy;
pub(crate) mod summary;

use std::time::Instant;

use heddle_model::follow::Step;
use heddle_model::{Executor, ExecutorError, Facts, Plan, Restart};
use tracing::debug;

use crate::after::apart;
use crate::algorithm::Method;
use crate::algorithm::portfolio::Portfolio;
use crate::drive::counts::Counts;
use crate::drive::observer::Observer;
use crate::drive::over_states::{OverStates, Why};
use crate::drive::position::Position;
use crate::drive::round::{End, Round};
use crate::drive::strategy::Strategy;
use crate::drive::summary::{Stop, Summary};
use crate::liveness::StateGraph;
use crate::options::Options;
use crate::save::{self, CheckpointError};

/// One search over one program.
///
/// A plain access is no operation as long as no data race was seen on its place: without data races, no order of plain
/// accesses can matter. When an execution comes back with one on a place that is not visible, the place becomes visible, and
/// everything begins anew ([`Executor::reveal`]). That ends, because every place is added once. In the end the places are
/// exactly those that have a data race in some execution, whatever the algorithm, so all algorithms count the same traces.
/// Samples need no new beginning.
pub struct Search {
    options: Options,
    position: Position,
    /// The saved algorithm that a resumed search continues with.
    strategy: Option<Box<dyn Strategy>>,
    /// The samples beside the search, if it has any.
    portfolio: Option<Portfolio>,
    /// What the executor knew when the search was written down.
    facts: Option<Facts>,
    /// Places do not become visible.
    fixed: bool,
    /// All states, if the search has come to its end and they were asked for.
    graph: Option<StateGraph>,
    /// Plans that lead to some states, if the search was cut off because there were too many.
    ways: Vec<Plan>,
}

impl Search {
    /// A search that does what `options` say.
    pub fn new(options: Options) -> Search {
        let position = Position::first(&options);
        let portfolio = Portfolio::new(&options);
        Search {
            options,
            position,
            strategy: None,
            portfolio,
            facts: None,
            fixed: false,
            graph: None,
            ways: Vec::new(),
        }
    }

    /// A search with the places that are visible to the executor already.
    pub(crate) fn with_fixed_places(options: Options) -> Search {
        Search { fixed: true, ..Search::new(options) }
    }

    /// A search that goes on where another one with the same options was when it was [written down](Observer::checkpoint),
    /// with an executor of the same program. It runs what the other one would have run.
    ///
    /// `options` may have other limits ([`Options::max_executions`], which counts the executions of both, and
    /// [`Options::timeout`], which begins anew). Everything else must be equal.
    ///
    /// # Errors
    ///
    /// When `bytes` are of another version, are damaged, or are of another algorithm.
    pub fn resume(options: Options, bytes: &[u8]) -> Result<Search, CheckpointError> {
        let saved = save::read(bytes)?;
        let mut search = Search { position: saved.position, facts: Some(saved.facts), ..Search::new(options) };
        if let Some(state) = saved.state {
            let mut strategy = search.method().start(&search.position.told(&search.options));
            strategy.restore(state)?;
            search.strategy = Some(strategy);
        }
        match (&mut search.portfolio, saved.portfolio) {
            (Some(portfolio), Some(state)) => portfolio.restore(state)?,
            (None, None) => {}
            _ => return Err(CheckpointError::Damaged),
        }
        Ok(search)
    }

    /// The executions of this round so far, also when [`run`](Self::run) has failed.
    pub fn counts(&self) -> Counts {
        self.position.total()
    }

    /// The samples beside the search so far, also when [`run`](Self::run) has failed.
    pub fn samples(&self) -> Counts {
        self.position.samples
    }

    /// The most operations of a thread, if the search has to bound them itself: see [`Summary::own_bound`].
    pub fn own_bound(&self) -> Option<u32> {
        self.position.steps.in_force(self.options.max_steps)
    }

    /// Executions of earlier rounds, which do not count.
    pub fn earlier(&self) -> u64 {
        self.position.earlier
    }

    /// All states with all their steps, to be asked what can go on for ever. There is one after a search with
    /// [`Algorithm::States`](crate::Algorithm::States) that has come to its end, if [`Options::liveness`] was set. After a search with
    /// reduction there is one if some thread may wait for ever. It is only to be asked that: other cycles are missing in it.
    pub fn graph(&self) -> Option<&StateGraph> {
        self.graph.as_ref()
    }

    /// Plans that lead to a sample of the states, if the search was cut off because there were as many as were asked for: to be
    /// [asked](crate::apart) what keeps them apart.
    pub fn ways(&self) -> &[Plan] {
        &self.ways
    }

    /// The steps that every execution begins with, as they are since the last round began.
    pub fn prefix(&self) -> Vec<Step> {
        self.position.told(&self.options).prefix.clone()
    }

    /// The algorithm that runs, or ran last.
    pub fn method(&self) -> Method {
        self.position.method(&self.options)
    }

    /// Runs until there is nothing left, a limit is reached, or the observer has seen enough.
    ///
    /// # Errors
    ///
    /// When the executor fails. What was counted by then is in [`counts`](Self::counts).
    pub fn run(&mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) -> Result<Summary, ExecutorError> {
        let Search { options, position, portfolio, fixed, graph, ways, .. } = self;
        let mut strategy = self.strategy.take();
        if let Some(facts) = self.facts.take() {
            executor.learn(&facts)?;
            executor.reveal(&position.places.iter().copied().collect::<Vec<_>>())?;
        } else if !position.places.is_empty() {
            let places: Vec<u64> = position.places.iter().copied().collect();
            executor.reveal(&places)?;
            observer.revealed(&places);
        }
        let begin = Instant::now();
        let mut round = Round {
            options,
            portfolio: portfolio.as_mut(),
            fixed: *fixed,
            begin,
            elapsed: position.elapsed,
            kept: begin,
            shown: begin,
            executor,
            observer,
        };
        // The search that waits while states are tried.
        let mut aside: Option<(Box<dyn Strategy>, Position)> = None;
        loop {
            if position.over_states.is_on() && round.executor.facts().restart != Restart::Snapshot {
                position.turn(OverStates::Back(Why::Unknown));
            }
            if let Some((waiting, mut at)) = aside.take_if(|_| !position.over_states.is_on()) {
                at.after_trial(position);
                strategy = Some(waiting).filter(|_| !at.again);
                *position = at;
                round.observer.take_back();
            }
            if position.again {
                position.begin_again(options);
                let places: Vec<u64> = position.places.iter().copied().collect();
                round.executor.reveal(&places)?;
                position.prefix = prefix::retold(options, &position.places, round.executor)?;
                round.observer.restart(&places);
            }
            let method = position.method(options);
            let mut running = strategy.take().unwrap_or_else(|| method.start(&position.told(options)));
            debug!(
                ?method,
                places = position.places.len(),
                executions = position.total().executions,
                "round of the search"
            );
            round.executor.forget_states();
            round.executor.remember(&running.new_states());
            let end = round.run(&mut *running, &method, position);
            position.elapsed = round.elapsed + begin.elapsed();
            match end? {
                End::Again if position.has_room(options, 0) => {}
                End::Again => {
                    round.keep(&*running, position);
                    return Ok(position.summary(options, Stop::Executions, &*running));
                }
                End::Try => {
                    let trial = position.trial(options);
                    aside = Some((running, std::mem::replace(position, trial)));
                    round.observer.set_aside();
                }
                End::Stop(Stop::Exhausted) if position.goes_on_after(options, &*running) => {}
                End::Stop(stop) => {
                    let left_out = running.left_out();
                    if !position.next_phase(options, stop, left_out) {
                        let summary = position.summary(options, stop, &*running);
                        if matches!(stop, Stop::States | Stop::Memory) {
                            *ways = running.ways(apart::SAMPLE);
                        }
                        *graph = (options.liveness && summary.complete()).then(|| running.graph()).flatten();
                        return Ok(summary);
                    }
                }
            }
        }
    }
}
