//! Bounded searches: only schedules with few preemptions, switches or delays.
//!
//! M. Musuvathi, S. Qadeer, *Iterative context bounding for systematic testing of multithreaded programs*, PLDI 2007: most
//! bugs need few **preemptions**, switches away from a thread that could have gone on. A **switch** is any change of
//! the running thread.
//!
//! M. Emmi, S. Qadeer, Z. Rakamarić, *Delay-bounded scheduling*, POPL 2011: there is a deterministic scheduler, and a
//! **delay** makes it skip one thread. The scheduler here is round robin: it runs each thread as long as it can, then the
//! next enabled thread by number. To go on with a thread costs as many delays as there are enabled threads before it in
//! the round, which begins with the thread that ran last. With `d` delays there are far fewer schedules than with `d`
//! preemptions, because a switch that is not a preemption costs delays, too.
//!
//! A bound and a partial-order reduction do not simply combine: the one execution that a reduction runs for a trace may need
//! more preemptions than another one of the same trace, and sleep sets rely on executions that the bound cuts. K. Coons, M.
//! Musuvathi, K. McKinley, *Bounded partial-order reduction*, OOPSLA 2013, keep persistent sets and add conservative points
//! to them. Departure: this search is more conservative. It has no sleep sets and chooses no thread among several:
//!
//! * Where the running thread changed, all enabled threads are tried, because such a switch may cost nothing.
//! * Elsewhere, all enabled threads are tried before an event that can be reversed with a later one, or that enabled a
//!   later one. None is tried before any other event: what comes after it could as well have come before it.
//!
//! Why that is complete within the bound: `docs/algorithms.md`. It is held against brute force within the same bound.

use heddle_model::follow::Policy;
use heddle_model::retrace::{Ready, Retrace};
use heddle_model::{Event, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::stack::{Frame, Rule};
use crate::traces::analysis::{Analysis, Reversal};
use crate::traces::granules::NONE;

/// What a schedule may cost. `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Bound {
    /// The most preemptions.
    pub preemptions: Option<u32>,
    /// The most switches.
    pub switches: Option<u32>,
    /// The most delays.
    pub delays: Option<u32>,
}

/// Whether a bound has left out a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    /// Some limit has.
    pub any: bool,
    /// The limit on preemptions has, and no other one: with more preemptions there are more schedules.
    pub by_preemptions: bool,
}

/// What a schedule costs up to some point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spent {
    pub preemptions: u32,
    pub switches: u32,
    pub delays: u32,
    /// The thread that ran last.
    pub last: Option<ThreadId>,
}

impl Spent {
    /// The cost after `thread` has gone on where all of `ready` were enabled.
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

    /// The policy after the end of a schedule: one that costs nothing of what is bounded, if there is one.
    pub(crate) fn policy(&self) -> Policy {
        if self.delays.is_some() { Policy::RoundRobin } else { Policy::NonPreemptive }
    }

    /// Whether `spent` is within the bound. Notes it in `left_out` if not.
    pub(crate) fn admits(&self, spent: &Spent, left_out: &mut LeftOut) -> bool {
        let within = self.allows(spent);
        left_out.any |= !within;
        left_out.by_preemptions |= !within && Bound { preemptions: None, ..*self }.allows(spent);
        within
    }

    fn allows(&self, spent: &Spent) -> bool {
        self.preemptions.is_none_or(|max| spent.preemptions <= max)
            && self.switches.is_none_or(|max| spent.switches <= max)
            && self.delays.is_none_or(|max| spent.delays <= max)
    }
}

/// The rule of bounded searches: all enabled threads, where switching may matter.
pub(crate) struct Conservative;

impl Rule for Conservative {
    /// A thread that waits for an unlock can be left waiting there, which is a schedule of its own.
    fn shortsighted(&self) -> bool {
        true
    }

    fn apply(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        reversals: &[Reversal],
        _: &mut Retrace,
        frames: &mut [Frame],
    ) {
        for reversal in reversals {
            frames[reversal.earlier as usize].add_all();
        }
        // Who wakes a waiting thread makes its next event possible: the two are no reversal.
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
