//! Bounds on how a schedule may differ from one that runs each thread as long as it can.
//!
//! M. Musuvathi, S. Qadeer, *Iterative context bounding for systematic testing of multithreaded programs*, PLDI 2007: most
//! bugs need few **preemptions**, switches away from a thread that could have gone on. A **switch** is any change of
//! the running thread.
//!
//! A bound and a partial-order reduction do not simply combine: the one execution that a reduction runs for a trace may need
//! more preemptions than another one of the same trace, and sleep sets rely on executions that the bound cuts. K. Coons, M.
//! Musuvathi, K. McKinley, *Bounded partial-order reduction*, OOPSLA 2013, keep persistent sets and add conservative points
//! to them. This goes further to the safe side, without any choice among threads to be tried:
//!
//! * Where the running thread changed, everybody who could have gone on is tried: such a switch may cost nothing.
//! * In between, where a switch costs a preemption, everybody is tried before an event that is in a race with a later one,
//!   and nobody before one that is not: what comes after such an event could as well have come before it.
//!
//! It is held against brute force within the same bound.

use heddle_model::{Event, ThreadId};

use crate::analysis::{Analysis, Race};
use crate::replay::Replay;
use crate::stack::{Frame, Rule};

/// How much a schedule may cost. None: as much as it likes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bound {
    pub preemptions: Option<u32>,
    pub switches: Option<u32>,
}

/// What a schedule has cost so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spent {
    pub preemptions: u32,
    pub switches: u32,
    /// Who ran last.
    pub last: Option<ThreadId>,
}

impl Spent {
    /// After `thread` goes on, where `could_go_on` says whether the last one could have.
    pub fn then(self, thread: ThreadId, could_go_on: bool) -> Spent {
        let switches = self.last.is_some_and(|last| last != thread);
        Spent {
            preemptions: self.preemptions + u32::from(switches && could_go_on),
            switches: self.switches + u32::from(switches),
            last: Some(thread),
        }
    }
}

impl Bound {
    /// Whether there is any.
    pub fn is_some(&self) -> bool {
        self.preemptions.is_some() || self.switches.is_some()
    }

    /// Whether `spent` is within it.
    pub fn allows(&self, spent: &Spent) -> bool {
        self.preemptions.is_none_or(|max| spent.preemptions <= max)
            && self.switches.is_none_or(|max| spent.switches <= max)
    }
}

/// Everybody, where switching may matter.
pub(crate) struct Conservative;

impl Rule for Conservative {
    /// Who waits for an unlock is stopped where it waits, and can be left there: that too is a place to be.
    fn shortsighted(&self) -> bool {
        true
    }

    fn apply(&mut self, events: &[Event], _: &Analysis, races: &[Race], _: &mut Replay, frames: &mut [Frame]) {
        for race in races {
            frames[race.earlier as usize].add_all();
        }
        for index in 0..frames.len() {
            if index == 0 || events[index].thread != events[index - 1].thread {
                frames[index].add_all();
            }
        }
    }
}
