//! What is so between two steps of a trace: who holds what, who cannot go on, what each thread does next.

use std::collections::{BTreeMap, BTreeSet};

use heddle_model::primitive::thread;
use heddle_model::trace::TraceStep;
use heddle_model::{ThreadId, Trace};

/// What is so after some steps of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// What each thread holds, as far as it holds anything.
    pub holds: BTreeMap<ThreadId, Vec<String>>,
    /// Who cannot go on.
    pub blocked: BTreeSet<ThreadId>,
    /// Who has begun and not ended.
    pub alive: BTreeSet<ThreadId>,
}

impl State {
    /// After the first `taken` steps.
    pub fn after(trace: &Trace, taken: usize) -> State {
        let mut state = State::default();
        for step in trace.steps.iter().take(taken) {
            state.alive.insert(step.thread);
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
            // The end is known exactly.
            state.blocked.extend(trace.last.iter().filter(|step| step.waits).map(|step| step.thread));
        }
        state
    }
}

/// What `thread` does next after the first `taken` steps: its next step, or what it was about to do at the end.
pub fn next_of(trace: &Trace, thread: ThreadId, taken: usize) -> Option<&TraceStep> {
    let later = trace.steps.iter().skip(taken).find(|step| step.thread == thread);
    later.or_else(|| trace.last.iter().find(|step| step.thread == thread))
}
