//! From a part of the graph with a fair cycle to the steps of one: a stem, and a cycle that is repeated for ever.

use std::collections::{BTreeSet, HashMap, VecDeque};

use heddle_model::follow::Step;
use heddle_model::{Fairness, ThreadId};

use crate::liveness::fair::Part;
use crate::liveness::{StateEdge, StateGraph};

/// An endless execution: the stem once, then the cycle again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The steps from the first state to the cycle: as few as possible.
    pub stem: Vec<StateEdge>,
    /// The steps of the cycle. They lead to the state in which they begin.
    pub cycle: Vec<StateEdge>,
}

impl StateGraph {
    /// The steps of a schedule that goes along `edges`: for each its own, and those that belong to it.
    pub fn steps<'g>(&'g self, edges: &'g [StateEdge]) -> impl Iterator<Item = Step> + 'g {
        let tail = |edge: &StateEdge| self.tails.get(edge.tail as usize).into_iter().flatten().copied();
        edges.iter().flat_map(move |edge| std::iter::once(edge.step()).chain(tail(edge)))
    }

    /// The schedule that goes through the stem, and through the cycle so many times.
    pub fn schedule(&self, lasso: &Lasso, times: usize) -> Vec<Step> {
        let cycles = (0..times).flat_map(|_| self.steps(&lasso.cycle));
        self.opening.iter().copied().chain(self.steps(&lasso.stem)).chain(cycles).collect()
    }
}

impl StateEdge {
    /// This edge as a step of a schedule.
    pub fn step(&self) -> Step {
        Step::new(self.thread).expecting(self.code).taking(heddle_model::Choice::Way(self.way))
    }
}

/// The shortest way from a state to one for which `is_goal` holds, through states for which `is_in` holds.
pub(crate) fn way_to(
    graph: &StateGraph,
    from: u32,
    is_goal: impl Fn(u32) -> bool,
    is_in: impl Fn(u32) -> bool,
    follows: &dyn Fn(u32, &StateEdge) -> bool,
) -> Option<(u32, Vec<StateEdge>)> {
    let mut before: HashMap<u32, Option<(u32, StateEdge)>> = HashMap::from([(from, None)]);
    let mut open = VecDeque::from([from]);
    while let Some(node) = open.pop_front() {
        if is_goal(node) {
            let mut way = Vec::new();
            let mut at = node;
            while let Some(&Some((earlier, edge))) = before.get(&at) {
                way.push(edge);
                at = earlier;
            }
            way.reverse();
            return Some((node, way));
        }
        for edge in graph.nodes[node as usize].edges.iter().filter(|edge| follows(node, edge)) {
            if let Some(to) = edge.to.filter(|&to| is_in(to) && !before.contains_key(&to)) {
                before.insert(to, Some((node, *edge)));
                open.push_back(to);
            }
        }
    }
    None
}

/// A lasso whose cycle stays in `part` along edges for which `follows` holds, is fair, passes `also`, and has steps in each of
/// the sets `marks`.
///
/// The cycle goes to the nearest obligation that is left, again and again, and then home. With strong fairness each thread
/// that is enabled in the part must act; with weak fairness it must act or meet a state where it is not enabled.
pub(crate) fn through(
    graph: &StateGraph,
    part: &Part,
    fairness: Fairness,
    also: Option<u32>,
    marks: u64,
    follows: &dyn Fn(u32, &StateEdge) -> bool,
) -> Option<Lasso> {
    let members: BTreeSet<u32> = part.nodes.iter().copied().collect();
    let inside = |node: u32| members.contains(&node);
    let ready = part.nodes.iter().flat_map(|&node| graph.nodes[node as usize].ready.iter().copied());
    let threads = if fairness == Fairness::None { BTreeSet::new() } else { ready.collect() };
    let mut owed = Owed { threads, marks };
    let goal = |node: u32| also.map_or(inside(node), |also| node == also);
    let (start, stem) = way_to(graph, 0, goal, |_| true, &|_, _| true)?;
    let is_weak = fairness == Fairness::Weak;
    let disabled = |node: u32, thread: &ThreadId| !graph.nodes[node as usize].ready.contains(thread);
    // The step from a node that pays something.
    let pays = |node: u32, owed: &Owed| {
        let edges = graph.nodes[node as usize].edges.iter();
        let mut edges = edges.filter(|edge| follows(node, edge) && edge.to.is_some_and(inside));
        edges.find(|edge| owed.threads.contains(&edge.thread) || owed.marks & edge.marks != 0).copied()
    };
    let mut cycle = Vec::new();
    let mut at = start;
    loop {
        if is_weak {
            owed.threads.retain(|thread| !disabled(at, thread));
        }
        if owed.threads.is_empty() && owed.marks == 0 {
            break;
        }
        let is_goal = |node: u32| {
            pays(node, &owed).is_some() || is_weak && owed.threads.iter().any(|thread| disabled(node, thread))
        };
        let (node, way) = way_to(graph, at, is_goal, inside, follows)?;
        let step = pays(node, &owed);
        at = step.map_or(Some(node), |step| step.to)?;
        for edge in way.into_iter().chain(step) {
            owed.threads.remove(&edge.thread);
            owed.marks &= !edge.marks;
            cycle.push(edge);
        }
        if is_weak {
            owed.threads.retain(|thread| !disabled(node, thread));
        }
    }
    if cycle.is_empty() {
        // Any step that stays inside begins a cycle.
        let mut edges = graph.nodes[at as usize].edges.iter().filter(|edge| follows(at, edge));
        let edge = edges.find(|edge| edge.to.is_some_and(inside))?;
        cycle.push(*edge);
        at = edge.to?;
    }
    let (_, home) = way_to(graph, at, |node| node == start, inside, follows)?;
    cycle.extend(home);
    Some(Lasso { stem, cycle })
}

/// What a cycle still needs: steps of these threads, and steps in these sets.
struct Owed {
    threads: BTreeSet<ThreadId>,
    marks: u64,
}
