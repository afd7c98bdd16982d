//! Executions of the program for which a formula does not hold: the product of the graph of states and the automaton of the
//! negated formula.
//!
//! The product is a graph of states itself. A cycle in it that is fair and passes each acceptance set is an endless
//! execution that the automaton accepts, and [`crate::liveness::fair`] finds it. An execution that ends is continued by steps
//! of nobody that stay where it ended.
//!
//! The graph must be without reduction. S. Siegel, *What's wrong with on-the-fly partial order reduction*, CAV 2019, shows what
//! becomes of products that are reduced while they are built.

use std::collections::HashMap;

use heddle_model::{Fairness, ObjectId, OpCode, ThreadId};

use crate::liveness::fair::fair_parts;
use crate::liveness::ltl::{Automaton, Formula};
use crate::liveness::{Lasso, StateEdge, StateGraph, StateNode, lasso};

/// Who takes the steps after the end of an execution.
const NOBODY: ThreadId = ThreadId(u16::MAX);

/// A state of the program, whether the process has ended there, and a state of the automaton.
type Place = (u32, bool, u32);

impl StateGraph {
    /// The propositions that hold in a state, as bits: bit `i` is that of `objects[i]`.
    pub fn letter(&self, node: u32, objects: &[ObjectId]) -> u64 {
        let holds = &self.nodes[node as usize].holds;
        let bit = |(at, object): (usize, &ObjectId)| u64::from(holds.contains(object)) << at;
        objects.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    /// A fair execution for which `formula` does not hold. `letter` are the propositions that hold in a state, as bits. The
    /// cycle is empty if the execution ends. `None` if there is none, or if the formula is too large.
    pub fn violation(&self, formula: &Formula, fairness: Fairness, letter: impl Fn(u32) -> u64) -> Option<Lasso> {
        let automaton = Automaton::of(&formula.negated())?;
        let marks = automaton.marks;
        let (product, places) = self.product(&automaton, letter);
        let part = fair_parts(&product, fairness, marks, &|_| true, &|_, _| true).into_iter().next()?;
        let found = lasso::through(&product, &part, fairness, None, marks, &|_, _| true)?;
        let original = |edge: StateEdge| {
            let (at, ended, _) = places[edge.to? as usize];
            let to = Some(at).filter(|_| !ended || edge.thread == NOBODY);
            Some(StateEdge { to, marks: 0, ..edge }).filter(|_| edge.thread != NOBODY)
        };
        let own = |edges: Vec<StateEdge>| edges.into_iter().filter_map(original).collect();
        Some(Lasso { stem: own(found.stem), cycle: own(found.cycle) })
    }

    /// The product with an automaton, and the place of each of its nodes.
    fn product(&self, automaton: &Automaton, letter: impl Fn(u32) -> u64) -> (StateGraph, Vec<Place>) {
        let first = (0, false, 0);
        let mut numbers: HashMap<Place, u32> = HashMap::from([(first, 0)]);
        let mut places = vec![first];
        let mut product = StateGraph::default();
        while product.nodes.len() < places.len() {
            let (at, ended, state) = places[product.nodes.len()];
            let node = &self.nodes[at as usize];
            let over = ended || node.edges.is_empty();
            let stays = StateEdge { thread: NOBODY, code: OpCode::ANY, way: 0, to: Some(at), marks: 0, tail: u32::MAX };
            let steps: &[StateEdge] = if over { &[stays] } else { &node.edges };
            let letter = letter(at);
            let mut edges = Vec::new();
            for transition in &automaton.states[state as usize] {
                if letter & transition.holds != transition.holds || letter & transition.fails != 0 {
                    continue;
                }
                for step in steps {
                    let place = (step.to.unwrap_or(at), over || step.to.is_none(), transition.to);
                    let new = places.len() as u32;
                    let to = *numbers.entry(place).or_insert(new);
                    if to == new {
                        places.push(place);
                    }
                    edges.push(StateEdge { to: Some(to), marks: transition.marks, ..*step });
                }
            }
            let (ready, waiting) = if over { Default::default() } else { (node.ready.clone(), node.waiting.clone()) };
            product.nodes.push(StateNode { ready, waiting, edges, holds: Vec::new() });
        }
        (product, places)
    }
}
