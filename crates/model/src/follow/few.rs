//! A policy that runs a handful of threads first. The others wait until those have finished or are blocked.
//!
//! Most bugs need only two or three threads. In a program with many threads, the chance that exactly these interleave
//! is small if all run at once. The caller therefore draws a handful of threads before the execution. Within the
//! handful every step is a random choice. The remaining threads run afterwards, one after the other.
//!
//! The main thread usually creates the others. In three of four executions it runs first whenever it is enabled, so
//! that there are threads to choose from. In the fourth it is an ordinary member of the handful.

use super::{Lots, Step, random, ready};
use crate::{ThreadId, World};

/// The largest size of a handful, not counting the main thread.
pub const HANDFUL: usize = 4;

/// Packs a handful into the two parameters of the policy. Thread 0 marks an empty place.
pub const fn pack(threads: [ThreadId; HANDFUL]) -> (u32, u32) {
    (pair_of(threads[0], threads[1]), pair_of(threads[2], threads[3]))
}

const fn pair_of(a: ThreadId, b: ThreadId) -> u32 {
    a.0 as u32 | (b.0 as u32) << 16
}

fn is_member((first, second): (u32, u32), thread: ThreadId) -> bool {
    let id = thread.0 as u32;
    thread == ThreadId::MAIN || [first & 0xffff, first >> 16, second & 0xffff, second >> 16].contains(&id)
}

pub(super) fn next(members: (u32, u32), seed: u64, lots: &mut Lots, world: &mut World) -> Option<Step> {
    if !seed.is_multiple_of(4) && ready(world, ThreadId::MAIN) {
        return random::with_choice(lots, world, ThreadId::MAIN);
    }
    let candidates = |world: &World| world.ids().filter(|&t| is_member(members, t) && ready(world, t)).count();
    let thread = match lots.below(candidates(world) as u64) {
        Some(drawn) => world.ids().filter(|&t| is_member(members, t) && ready(world, t)).nth(drawn as usize)?,
        None => world.ids().find(|&t| ready(world, t))?,
    };
    random::with_choice(lots, world, thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_survive_packing() {
        let packed = pack([ThreadId(7), ThreadId(300), ThreadId(0), ThreadId(9)]);
        for id in [0, 7, 9, 300] {
            assert!(is_member(packed, ThreadId(id)), "{id}");
        }
        for id in [1, 8, 44, 301] {
            assert!(!is_member(packed, ThreadId(id)), "{id}");
        }
    }
}
