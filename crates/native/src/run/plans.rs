//! The plans that a worker has under way, oldest first.
//!
//! Plans are kept in a ring whose room is used again, so that nothing is allocated once plans have reached their usual
//! size. They are numbered in the order in which they were handed over; the numbers wrap around.

use heddle_model::Plan;

/// The plans that a worker has under way, oldest first.
pub struct Plans {
    ring: Vec<Plan>,
    /// Plans handed over, ever.
    submitted: u32,
    /// Results given back, ever.
    received: u32,
}

impl Plans {
    /// Room for `depth` plans.
    pub fn new(depth: usize) -> Plans {
        Plans { ring: vec![Plan::default(); depth], submitted: 0, received: 0 }
    }

    /// How many plans there is room for.
    pub fn depth(&self) -> usize {
        self.ring.len()
    }

    /// Whether there is room for one more plan.
    pub fn has_room(&self) -> bool {
        (self.count() as usize) < self.ring.len()
    }

    /// How many plans are under way.
    pub fn count(&self) -> u32 {
        self.submitted.wrapping_sub(self.received)
    }

    /// The number of the oldest plan under way, or of the next one to come.
    pub fn oldest(&self) -> u32 {
        self.received
    }

    /// The numbers of the plans under way, oldest first.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let first = self.received;
        (0..self.count()).map(move |ahead| first.wrapping_add(ahead))
    }

    /// The plan with this number, which must be under way.
    pub fn get(&self, number: u32) -> &Plan {
        &self.ring[number as usize % self.ring.len()]
    }

    /// Adds a plan, for which there must be room. Returns its number.
    pub fn push(&mut self, plan: &Plan) -> u32 {
        let (number, depth) = (self.submitted, self.ring.len());
        copy(plan, &mut self.ring[number as usize % depth]);
        self.submitted = number.wrapping_add(1);
        number
    }

    /// Removes the oldest plan.
    pub fn pop(&mut self) {
        self.received = self.received.wrapping_add(1);
    }

    /// Removes all plans.
    pub fn clear(&mut self) {
        self.received = self.submitted;
    }

    /// How many plans under way were not among the first `ended` ones ever.
    pub fn after(&self, ended: u32) -> u32 {
        self.submitted.wrapping_sub(ended).min(self.count())
    }
}

/// Copies into existing room. The derived `Clone::clone_from` would allocate a new plan.
fn copy(from: &Plan, to: &mut Plan) {
    let Plan {
        schedule,
        sleep,
        policy,
        seed,
        max_steps,
        max_switches,
        record,
        aim,
        round,
        states,
        immediate,
        touches,
        contents,
    } = from;
    to.schedule.clone_from(schedule);
    to.sleep.clone_from(sleep);
    (to.policy, to.seed) = (*policy, *seed);
    (to.max_steps, to.max_switches) = (*max_steps, *max_switches);
    (to.record, to.aim, to.round) = (*record, *aim, *round);
    (to.states, to.immediate, to.touches, to.contents) = (*states, *immediate, *touches, *contents);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_go_round_in_their_order() {
        let plan = |seed| Plan { seed, ..Plan::default() };
        let mut plans = Plans::new(2);
        (plans.submitted, plans.received) = (u32::MAX, u32::MAX);
        assert_eq!(plans.push(&plan(1)), u32::MAX);
        assert_eq!(plans.push(&plan(2)), 0);
        assert!(!plans.has_room());
        assert_eq!(plans.numbers().collect::<Vec<_>>(), [u32::MAX, 0]);
        assert_eq!(plans.get(plans.oldest()).seed, 1);
        assert_eq!((plans.after(u32::MAX), plans.after(0), plans.after(1)), (2, 1, 0));
        assert_eq!(plans.after(17), 2, "a number that makes no sense");
        plans.pop();
        assert_eq!((plans.count(), plans.get(plans.oldest()).seed), (1, 2));
        plans.clear();
        assert_eq!(plans.count(), 0);
    }
}
