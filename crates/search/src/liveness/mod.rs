//! Liveness: what can go on for ever, asked of the graph of all states.
//!
//! A search over states without reduction ([`Algorithm::States`](crate::Algorithm::States)) leaves a [`StateGraph`]
//! behind. An endless execution goes round in it. A scheduler that never lets a thread run proves nothing about the
//! program, so only **fair** cycles count ([`Fairness`]). The reduced graph of [`crate::algorithm::stateful`] is not
//! enough: it keeps every local state of every thread, but not cycles.
//!
//! | question | answer |
//! |---|---|
//! | [`StateGraph::endless`] | a fair cycle: the program need not end |
//! | [`StateGraph::livelock`] | a fair cycle in states from which the program could still end |
//! | [`StateGraph::starvation`] | a fair cycle in which a thread waits and never goes on |
//! | [`StateGraph::stuck`] | a thread that waits for ever, whatever the others do, while others can go on |
//!
//! Each answer is a [`Lasso`]: steps that lead to a state, and steps that lead from it to itself. Whoever reports it runs
//! it first.
//!
//! * [`fair`]: which components of the graph have a fair cycle.
//! * [`lasso`]: from a component to steps.

pub mod fair;
pub mod lasso;

use heddle_model::{OpCode, ThreadId};

pub use fair::Fairness;
pub use lasso::Lasso;

use crate::liveness::fair::{Part, fair_parts};

/// A step from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateEdge {
    /// Who takes it.
    pub thread: ThreadId,
    /// What it does.
    pub code: OpCode,
    /// In which way.
    pub way: u16,
    /// The number of the state after it. `None` if it ends the process.
    pub to: Option<u32>,
}

/// One state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateNode {
    /// The threads that can go on.
    pub ready: Vec<ThreadId>,
    /// The threads that have not ended and must wait.
    pub waiting: Vec<ThreadId>,
    /// All steps that are possible.
    pub edges: Vec<StateEdge>,
}

/// All states of a program, with all their steps. The first is number 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGraph {
    /// The states.
    pub nodes: Vec<StateNode>,
}

impl StateGraph {
    /// A fair cycle. `None` if every fair execution ends.
    pub fn endless(&self, fairness: Fairness) -> Option<Lasso> {
        self.cycle(fairness, |_| true, |_, _| true)
    }

    /// A fair cycle in states from which the process could still end: the threads act for ever and get nowhere. A program
    /// that is not made to end has none.
    pub fn livelock(&self, fairness: Fairness) -> Option<Lasso> {
        let could_end = self.reaching(|node| {
            let node = &self.nodes[node as usize];
            // Everybody has ended, or one step ends the process.
            node.edges.iter().any(|edge| edge.to.is_none()) || node.ready.is_empty() && node.waiting.is_empty()
        });
        self.cycle(fairness, |node| could_end[node as usize], |_, _| true)
    }

    /// A fair cycle in which `thread` must wait again and again, or always, and never goes on.
    pub fn starvation(&self, thread: ThreadId, fairness: Fairness) -> Option<Lasso> {
        let alive = |node: u32| {
            let node = &self.nodes[node as usize];
            node.waiting.contains(&thread) || node.ready.contains(&thread)
        };
        let parts = fair_parts(self, fairness, &alive, &|_, edge| edge.thread != thread);
        let waits = |part: &Part| part.nodes.iter().any(|&node| self.nodes[node as usize].waiting.contains(&thread));
        let part = parts.into_iter().find(waits)?;
        let waits = part.nodes.iter().copied().find(|&node| self.nodes[node as usize].waiting.contains(&thread))?;
        lasso::through(self, &part, fairness, Some(waits), &|_, edge| edge.thread != thread)
    }

    /// A state in which `thread` waits although others can go on, and from which it can never go on, whatever they do:
    /// a partial deadlock. Returns the steps that lead there.
    pub fn stuck(&self, thread: ThreadId) -> Option<Vec<StateEdge>> {
        // It may go on, or be ended by somebody else.
        let hope = self.reaching(|node| {
            let node = &self.nodes[node as usize];
            let ends = node.edges.iter().any(|edge| edge.to.is_none());
            ends || !node.waiting.contains(&thread)
        });
        let lost = |node: u32| !hope[node as usize] && !self.nodes[node as usize].ready.is_empty();
        let (_, stem) = lasso::way_to(self, 0, lost, |_| true, &|_, _| true)?;
        Some(stem)
    }

    /// The states from which a state can be reached for which `is_goal` holds.
    fn reaching(&self, is_goal: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            for to in node.edges.iter().filter_map(|edge| edge.to) {
                before[to as usize].push(from as u32);
            }
        }
        let mut found: Vec<bool> = (0..self.nodes.len() as u32).map(is_goal).collect();
        let mut todo: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| found[node as usize]).collect();
        while let Some(node) = todo.pop() {
            for &earlier in &before[node as usize] {
                if !std::mem::replace(&mut found[earlier as usize], true) {
                    todo.push(earlier);
                }
            }
        }
        found
    }

    fn cycle(
        &self,
        fairness: Fairness,
        node: impl Fn(u32) -> bool,
        edge: impl Fn(u32, &StateEdge) -> bool,
    ) -> Option<Lasso> {
        let part = fair_parts(self, fairness, &node, &edge).into_iter().next()?;
        lasso::through(self, &part, fairness, None, &edge)
    }
}
