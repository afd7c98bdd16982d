//! Partial order sampling (POS): a random priority for every pending operation, drawn again after a conflict.
//!
//! X. Yuan, J. Yang, R. Gu, *Partial order aware concurrency sampling*, CAV 2018, section 4. The enabled operation with
//! the highest priority is taken. Pending operations that conflict with it get a new priority, because having lost once
//! says nothing about what follows. Therefore unrelated operations do not lower the probability of a partial order.
//!
//! Departures from the paper:
//!
//! 1. The model decides which operations conflict, from the footprints that the two pending operations would have now.
//!    That covers synchronisation too, not only memory. An operation that must wait for the one just taken conflicts
//!    with it as well.
//! 2. An operation with several alternatives takes one of them with equal probability.

use super::pct::highest;
use super::{Lots, Step, random};
use crate::{Phase, World};

pub(super) fn next(lots: &mut Lots, world: &mut World) -> Option<Step> {
    for thread in world.ids() {
        if world.thread(thread).priority == 0 {
            world.thread_mut(thread).priority = lots.any() | 1;
        }
    }
    let thread = highest(world)?;
    let touched = world.foresee(thread);
    for other in world.ids() {
        let races = world.thread(other).phase == Phase::Alive && world.foresee(other).conflicts_with(&touched);
        if other == thread || races {
            // To be drawn before the next step. The taken one's thread will be about to do something else then.
            world.thread_mut(other).priority = 0;
        }
    }
    random::with_choice(lots, world, thread)
}
