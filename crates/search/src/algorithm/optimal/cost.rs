//! What schedules cost: estimates, from the events of an execution and the operations that follow them.

use heddle_model::{Event, OpCode};

use super::Optimal;
use crate::frontier::agenda::Cost;

impl Optimal {
    /// Estimates the cost of the schedule up to each event. The first `known` events are those of the last execution.
    pub(super) fn find_costs(&mut self, events: &[Event], known: usize) {
        self.costs.truncate(known);
        for index in self.costs.len()..events.len() {
            let Some(before) = index.checked_sub(1) else {
                self.costs.push(Cost::default());
                continue;
            };
            let mut cost = self.costs[before];
            if events[index].thread != events[before].thread {
                cost.switches += 1;
                cost.preemptions += !self.analysis.following[before].often_waits() as u32;
            }
            self.costs.push(cost);
        }
    }

    /// Estimates the cost of the schedule up to event `depth`, followed by the sequence.
    pub(super) fn cost_of(&self, events: &[Event], depth: usize) -> Cost {
        let reversals = self.reversals + 1;
        let Some(before) = depth.checked_sub(1) else { return Cost { reversals, ..Cost::default() } };
        let mut cost = Cost { reversals, ..self.costs[before] };
        let following = &self.analysis.following;
        let mut last = (events[before].thread, following[before]);
        for item in &self.sequence.items {
            if item.step.thread != last.0 {
                cost.switches += 1;
                cost.preemptions += !last.1.often_waits() as u32;
            }
            let next = following.get(item.event as usize).copied().unwrap_or(OpCode::ANY);
            last = (item.step.thread, next);
        }
        cost
    }
}
