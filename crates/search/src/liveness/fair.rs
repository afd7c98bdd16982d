//! Fair cycles, by strongly connected components.
//!
//! E. Emerson, C.-L. Lei, *Modalities for model checking: branching time strikes back*, POPL 1985, and O. Lichtenstein,
//! A. Pnueli, *Checking that finite state concurrent programs satisfy their linear specification*, POPL 1985, for strong
//! fairness (a Streett condition): a component is good if every thread that is enabled in it acts in it. If some thread
//! does not, no fair cycle passes a state where that thread is enabled. Those states are taken out, and what is left is
//! decomposed again.
//!
//! Choices are not fair: an operation with several ways may be taken in one of them for ever.

use std::collections::BTreeSet;

use heddle_model::{Fairness, ThreadId};

use crate::algorithm::stateful::components::components;
use crate::liveness::{StateEdge, StateGraph, StateNode};

/// States among which an endless fair execution can go round, passing all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The states, in order.
    pub nodes: Vec<u32>,
}

/// The largest parts with a fair cycle that has steps in each of the sets `marks`.
///
/// Only nodes for which `is_in` holds count, and only edges for which `follows` holds.
pub(crate) fn fair_parts(
    graph: &StateGraph,
    fairness: Fairness,
    marks: u64,
    is_in: &dyn Fn(u32) -> bool,
    follows: &dyn Fn(u32, &StateEdge) -> bool,
) -> Vec<Part> {
    let mut found = Vec::new();
    let all: Vec<u32> = (0..graph.nodes.len() as u32).filter(|&node| is_in(node)).collect();
    let mut open = vec![all];
    let mut member = vec![false; graph.nodes.len()];
    while let Some(nodes) = open.pop() {
        nodes.iter().for_each(|&node| member[node as usize] = true);
        let component = components(
            graph.nodes.len(),
            |node| member[node as usize],
            |node, into| {
                let edges = graph.nodes[node as usize].edges.iter().filter(|edge| follows(node, edge));
                into.extend(edges.filter_map(|edge| edge.to));
            },
        );
        nodes.iter().for_each(|&node| member[node as usize] = false);
        let count = nodes.iter().map(|&node| component[node as usize] + 1).max().unwrap_or(0);
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for &node in &nodes {
            parts[component[node as usize] as usize].push(node);
        }
        for part in parts {
            let inside = |to: u32| component[to as usize] == component[part[0] as usize];
            let (mut acts, mut marked) = (BTreeSet::new(), 0);
            for &node in &part {
                let edges = graph.nodes[node as usize].edges.iter();
                let own = edges.filter(|edge| follows(node, edge) && edge.to.is_some_and(inside));
                for edge in own {
                    acts.insert(edge.thread);
                    marked |= edge.marks;
                }
            }
            if acts.is_empty() || marked & marks != marks {
                // One state, and no step that stays there; or what is missing here is missing in every part of it.
                continue;
            }
            let node = |number: &u32| &graph.nodes[*number as usize];
            match unjust(&part.iter().map(node).collect::<Vec<_>>(), &acts, fairness) {
                None => found.push(Part { nodes: part }),
                Some(_) if fairness == Fairness::Weak => {}
                Some(thread) => {
                    open.push(part.into_iter().filter(|number| !node(number).ready.contains(&thread)).collect());
                }
            }
        }
    }
    found
}

/// A thread to which an execution is not fair that passes all of these states again and again, and in which `acts` act.
fn unjust(part: &[&StateNode], acts: &BTreeSet<ThreadId>, fairness: Fairness) -> Option<ThreadId> {
    let ready = |node: &&StateNode| node.ready.clone();
    match fairness {
        Fairness::None => None,
        Fairness::Strong => part.iter().flat_map(ready).find(|thread| !acts.contains(thread)),
        Fairness::Weak => {
            let always = |thread: &ThreadId| part.iter().all(|node| node.ready.contains(thread));
            part.first()?.ready.iter().copied().find(|thread| !acts.contains(thread) && always(thread))
        }
    }
}
