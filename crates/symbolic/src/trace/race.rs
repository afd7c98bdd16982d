//! Plain accesses of threads that nothing orders.
//!
//! A granule on which two threads' accesses are not ordered becomes visible: its accesses are operations then. Whether the two accesses
//! are a data race of the program is another question, that of their conditions.

use heddle_model::ThreadId;
use heddle_model::race::{Access, Race};
use rustc_hash::FxHashMap;

use super::path::{Clock, known};
use crate::machine::{GRANULE, Touch};

/// An access, and what its thread had done by then.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The access.
    pub(crate) touch: Touch,
    /// The thread.
    pub(crate) thread: usize,
    /// How many events the thread had taken.
    pub(crate) at: u32,
    /// What it knew.
    pub(crate) cause: Clock,
    /// How many conditions it had.
    pub(crate) conditions: usize,
    /// Whether it was in an atomic section.
    pub(crate) inside: bool,
}

/// All accesses of an execution, by granules.
#[derive(Default)]
pub(crate) struct Shadow {
    granules: FxHashMap<u64, Vec<Seen>>,
}

impl Shadow {
    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.granules.clear();
    }

    /// A thread makes an access. Returns the accesses that it conflicts with and that nothing orders before it, each with the granule.
    pub(crate) fn access(&mut self, seen: &Seen, sync: &Clock) -> Vec<(u64, Seen)> {
        let mut found = Vec::new();
        let Seen { touch, thread, at, .. } = *seen;
        let address = touch.object.address();
        let (low, high) = touch.range;
        let mut granule = (address + low) & !(GRANULE - 1);
        while granule < address + high {
            let list = self.granules.entry(granule).or_default();
            for other in list.iter() {
                let conflict = (other.touch.write || touch.write) && !(other.touch.atomic && touch.atomic);
                let (from, to) = other.touch.range;
                if conflict
                    && other.thread != thread
                    && from < high
                    && low < to
                    && other.at >= known(sync, other.thread)
                {
                    found.push((granule, other.clone()));
                }
            }
            // An access that says no more than one before it.
            let same = |other: &Seen| {
                other.thread == thread
                    && other.at == at
                    && other.touch.range == touch.range
                    && other.touch.guard == touch.guard
                    && other.touch.atomic == touch.atomic
                    && other.conditions == seen.conditions
                    && (other.touch.write || !touch.write)
            };
            if !list.iter().any(same) {
                list.push(seen.clone());
            }
            granule += GRANULE;
        }
        found
    }
}

/// The race as a search is told of it.
pub(crate) fn told(place: u64, later: &Seen, earlier: &Seen, events: usize) -> Race {
    let touch = &later.touch;
    Race {
        address: touch.object.address() + touch.range.0,
        size: touch.range.1 - touch.range.0,
        later: Access::new(touch.write, touch.atomic),
        later_thread: ThreadId(later.thread as u16),
        earlier: Access::new(earlier.touch.write, earlier.touch.atomic),
        earlier_thread: ThreadId(earlier.thread as u16),
        place,
        events: events as u32,
        ..Race::default()
    }
}
