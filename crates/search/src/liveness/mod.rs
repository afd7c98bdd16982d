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
//! | [`StateGraph::idle`] | a fair cycle without progress |
//! | [`StateGraph::livelock`] | a fair cycle without progress, or, in a program that never says that it makes progress, one in states from which the program could still end |
//! | [`StateGraph::starvation`] | a fair cycle in which a thread waits, or looks in vain, and never goes on, although it could |
//! | [`StateGraph::stuck`] | a thread that waits for ever, whatever the others do, while others can go on |
//! | [`StateGraph::vain`] | threads that look for ever for what nobody does |
//!
//! Each answer is a [`Lasso`]: steps that lead to a state, and steps that lead from it to itself. Whoever reports it runs
//! it first.
//!
//! * [`fair`]: which components of the graph have a fair cycle.
//! * [`lasso`]: from a component to steps.
//! * [`ltl`]: formulas of linear temporal logic ([`StateGraph::violation`]).

pub mod fair;
pub mod lasso;
pub mod ltl;

use heddle_model::follow::Step;
use heddle_model::{ObjectId, OpCode, ThreadId};

pub use heddle_model::Fairness;
pub use lasso::Lasso;

use crate::liveness::fair::fair_parts;

/// [`StateEdge::marks`]: the step reads something and writes nothing.
pub const LOOKS: u64 = 1;
/// [`StateEdge::marks`]: the step touches nothing, and does not end the process.
pub const PAUSES: u64 = 2;
/// [`StateEdge::marks`]: the program says that it makes progress.
pub const PROGRESS: u64 = 4;

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
    /// Sets of steps that it is in, as bits: [`LOOKS`], [`PAUSES`], [`PROGRESS`], or acceptance sets of an automaton.
    pub marks: u64,
    /// Which of [`StateGraph::tails`] follows. There is none of a number that is too large.
    pub tail: u32,
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
    /// The propositions that hold.
    pub holds: Vec<ObjectId>,
}

/// All states of a program, with all their steps. The first is number 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGraph {
    /// The states.
    pub nodes: Vec<StateNode>,
    /// The steps that lead to the first state, after those that every execution begins with.
    pub opening: Vec<Step>,
    /// Steps that follow the first one of an edge and belong to it, because there is nothing to decide between.
    pub tails: Vec<Vec<Step>>,
}

impl StateGraph {
    /// A fair cycle. `None` if every fair execution ends.
    pub fn endless(&self, fairness: Fairness) -> Option<Lasso> {
        self.cycle(fairness, |_| true, |_, _| true)
    }

    /// A fair cycle without a step by which the program says that it makes progress.
    pub fn idle(&self, fairness: Fairness) -> Option<Lasso> {
        self.cycle(fairness, |_| true, |_, edge| edge.marks & PROGRESS == 0)
    }

    /// Whether the program says anywhere that it makes progress.
    pub fn has_progress(&self) -> bool {
        self.nodes.iter().flat_map(|node| &node.edges).any(|edge| edge.marks & PROGRESS != 0)
    }

    /// The threads act for ever and get nowhere: a fair cycle without progress. In a program that never says that it makes
    /// progress, it is one in states from which the process could still end. A program that is not made to end has none.
    pub fn livelock(&self, fairness: Fairness) -> Option<Lasso> {
        if self.has_progress() {
            return self.idle(fairness);
        }
        let could_end = self.reaching(|node| {
            let node = &self.nodes[node as usize];
            // Everybody has ended, or one step ends the process.
            node.edges.iter().any(|edge| edge.to.is_none()) || node.ready.is_empty() && node.waiting.is_empty()
        });
        self.cycle(fairness, |node| could_end[node as usize], |_, _| true)
    }

    /// A fair cycle in which `thread` never gets on, although it could: it does not act, or only looks, and from every state of
    /// the cycle one can be reached in which it does something else. It must wait in one of its states, or look in vain where the scheduler is
    /// fair.
    pub fn starvation(&self, thread: ThreadId, fairness: Fairness) -> Option<Lasso> {
        let gets_on = |edge: &StateEdge| edge.thread == thread && edge.marks & (LOOKS | PAUSES) == 0;
        let could = self.reaching(|node| self.nodes[node as usize].edges.iter().any(gets_on));
        let waits = |node: u32| self.nodes[node as usize].waiting.contains(&thread);
        let is_in =
            |node: u32| could[node as usize] && (waits(node) || self.nodes[node as usize].ready.contains(&thread));
        let follows = |_: u32, edge: &StateEdge| !gets_on(edge);
        fair_parts(self, fairness, 0, &is_in, &follows).into_iter().find_map(|part| {
            let waits = part.nodes.iter().copied().find(|&node| waits(node));
            // Where it never waits it is ready everywhere, and acts if the scheduler is fair.
            let starves = waits.is_some() || fairness != Fairness::None;
            starves.then(|| lasso::through(self, &part, fairness, waits, 0, &follows)).flatten()
        })
    }

    /// An endless execution in which `thread` waits for ever, whatever the others do. `None` if there is none.
    pub fn stuck_for_ever(&self, thread: ThreadId) -> Option<Lasso> {
        let lost = self.lost(thread);
        self.cycle(Fairness::Strong, |node| lost[node as usize], |_, _| true)
    }

    /// An endless execution in which whoever can go on looks again and again, for ever, and nobody can do anything else any more.
    pub fn vain(&self) -> Option<Lasso> {
        let hope = self.reaching(|node| {
            let node = &self.nodes[node as usize];
            node.edges.is_empty()
                || node.edges.iter().any(|edge| edge.to.is_none() || edge.marks & (LOOKS | PAUSES) == 0)
        });
        let parts = fair_parts(self, Fairness::Strong, LOOKS, &|node| !hope[node as usize], &|_, _| true);
        parts.into_iter().find_map(|part| lasso::through(self, &part, Fairness::Strong, None, LOOKS, &|_, _| true))
    }

    /// A state in which `thread` waits although others can go on, and from which it can never go on, whatever they do:
    /// a partial deadlock. Returns the steps that lead there.
    pub fn stuck(&self, thread: ThreadId) -> Option<Vec<StateEdge>> {
        let lost = self.lost(thread);
        let lost = |node: u32| lost[node as usize] && !self.nodes[node as usize].ready.is_empty();
        let (_, stem) = lasso::way_to(self, 0, lost, |_| true, &|_, _| true)?;
        Some(stem)
    }

    /// The states from which `thread` can never go on, and is not ended by somebody else either.
    fn lost(&self, thread: ThreadId) -> Vec<bool> {
        let mut hope = self.reaching(|node| {
            let node = &self.nodes[node as usize];
            let ends = node.edges.iter().any(|edge| edge.to.is_none());
            ends || !node.waiting.contains(&thread)
        });
        hope.iter_mut().for_each(|hope| *hope = !*hope);
        hope
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
        let part = fair_parts(self, fairness, 0, &node, &edge).into_iter().next()?;
        lasso::through(self, &part, fairness, None, 0, &edge)
    }
}
