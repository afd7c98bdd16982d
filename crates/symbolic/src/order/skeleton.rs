//! The nodes of a program's order graph, and what is ordered in every execution.
//!
//! Each event is one node; so are the start and the end of the program and the beginning and end of each thread. Always ordered are the events of a
//! thread, the creation of a thread and its beginning, its end and a join that happens whenever it is reached.

use super::event::{Kind, Program, ThreadIndex};
use crate::solve::Node;
use crate::term::Terms;

/// The node before everything: the initial values are written there.
pub const START: Node = 0;

/// Nodes and static order.
pub struct Skeleton {
    /// By thread: the node of its beginning. Its events follow, then its end.
    first: Vec<Node>,
    /// By node: its thread, and the index of its event.
    places: Vec<(ThreadIndex, Option<usize>)>,
    /// Edges that are always there.
    pub fixed: Vec<(Node, Node)>,
    /// By node: the nodes after it, as a set of bits.
    after: Vec<Vec<u64>>,
}

impl Skeleton {
    /// Numbers the nodes of a program.
    pub fn new(program: &Program) -> Self {
        let mut places = vec![(0, None)];
        let mut first = Vec::new();
        let mut fixed = Vec::new();
        for (t, thread) in program.threads.iter().enumerate() {
            first.push(places.len() as Node);
            places.push((t, None));
            for i in 0..thread.events.len() {
                places.push((t, Some(i)));
            }
            places.push((t, None));
            let begin = first[t];
            fixed.extend((begin..places.len() as Node - 1).map(|n| (n, n + 1)));
        }
        places.push((0, None));
        let mut skeleton = Skeleton { first, places, fixed, after: Vec::new() };
        skeleton.fixed.push((START, skeleton.begin(0)));
        for t in 0..program.threads.len() {
            skeleton.fixed.push((skeleton.end(t, program), skeleton.last()));
        }
        for (t, thread) in program.threads.iter().enumerate() {
            for (i, event) in thread.events.iter().enumerate() {
                match event.kind {
                    Kind::Create { child } => {
                        skeleton.fixed.push((skeleton.node(t, i), skeleton.begin(child)));
                        // Also if nobody creates it in this execution.
                        skeleton.fixed.push((START, skeleton.begin(child)));
                    }
                    Kind::Join { child } if event.guard == Terms::TRUE => {
                        skeleton.fixed.push((skeleton.end(child, program), skeleton.node(t, i)));
                    }
                    _ => {}
                }
            }
        }
        skeleton.close();
        skeleton
    }

    /// The node after everything: final values are read there.
    pub fn last(&self) -> Node {
        self.places.len() as Node - 1
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.places.len()
    }

    /// The node of an event.
    pub fn node(&self, thread: ThreadIndex, event: usize) -> Node {
        self.first[thread] + 1 + event as Node
    }

    /// The node of a thread's beginning.
    pub fn begin(&self, thread: ThreadIndex) -> Node {
        self.first[thread]
    }

    /// The node of a thread's end.
    pub fn end(&self, thread: ThreadIndex, program: &Program) -> Node {
        self.first[thread] + 1 + program.threads[thread].events.len() as Node
    }

    /// The thread of a node. The start belongs to thread 0.
    pub fn thread(&self, node: Node) -> ThreadIndex {
        self.places[node as usize].0
    }

    /// The thread and the index of a node's event.
    pub fn place(&self, node: Node) -> (ThreadIndex, Option<usize>) {
        self.places[node as usize]
    }

    /// Whether `a` comes before `b` in every execution that has both.
    pub fn before(&self, a: Node, b: Node) -> bool {
        self.after[a as usize][b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// How many nodes come after this one in every execution: fewer for a later one.
    pub fn count_after(&self, node: Node) -> usize {
        self.after[node as usize].iter().map(|word| word.count_ones() as usize).sum()
    }

    fn close(&mut self) {
        let n = self.places.len();
        let words = n.div_ceil(64);
        let mut out: Vec<Vec<Node>> = vec![Vec::new(); n];
        let mut missing = vec![0u32; n];
        for (a, b) in &self.fixed {
            out[*a as usize].push(*b);
            missing[*b as usize] += 1;
        }
        let mut order: Vec<Node> = (0..n as Node).filter(|v| missing[*v as usize] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for b in &out[order[next] as usize] {
                missing[*b as usize] -= 1;
                if missing[*b as usize] == 0 {
                    order.push(*b);
                }
            }
            next += 1;
        }
        // Threads that join each other in a circle: their nodes are not in the order, and the solver will find the cycle.
        self.after = vec![vec![0; words]; n];
        for a in order.into_iter().rev() {
            let mut set = vec![0; words];
            for b in &out[a as usize] {
                set[*b as usize / 64] |= 1 << (b % 64);
                for (word, more) in set.iter_mut().zip(&self.after[*b as usize]) {
                    *word |= more;
                }
            }
            self.after[a as usize] = set;
        }
    }
}
