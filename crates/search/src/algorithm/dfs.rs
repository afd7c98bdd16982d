//! Depth-first search over every interleaving and every way of every operation: no reduction at all.
//!
//! The other algorithms are compared with this one. At every point of every execution, each enabled thread is tried in
//! each of its ways. There is no paper to follow and nothing to depart from.

use heddle_model::follow::Step;
use heddle_model::retrace::Retrace;
use heddle_model::{Choice, Execution, Outcome, Plan};
use serde::{Deserialize, Serialize};

use crate::algorithm::bound::{Bound, LeftOut, Spent};
use crate::drive::strategy::{Strategy, Ticket};
use crate::options::Options;
use crate::save::{self, CheckpointError};

#[derive(Default)]
pub(crate) struct Dfs {
    started: bool,
    under_way: bool,
    /// The plan of `schedule` was under way when the search was written down: it comes once more.
    again: bool,
    /// The steps that are still to be tried in the place of each step of the last execution.
    untried: Vec<Vec<Step>>,
    schedule: Vec<Step>,
    retrace: Retrace,
    left: u64,
    /// The cost of the schedule up to each step.
    spent: Vec<Spent>,
    bound: Bound,
    left_out: LeftOut,
    /// How many steps are given ([`Options::prefix`]). No other step is tried in their place.
    given: usize,
}

impl Dfs {
    /// Every interleaving within `bound`.
    pub fn new(bound: Bound, options: &Options) -> Dfs {
        let mut retrace = Retrace::default();
        retrace.know(&options.places);
        Dfs { bound, given: options.prefix.len(), retrace, ..Dfs::default() }
    }
}

/// What is written down of a depth-first search.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    started: bool,
    again: bool,
    untried: Vec<Vec<Step>>,
    schedule: Vec<Step>,
    spent: Vec<Spent>,
    left_out: LeftOut,
}

impl Strategy for Dfs {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if self.under_way {
            return None;
        }
        if self.started && !std::mem::take(&mut self.again) {
            while self.untried.last()?.is_empty() {
                self.untried.pop();
            }
            self.schedule.truncate(self.untried.len() - 1);
            let step = self.untried.last_mut()?.pop()?;
            self.left -= 1;
            self.schedule.push(step);
        }
        self.started = true;
        self.under_way = true;
        plan.schedule.extend_from_slice(&self.schedule);
        plan.policy = self.bound.policy();
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        self.under_way = false;
        let events = execution.events;
        let from = self.schedule.len();
        let Dfs { untried, left, spent, bound, left_out, given, .. } = self;
        spent.truncate(from);
        // One step earlier: what the last step of the plan has cost depends on who else could have gone on there.
        let mut after = Spent::default();
        self.retrace.walk(execution, from.saturating_sub(1), |index, ready| {
            let Some(event) = events.get(index) else { return };
            if index < from {
                after = spent[index].then(event.thread, ready);
                return;
            }
            let now = after;
            spent.push(now);
            after = now.then(event.thread, ready);
            let mut others = Vec::new();
            if index < *given {
                untried.push(others);
                return;
            }
            for other in ready {
                if !bound.admits(&now.then(other.thread, ready), left_out) {
                    continue;
                }
                for choice in (0..other.alternatives).map(Choice::Way) {
                    if other.thread != event.thread || choice != event.choice() {
                        others.push(Step::new(other.thread).taking(choice));
                    }
                }
            }
            *left += others.len() as u64;
            untried.push(others);
        });
        self.left_out.any |= matches!(execution.outcome, Outcome::SwitchLimit { .. });
        self.schedule.extend(events.iter().skip(from).map(Step::of));
    }

    fn left_out(&self) -> LeftOut {
        self.left_out
    }

    fn certain(&self) -> Option<u64> {
        Some(self.pending())
    }

    fn pending(&self) -> u64 {
        self.left + u64::from(!self.started || self.again)
    }

    fn save(&self) -> save::State {
        save::State::Dfs(State {
            started: self.started,
            again: self.under_way || self.again,
            untried: self.untried.clone(),
            schedule: self.schedule.clone(),
            spent: self.spent.clone(),
            left_out: self.left_out,
        })
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Dfs(state) = state else { return Err(CheckpointError::Damaged) };
        let State { started, again, untried, schedule, spent, left_out } = state;
        let length = schedule.len();
        if untried.len() != length || spent.len() < length {
            return Err(CheckpointError::Damaged);
        }
        self.left = untried.iter().map(|steps| steps.len() as u64).sum();
        (self.started, self.again, self.left_out) = (started, again, left_out);
        (self.untried, self.schedule, self.spent) = (untried, schedule, spent);
        Ok(())
    }
}
