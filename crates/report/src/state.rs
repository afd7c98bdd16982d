//! The state between two steps of a trace: which thread holds which locks, which are blocked, what each does next.

use std::collections::{BTreeMap, BTreeSet};

use heddle_model::primitive::thread;
use heddle_model::trace::TraceStep;
use heddle_model::{ThreadId, Trace};

/// The state after some steps of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// The locks that each thread holds. Threads without locks are not listed.
    pub holds: BTreeMap<ThreadId, Vec<String>>,
    /// The threads that are blocked.
    pub blocked: BTreeSet<ThreadId>,
    /// The threads that exist: created, and not ended.
    pub alive: BTreeSet<ThreadId>,
    /// The threads besides the main one that were created, whether or not they have ended.
    pub known: BTreeSet<ThreadId>,
}

impl State {
    /// The state after the first `taken` steps.
    pub fn after(trace: &Trace, taken: usize) -> State {
        let mut state = State::default();
        state.alive.insert(ThreadId::MAIN);
        for step in trace.steps.iter().take(taken) {
            state.alive.insert(step.thread);
            state.alive.extend(step.creates);
            state.known.extend(step.creates);
            if let Some(holds) = &step.holds {
                state.holds.insert(step.thread, holds.clone());
            }
            state.blocked.extend(&step.blocks);
            for thread in &step.frees {
                state.blocked.remove(thread);
            }
            if step.is(thread::EXIT) {
                state.alive.remove(&step.thread);
            }
        }
        state.holds.retain(|_, held| !held.is_empty());
        if taken >= trace.steps.len() {
            // At the end, the trace lists the threads that wait.
            state.blocked.extend(trace.last.iter().filter(|step| step.waits).map(|step| step.thread));
        }
        state
    }
}

/// The next step of `thread` after the first `taken` steps, or the operation that it was about to take at the end.
pub fn next_of(trace: &Trace, thread: ThreadId, taken: usize) -> Option<&TraceStep> {
    let later = trace.steps.iter().skip(taken).find(|step| step.thread == thread);
    later.or_else(|| trace.last.iter().find(|step| step.thread == thread))
}
