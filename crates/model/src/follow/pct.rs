//! Probabilistic concurrency testing: few changes of priority, at places drawn beforehand.
//!
//! S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A randomized scheduler with probabilistic guarantees of
//! finding bugs*, ASPLOS 2010, section 3. Every thread gets a random priority, and the highest that can go on does. At
//! `d - 1` places, drawn from the `k` steps of an execution, whoever is about to go on falls below all others.
//! A bug that needs `d` ordering constraints is found by one sample with a probability of at least `1 / (n * k^(d-1))`, for
//! `n` threads.
//!
//! Departures:
//!
//! 1. Nothing is stored. Whether a step is one of the places is drawn when it comes, with the chances that make every
//!    set of `d - 1` different places equally likely (selection sampling: Knuth, volume 2, algorithm S). The paper draws them
//!    independently, and two may fall together; different ones are no less likely to be those that a bug needs.
//! 2. Priorities are random numbers, in the upper half of their range at first and in the lower half after a change, instead of
//!    a permutation of the threads and another of the changes. That is the same but for ties.
//! 3. The priority changes before the step and not after it, which the proof (section 3.3) asks for: a thread that must be
//!    delayed right before an event is.
//! 4. Where an operation has several ways to be taken, one is drawn with equal chances. The guarantee is then for the
//!    order of the threads, given the ways.
//!
//! A thread that waits by looking again and again would keep others from running forever, if it has the highest priority;
//! whoever runs the program makes it an await (see [`Operation::is_await`](crate::Operation::is_await)), which cannot go
//! on until there is something new to see.

use super::{Lots, Step, random, ready};
use crate::{ThreadId, World};

/// First priorities have this bit, those after a change do not.
const UPPER: u64 = 1 << 63;

/// The places of one execution that are still to come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Changes {
    /// How many.
    left: u32,
    /// Among how many steps.
    among: u32,
}

impl Changes {
    pub fn new((depth, length): (u32, u32)) -> Changes {
        Changes { left: depth.saturating_sub(1), among: length }
    }

    /// Whether the next step is one of them.
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

/// Of the threads that can go on the one with the highest priority.
pub(super) fn highest(world: &World) -> Option<ThreadId> {
    world.ids().filter(|&t| ready(world, t)).max_by_key(|&t| world.thread(t).priority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
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
