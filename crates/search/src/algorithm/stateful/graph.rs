//! The graph of states: nodes, the steps that are possible in each, and the edges that were run.
//!
//! Everything lies in [long lists](Chunks) and is known by its number. A node takes 40 bytes, a thread that can go on or waits 6, an edge 24,
//! and an entry of the table of fingerprints 4, of which there are up to three for each node.

use heddle_model::follow::Step;
use heddle_model::{Fingerprint, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::stateful::chunks::Chunks;
use crate::algorithm::stateful::components::components;
use crate::algorithm::stateful::summary::Class;

/// No node, or no edge.
pub(crate) const NONE: u32 = u32::MAX;

/// A state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    /// Both halves of its fingerprint. A number of 128 bits would be aligned to sixteen bytes.
    fingerprint: [u64; 2],
    /// The first of its possible steps in [`Graph::steps`], and their number.
    first_step: u32,
    steps: u16,
    /// How many threads wait. They come after those that can go on.
    waits: u16,
    /// The newest edge that leaves it, and the newest that leads to it.
    newest_out: u32,
    newest_in: u32,
    /// The edge by which it was reached first. [`NONE`] for the first state.
    pub parent: u32,
}

impl Node {
    pub fn fingerprint(&self) -> Fingerprint {
        let [low, high] = self.fingerprint;
        Fingerprint(u128::from(high) << 64 | u128::from(low))
    }
}

/// A thread that can go on in a state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Possible {
    pub thread: ThreadId,
    /// In how many ways it can go on.
    pub ways: u16,
    /// The ways below this number were handed out, or were run. The highest bit says whether it is to be run in all its ways.
    state: u16,
}

/// The bit of [`Possible::state`] that says that all ways are to be run.
const ASKED: u16 = 1 << 15;

impl Possible {
    fn new(thread: ThreadId, ways: u16) -> Possible {
        assert!(ways < ASKED, "an operation with {ways} ways");
        Possible { thread, ways, state: 0 }
    }

    /// Whether it is to be run in all its ways.
    pub fn is_asked(&self) -> bool {
        self.state & ASKED != 0
    }

    /// All its ways are to be run.
    pub fn ask(&mut self) {
        self.state |= ASKED;
    }

    /// How many of its ways were handed out, or were run.
    pub fn taken(&self) -> u16 {
        self.state & !ASKED
    }

    /// One more way was handed out. Returns which.
    pub fn take(&mut self) -> u16 {
        let way = self.taken();
        self.state += 1;
        way
    }
}

/// A step that was run.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Edge {
    pub source: u32,
    /// The state after it. [`NONE`] if it has ended the process.
    pub target: u32,
    pub class: Class,
    next_out: u32,
    next_in: u32,
    pub way: u16,
}

/// All states that were met.
#[derive(Default)]
pub(crate) struct Graph {
    pub nodes: Chunks<Node>,
    pub edges: Chunks<Edge>,
    steps: Chunks<Possible>,
    /// A hash table of nodes by fingerprint: number plus one, or 0 for a free slot.
    table: Vec<u32>,
    /// Room for the threads of one state, used again.
    row: Vec<Possible>,
}

fn halves(fingerprint: Fingerprint) -> [u64; 2] {
    [fingerprint.0 as u64, (fingerprint.0 >> 64) as u64]
}

impl Graph {
    /// The node of a state, if it was met.
    pub fn find(&self, fingerprint: Fingerprint) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        match self.table[self.slot(fingerprint)] {
            0 => None,
            number => Some(number - 1),
        }
    }

    fn slot(&self, fingerprint: Fingerprint) -> usize {
        let mask = self.table.len() - 1;
        let mut at = fingerprint.0 as usize & mask;
        let wanted = halves(fingerprint);
        while self.table[at] != 0 && self.nodes[self.table[at] as usize - 1].fingerprint != wanted {
            at = (at + 1) & mask;
        }
        at
    }

    /// Adds the node of a state that was not met before.
    pub fn add(
        &mut self,
        fingerprint: Fingerprint,
        possible: impl Iterator<Item = (ThreadId, u16)>,
        waiting: impl Iterator<Item = ThreadId>,
    ) -> u32 {
        let row = &mut self.row;
        row.clear();
        row.extend(possible.map(|(thread, ways)| Possible::new(thread, ways)));
        let steps = row.len() as u16;
        row.extend(waiting.map(|thread| Possible::new(thread, 0)));
        let waits = row.len() as u16 - steps;
        let first_step = self.steps.reserve_row(row.len(), Possible::new(ThreadId::MAIN, 0));
        self.steps.row_mut(first_step, row.len()).copy_from_slice(row);
        self.nodes.push(Node {
            fingerprint: halves(fingerprint),
            first_step: first_step as u32,
            steps,
            waits,
            newest_out: NONE,
            newest_in: NONE,
            parent: NONE,
        });
        if self.nodes.len() * 4 > self.table.len() * 3 {
            self.grow();
        } else {
            let slot = self.slot(fingerprint);
            self.table[slot] = self.nodes.len() as u32;
        }
        self.nodes.len() as u32 - 1
    }

    fn grow(&mut self) {
        self.table = vec![0; (self.nodes.len() * 4 / 3 + 1).next_power_of_two().max(64)];
        for number in 0..self.nodes.len() {
            let slot = self.slot(self.nodes[number].fingerprint());
            self.table[slot] = number as u32 + 1;
        }
    }

    /// The threads that can go on in a state, in order of their ids.
    pub fn possible(&self, node: u32) -> &[Possible] {
        let Node { first_step, steps, .. } = self.nodes[node as usize];
        self.steps.row(first_step as usize, steps as usize)
    }

    /// The threads that wait in a state, as far as that is kept.
    pub fn waiting(&self, node: u32) -> impl Iterator<Item = ThreadId> {
        let Node { first_step, steps, waits, .. } = self.nodes[node as usize];
        let first = first_step as usize + steps as usize;
        self.steps.row(first, waits as usize).iter().map(|step| step.thread)
    }

    /// Like [`possible`](Self::possible), for changes.
    pub fn possible_mut(&mut self, node: u32) -> &mut [Possible] {
        let Node { first_step, steps, .. } = self.nodes[node as usize];
        self.steps.row_mut(first_step as usize, steps as usize)
    }

    /// Adds the edge that `thread` takes from `source` in this way. Returns its number, or `None` if it is there already.
    pub fn connect(&mut self, source: u32, target: u32, class: Class, thread: ThreadId, way: u16) -> Option<u32> {
        if self.edge(source, way, |other| other == class).is_some_and(|edge| self.edges[edge as usize].target == target)
        {
            return None;
        }
        let number = self.edges.len() as u32;
        let first = target == 0;
        let next_out = std::mem::replace(&mut self.nodes[source as usize].newest_out, number);
        let next_in = match self.nodes.get_mut(target as usize) {
            Some(target) => {
                // Where everything begins needs no way to it.
                if target.newest_in == NONE && !first {
                    target.parent = number;
                }
                std::mem::replace(&mut target.newest_in, number)
            }
            None => NONE,
        };
        self.edges.push(Edge { source, target, class, next_out, next_in, way });
        if let Some(step) = self.possible_mut(source).iter_mut().find(|step| step.thread == thread) {
            step.ask();
            if way == step.taken() {
                step.take();
            }
        }
        Some(number)
    }

    /// The edge of a class that matches, in this way, from a state.
    pub fn edge(&self, source: u32, way: u16, is: impl Fn(Class) -> bool) -> Option<u32> {
        self.leaving(source).find(|&edge| {
            let edge = &self.edges[edge as usize];
            edge.way == way && is(edge.class)
        })
    }

    /// The edges that leave a state, newest first.
    pub fn leaving(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut next = self.nodes[node as usize].newest_out;
        std::iter::from_fn(move || {
            let this = (next != NONE).then_some(next)?;
            next = self.edges[this as usize].next_out;
            Some(this)
        })
    }

    /// The edge that leads to a state and was added last, and the one before an edge among those that lead to its target.
    pub fn newest_in(&self, node: u32) -> u32 {
        self.nodes[node as usize].newest_in
    }

    /// The edge before `edge` among those that lead to its target, or [`NONE`].
    pub fn next_in(&self, edge: u32) -> u32 {
        self.edges[edge as usize].next_in
    }

    /// Appends the steps from the first state to `node`, by the way on which it was reached first. `steps_back` appends the steps of an edge,
    /// the last of them first.
    pub fn way_to(&self, node: u32, steps_back: impl Fn(Class, u16, &mut Vec<Step>), into: &mut Vec<Step>) {
        let start = into.len();
        let mut at = node;
        while self.nodes[at as usize].parent != NONE {
            let edge = &self.edges[self.nodes[at as usize].parent as usize];
            steps_back(edge.class, edge.way, into);
            at = edge.source;
        }
        into[start..].reverse();
    }

    /// How many states there are from which nobody gets to an end: of the process, or where nobody can go on.
    pub fn endless(&self) -> u64 {
        let ends = |node: u32| {
            let gone = |edge: u32| self.edges[edge as usize].target == NONE;
            self.possible(node).is_empty() || self.leaving(node).any(gone)
        };
        let mut todo: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| ends(node)).collect();
        let mut reached = vec![false; self.nodes.len()];
        todo.iter().for_each(|&node| reached[node as usize] = true);
        while let Some(node) = todo.pop() {
            let mut edge = self.newest_in(node);
            while edge != NONE {
                let source = self.edges[edge as usize].source;
                if !std::mem::replace(&mut reached[source as usize], true) {
                    todo.push(source);
                }
                edge = self.next_in(edge);
            }
        }
        reached.iter().filter(|reached| !**reached).count() as u64
    }

    /// Whether some steps that were run lead back to where they began.
    pub fn goes_round(&self) -> bool {
        let mut arrivals = vec![0u32; self.nodes.len()];
        self.edges.iter().filter(|edge| edge.target != NONE).for_each(|edge| arrivals[edge.target as usize] += 1);
        // States are taken away to which no step leads any more. What goes round stays.
        let mut todo: Vec<u32> = (0..self.nodes.len() as u32).filter(|&node| arrivals[node as usize] == 0).collect();
        let mut gone = 0;
        while let Some(node) = todo.pop() {
            gone += 1;
            for edge in self.leaving(node) {
                let target = self.edges[edge as usize].target;
                if target != NONE {
                    arrivals[target as usize] -= 1;
                    if arrivals[target as usize] == 0 {
                        todo.push(target);
                    }
                }
            }
        }
        gone < self.nodes.len()
    }

    /// The strongly connected component of each state, and of each component whether a step leaves it, to another one or to the end.
    pub fn components(&self) -> (Vec<u32>, Vec<bool>) {
        let component = components(
            self.nodes.len(),
            |_| true,
            |node, into| {
                into.extend(self.leaving(node).map(|edge| self.edges[edge as usize].target).filter(|&to| to != NONE));
            },
        );
        let total = component.iter().max().map_or(0, |&most| most as usize + 1);
        let mut left = vec![false; total];
        for edge in self.edges.iter() {
            let from = component[edge.source as usize];
            left[from as usize] |= edge.target == NONE || component[edge.target as usize] != from;
        }
        (component, left)
    }

    /// How many states there are in which threads wait in vain: whoever can go on looks again and again, for ever, and nobody writes. A state
    /// is one of them if no step leaves its component, all steps in it are of classes that only look (`looks`), and one of them looks at
    /// something (`sees`).
    pub fn in_vain(&self, looks: impl Fn(Class) -> bool, sees: impl Fn(Class) -> bool) -> u64 {
        let (component, left) = self.components();
        // Of each component: whether a step that sees something was run in it, and whether one of them writes.
        let mut runs = vec![false; left.len()];
        let mut writes = vec![false; left.len()];
        for edge in self.edges.iter() {
            let from = component[edge.source as usize] as usize;
            runs[from] |= sees(edge.class);
            writes[from] |= !looks(edge.class);
        }
        let is_vain = |&&of: &&u32| runs[of as usize] && !left[of as usize] && !writes[of as usize];
        component.iter().filter(is_vain).count() as u64
    }

    /// Whether there is a component that nothing leaves, in which steps were run, and in all states of which one thread waits.
    pub fn has_a_waiter(&self) -> bool {
        let (component, left) = self.components();
        let mut always: Vec<Option<Vec<ThreadId>>> = vec![None; left.len()];
        for node in 0..self.nodes.len() as u32 {
            let own = component[node as usize] as usize;
            if left[own] {
                continue;
            }
            match &mut always[own] {
                None => always[own] = Some(self.waiting(node).collect()),
                Some(known) => known.retain(|&thread| self.waiting(node).any(|other| other == thread)),
            }
        }
        let runs = |&node: &u32| !left[component[node as usize] as usize] && self.leaving(node).next().is_some();
        (0..self.nodes.len() as u32)
            .filter(runs)
            .any(|node| always[component[node as usize] as usize].as_ref().is_some_and(|threads| !threads.is_empty()))
    }

    /// How many bytes all of it takes, with the room that is reserved.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.edges.bytes() + self.steps.bytes() + self.table.capacity() * size_of::<u32>()
    }

    /// Everything, to be written down.
    pub fn save(&self) -> Saved {
        let (nodes, edges) = (self.nodes.iter().copied().collect(), self.edges.iter().copied().collect());
        Saved { nodes, edges, steps: self.steps.iter().copied().collect() }
    }

    /// The graph that was written down. `None` if its numbers contradict each other.
    pub fn restore(saved: Saved, classes: usize) -> Option<Graph> {
        let Saved { nodes, edges, steps } = saved;
        let count = nodes.len() as u32;
        let (known, leads) = (|edge: u32| edge == NONE || (edge as usize) < edges.len(), edges.len() as u32);
        let sound = nodes.iter().all(|node| {
            let end = node.first_step as usize + node.steps as usize + node.waits as usize;
            // No row is cut.
            end <= steps.len()
                && Chunks::<Possible>::is_row(node.first_step as usize, end)
                && known(node.newest_out)
                && known(node.newest_in)
                && known(node.parent)
        });
        // Edges are older than those that they follow in a list, so lists and ways to states end.
        let older = |edge: u32, at: usize| edge == NONE || (edge as usize) < at && edge < leads;
        let sound = sound
            && edges.iter().enumerate().all(|(at, edge)| {
                edge.source < count
                    && (edge.target < count || edge.target == NONE)
                    && edge.class.index() < classes
                    && older(edge.next_out, at)
                    && older(edge.next_in, at)
            });
        let reached = |(at, node): (usize, &Node)| {
            node.parent == NONE || {
                let parent = &edges[node.parent as usize];
                parent.target as usize == at && (parent.source as usize) < at
            }
        };
        let sound = sound && steps.iter().all(|step| step.taken() <= step.ways);
        if !sound || !nodes.iter().enumerate().all(reached) {
            return None;
        }
        let (nodes, edges, steps) =
            (nodes.into_iter().collect(), edges.into_iter().collect(), steps.into_iter().collect());
        let mut graph = Graph { nodes, edges, steps, ..Graph::default() };
        graph.grow();
        Some(graph)
    }
}

/// What is written down of a graph.
#[derive(Serialize, Deserialize)]
pub(crate) struct Saved {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    steps: Vec<Possible>,
}
