//! Random walk: at every step any thread that can go on, and any way, with equal chances.
//!
//! The simplest sampler, and a poor one where a bug needs one thread to be slow for long: each further step makes that
//! less likely.

use super::{Lots, Step, ready};
use crate::{ThreadId, World};

#[inline]
pub(super) fn next(lots: &mut Lots, world: &World) -> Option<Step> {
    let thread = if world.extent() <= u64::BITS as usize { few(lots, world)? } else { many(lots, world)? };
    with_choice(lots, world, thread)
}

/// One of those that are ready: all of them are bits of a word.
#[inline]
fn few(lots: &mut Lots, world: &World) -> Option<ThreadId> {
    let mut bits = world.ids().fold(0u64, |bits, t| bits | u64::from(ready(world, t)) << t.0);
    for _ in 0..lots.below(bits.count_ones() as u64)? {
        bits &= bits - 1;
    }
    Some(ThreadId(bits.trailing_zeros() as u16))
}

/// The same, by asking each twice.
fn many(lots: &mut Lots, world: &World) -> Option<ThreadId> {
    let can = |t: &ThreadId| ready(world, *t);
    let pick = lots.below(world.ids().filter(can).count() as u64)? as usize;
    world.ids().filter(can).nth(pick)
}

/// `thread`, any way, with equal chances.
#[inline(always)]
pub(super) fn with_choice(lots: &mut Lots, world: &World, thread: ThreadId) -> Option<Step> {
    let choice = lots.below(world.alternatives(thread) as u64)? as u16;
    Some(Step { thread, choice, ..Step::default() })
}
