//! Probabilistic concurrency testing (PCT): few changes of priority, at random positions.
//!
//! S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A randomized scheduler with probabilistic guarantees of
//! finding bugs*, ASPLOS 2010, section 3. Every thread gets a random priority, and the enabled thread with the highest
//! priority runs. At `d - 1` positions, drawn from the `k` steps of an execution, the thread that is about to run gets a
//! priority below all others. One sample finds a bug that needs `d` ordering constraints with a probability of at least
//! `1 / (n * k^(d-1))`, for `n` threads.
//!
//! Departures from the paper:
//!
//! 1. The positions are not stored. Each step is drawn as a position when it comes, such that every set of `d - 1`
//!    different positions is equally likely (selection sampling: Knuth, volume 2, algorithm S). The paper draws the
//!    positions independently, so two may coincide. Distinct positions are no less likely to be those that a bug needs.
//! 2. Priorities are random numbers: in the upper half of their range at first, in the lower half after a change. The
//!    paper uses a permutation of the threads and one of the changes. The two are equivalent except for ties.
//! 3. The priority changes before the step, not after it, as the proof in section 3.3 requires: a thread can be delayed
//!    right before an event.
//! 4. An operation with several alternatives takes one of them with equal probability. The guarantee then covers the
//!    order of the threads, given these alternatives.
//!
//! A spinning thread with the highest priority would keep all others from running. The executor therefore turns its
//! operation into an await (see [`Operation::is_await`](crate::Operation::is_await)), which stays disabled until another
//! thread writes to a place that it reads.

use super::{Lots, Step, random, ready};
use crate::{ThreadId, World};

/// The bit that initial priorities have and changed priorities do not.
const UPPER: u64 = 1 << 63;

/// The priority changes that remain in one execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes {
    /// The number of changes that remain.
    left: u32,
    /// The number of steps that they are drawn from.
    among: u32,
}

impl Changes {
    pub fn new((depth, length): (u32, u32)) -> Changes {
        Changes { left: depth.saturating_sub(1), among: length }
    }

    /// Whether the priority changes at the next step.
    fn due(&mut self, lots: &mut Lots) -> bool {
        if self.left == 0 {
            return false;
        }
        let Some(drawn) = lots.below(self.among as u64) else { return false };
        self.among -= 1;
        let due = drawn < self.left as u64;
        self.left -= due as u32;
        due
    }
}

pub(super) fn next(changes: &mut Changes, lots: &mut Lots, world: &mut World) -> Option<Step> {
    for thread in world.ids() {
        // New threads: nobody else has 0.
        if world.thread(thread).priority == 0 {
            world.thread_mut(thread).priority = lots.any() | UPPER;
        }
    }
    let mut thread = highest(world)?;
    if changes.due(lots) {
        world.thread_mut(thread).priority = (lots.any() & !UPPER) | 1;
        thread = highest(world)?;
    }
    random::with_choice(lots, world, thread)
}

/// The ready thread with the highest priority.
pub(super) fn highest(world: &World) -> Option<ThreadId> {
    world.ids().filter(|&t| ready(world, t)).max_by_key(|&t| world.thread(t).priority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "statistics need many samples, and Miri is a hundred times slower")]
    fn every_set_of_places_is_equally_likely() {
        let mut seen = [0u32; 64];
        for seed in 0..20_000 {
            let (mut changes, mut lots) = (Changes::new((3, 6)), Lots::new(seed));
            let places = (0..9).filter(|_| changes.due(&mut lots)).count();
            assert_eq!(places, 2, "two places, all within the length");
            let (mut changes, mut lots) = (Changes::new((3, 6)), Lots::new(seed));
            let set = (0..6).map(|step| (changes.due(&mut lots) as usize) << step).sum::<usize>();
            seen[set] += 1;
        }
        let pairs: Vec<u32> = seen.into_iter().filter(|&n| n > 0).collect();
        assert_eq!(pairs.len(), 15, "6 over 2");
        // 1333 expected, with a standard deviation of 35.
        assert!(pairs.iter().all(|n| (1180..1490).contains(n)), "{pairs:?}");
    }

    #[test]
    fn more_places_than_steps_are_all_steps() {
        let (mut changes, mut lots) = (Changes::new((9, 3)), Lots::new(1));
        assert_eq!((0..5).map(|_| changes.due(&mut lots)).collect::<Vec<_>>(), [true, true, true, false, false]);
    }
}
