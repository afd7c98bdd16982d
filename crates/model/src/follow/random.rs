//! Random walk: at every step any thread that can go on, and any way, with equal chances.
//!
//! The simplest sampler, and a poor one where a bug needs one thread to be slow for long: each further step makes that
//! less likely.

use super::{Lots, Step, ready};
use crate::{ThreadId, World};

pub(super) fn next(lots: &mut Lots, world: &World) -> Option<Step> {
    let can = |t: &ThreadId| ready(world, *t);
    let count = world.ids().filter(can).count();
    let pick = lots.below(count as u64)? as usize;
    let thread = world.ids().filter(can).nth(pick)?;
    with_choice(lots, world, thread)
}

/// `thread`, any way, with equal chances.
pub(super) fn with_choice(lots: &mut Lots, world: &World, thread: ThreadId) -> Option<Step> {
    let choice = lots.below(world.alternatives(thread) as u64)? as u16;
    Some(Step { thread, choice, ..Step::default() })
}
