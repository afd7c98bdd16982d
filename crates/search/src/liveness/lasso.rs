//! From a part of the graph with a fair cycle to the steps of one: a stem, and a cycle that is repeated for ever.

use std::collections::{BTreeSet, HashMap, VecDeque};

use heddle_model::ThreadId;
use heddle_model::follow::Step;

use crate::liveness::fair::{Fairness, Part};
use crate::liveness::{StateEdge, StateGraph};

/// An endless execution: the stem once, then the cycle again and again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The steps from the first state to the cycle: as few as possible.
    pub stem: Vec<StateEdge>,
    /// The steps of the cycle. They lead to the state in which they begin.
    pub cycle: Vec<StateEdge>,
}

impl Lasso {
    /// The schedule that goes through the stem, and through the cycle so many times.
    pub fn schedule(&self, times: usize) -> Vec<Step> {
        let cycles = std::iter::repeat_n(&self.cycle, times).flatten();
        self.stem.iter().chain(cycles).map(StateEdge::step).collect()
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

/// A lasso whose cycle stays in `part` along edges for which `follows` holds, is fair, and passes `also`.
///
/// The cycle goes to the nearest obligation that is left, again and again, and then home. With strong fairness each thread
/// that is enabled in the part must act; with weak fairness it must act or meet a state where it is not enabled.
pub(crate) fn through(
    graph: &StateGraph,
    part: &Part,
    fairness: Fairness,
    also: Option<u32>,
    follows: &dyn Fn(u32, &StateEdge) -> bool,
) -> Option<Lasso> {
    let members: BTreeSet<u32> = part.nodes.iter().copied().collect();
    let inside = |node: u32| members.contains(&node);
    let acts = |node: u32, thread: ThreadId| {
        let edges = graph.nodes[node as usize].edges.iter();
        edges
            .filter(|edge| follows(node, edge) && edge.thread == thread)
            .find(|edge| edge.to.is_some_and(inside))
            .copied()
    };
    let (start, stem) =
        way_to(graph, 0, |node| also.map_or(inside(node), |also| node == also), |_| true, &|_, _| true)?;
    let ready = part.nodes.iter().flat_map(|&node| graph.nodes[node as usize].ready.iter().copied());
    let mut owed: BTreeSet<ThreadId> = if fairness == Fairness::None { BTreeSet::new() } else { ready.collect() };
    let mut cycle = Vec::new();
    let mut at = start;
    let enabled = |node: u32, thread: &ThreadId| graph.nodes[node as usize].ready.contains(thread);
    loop {
        if fairness == Fairness::Weak {
            owed.retain(|thread| enabled(at, thread));
        }
        let pays = |node: u32| {
            owed.iter()
                .any(|&thread| acts(node, thread).is_some() || fairness == Fairness::Weak && !enabled(node, &thread))
        };
        if owed.is_empty() {
            break;
        }
        let (node, way) = way_to(graph, at, pays, inside, follows)?;
        for edge in &way {
            owed.remove(&edge.thread);
        }
        cycle.extend(way);
        at = node;
        if let Some(edge) = owed.iter().find_map(|&thread| acts(node, thread)) {
            owed.remove(&edge.thread);
            cycle.push(edge);
            at = edge.to?;
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
