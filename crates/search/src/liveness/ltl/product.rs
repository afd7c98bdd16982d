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

use heddle_model::{OpCode, ThreadId};

use crate::liveness::fair::{Fairness, fair_parts};
use crate::liveness::ltl::{Automaton, Formula};
use crate::liveness::{Lasso, StateEdge, StateGraph, StateNode, lasso};

/// Who takes the steps after the end of an execution.
const NOBODY: ThreadId = ThreadId(u16::MAX);

impl StateGraph {
    /// A fair execution for which `formula` does not hold. `letter` are the propositions that hold in a state, as bits. The
    /// cycle is empty if the execution ends. `None` if there is none, or if the formula is too large.
    pub fn violation(&self, formula: &Formula, fairness: Fairness, letter: impl Fn(u32) -> u64) -> Option<Lasso> {
        let automaton = Automaton::of(&formula.negated())?;
        let (product, marks) = self.product(&automaton, letter);
        let part = fair_parts(&product, fairness, automaton.marks, &|_| true, &|_, _| true).into_iter().next()?;
        let found = lasso::through(&product, &part, fairness, None, marks, &|_, _| true)?;
        let own = |edges: Vec<StateEdge>| edges.into_iter().filter(|edge| edge.thread != NOBODY).map(without_marks).collect();
        Some(Lasso { stem: own(found.stem), cycle: own(found.cycle) })
    }

    /// The product with an automaton, and all its acceptance sets.
    fn product(&self, automaton: &Automaton, letter: impl Fn(u32) -> u64) -> (StateGraph, u64) {
        // A place is a state of the program, whether the process has ended there, and a state of the automaton.
        let first = (0, false, 0);
        let mut numbers: HashMap<(u32, bool, u32), u32> = HashMap::from([(first, 0)]);
        let mut places = vec![first];
        let mut product = StateGraph::default();
        while product.nodes.len() < places.len() {
            let (at, ended, state) = places[product.nodes.len()];
            let node = &self.nodes[at as usize];
            let over = ended || node.edges.is_empty();
            let stays = StateEdge { thread: NOBODY, code: OpCode::ANY, way: 0, to: Some(at), marks: 0 };
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
            product.nodes.push(StateNode { ready, waiting, edges });
        }
        (product, automaton.marks)
    }
}

fn without_marks(edge: StateEdge) -> StateEdge {
    StateEdge { marks: 0, ..edge }
}
