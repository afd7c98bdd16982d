//! DPOR with persistent sets: the baseline.
//!
//! C. Flanagan, P. Godefroid, *Dynamic partial-order reduction for model checking software*, POPL 2005 (figures 3 and 4,
//! clock vectors), as Y. Yang, X. Chen, G. Gopalakrishnan and R. Kirby adapt it in *Inspect: a framework for runtime
//! model checking of multithreaded C programs* (2007): sleep sets, and locksets for what can be possible at the same time.
//!
//! Departures:
//!
//! 1. Reversals are looked for in whole executions, after they have ended, and not step by step. A thread that still
//!    waits at the end, or that the end of the process cut off, takes part like the next transition of the paper.
//! 2. Dependence is a relation of events, not of operations: a trylock that failed has only read.
//! 3. The model says that two operations cannot be enabled at the same time
//!    ([`enabled_by`](Event::enabled_by)), not the set of locks held. The lock and the unlock
//!    before it are such a pair, and the lock before that is the one to be reversed. Accesses under a common lock are
//!    ordered by the lock already. Without `locksets` the pair counts as well: the waiting thread cannot go on before the
//!    unlock, so all enabled threads are tried there.
//! 4. An event is compared once, when it is taken, with all events that it conflicts with immediately. The paper
//!    compares it in every state in which it is its thread's next transition, each time with the newest event. That comes
//!    to the same events, and to some that do not conflict immediately.
//! 5. An operation with several ways is tried in all of them.
//! 6. Sleep sets do not combine with persistent sets that are found while running. The reversal of a sleeping thread asks
//!    to try that very thread, which is not tried. Had it been, its own reversals would have asked for others. (A writer
//!    and two readers that the main thread does not wait for are enough: the execution in which one reads before the
//!    write and the other after it is lost.) With sleep sets, a reversal must therefore also be covered in the sense of
//!    [`crate::algorithm::source`].

use heddle_model::Event;
use heddle_model::retrace::Retrace;

use crate::algorithm::source::Source;
use crate::algorithm::stack::{Frame, Rule};
use crate::traces::analysis::{Analysis, Reversal};

pub(crate) struct Dpor {
    locksets: bool,
    /// Source sets, if there are sleep sets: see departure 6.
    source: Option<Source>,
}

impl Dpor {
    pub fn new(sleep_sets: bool, locksets: bool) -> Dpor {
        Dpor { locksets, source: sleep_sets.then(Source::default) }
    }
}

impl Rule for Dpor {
    fn shortsighted(&self) -> bool {
        !self.locksets
    }

    fn apply(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        reversals: &[Reversal],
        retrace: &mut Retrace,
        frames: &mut [Frame],
    ) {
        for reversal in reversals {
            let frame = &mut frames[reversal.earlier as usize];
            persistent(events, analysis, *reversal, frame);
            // The pair that only counts without locksets cannot be reversed.
            if let Some(source) = &mut self.source
                && !enabling(events, *reversal)
            {
                source.reverse(events, analysis, *reversal, retrace, frame);
            }
        }
    }
}

fn enabling(events: &[Event], Reversal { earlier, later }: Reversal) -> bool {
    events.get(later as usize).is_some_and(|later| later.enabled_by(&events[earlier as usize]))
}

/// The rule of the paper: tries the thread of the later event, or one that it waits for, or all enabled threads.
fn persistent(events: &[Event], analysis: &Analysis, Reversal { earlier, later }: Reversal, frame: &mut Frame) {
    let thread = match events.get(later as usize) {
        Some(event) => event.thread,
        None => analysis.waiting[later as usize - events.len()].thread,
    };
    if frame.is_ready(thread) {
        frame.add(thread);
        return;
    }
    let helps = |index: &u32| {
        let event = &events[*index as usize];
        frame.is_ready(event.thread)
            && analysis.before_previous(events, (*index, event.thread.index()), later, thread.index())
    };
    let between = earlier + 1..later.min(events.len() as u32);
    match between.clone().filter(helps).map(|i| events[i as usize].thread).next() {
        Some(helper) => {
            // Any one of them will do; one that is there already is the cheapest.
            let known = between.filter(helps).map(|i| events[i as usize].thread).find(|t| frame.backtrack.contains(t));
            frame.add(known.unwrap_or(helper));
        }
        None => {
            frame.add_all();
        }
    }
}
