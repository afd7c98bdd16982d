//! From executions to states, when executions alone come to no end: [`Options::turns_to_states`].
//!
//! There are two reasons to turn.
//!
//! * An execution **goes round**: it grew until there was no room left. States close the round. The search over
//!   executions has nothing to lose, so it is dropped.
//! * Executions **meet again**: there are many of them, and a trial shows that most ways lead to states that are known.
//!   The search over executions waits meanwhile. It goes on if the trial does not come to its end within half as
//!   many executions as were run before, and there is another trial when there are four times as many. So trials cost a
//!   constant factor at most.
//!
//! Where the states of a program are not known, are too many, or leave a question open, the search goes back to executions, within a
//! bound of its own if they go round.

use serde::{Deserialize, Serialize};

use crate::drive::summary::StateCounts;
use crate::options::Options;

/// After how many executions there is the first trial.
pub(crate) const FIRST_TRIAL: u64 = 10_000;
/// By which factor executions grow from one trial to the next.
const BETWEEN_TRIALS: u64 = 4;
/// A trial has this part of the executions that were run before. Those to states take longer.
const SHARE: u64 = 2;
/// After how many executions a trial is given up unless [enough](is_promising) of them ended at known states.
const EARLY: u64 = 500;
/// The most states of a search that has turned to states because executions go round, if nobody has set a limit. It may have no end.
const MOST_STATES: u64 = 1 << 15;

/// Whether a search over executions has turned to states by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum OverStates {
    /// It is what was asked for.
    #[default]
    No,
    /// An execution went round, and states are searched.
    GoesRound,
    /// Executions were many, and states are searched.
    MeetsAgain,
    /// An execution went round, and every step of every state is run: the graph of all states can be asked who goes round for ever.
    Whole,
    /// It has turned, and went back.
    Back(Why),
}

/// Why a search has gone back from states to executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Why {
    /// The program uses something whose state is not known.
    Unknown,
    /// There are too many states.
    TooMany,
    /// Executions were many, all states were met, and something goes round in them. Executions say more about that.
    Open,
}

impl OverStates {
    /// Whether states are searched.
    pub fn is_on(self) -> bool {
        matches!(self, OverStates::GoesRound | OverStates::MeetsAgain | OverStates::Whole)
    }

    /// What follows when all states were met, of which there are so many. `None` if that is all.
    pub(crate) fn after(self, states: &StateCounts, options: &Options) -> Option<OverStates> {
        let open = options.asks_for_livelocks && states.may_go_round_in_vain();
        match self {
            // Threads that look for ever for what nobody does are a finding, whatever else goes round.
            OverStates::GoesRound if open && states.in_vain == 0 => Some(OverStates::Whole),
            OverStates::MeetsAgain if open || states.in_vain > 0 => Some(OverStates::Back(Why::Open)),
            _ => None,
        }
    }
}

/// The most states, for a search that has turned.
pub(crate) fn most_states(over: OverStates, options: &Options) -> Option<u64> {
    let limited = options.max_executions.is_some() || options.timeout.is_some();
    options.max_states.or((over.is_on() && !limited).then_some(MOST_STATES))
}

/// Whether there may be trials. A limit on executions is meant for those that were asked for, and what is written down is one search.
pub(crate) fn may_try(over: OverStates, options: &Options) -> bool {
    over == OverStates::No && options.may_turn() && options.checkpoint.is_none() && options.max_executions.is_none()
}

/// The trials of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Trials {
    /// After how many executions the next one begins.
    next: u64,
    /// How many executions the one under way may have. 0 if there is none.
    limit: u64,
}

impl Default for Trials {
    fn default() -> Self {
        Trials { next: FIRST_TRIAL, limit: 0 }
    }
}

impl Trials {
    /// Whether one may begin after `ran` executions.
    pub fn may_be_due(&self, ran: u64) -> bool {
        ran >= self.next
    }

    /// Begins one after `ran` executions.
    pub fn begin(&mut self, ran: u64) {
        self.limit = ran / SHARE;
    }

    /// There is none under way.
    pub fn end(&mut self, ran: u64) {
        (self.next, self.limit) = (ran.saturating_mul(BETWEEN_TRIALS), 0);
    }

    /// Whether the one under way has failed after `ran` executions, of which `visited` ended at known states.
    pub fn has_failed(&self, ran: u64, visited: u64) -> bool {
        ran >= self.limit || ran >= EARLY && !is_promising(ran, visited)
    }
}

fn is_promising(ran: u64, visited: u64) -> bool {
    visited >= ran / 2
}
