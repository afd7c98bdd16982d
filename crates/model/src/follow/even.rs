//! A policy that keeps all threads level: the thread that has taken the fewest operations runs.
//!
//! Some bugs need every thread to stand at the same place: all philosophers hold one fork, all workers have read the old
//! value. The more threads there are, the less likely a random order brings them there. Here each thread takes
//! `operations` operations before any thread takes more. Among threads that are level, one is drawn. The main thread
//! usually creates the others, so it runs first whenever it is enabled.

use super::{Lots, Step, random, ready};
use crate::{ThreadId, World};

pub(super) fn next(operations: u32, lots: &mut Lots, world: &World) -> Option<Step> {
    if ready(world, ThreadId::MAIN) {
        return random::with_choice(lots, world, ThreadId::MAIN);
    }
    let turns = |thread: ThreadId| world.thread(thread).steps / operations.max(1);
    let fewest = world.ids().filter(|&t| ready(world, t)).map(turns).min()?;
    let level = |t: &ThreadId| ready(world, *t) && turns(*t) == fewest;
    let drawn = lots.below(world.ids().filter(level).count() as u64)? as usize;
    let thread = world.ids().filter(level).nth(drawn)?;
    random::with_choice(lots, world, thread)
}
