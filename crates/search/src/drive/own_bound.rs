//! The search's own bound on operations: for programs with executions that are too large.
//!
//! A program may never end: its main thread creates threads for ever, or polls. An execution of it grows until there is no
//! room left ([`heddle_model::Outcome::Capacity`]). Nothing follows from such an execution, and it must not end the
//! search. So a bound on the operations of each thread is set, as if the user had asked for it, and the search begins anew.
//! A bound stops a thread and not the execution: whatever the other threads do is explored.
//!
//! The first bound is small, so that executions are short and there are few of them. When all were run, the bound is
//! raised, as long as executions are cut off by it and fit.

use serde::{Deserialize, Serialize};

/// The first bound.
const FIRST: u32 = 64;
/// By which factor the bound is raised or lowered.
const FACTOR: u32 = 4;
/// The highest bound.
const MOST: u32 = FIRST * FACTOR * FACTOR * FACTOR;
/// The lowest bound. A program that does not fit within it is not searched.
const LEAST: u32 = FIRST / FACTOR / FACTOR;

/// The most executions within one bound, if nobody has set a limit. The search cannot end with a proof, and must end.
pub(crate) const EXECUTIONS: u64 = 5000;

/// The search's own bound on the operations of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct OwnBound {
    /// The bound. 0 means none.
    most: u32,
    /// The lowest bound with which an execution was too large. 0 if there is none.
    too_large: u32,
    /// How many operations of one thread are given ([`crate::Options::prefix`]). They come on top.
    given: u32,
}

impl OwnBound {
    /// The bound in force, if the user has asked for a bound of `asked`.
    pub fn with(self, asked: Option<u32>) -> u32 {
        self.in_force(asked).or(asked).unwrap_or(0)
    }

    /// This bound, unless the user has asked for a lower one.
    pub fn in_force(self, asked: Option<u32>) -> Option<u32> {
        let most = self.most.saturating_add(self.given);
        (self.most != 0 && asked.is_none_or(|asked| most < asked)).then_some(most)
    }

    /// An execution with the bound `within` (0: none) was too large. Lowers the bound, if it was that one. Returns whether there is a
    /// bound left to try. `given` are the operations of one thread that every execution begins with.
    pub fn lower(&mut self, within: u32, asked: Option<u32>, given: u32) -> bool {
        if within != self.with(asked) {
            // It was run before the bound was lowered.
            return true;
        }
        self.given = given;
        let most = match within.saturating_sub(given) {
            0 => FIRST,
            within => FIRST.min(within / FACTOR),
        };
        let most = if self.most > FIRST { self.most / FACTOR } else { most };
        if most < LEAST {
            return false;
        }
        if within != 0 {
            self.too_large = within.saturating_sub(given);
        }
        self.most = most;
        true
    }

    /// Raises the bound after a search within it, if there is a bound and a higher one may fit. Returns whether it did.
    pub fn raise(&mut self, asked: Option<u32>) -> bool {
        let higher = self.most.saturating_mul(FACTOR);
        let fits = self.too_large == 0 || higher < self.too_large;
        let raised = self.in_force(asked).is_some() && fits && higher <= MOST;
        if raised {
            self.most = higher;
        }
        raised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_raised_until_it_does_not_fit() {
        let mut bound = OwnBound::default();
        assert_eq!((bound.with(None), bound.with(Some(9)), bound.raise(None)), (0, 9, false));
        assert!(bound.lower(0, None, 0));
        assert_eq!(bound.in_force(None), Some(FIRST));
        assert!(bound.lower(0, None, 0), "under way when the bound was set");
        assert_eq!(bound.in_force(None), Some(FIRST));
        assert!(bound.raise(None));
        assert_eq!(bound.with(None), FIRST * FACTOR);
        assert!(bound.lower(FIRST * FACTOR, None, 0));
        assert_eq!((bound.with(None), bound.raise(None)), (FIRST, false), "what did not fit is not tried again");
    }

    #[test]
    fn a_bound_that_was_asked_for_is_lowered_only_if_it_must_be() {
        let mut bound = OwnBound::default();
        assert!(bound.lower(1000, Some(1000), 0));
        assert_eq!(bound.with(Some(1000)), FIRST);
        assert!(bound.raise(Some(1000)), "the one that was asked for does not fit, but this may");
        assert_eq!((bound.with(Some(1000)), bound.raise(Some(1000))), (FIRST * FACTOR, false));
        assert_eq!(bound.in_force(Some(70)), None, "who asks for less gets it");
    }

    #[test]
    fn there_is_a_lowest_bound() {
        let mut bound = OwnBound::default();
        let mut times = 0;
        while bound.lower(bound.with(None), None, 3) {
            times += 1;
            assert!(times < 10);
        }
        assert_eq!(bound.with(None), LEAST + 3);
    }
}
