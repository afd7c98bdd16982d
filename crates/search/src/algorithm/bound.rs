//! Bounds on how a schedule may differ from one that runs each thread as long as it can.
//!
//! M. Musuvathi, S. Qadeer, *Iterative context bounding for systematic testing of multithreaded programs*, PLDI 2007: most
//! bugs need few **preemptions**, switches away from a thread that could have gone on. A **switch** is any change of
//! the running thread.
//!
//! M. Emmi, S. Qadeer, Z. Rakamarić, *Delay-bounded scheduling*, POPL 2011: a scheduler that leaves nothing open, here the
//! one that runs each thread as long as it can and then the next that can, by number, round and round; and a **delay**
//! makes it skip one thread. To go on with a thread costs as many delays as there are threads that can go on
//! before it in the round, beginning with the one that ran last. With `d` delays there are far fewer schedules than with `d`
//! preemptions, because a switch that is not a preemption costs delays too.
//!
//! A bound and a partial-order reduction do not simply combine: the one execution that a reduction runs for a trace may need
//! more preemptions than another one of the same trace, and sleep sets rely on executions that the bound cuts. K. Coons, M.
//! Musuvathi, K. McKinley, *Bounded partial-order reduction*, OOPSLA 2013, keep persistent sets and add conservative points
//! to them. This goes further to the safe side, without any choice among threads to be tried, and without sleep sets:
//!
//! * Where the running thread changed, everybody who could have gone on is tried: such a switch may cost nothing.
//! * In between, everybody is tried before an event that is in a race with a later one, or that made a later one possible, and
//!   nobody before one that is not: what comes after such an event could as well have come before it.
//!
//! Why that is complete within the bound: `docs/algorithms.md`. It is held against brute force within the same bound.

use heddle_model::follow::Policy;
use heddle_model::{Event, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::stack::{Frame, Rule};
use crate::traces::analysis::{Analysis, Reversal};
use crate::traces::granules::NONE;
use crate::traces::replay::{Ready, Replay};

/// How much a schedule may cost. None: as much as it likes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Bound {
    /// The most preemptions.
    pub preemptions: Option<u32>,
    /// The most switches.
    pub switches: Option<u32>,
    /// The most delays.
    pub delays: Option<u32>,
}

/// What a schedule has cost so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spent {
    pub preemptions: u32,
    pub switches: u32,
    pub delays: u32,
    /// Who ran last.
    pub last: Option<ThreadId>,
}

impl Spent {
    /// After `thread` goes on, where all of `ready` could have.
    pub fn then(self, thread: ThreadId, ready: &[Ready]) -> Spent {
        let Some(last) = self.last else { return Spent { last: Some(thread), ..self } };
        let switches = last != thread;
        let could_go_on = ready.iter().any(|r| r.thread == last);
        // The place in the round that begins with who ran last.
        let place = |thread: ThreadId| (thread < last, thread);
        let skipped = ready.iter().filter(|r| place(r.thread) < place(thread)).count() as u32;
        Spent {
            preemptions: self.preemptions + u32::from(switches && could_go_on),
            switches: self.switches + u32::from(switches),
            delays: self.delays + skipped,
            last: Some(thread),
        }
    }
}

impl Bound {
    /// Whether anything is limited.
    pub fn limits(&self) -> bool {
        self.preemptions.is_some() || self.switches.is_some() || self.delays.is_some()
    }

    /// How to go on after a schedule: in a way that costs nothing of what is bounded, as far as there is one.
    pub(crate) fn policy(&self) -> Policy {
        if self.delays.is_some() { Policy::RoundRobin } else { Policy::NonPreemptive }
    }

    /// Whether `spent` is within it.
    pub(crate) fn allows(&self, spent: &Spent) -> bool {
        self.preemptions.is_none_or(|max| spent.preemptions <= max)
            && self.switches.is_none_or(|max| spent.switches <= max)
            && self.delays.is_none_or(|max| spent.delays <= max)
    }
}

/// Everybody, where switching may matter.
pub(crate) struct Conservative;

impl Rule for Conservative {
    /// Who waits for an unlock is stopped where it waits, and can be left there: that too is a place to be.
    fn shortsighted(&self) -> bool {
        true
    }

    fn apply(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        reversals: &[Reversal],
        _: &mut Replay,
        frames: &mut [Frame],
    ) {
        for reversal in reversals {
            frames[reversal.earlier as usize].add_all();
        }
        // Who wakes a sleeper makes its next event possible, and is not in a race with it.
        for &cause in analysis.causes.iter().filter(|&&cause| cause != NONE) {
            frames[cause as usize].add_all();
        }
        for index in 0..frames.len() {
            if index == 0 || events[index].thread != events[index - 1].thread {
                frames[index].add_all();
            }
        }
    }
}
