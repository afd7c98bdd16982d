//! Partial order sampling: a random priority for every pending operation, drawn again after a race.
//!
//! X. Yuan, J. Yang, R. Gu, *Partial order aware concurrency sampling*, CAV 2018, section 4. The highest pending operation
//! that can be taken is. Operations that race with it get a new priority: that they lost once says nothing about what
//! comes next. So the chance of a partial order does not fall with operations that have nothing to do with it.
//!
//! Departures:
//!
//! 1. What races is asked of the model, from what two pending operations would touch if they were taken now, and not only
//!    for memory. Whoever has to wait for the operation just taken races with it too.
//! 2. Where an operation has several ways to be taken, one is drawn with equal chances.

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
