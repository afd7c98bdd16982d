//! Finds first, then proves: samples in turns beside an exhaustive search. The default.
//!
//! An exhaustive search is the only one that ends with a proof, but it may look for a bug in a corner of a large program for
//! hours, while a few random orders show it. So both run at once. The exhaustive search is not changed by that: it runs
//! what it would have run alone, and its executions are counted apart. Samples are of all kinds in turn
//! ([`super::sampling`]).
//!
//! Each learns from the other. A data race that a sample shows makes its place visible, and the exhaustive search begins with
//! it. So does an atomic section. Executions of the exhaustive search show the threads and the length that samples are drawn by.
//!
//! **Whose turn it is** depends on counts only, never on the time: a search with the same seed is the same again, also when it
//! was written down in between.
//!
//! 1. The first executions (`LEAD`) are of the exhaustive search. They have the fewest preemptions and show many bugs at
//!    once, and a program that has no more of them needs no samples.
//! 2. From then on turns alternate, as long as samples cost next to nothing: a fixed number at the beginning, fewer where
//!    executions are long or start slowly (`allowance`), and one for each `SHARE` executions that the exhaustive search
//!    has run, is certain to run, or is expected to run (`frontier/levels.rs`).
//! 3. Once an execution of the exhaustive search was cut off by a bound, that search cannot end with a proof. Then turns
//!    alternate for good.
//!
//! The second part of that sum bounds the price of samples: where the search comes to its end, there were about one in
//! `SHARE` beyond the beginning. In a program that is too large to exhaust, much is expected early, and turns alternate for long.

use std::collections::VecDeque;

use heddle_model::{Execution, Plan, Restart};
use serde::{Deserialize, Serialize};

use crate::algorithm::sampling::{self, Sampling};
use crate::drive::strategy::{Strategy, Ticket};
use crate::options::Options;
use crate::save::CheckpointError;

/// How many executions of the exhaustive search come before the first sample.
const LEAD: u64 = 8;

/// Beyond the beginning there is at most one sample for this many executions of the exhaustive search.
const SHARE: u64 = 40;

/// The most samples at the beginning.
const MOST: u64 = 400;

/// What samples at the beginning may take, in microseconds.
const BUDGET: u64 = 30_000;

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Turn {
    Exhaustive,
    Sample,
}

/// Draws samples beside an exhaustive search.
pub(crate) struct Portfolio {
    sampling: Sampling,
    /// How many plans of the exhaustive search were proposed, in all rounds.
    proposed: u64,
    /// How many samples there are at the beginning.
    allowance: u64,
    /// Whether an execution of the exhaustive search was cut off by a bound.
    cut: bool,
    /// Whose turn each plan under way belongs to, in the order of the plans.
    under_way: VecDeque<Turn>,
    /// Who had proposed the plans that were under way when the search was written down. They come first.
    first: VecDeque<Turn>,
}

/// What is written down of a [`Portfolio`].
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    sampling: sampling::State,
    proposed: u64,
    allowance: u64,
    cut: bool,
    under_way: VecDeque<Turn>,
}

/// How many samples there may be at the beginning where executions have this `length` and start over by `restart`. The costs
/// are measured and rounded up.
fn allowance(length: u32, restart: Restart) -> u64 {
    let start = match restart {
        Restart::Snapshot => 20,
        Restart::Fork => 1000,
        Restart::Exec => 8000,
    };
    (BUDGET / (start + u64::from(length) / 5)).min(MOST)
}

impl Portfolio {
    /// The samples beside the search of `options`. None if it is to have none: others were asked for, or none, or there are
    /// bounds, within which a sample would not stay.
    pub fn new(options: &Options) -> Option<Portfolio> {
        options.has_samples_beside().then(|| Portfolio {
            sampling: Sampling::new(options),
            proposed: 0,
            allowance: 0,
            cut: false,
            under_way: VecDeque::new(),
            first: VecDeque::new(),
        })
    }

    /// Whose turn it is when the exhaustive search has this many executions `pending`, and is `expected` to have this many in all.
    /// `restart` says how executions start over.
    pub fn turn(&mut self, (pending, expected): (u64, u64), restart: impl FnOnce() -> Restart) -> Turn {
        if let Some(&turn) = self.first.front() {
            return turn;
        }
        // Where nothing is pending, the end may be near.
        if pending == 0 || self.proposed < LEAD {
            return Turn::Exhaustive;
        }
        if self.sampling.is_due() {
            self.allowance = allowance(self.sampling.length(), restart());
        }
        let most = if self.cut { u64::MAX } else { self.allowance + (self.proposed + pending).max(expected) / SHARE };
        if self.sampling.drawn() < most.min(self.proposed - LEAD + 1) { Turn::Sample } else { Turn::Exhaustive }
    }

    /// Fills in the plan of a sample, unless that one waits for others under way.
    pub fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        self.sampling.propose(plan)
    }

    /// Says that a plan was proposed.
    pub fn proposed(&mut self, turn: Turn) {
        self.first.pop_front();
        self.under_way.push_back(turn);
        self.proposed += u64::from(turn == Turn::Exhaustive);
    }

    /// Learns from the execution of the plan that has been under way for the longest.
    pub fn received(&mut self, turn: Turn, execution: &Execution<'_>) {
        self.under_way.pop_front();
        self.cut |= turn == Turn::Exhaustive && execution.stopped().next().is_some();
        match turn {
            Turn::Sample => self.sampling.digest(Ticket(0), execution),
            // The first ones, and then ever fewer: they are mostly alike.
            Turn::Exhaustive if self.proposed.is_power_of_two() => self.sampling.learn(execution),
            Turn::Exhaustive => {}
        }
    }

    /// The exhaustive search begins anew. Plans under way are dropped.
    pub fn begin_again(&mut self) {
        self.under_way.clear();
        self.first.clear();
        self.sampling.forget();
    }

    /// All that is to be written down.
    pub fn save(&self) -> State {
        let under_way: VecDeque<Turn> = self.under_way.iter().chain(&self.first).copied().collect();
        let again = self.under_way.iter().filter(|turn| **turn == Turn::Exhaustive).count() as u64;
        let proposed = self.proposed - again;
        State { sampling: self.sampling.state(), proposed, allowance: self.allowance, cut: self.cut, under_way }
    }

    /// Goes on from what was written down.
    ///
    /// # Errors
    ///
    /// When `state` contradicts itself.
    pub fn restore(&mut self, state: State) -> Result<(), CheckpointError> {
        self.sampling.go_on(state.sampling)?;
        if state.proposed >= 1 << 48 || state.allowance > MOST {
            return Err(CheckpointError::Damaged);
        }
        (self.proposed, self.allowance, self.cut) = (state.proposed, state.allowance, state.cut);
        self.first = state.under_way;
        Ok(())
    }
}
