//! A few threads at a time: the others wait until those have ended or cannot go on.
//!
//! Most bugs need no more than two or three threads, but in a program with many the chance that just these meet is small
//! when all run at once. Here a handful is drawn beforehand, by who asks for the execution; among them the order is random
//! step by step, and the rest of the threads runs afterwards, one after the other.
//!
//! The main thread usually makes the others. In three of four executions it goes first whenever it can, so that there is
//! somebody to draw from; in the fourth it is one of the few.

use super::{Lots, Step, random, ready};
use crate::{ThreadId, World};

/// The most threads of a handful, the main thread not counted.
pub const HANDFUL: usize = 4;

/// A handful in the two numbers that a policy has; a zero stands for nobody.
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
