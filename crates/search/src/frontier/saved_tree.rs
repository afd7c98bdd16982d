//! The whole tree of an optimal search, as a value for checkpoints.

use heddle_model::follow::Step;
use serde::{Deserialize, Serialize};

use crate::frontier::agenda::{Agenda, Cost, HERE, PendingSequence, Piece};
use crate::frontier::tree::{Child, FREE, Node, NodeId, PendingId, State, Tree};
use crate::save::{CheckpointError, Touched};
use crate::traces::touches::{Touch, Touches};

/// The whole tree of an optimal search, as a value: nodes, what sleeps at them, and what is pending below them.
///
/// Whoever has it can go on with the search from there. Finished siblings are part of it: they decide what sleeps and what
/// is covered. ([`WorkItem`](super::work_item::WorkItem) is a part of a search that needs none of them.)
///
/// It names no memory of whoever made it. Nodes follow one another level by level. A child that leads to a node leads to
/// the next one that no child before it leads to. Footprints are numbers in a list of the tree's own.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedTree {
    footprints: Vec<Touched>,
    nodes: Vec<Branching>,
}

/// A node of a [`SavedTree`].
#[derive(Serialize, Deserialize)]
struct Branching {
    /// See [`Node`].
    keep: Option<u32>,
    leaves: u64,
    children: Vec<Branch>,
}

/// A child of a node of a [`SavedTree`]. The children in front of it are asleep below it.
#[derive(Serialize, Deserialize)]
struct Branch {
    step: Step,
    footprint: u32,
    seen: bool,
    rest: Rest,
}

/// What is left to do below a child.
#[derive(Serialize, Deserialize)]
enum Rest {
    /// Nothing.
    Done,
    /// The next node says it.
    Node,
    /// A sequence that was not run yet, or is under way.
    Pending { pieces: Vec<(Step, u32)>, cost: Cost, number: u64 },
}

impl SavedTree {
    /// The whole of a tree.
    pub fn of(tree: &Tree, root: NodeId, agenda: &Agenda, touches: &Touches) -> SavedTree {
        let mut nodes = Vec::new();
        let mut order = vec![root];
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            at += 1;
            let node = tree.node(id);
            let children = node.children.iter().map(|child| {
                let rest = match child.state {
                    State::Node(below) => {
                        order.push(below);
                        Rest::Node
                    }
                    State::Pending(id) => agenda.get(id).map_or(Rest::Done, |pending| Rest::Pending {
                        pieces: pending.pieces.iter().map(|piece| (piece.step, piece.touch.get())).collect(),
                        cost: pending.cost,
                        number: pending.number,
                    }),
                    // Between two executions, nothing is left of a child that was run and has no node.
                    State::Running | State::Done => Rest::Done,
                };
                Branch { step: child.step, footprint: child.touch.get(), seen: child.seen, rest }
            });
            let children = children.collect();
            let keep = (node.keep != FREE).then_some(node.keep);
            nodes.push(Branching { keep, leaves: node.leaves, children });
        }
        SavedTree { footprints: touches.all().iter().map(Touched::of).collect(), nodes }
    }

    /// Makes a tree of it again. Its root is the first node.
    ///
    /// # Errors
    ///
    /// When the value contradicts itself.
    pub fn plant(self, tree: &mut Tree, agenda: &mut Agenda, touches: &mut Touches) -> Result<(), CheckpointError> {
        let damaged = CheckpointError::Damaged;
        for (number, footprint) in self.footprints.iter().enumerate() {
            // They are different, and come in the order of their numbers.
            if touches.number(&footprint.footprint()?) != Touch::of(number as u32) {
                return Err(damaged);
            }
        }
        let touch = |number: u32| {
            if (number as usize) < self.footprints.len() { Ok(Touch::of(number)) } else { Err(damaged) }
        };
        let count = self.nodes.len();
        if count == 0 {
            return Err(damaged);
        }
        let mut parents = vec![None; count];
        let mut next = 1;
        tree.nodes.clear();
        for (place, Branching { keep, leaves, children: branches }) in self.nodes.into_iter().enumerate() {
            let parent: Option<(NodeId, u32)> = parents[place];
            if parent.is_none() != (place == 0) || branches.is_empty() && place != 0 {
                return Err(damaged);
            }
            let above = parent.map(|(parent, slot)| (tree.node(parent).depth, tree.child(parent, slot).step));
            let (depth, step) = above.map_or((0, Step::default()), |(depth, step)| (depth + 1, step));
            let mut children = Vec::with_capacity(branches.len());
            for Branch { step, footprint, seen, rest } in branches {
                let here = (NodeId(place as u32), children.len() as u32);
                let state = match rest {
                    Rest::Done => State::Done,
                    Rest::Node => {
                        *parents.get_mut(next).ok_or(damaged)? = Some(here);
                        next += 1;
                        State::Node(NodeId(next as u32 - 1))
                    }
                    Rest::Pending { pieces, cost, number } => {
                        if pieces.first().is_none_or(|first| first.0 != step) || number >= agenda.numbers {
                            return Err(damaged);
                        }
                        let piece = |(step, number)| Ok(Piece { step, touch: touch(number)? });
                        let pieces = pieces.into_iter().map(piece).collect::<Result<_, CheckpointError>>()?;
                        let (node, slot) = here;
                        let id = PendingId(agenda.list.len() as u32);
                        agenda.put_back(PendingSequence {
                            node,
                            slot,
                            cost,
                            depth,
                            number,
                            running: false,
                            border: HERE,
                            pieces,
                        });
                        State::Pending(id)
                    }
                };
                children.push(Child { step, touch: touch(footprint)?, seen, state });
            }
            tree.children += children.len().saturating_sub(1);
            tree.nodes.push(Node { parent, depth, step, open: 0, keep: keep.unwrap_or(FREE), leaves, children });
        }
        if next != count.max(1) || count == 0 {
            return Err(damaged);
        }
        // From the leaves to the root: a node is open if one of its children is.
        for place in (0..count).rev() {
            let open = |child: &&Child| match child.state {
                State::Pending(_) => true,
                State::Node(below) => tree.node(below).open > 0,
                State::Running | State::Done => false,
            };
            tree.nodes[place].open = tree.nodes[place].children.iter().filter(open).count() as u32;
        }
        agenda.reorder(agenda.priority);
        Ok(())
    }
}
