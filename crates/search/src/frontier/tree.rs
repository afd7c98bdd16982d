//! The tree of an optimal search: where executions branched off, and what is pending there.
//!
//! A node is a point of an execution where another execution branches off. The children of a node are ordered by when
//! they were found. All ways of one thread share the place of the first of them. That order decides what sleeps, and not
//! the order in which children are run: below a child, the threads of all children in front of it are asleep.
//!
//! Nodes exist only on the way to something that is not done. A subtree that is done is one word in its parent.

use heddle_model::follow::Step;

use crate::traces::touches::Touch;

/// The index of a node in the [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NodeId(pub u32);

/// The index of a pending sequence in the agenda.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PendingId(pub u32);

/// How far the exploration of a child is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// The child stands for a sequence that is to be run, or is under way.
    Pending(PendingId),
    /// An execution that went this way is looked at, and nothing has branched off below it yet.
    Running,
    /// Something has branched off below the child.
    Node(NodeId),
    /// Everything below the child was run.
    Done,
}

/// One way to go on from a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub step: Step,
    /// What the first event of this child touches.
    pub touch: Touch,
    /// Whether an execution that went this way was looked at.
    pub seen: bool,
    pub state: State,
}

/// Where executions branched off.
#[derive(Debug)]
pub(crate) struct Node {
    pub parent: Option<(NodeId, u32)>,
    pub depth: u32,
    /// The step that leads here.
    pub(crate) step: Step,
    /// How many children are not done.
    pub(crate) open: u32,
    /// The node is kept, even when it is done, until the node above it at this depth is done. See [`crate::algorithm::optimal`], departure 3.
    pub(crate) keep: u32,
    /// Executions below children that are done, except below nodes that are kept.
    pub leaves: u64,
    pub children: Vec<Child>,
}

/// The value of `keep` for a node that goes when it is done.
pub(crate) const FREE: u32 = u32::MAX;

impl Node {
    /// The first child that belongs to the thread of child `slot`: the place of that thread in the order of children.
    pub fn rank(&self, slot: usize) -> usize {
        let thread = self.children[slot].step.thread;
        self.children.iter().position(|c| c.step.thread == thread).unwrap_or(slot)
    }
}

/// All nodes, in an arena. The memory of a node that is done is used for the next new one.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) unused: Vec<NodeId>,
    /// How many children all nodes have, apart from the first of each.
    pub(crate) children: usize,
}

impl Tree {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn child(&self, id: NodeId, slot: u32) -> &Child {
        &self.nodes[id.0 as usize].children[slot as usize]
    }

    pub fn child_mut(&mut self, id: NodeId, slot: u32) -> &mut Child {
        &mut self.nodes[id.0 as usize].children[slot as usize]
    }

    /// How many bytes the nodes in use take.
    pub fn bytes(&self) -> usize {
        // The first children come in a block of four.
        let each = size_of::<Node>() + 4 * size_of::<Child>() + 16;
        (self.nodes.len() - self.unused.len()) * each + self.children * size_of::<Child>()
    }

    /// A new node, without children.
    pub fn add(&mut self, parent: Option<(NodeId, u32)>) -> NodeId {
        let depth = parent.map_or(0, |(p, _)| self.node(p).depth + 1);
        let step = parent.map_or(Step::default(), |(p, slot)| self.child(p, slot).step);
        let id = match self.unused.pop() {
            Some(id) => id,
            None => {
                let id = NodeId(self.nodes.len() as u32);
                let children = Vec::new();
                self.nodes.push(Node { parent: None, depth: 0, step, open: 0, keep: FREE, leaves: 0, children });
                id
            }
        };
        let node = &mut self.nodes[id.0 as usize];
        node.parent = parent;
        node.depth = depth;
        node.step = step;
        node.open = 0;
        node.keep = FREE;
        node.leaves = 0;
        node.children.clear();
        if let Some((parent, slot)) = parent {
            self.child_mut(parent, slot).state = State::Node(id);
        }
        id
    }

    /// Adds the first child of a new node. The node stands for a child of its parent that was counted as open before, so
    /// nothing above changes.
    pub fn adopt(&mut self, id: NodeId, child: Child) {
        let node = &mut self.nodes[id.0 as usize];
        debug_assert!(node.children.is_empty());
        node.children.push(child);
        node.open = 1;
    }

    /// Adds a child that is not done. A node that was done and kept is open again, and so are the nodes above it.
    pub fn add_child(&mut self, id: NodeId, child: Child) -> u32 {
        self.nodes[id.0 as usize].children.push(child);
        self.children += 1;
        let mut at = id;
        loop {
            let node = &mut self.nodes[at.0 as usize];
            node.open += 1;
            match node.parent {
                Some((parent, _)) if node.open == 1 => at = parent,
                _ => break,
            }
        }
        self.nodes[id.0 as usize].children.len() as u32 - 1
    }

    /// Keeps `id`, and the nodes above it that are below `depth`, until the node at `depth` is done.
    pub fn keep(&mut self, id: NodeId, depth: u32) {
        let mut at = id;
        while self.node(at).depth > depth {
            let node = &mut self.nodes[at.0 as usize];
            node.keep = node.keep.min(depth);
            match node.parent {
                Some((parent, _)) => at = parent,
                None => break,
            }
        }
    }

    /// Marks child `slot` of `id` as done, and every node above that has no other open child. Returns the depth of the
    /// highest node that was freed.
    pub fn done(&mut self, id: NodeId, slot: u32) -> u32 {
        let (mut at, mut slot) = (id, slot);
        let mut kept = false;
        let mut gone = u32::MAX;
        let mut leaves = 1;
        loop {
            if !kept {
                self.child_mut(at, slot).state = State::Done;
            }
            let node = &mut self.nodes[at.0 as usize];
            node.leaves += leaves;
            node.open -= 1;
            if node.open > 0 {
                return gone;
            }
            let parent = node.parent;
            kept = node.keep < node.depth;
            leaves = 0;
            if !kept {
                gone = node.depth;
                leaves = self.free(at);
            }
            match parent {
                Some((above, place)) => (at, slot) = (above, place),
                None => return gone,
            }
        }
    }

    /// Frees a node that is done, and the kept nodes below it. Returns how many executions there were below.
    fn free(&mut self, id: NodeId) -> u64 {
        let mut leaves = 0;
        // Freed, and not looked at yet: those at the end of the list of what is not used.
        let mut next = self.unused.len();
        self.unused.push(id);
        while let Some(&id) = self.unused.get(next) {
            next += 1;
            let Tree { nodes, unused, children } = self;
            let node = &mut nodes[id.0 as usize];
            leaves += node.leaves;
            for child in &node.children {
                if let State::Node(below) = child.state {
                    unused.push(below);
                }
            }
            *children -= node.children.len().saturating_sub(1);
            node.children.clear();
            if node.children.capacity() > 64 {
                // Room for so many is not needed again soon.
                node.children = Vec::new();
            }
        }
        leaves
    }

    /// The node at an index of the arena.
    pub fn at(&self, place: u32) -> &Node {
        &self.nodes[place as usize]
    }

    /// The size of the arena.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The indices of the arena that are in use. A freed node has no children.
    pub fn used(&self) -> impl Iterator<Item = u32> {
        (0..self.nodes.len() as u32).filter(|&place| !self.at(place).children.is_empty())
    }

    /// The steps from the root to `id`.
    pub fn steps(&self, id: NodeId, into: &mut Vec<Step>) {
        let mut at = self.node(id);
        into.resize(at.depth as usize, Step::default());
        for place in into.iter_mut().rev() {
            *place = at.step;
            if let Some((parent, _)) = at.parent {
                at = self.node(parent);
            }
        }
    }
}
