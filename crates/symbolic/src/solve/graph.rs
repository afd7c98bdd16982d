//! A graph that stays without cycles while edges come and go.
//!
//! A topological rank is kept by the algorithm of Pearce and Kelly ("A dynamic topological sort algorithm for directed acyclic graphs", 2006):
//! an edge against the ranks reorders only the nodes between its ends. Ranks stay right when edges are taken away, so backtracking pops
//! edges and nothing else. Departure: the search forward is breadth first, so that a cycle is explained by few edges.

use super::Node;

/// An edge: its ends, and a label that the user understands.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    label: u32,
}

/// An acyclic graph with edges in a stack.
#[derive(Default)]
pub struct Graph {
    edges: Vec<Edge>,
    /// For each node the edges that leave it, oldest first.
    out: Vec<Vec<u32>>,
    /// For each node the edges that enter it, oldest first.
    into: Vec<Vec<u32>>,
    rank: Vec<u32>,
    // Scratch space of searches. A node is marked if it has the current stamp.
    forward: Marks,
    backward: Marks,
}

/// Marked nodes, and over which edge each was reached.
#[derive(Default)]
struct Marks {
    stamp: u32,
    marked: Vec<u32>,
    via: Vec<u32>,
    list: Vec<Node>,
}

impl Marks {
    fn start(&mut self, node: Node) {
        self.stamp += 1;
        self.list.clear();
        self.mark(node, u32::MAX);
    }

    fn mark(&mut self, node: Node, via: u32) {
        self.marked[node as usize] = self.stamp;
        self.via[node as usize] = via;
        self.list.push(node);
    }

    fn has(&self, node: Node) -> bool {
        self.marked[node as usize] == self.stamp
    }
}

impl Graph {
    /// Makes room for nodes up to this one.
    pub fn reserve(&mut self, node: Node) {
        while self.out.len() <= node as usize {
            self.rank.push(self.out.len() as u32);
            self.out.push(Vec::new());
            self.into.push(Vec::new());
            for marks in [&mut self.forward, &mut self.backward] {
                marks.marked.push(0);
                marks.via.push(0);
            }
        }
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.out.len()
    }

    /// Takes away the youngest edges until there are this many.
    pub fn truncate(&mut self, len: usize) {
        while self.edges.len() > len {
            if let Some(edge) = self.edges.pop() {
                self.out[edge.from as usize].pop();
                self.into[edge.to as usize].pop();
            }
        }
    }

    /// Adds an edge. If it closes a cycle nothing is changed, and `cycle` gets the labels of the path from `to` to `from`.
    pub fn add(&mut self, from: Node, to: Node, label: u32, cycle: &mut Vec<u32>) -> bool {
        if from == to {
            cycle.clear();
            return false;
        }
        let (low, high) = (self.rank[to as usize], self.rank[from as usize]);
        if low < high {
            if self.search_forward(to, from, high) {
                cycle.clear();
                let mut at = from;
                while at != to {
                    let edge = self.edges[self.forward.via[at as usize] as usize];
                    cycle.push(edge.label);
                    at = edge.from;
                }
                return false;
            }
            self.reorder(from, low);
        }
        let id = self.edges.len() as u32;
        self.edges.push(Edge { from, to, label });
        self.out[from as usize].push(id);
        self.into[to as usize].push(id);
        true
    }

    /// Marks what `start` reaches within ranks up to `high`; whether `goal` is among it.
    fn search_forward(&mut self, start: Node, goal: Node, high: u32) -> bool {
        self.forward.start(start);
        let mut next = 0;
        while next < self.forward.list.len() {
            let node = self.forward.list[next];
            next += 1;
            for i in 0..self.out[node as usize].len() {
                let id = self.out[node as usize][i];
                let to = self.edges[id as usize].to;
                if self.forward.has(to) || self.rank[to as usize] > high {
                    continue;
                }
                self.forward.mark(to, id);
                if to == goal {
                    return true;
                }
            }
        }
        false
    }

    /// Gives what reaches `from` (down to rank `low`) lower ranks than what was found forward.
    fn reorder(&mut self, from: Node, low: u32) {
        self.backward.start(from);
        let mut next = 0;
        while next < self.backward.list.len() {
            let node = self.backward.list[next];
            next += 1;
            for i in 0..self.into[node as usize].len() {
                let id = self.into[node as usize][i];
                let source = self.edges[id as usize].from;
                if !self.backward.has(source) && self.rank[source as usize] >= low {
                    self.backward.mark(source, id);
                }
            }
        }
        let rank = &mut self.rank;
        self.backward.list.sort_unstable_by_key(|n| rank[*n as usize]);
        self.forward.list.sort_unstable_by_key(|n| rank[*n as usize]);
        let nodes = || self.backward.list.iter().chain(&self.forward.list);
        let mut ranks: Vec<u32> = nodes().map(|n| rank[*n as usize]).collect();
        ranks.sort_unstable();
        for (node, r) in nodes().zip(ranks) {
            rank[*node as usize] = r;
        }
    }

    /// Whether there is a path.
    pub fn reaches(&mut self, from: Node, to: Node) -> bool {
        let (low, high) = (self.rank[from as usize], self.rank[to as usize]);
        from == to || (low < high && self.search_forward(from, to, high))
    }

    /// Marks what `to` reaches and what reaches `from`. See [`Graph::after`] and [`Graph::is_before`].
    pub fn mark_around(&mut self, from: Node, to: Node) {
        self.forward.start(to);
        let mut next = 0;
        while next < self.forward.list.len() {
            let node = self.forward.list[next];
            next += 1;
            for i in 0..self.out[node as usize].len() {
                let id = self.out[node as usize][i];
                let target = self.edges[id as usize].to;
                if !self.forward.has(target) {
                    self.forward.mark(target, id);
                }
            }
        }
        self.backward.start(from);
        let mut next = 0;
        while next < self.backward.list.len() {
            let node = self.backward.list[next];
            next += 1;
            for i in 0..self.into[node as usize].len() {
                let id = self.into[node as usize][i];
                let source = self.edges[id as usize].from;
                if !self.backward.has(source) {
                    self.backward.mark(source, id);
                }
            }
        }
    }

    /// After [`Graph::mark_around`]: what the edge's end reaches, itself first.
    pub fn after(&self) -> &[Node] {
        &self.forward.list
    }

    /// After [`Graph::mark_around`]: whether a node reaches the edge's start.
    pub fn is_before(&self, node: Node) -> bool {
        self.backward.has(node)
    }

    /// The labels of a path over edges that are older than `len`, appended to `labels`. There must be one.
    pub fn explain(&mut self, from: Node, to: Node, len: usize, labels: &mut Vec<u32>) {
        if from == to {
            return;
        }
        self.forward.start(from);
        let mut next = 0;
        'search: while next < self.forward.list.len() {
            let node = self.forward.list[next];
            next += 1;
            for i in 0..self.out[node as usize].len() {
                let id = self.out[node as usize][i];
                if id as usize >= len {
                    // Edges of a node are sorted by age.
                    break;
                }
                let target = self.edges[id as usize].to;
                if !self.forward.has(target) {
                    self.forward.mark(target, id);
                    if target == to {
                        break 'search;
                    }
                }
            }
        }
        assert!(self.forward.has(to), "no path from {from} to {to}");
        let mut at = to;
        while at != from {
            let edge = self.edges[self.forward.via[at as usize] as usize];
            labels.push(edge.label);
            at = edge.from;
        }
    }
}
