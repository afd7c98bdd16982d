//! From a model of the formula to an execution.

use rustc_hash::FxHashMap;

use super::event::ThreadIndex;
use super::{Formula, Pair};
use crate::solve::{Backend, Node};
use crate::term::{Assignment, TermId, Terms};

/// An execution that the solver found.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The values of all unknowns: inputs, and what loads read.
    pub values: Assignment,
    /// The events that happen, in order: thread, and index among its events. It stays with a thread as long as it can.
    pub schedule: Vec<(ThreadIndex, usize)>,
    /// By signal (its thread and event): the sleeps (thread and event) that it ends.
    pub wakes: FxHashMap<(usize, usize), Vec<(usize, usize)>>,
    /// The accesses that race in this execution.
    pub races: Vec<Pair>,
}

impl Formula {
    /// The execution of the model that was found last.
    pub(super) fn decode(&self, terms: &Terms, values: Assignment) -> Counterexample {
        let schedule = match &self.steps {
            Some(steps) => self.recorded(terms, steps, &values),
            None => self.linear_order(),
        };
        let mut wakes: FxHashMap<(usize, usize), Vec<(usize, usize)>> = FxHashMap::default();
        for (l, signal, sleep) in &self.wakes {
            if self.backend.value(*l) {
                wakes.entry(*signal).or_default().push(*sleep);
            }
        }
        let races = self.races.iter().filter(|(_, l)| self.backend.value(*l)).map(|(pair, _)| *pair).collect();
        Counterexample { values, schedule, wakes, races }
    }

    /// The events that happen, by the threads of the steps.
    fn recorded(&self, terms: &Terms, steps: &[TermId], values: &Assignment) -> Vec<(ThreadIndex, usize)> {
        let mut next: Vec<Node> = (0..self.program.threads.len()).map(|t| self.skeleton.begin(t)).collect();
        let mut schedule = Vec::new();
        for step in steps {
            let t = terms.eval(*step, values) as usize;
            if let (thread, Some(event)) = self.skeleton.place(next[t])
                && self.backend.value(self.happens[thread][event])
            {
                schedule.push((thread, event));
            }
            next[t] += 1;
        }
        schedule
    }

    /// The events that happen in the model that was found last, in order.
    pub(super) fn linear_order(&self) -> Vec<(ThreadIndex, usize)> {
        let nodes = self.skeleton.nodes();
        let mut out: Vec<Vec<Node>> = vec![Vec::new(); nodes];
        let mut missing = vec![0u32; nodes];
        let chosen = self.edges.iter().filter(|(l, ..)| self.backend.value(*l)).map(|(_, a, b)| (*a, *b));
        for (a, b) in self.skeleton.fixed.iter().copied().chain(chosen) {
            out[a as usize].push(b);
            missing[b as usize] += 1;
        }
        // Ready nodes by thread. The current thread goes on while it can.
        let threads = self.program.threads.len();
        let mut ready: Vec<Vec<Node>> = vec![Vec::new(); threads];
        for node in 0..nodes {
            if missing[node] == 0 {
                ready[self.skeleton.thread(node as Node)].push(node as Node);
            }
        }
        let mut schedule = Vec::new();
        let mut current = 0;
        while let Some(t) = (0..threads).map(|n| (current + n) % threads).find(|t| !ready[*t].is_empty()) {
            current = t;
            let Some(node) = ready[t].pop() else { break };
            if let (thread, Some(event)) = self.skeleton.place(node)
                && self.backend.value(self.happens[thread][event])
            {
                schedule.push((thread, event));
            }
            for next in &out[node as usize] {
                missing[*next as usize] -= 1;
                if missing[*next as usize] == 0 {
                    ready[self.skeleton.thread(*next)].push(*next);
                }
            }
        }
        schedule
    }
}
