//! How far a search is, apart from what its algorithm knows.
//!
//! A search is made of **rounds**. A round ends, and everything begins anew, when more of the program becomes visible or
//! when another algorithm is needed. A round is made of **phases**: one, or with [`Options::iterate`] one for each bound.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Duration;

use heddle_model::follow::Step;
use heddle_model::{Execution, Plan};
use serde::{Deserialize, Serialize};

use crate::algorithm::Method;
use crate::algorithm::bound::LeftOut;
use crate::algorithm::switches::{By, Cost};
use crate::drive::counts::Counts;
use crate::drive::observer::Info;
use crate::drive::over_states::{self, OverStates, Trials, Why};
use crate::drive::own_bound::{self, OwnBound};
use crate::drive::strategy::Strategy;
use crate::drive::summary::{Stop, Summary};
use crate::options::{Algorithm, Options};

/// How many executions are run in all, at most, in rounds that end because of a look in vain.
const MOST_RUN_FOR_LOOKS: u64 = 2000;
/// How many visible places there are, at most, while looks in vain are learnt.
const MOST_KNOWN: usize = 1 << 12;

/// Which part of a round is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// All of it, within the bounds of the options.
    Whole,
    /// With [`Options::iterate`]: executions with at most this many preemptions.
    Preemptions(u32),
    /// With [`Options::iterate`]: a search without a bound on preemptions, for at most `limit` executions. It comes after
    /// the phase with `after` preemptions.
    ///
    /// A bounded search can be far larger than what a reduction without a bound has to run. As many executions as were
    /// run so far are spent on the latter: a program that needs no more than those is done.
    Unbounded {
        /// The bound of the phase before.
        after: u32,
        /// How many executions this phase may run.
        limit: u64,
    },
}

impl Phase {
    fn first(options: &Options) -> Phase {
        if options.iterate && !options.algorithm.samples() { Phase::Preemptions(0) } else { Phase::Whole }
    }
}

/// How far a search is, apart from what its algorithm knows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Places of plain memory that are visible.
    pub places: BTreeSet<u64>,
    /// The given steps ([`Options::prefix`]), with a step for each access to a place that is visible.
    pub prefix: Vec<Step>,
    /// Whether the program has atomic sections.
    pub sections: bool,
    /// The round is over, and the next one has not begun.
    pub again: bool,
    /// Executions of earlier rounds.
    pub earlier: u64,
    /// How long the search took so far.
    pub elapsed: Duration,
    /// The phase of this round.
    pub phase: Phase,
    /// The executions of the earlier phases of this round.
    pub before: Counts,
    /// The executions of this phase.
    pub counts: Counts,
    /// The samples beside the search, of all rounds.
    pub samples: Counts,
    /// The highest number of preemptions within which everything was run.
    pub completed: Option<u32>,
    /// The search's own bound on operations, if executions without it were too large.
    pub steps: OwnBound,
    /// Whether it has turned to states by itself.
    pub over_states: OverStates,
    /// When it tries to.
    pub trials: Trials,
}

impl Position {
    /// The position at the beginning of a search.
    pub fn first(options: &Options) -> Position {
        Position {
            places: options.places.iter().copied().collect(),
            prefix: options.prefix.clone(),
            sections: false,
            again: false,
            earlier: 0,
            elapsed: Duration::ZERO,
            phase: Phase::first(options),
            before: Counts::default(),
            counts: Counts::default(),
            samples: Counts::default(),
            completed: None,
            steps: OwnBound::default(),
            over_states: OverStates::No,
            trials: Trials::default(),
        }
    }

    /// The most operations that a thread may take in an execution. 0 means no limit.
    pub fn max_steps(&self, options: &Options) -> u32 {
        self.steps.with(options.max_steps)
    }

    /// Whether so much was run for nothing, because the search begins anew with each [look in vain](heddle_model::vain) that it
    /// learns of, that no more are to be learnt. Programs with many of them wait in states that never come again.
    pub fn is_late_to_learn(&self) -> bool {
        self.earlier + self.total().ran() >= MOST_RUN_FOR_LOOKS || self.places.len() >= MOST_KNOWN
    }

    /// Whether its numbers are such as a search comes to. Sums of them are then numbers, too.
    pub fn is_plausible(&self) -> bool {
        let of = |counts: &Counts| {
            let Counts { executions, blocked, assumed, cut, bounded, visited, events, threads: _ } = *counts;
            [executions, blocked, assumed, cut, bounded, visited, events]
        };
        let limit = match self.phase {
            Phase::Unbounded { limit, .. } => limit,
            Phase::Whole | Phase::Preemptions(_) => 0,
        };
        let numbers = [of(&self.before), of(&self.counts), of(&self.samples)].concat();
        let all = [self.earlier, limit, self.elapsed.as_secs()];
        numbers.into_iter().chain(all).all(|number| number < 1 << 48)
    }

    /// `options`, with the given steps and the visible places as they are now.
    pub fn told<'o>(&self, options: &'o Options) -> Cow<'o, Options> {
        match self.prefix == options.prefix && self.places.iter().eq(&options.places) {
            true => Cow::Borrowed(options),
            false => {
                let places = self.places.iter().copied().collect();
                Cow::Owned(Options { prefix: self.prefix.clone(), places, ..options.clone() })
            }
        }
    }

    /// The algorithm of this phase.
    pub fn method(&self, options: &Options) -> Method {
        match self.over_states {
            OverStates::GoesRound | OverStates::MeetsAgain => return Method::Stateful { everybody: self.sections },
            OverStates::Whole => return Method::Stateful { everybody: true },
            OverStates::No | OverStates::Back(_) => {}
        }
        let preemptions = match self.phase {
            Phase::Whole => options.max_preemptions,
            Phase::Preemptions(most) => Some(most),
            Phase::Unbounded { .. } => None,
        };
        Method::of(options, preemptions, self.sections)
    }

    /// The most states, if they are limited.
    pub fn max_states(&self, options: &Options) -> Option<u64> {
        over_states::most_states(self.over_states, options)
    }

    /// Turns to states, or back, in a new round.
    pub fn turn(&mut self, to: OverStates) {
        (self.over_states, self.again) = (to, true);
    }

    /// Whether a trial of states is to begin.
    pub fn tries(&self, options: &Options, strategy: &dyn Strategy) -> bool {
        let ran = self.total().ran();
        if !over_states::may_try(self.over_states, options) || !self.trials.may_be_due(ran) {
            return false;
        }
        // There is no upper end while more is found than is run.
        let guess = strategy.estimate().map_or(0, |(low, high)| high.map_or(u64::MAX, |high| high.midpoint(low)));
        let expected = guess.max(strategy.expected()).max(ran + strategy.pending());
        expected / 2 >= ran
    }

    /// Whether the trial under way has failed.
    pub fn has_failed(&self) -> bool {
        self.trials.has_failed(self.total().ran(), self.total().visited)
    }

    /// After an execution that was too large: turns to states, or back from them. Returns whether it did.
    pub fn turns_after_too_large(&mut self, options: &Options) -> bool {
        let to = match self.over_states {
            OverStates::No => OverStates::GoesRound,
            OverStates::GoesRound | OverStates::MeetsAgain | OverStates::Whole => OverStates::Back(Why::TooMany),
            OverStates::Back(_) => return false,
        };
        if options.may_turn() {
            self.turn(to);
        }
        options.may_turn()
    }

    /// After all states were met: whether the search, which has turned to states by itself, has more to do.
    pub fn goes_on_after(&mut self, options: &Options, strategy: &dyn Strategy) -> bool {
        let states = strategy.states().filter(|_| self.over_states.is_on() && self.total().cut == 0);
        let next = states.and_then(|states| self.over_states.after(&states, options));
        next.is_some_and(|next| {
            self.turn(next);
            true
        })
    }

    /// The position of a trial of states, while the search waits here.
    pub fn trial(&self, options: &Options) -> Position {
        let mut trial = self.clone();
        trial.begin_again(options);
        trial.over_states = OverStates::MeetsAgain;
        trial.trials.begin(self.total().ran());
        trial
    }

    /// Goes on here after a trial that failed.
    pub fn after_trial(&mut self, trial: &Position) {
        match trial.over_states {
            OverStates::Back(Why::TooMany) => self.trials.end(self.total().ran()),
            _ => self.trials.end(u64::MAX),
        }
        if trial.places != self.places || trial.sections != self.sections {
            (self.places, self.sections, self.again) = (trial.places.clone(), trial.sections, true);
        }
        // They were run, and take their part of a limit.
        self.earlier += trial.total().ran();
    }

    /// Counts an execution of `plan`, and says what is known about it.
    pub fn count<'p>(&mut self, execution: &Execution<'_>, plan: &'p Plan, sample: bool) -> Info<'p> {
        let before = if sample { self.samples } else { self.total() };
        let counts = if sample { &mut self.samples } else { &mut self.counts };
        counts.count(execution);
        let (number, complete) = (before.ran() + 1, before.executions + 1);
        let earlier = if sample { 0 } else { self.earlier };
        let returns = plan.schedule.len() > self.prefix.len();
        let sampler = if returns { Some("rare") } else { plan.policy.sampler() };
        Info { number, complete, sample, sampler: sampler.filter(|_| sample), earlier, plan }
    }

    /// The executions of this round.
    pub fn total(&self) -> Counts {
        self.before.plus(&self.counts)
    }

    /// Whether one more execution may be run, when `under_way` are.
    pub fn has_room(&self, options: &Options, under_way: usize) -> bool {
        let ran = self.earlier + self.before.ran() + self.counts.ran() + under_way as u64;
        self.phase_has_room(under_way)
            && options.max_executions.is_none_or(|most| ran < most)
            && (self.before.ran() + self.counts.ran() + (under_way as u64)) < self.own_limit(options)
    }

    /// How many executions a round may have where the search has had to set a bound, and nobody has set a limit.
    fn own_limit(&self, options: &Options) -> u64 {
        let limited = options.max_executions.is_some() || options.timeout.is_some();
        let bounded = self.steps.in_force(options.max_steps).is_some() && !self.over_states.is_on();
        if bounded && !limited && !options.algorithm.samples() { own_bound::EXECUTIONS } else { u64::MAX }
    }

    /// Whether the phase would run one more execution, when `under_way` are, if the search had no limit.
    pub fn phase_has_room(&self, under_way: usize) -> bool {
        match self.phase {
            Phase::Unbounded { limit, .. } => self.counts.ran() + (under_way as u64) < limit,
            _ => true,
        }
    }

    /// Begins the next round.
    pub fn begin_again(&mut self, options: &Options) {
        let total = self.total();
        self.again = false;
        self.earlier += total.ran();
        self.phase = Phase::first(options);
        self.before = Counts { threads: total.threads, ..Counts::default() };
        self.counts = Counts::default();
        self.completed = None;
    }

    /// Begins the next phase, if there is one, after a phase has ended by `stop`. `left_out`: what its bound left out.
    pub fn next_phase(&mut self, options: &Options, stop: Stop, left_out: LeftOut) -> bool {
        if stop == Stop::Exhausted && self.total().cut == 0 {
            self.completed = match self.method(options) {
                Method::Bounded(bound) | Method::Dfs(bound) => bound.preemptions,
                Method::Switches(Cost { by: By::Preemptions, most, .. }) => most,
                _ => None,
            }
            .or(self.completed);
        }
        if stop == Stop::Exhausted && self.total().cut > 0 && self.steps.raise(options.max_steps) {
            self.again = true;
            return true;
        }
        let next = match self.phase {
            Phase::Preemptions(most)
                if stop == Stop::Exhausted && left_out.by_preemptions && options.max_preemptions != Some(most) =>
            {
                let bounded = options.max_preemptions.is_some()
                    || options.max_switches.is_some()
                    || options.max_delays.is_some()
                    || options.algorithm == Algorithm::Dfs;
                if bounded {
                    Phase::Preemptions(most + 1)
                } else {
                    Phase::Unbounded { after: most, limit: self.total().ran() }
                }
            }
            Phase::Unbounded { after, .. } if stop == Stop::Executions && self.has_room_for_more(options) => {
                Phase::Preemptions(after + 1)
            }
            _ => return false,
        };
        self.phase = next;
        self.before = self.total();
        self.counts = Counts::default();
        true
    }

    fn has_room_for_more(&self, options: &Options) -> bool {
        options.max_executions.is_none_or(|most| self.earlier + self.total().ran() < most)
    }

    /// The summary of a search that ends here, by `stop`.
    pub fn summary(&self, options: &Options, stop: Stop, strategy: &dyn Strategy) -> Summary {
        Summary {
            counts: self.total(),
            samples: self.samples,
            method: self.method(options),
            bounded: strategy.left_out().any,
            completed_preemptions: self.completed,
            earlier: self.earlier,
            states: strategy.states(),
            over_states: self.over_states,
            stop,
            elapsed: self.elapsed,
            own_bound: self.steps.in_force(options.max_steps),
        }
    }
}
