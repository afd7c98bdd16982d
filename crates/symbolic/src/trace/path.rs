//! What an execution knows: the conditions of its choices, and which of them lie in the past of a thread.
//!
//! Whether an alternative is possible must be a function of what happened before it, whatever else happened at the same time: else
//! executions that differ only in the order of independent events would offer different alternatives. So only the conditions in the
//! causal past count, and clocks say which those are.

use heddle_model::{Event, Footprint, primitive::memory};
use rustc_hash::FxHashMap;

use crate::solve::{Answer, Backend, Blaster, Budget, Cdclt};
use crate::term::{Assignment, TermId, Terms};

/// For each thread, how many of its events are known.
pub(crate) type Clock = Vec<u32>;

/// Makes a clock know what another knows.
pub(crate) fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// How many events of a thread a clock knows.
pub(crate) fn known(clock: &[u32], thread: usize) -> u32 {
    clock.get(thread).copied().unwrap_or(0)
}

/// What a thread knows: by everything that happened before, and by synchronisation alone.
#[derive(Clone, Default)]
struct Knowledge {
    cause: Clock,
    sync: Clock,
}

/// The past of everything in one execution.
#[derive(Default)]
pub(crate) struct Past {
    threads: Vec<Knowledge>,
    /// Of each event: what it touches, who took it, what was known after it.
    events: Vec<(Footprint, usize, Knowledge, bool)>,
    /// For each thread, its conditions: after how many of its events, and what.
    conditions: Vec<Vec<(u32, TermId)>>,
}

impl Past {
    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        self.threads.clear();
        self.events.clear();
        self.conditions.clear();
    }

    fn room(&mut self, thread: usize) {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Knowledge::default());
            self.conditions.resize(thread + 1, Vec::new());
        }
    }

    /// A thread takes an event.
    pub(crate) fn take(&mut self, event: &Event) {
        let thread = event.thread.index();
        self.room(thread);
        let footprint = Footprint::alone(event);
        let plain = event.operation.code.family() == memory::FAMILY;
        let mut now = std::mem::take(&mut self.threads[thread]);
        for (other, by, after, other_plain) in self.events.iter().rev() {
            if *by == thread
                || known(&now.cause, *by) >= known(&after.cause, *by)
                    && known(&now.sync, *by) >= known(&after.sync, *by)
            {
                continue;
            }
            if footprint.conflicts_with(other) {
                join(&mut now.cause, &after.cause);
                if !plain && !other_plain {
                    join(&mut now.sync, &after.sync);
                }
            }
        }
        for clock in [&mut now.cause, &mut now.sync] {
            if clock.len() <= thread {
                clock.resize(thread + 1, 0);
            }
            clock[thread] += 1;
        }
        self.events.push((footprint, thread, now.clone(), plain));
        self.threads[thread] = now;
    }

    /// What a thread knows by synchronisation.
    pub(crate) fn sync(&mut self, thread: usize) -> &Clock {
        self.room(thread);
        &self.threads[thread].sync
    }

    /// What a thread knows.
    pub(crate) fn cause(&mut self, thread: usize) -> &Clock {
        self.room(thread);
        &self.threads[thread].cause
    }

    /// The positions of the events that a clock knows.
    pub(crate) fn events_of(&self, clock: &[u32]) -> Vec<usize> {
        let mut count = vec![0u32; self.threads.len()];
        let mut all = Vec::new();
        for (index, (_, by, ..)) in self.events.iter().enumerate() {
            count[*by] += 1;
            if count[*by] <= known(clock, *by) {
                all.push(index);
            }
        }
        all
    }

    /// From here on a thread goes on only where this holds.
    pub(crate) fn add(&mut self, thread: usize, condition: TermId) {
        if condition == Terms::TRUE {
            return;
        }
        self.room(thread);
        let at = known(&self.threads[thread].cause, thread);
        self.conditions[thread].push((at, condition));
    }

    /// The conditions in the past that a clock knows, and all of `own`.
    pub(crate) fn conditions(&self, clock: &[u32], own: Option<usize>) -> Vec<TermId> {
        let mut all = Vec::new();
        for (thread, list) in self.conditions.iter().enumerate() {
            let limit = known(clock, thread);
            let all_of_it = own == Some(thread);
            all.extend(list.iter().filter(|(at, _)| all_of_it || *at < limit).map(|(_, condition)| *condition));
        }
        all
    }

    /// The first conditions of a thread.
    pub(crate) fn first(&self, thread: usize, count: usize) -> impl Iterator<Item = TermId> + '_ {
        self.conditions.get(thread).into_iter().flatten().take(count).map(|(_, condition)| *condition)
    }

    /// How many conditions a thread has.
    pub(crate) fn count(&self, thread: usize) -> usize {
        self.conditions.get(thread).map_or(0, Vec::len)
    }

    /// All conditions.
    pub(crate) fn all_conditions(&self) -> Vec<TermId> {
        self.conditions.iter().flatten().map(|(_, condition)| *condition).collect()
    }
}

/// Decides conjunctions of conditions: one solver for all executions.
pub(crate) struct Oracle {
    solver: Cdclt,
    blaster: Blaster,
    answers: FxHashMap<Vec<TermId>, Option<bool>>,
    models: Vec<Assignment>,
    /// What a question may cost.
    pub(crate) budget: Budget,
    /// How many questions the solver was asked.
    pub(crate) queries: u32,
    /// Whether a question was given up.
    pub(crate) gave_up: bool,
}

/// How many models are tried before the solver is asked.
const MODELS: usize = 16;

impl Oracle {
    /// An oracle that has been asked nothing.
    pub(crate) fn new(budget: Budget) -> Oracle {
        let mut solver = Cdclt::new();
        let blaster = Blaster::new(&mut solver);
        Oracle {
            solver,
            blaster,
            answers: FxHashMap::default(),
            models: Vec::new(),
            budget,
            queries: 0,
            gave_up: false,
        }
    }

    /// How many conflicts the solver had.
    pub(crate) fn conflicts(&self) -> u64 {
        self.solver.conflicts()
    }

    /// Whether all of these can hold. What is given up counts as possible: it is noted.
    pub(crate) fn possible(&mut self, terms: &mut Terms, mut all: Vec<TermId>) -> bool {
        all.sort_unstable();
        all.dedup();
        all.retain(|condition| *condition != Terms::TRUE);
        if all.is_empty() {
            return true;
        }
        if terms.and_all(&all) == Terms::FALSE {
            return false;
        }
        if let Some(known) = self.answers.get(&all) {
            return known.unwrap_or(true);
        }
        let fits = |model: &Assignment| all.iter().all(|condition| terms.eval(*condition, model) != 0);
        let found = self.models.iter().position(fits);
        let answer = match found {
            Some(at) => {
                let model = self.models.remove(at);
                self.models.insert(0, model);
                Some(true)
            }
            None => self.ask(terms, &all),
        };
        self.gave_up |= answer.is_none();
        self.answers.insert(all, answer);
        answer.unwrap_or(true)
    }

    fn ask(&mut self, terms: &Terms, all: &[TermId]) -> Option<bool> {
        self.queries += 1;
        let assume: Vec<_> =
            all.iter().map(|condition| self.blaster.lit(terms, &mut self.solver, *condition)).collect();
        match self.solver.solve(&assume, self.budget) {
            Answer::Sat => {
                let model = self.blaster.assignment(terms, &self.solver);
                self.models.insert(0, model);
                self.models.truncate(MODELS);
                Some(true)
            }
            Answer::Unsat => Some(false),
            Answer::Unknown => None,
        }
    }

    /// Values of all unknowns with which all of these hold.
    pub(crate) fn model(&mut self, terms: &mut Terms, all: &[TermId]) -> Option<Assignment> {
        if terms.and_all(all) == Terms::FALSE {
            return None;
        }
        let fits = |model: &&Assignment| all.iter().all(|condition| terms.eval(*condition, model) != 0);
        if let Some(model) = self.models.iter().find(fits) {
            return Some(model.clone());
        }
        match self.ask(terms, all) {
            Some(true) => self.models.first().cloned(),
            Some(false) => None,
            None => {
                self.gave_up = true;
                None
            }
        }
    }
}
