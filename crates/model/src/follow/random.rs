//! Random walk: every step draws an enabled thread and an alternative with equal probability.
//!
//! It is the simplest sampler. It is weak where a bug needs one thread to be delayed for long, because every further
//! step makes that less likely.

use super::{Lots, Step, ready};
use crate::{Choice, ThreadId, World};

#[inline]
pub(super) fn next(lots: &mut Lots, world: &World) -> Option<Step> {
    let thread = if world.extent() <= u64::BITS as usize { few(lots, world)? } else { many(lots, world)? };
    with_choice(lots, world, thread)
}

/// Draws a ready thread, for up to 64 threads: the ready ones are bits of a word.
#[inline]
fn few(lots: &mut Lots, world: &World) -> Option<ThreadId> {
    let mut bits = world.ids().fold(0u64, |bits, t| bits | u64::from(ready(world, t)) << t.0);
    for _ in 0..lots.below(bits.count_ones() as u64)? {
        bits &= bits - 1;
    }
    Some(ThreadId(bits.trailing_zeros() as u16))
}

/// Draws a ready thread, for any number of threads. Tests each thread twice.
fn many(lots: &mut Lots, world: &World) -> Option<ThreadId> {
    let can = |t: &ThreadId| ready(world, *t);
    let pick = lots.below(world.ids().filter(can).count() as u64)? as usize;
    world.ids().filter(can).nth(pick)
}

/// The step of `thread` with a random alternative.
#[inline(always)]
pub(super) fn with_choice(lots: &mut Lots, world: &World, thread: ThreadId) -> Option<Step> {
    let way = lots.below(world.alternatives(thread) as u64)? as u16;
    Some(Step::new(thread).taking(Choice::Way(way)))
}
