//! What an engine is told that runs threads operation by operation.
//!
//! Such an engine lets a machine execute everything that other threads cannot tell: branches whose arms touch nothing visible are
//! merged. The machine tells it about plain accesses, and stops where something visible is next.

use std::collections::{BTreeSet, HashMap};

use super::threads::Where;
use super::{Machine, Refusal, State};
use crate::ir::Site;
use crate::memory::ObjId;
use crate::term::{Sort, TermId};

/// The bytes of a granule: places are told in granules.
pub(crate) const GRANULE: u64 = 8;

/// An access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The object.
    pub(crate) object: ObjId,
    /// Its first byte in the object, and the one behind its last.
    pub(crate) range: (u64, u64),
    /// Where exactly.
    pub(crate) place: Where,
    /// Whether it writes.
    pub(crate) write: bool,
    /// Whether it is atomic.
    pub(crate) atomic: bool,
    /// When it is made.
    pub(crate) guard: TermId,
    /// Where it is in the source.
    pub(crate) site: Site,
}

/// What is told, and what is visible.
#[derive(Default)]
pub(crate) struct Watch {
    /// Whether nothing visible may be executed.
    pub(crate) quiet: bool,
    /// Whether something visible would have been executed.
    pub(crate) loud: bool,
    /// Whether visible places may be touched: by the operation that is taken.
    pub(crate) allowed: bool,
    /// The granules whose accesses are visible, by their addresses.
    pub(crate) revealed: BTreeSet<u64>,
    /// The accesses since they were last taken.
    pub(crate) touched: Vec<Touch>,
    /// The inputs of each thread, in its order: the same in all executions.
    pub(crate) inputs: HashMap<(u32, u32, Sort), TermId>,
    /// How many inputs each thread has asked for.
    pub(crate) asked: HashMap<u32, u32>,
}

impl Watch {
    /// Whether a byte of a range of an object is visible.
    pub(crate) fn sees(&self, object: ObjId, (low, high): (u64, u64)) -> bool {
        let address = object.address();
        let first = (address + low) & !(GRANULE - 1);
        high > low && self.revealed.range(first..address + high).next().is_some()
    }
}

impl Machine<'_> {
    /// Says that something visible is next. What is being executed in quiet ends here.
    pub(crate) fn visible<T>(&mut self, what: &str) -> Result<T, Refusal> {
        if let Some(watch) = &mut self.watch {
            watch.loud |= watch.quiet;
        }
        self.refuse(what)
    }

    /// Whether nothing visible may be executed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.quiet)
    }

    /// Whether execution in quiet has come to something visible.
    pub(super) fn is_loud(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.loud)
    }

    /// Tells about an access.
    pub(super) fn tell(&mut self, state: &State, guard: TermId, place: &Where, (write, plain): (bool, bool)) {
        if self.watch.is_none() || self.objects[place.object].constant {
            return;
        }
        let guard = self.terms.and(state.guard, guard);
        let range = super::threads::range(&self.terms, &self.objects, place);
        let site = self.site;
        let Some(watch) = &mut self.watch else { return };
        if watch.sees(place.object, range) {
            watch.loud |= !watch.allowed;
            if watch.quiet {
                return;
            }
        }
        watch.touched.push(Touch { object: place.object, range, place: *place, write, atomic: !plain, guard, site });
    }

    /// The unknown of an input: of each thread the same in all executions. None if inputs are not followed in that way.
    pub(crate) fn kept_input(&mut self, sort: Sort) -> Option<TermId> {
        let thread = self.current;
        let watch = self.watch.as_mut()?;
        let count = watch.asked.entry(thread).or_insert(0);
        let key = (thread, *count, sort);
        *count += 1;
        if let Some(known) = watch.inputs.get(&key) {
            return Some(*known);
        }
        let unknown = self.terms.variable(sort, format!("input {} of thread {thread}", key.1));
        self.watch.as_mut()?.inputs.insert(key, unknown);
        Some(unknown)
    }
}
