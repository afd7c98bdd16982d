//! What an optimal search writes down of itself, and how it goes on from there ([`crate::save`]).
//!
//! All of the tree and the agenda, and the footprints that they speak of. What was under way counts as waiting again. What was only
//! kept to save time (the path of the last execution, who sleeps along it) begins anew.

use super::Optimal;
use crate::frontier::agenda::{Agenda, Cost, Pending, Piece};
use crate::frontier::estimate::Estimate;
use crate::frontier::tree::{Child, Node, NodeId, PendingId, State, Tree};
use crate::options::Options;
use crate::save::{CheckpointError, Reader, Writer};
use crate::traces::touches::Touch;

impl Optimal {
    /// Writes it down.
    pub(super) fn write(&self, writer: &mut Writer) {
        let footprints = self.analysis.touches.all();
        writer.number(footprints.len() as u64);
        footprints.iter().for_each(|footprint| writer.footprint(footprint));
        writer.number(self.root.0.into());
        self.tree.write(writer);
        self.agenda.write(writer);
    }

    /// As it was when it was written, after `ran` executions.
    pub(crate) fn restore(reader: &mut Reader<'_>, options: &Options, ran: u64) -> Result<Optimal, CheckpointError> {
        let mut optimal = Optimal::new(options);
        let count = reader.length()?;
        for number in 0..count {
            if optimal.analysis.touches.number(&reader.footprint()?) != Touch::of(number as u32) {
                return Err(CheckpointError::Damaged);
            }
        }
        optimal.root = NodeId(reader.small()?);
        optimal.tree = Tree::read(reader, count)?;
        optimal.agenda = Agenda::read(reader, options.memory, count)?;
        optimal.estimate = Estimate::after(ran);
        (optimal.started, optimal.begun) = (true, true);
        optimal.consistent().then_some(optimal).ok_or(CheckpointError::Damaged)
    }

    /// Whether every number names something that is there.
    fn consistent(&self) -> bool {
        let node = |id: NodeId, slot: u32| {
            let place = id.0 as usize;
            place < self.tree.len() && (slot as usize) < self.tree.node(id).children.len()
        };
        let agenda = self.agenda.all().all(|(id, pending)| {
            node(pending.node, pending.slot)
                && !pending.pieces.is_empty()
                && self.tree.child(pending.node, pending.slot).state == State::Pending(id)
        });
        // What is not used has no children, and a parent that means nothing.
        let tree = self.tree.used().all(|at| {
            let this = self.tree.at(at);
            this.parent.is_none_or(|(parent, slot)| node(parent, slot))
                && this.children.iter().all(|child| match child.state {
                    State::Pending(id) => self.agenda.get(id).is_some(),
                    State::Node(below) => (below.0 as usize) < self.tree.len(),
                    State::Running | State::Done => true,
                })
        });
        agenda && tree && (self.root.0 as usize) < self.tree.len()
    }
}

fn touch(reader: &mut Reader<'_>, touches: usize) -> Result<Touch, CheckpointError> {
    let number = reader.small()?;
    if (number as usize) < touches { Ok(Touch::of(number)) } else { Err(CheckpointError::Damaged) }
}

impl Tree {
    fn write(&self, writer: &mut Writer) {
        writer.number(self.nodes.len() as u64);
        for node in &self.nodes {
            let Node { parent, depth, step, open, keep, leaves, children } = node;
            writer.number(parent.map_or(0, |(parent, _)| u64::from(parent.0) + 1));
            writer.number(parent.map_or(0, |(_, slot)| slot.into()));
            writer.step(*step);
            for number in [*depth, *open, *keep] {
                writer.number(number.into());
            }
            writer.number(*leaves);
            writer.number(children.len() as u64);
            for Child { step, touch, seen, state } in children {
                writer.step(*step);
                writer.number(touch.get().into());
                writer.number((*seen).into());
                let (kind, id) = match state {
                    State::Pending(id) => (0, id.0),
                    State::Running => (1, 0),
                    State::Node(id) => (2, id.0),
                    State::Done => (3, 0),
                };
                writer.number(kind);
                writer.number(id.into());
            }
        }
        writer.number(self.unused.len() as u64);
        self.unused.iter().for_each(|id| writer.number(id.0.into()));
        writer.number(self.children as u64);
    }

    fn read(reader: &mut Reader<'_>, touches: usize) -> Result<Tree, CheckpointError> {
        let count = reader.length()?;
        let mut tree = Tree::default();
        for _ in 0..count {
            let (parent, slot) = (reader.small()?, reader.small()?);
            let parent = parent.checked_sub(1).map(|parent| (NodeId(parent), slot));
            let step = reader.step()?;
            let (depth, open, keep) = (reader.small()?, reader.small()?, reader.small()?);
            let leaves = reader.number()?;
            let mut children = Vec::new();
            for _ in 0..reader.length()? {
                let step = reader.step()?;
                let touch = touch(reader, touches)?;
                let seen = reader.number()? != 0;
                let (kind, id) = (reader.number()?, reader.small()?);
                let state = match kind {
                    0 => State::Pending(PendingId(id)),
                    1 => State::Running,
                    2 => State::Node(NodeId(id)),
                    3 => State::Done,
                    _ => return Err(CheckpointError::Damaged),
                };
                children.push(Child { step, touch, seen, state });
            }
            tree.nodes.push(Node { parent, depth, step, open, keep, leaves, children });
        }
        for _ in 0..reader.length()? {
            let id = NodeId(reader.small()?);
            if id.0 as usize >= count {
                return Err(CheckpointError::Damaged);
            }
            tree.unused.push(id);
        }
        tree.children = reader.number()? as usize;
        Ok(tree)
    }
}

impl Agenda {
    fn write(&self, writer: &mut Writer) {
        writer.number(self.numbers);
        writer.number(self.list.len() as u64);
        for pending in &self.list {
            let Some(pending) = pending else {
                writer.number(0);
                continue;
            };
            let Pending { node, slot, cost, depth, number, pieces, .. } = pending;
            writer.number(pieces.len() as u64 + 1);
            for word in [node.0, *slot, *depth, cost.preemptions, cost.reversals, cost.switches] {
                writer.number(word.into());
            }
            writer.number(*number);
            for Piece { step, touch } in pieces {
                writer.step(*step);
                writer.number(touch.get().into());
            }
        }
    }

    fn read(reader: &mut Reader<'_>, limit: usize, touches: usize) -> Result<Agenda, CheckpointError> {
        let mut agenda = Agenda::new(limit);
        agenda.numbers = reader.number()?;
        for at in 0..reader.length()? {
            let Some(count) = reader.length()?.checked_sub(1) else {
                agenda.list.push(None);
                agenda.unused.push(PendingId(at as u32));
                continue;
            };
            let (node, slot, depth) = (NodeId(reader.small()?), reader.small()?, reader.small()?);
            let cost = Cost { preemptions: reader.small()?, reversals: reader.small()?, switches: reader.small()? };
            let number = reader.number()?;
            let mut pieces = Vec::with_capacity(count);
            for _ in 0..count {
                pieces.push(Piece { step: reader.step()?, touch: touch(reader, touches)? });
            }
            agenda.put_back(Pending { node, slot, cost, depth, number, running: false, pieces: pieces.into() });
        }
        agenda.turn(agenda.order);
        Ok(agenda)
    }

    /// All that is pending.
    fn all(&self) -> impl Iterator<Item = (PendingId, &Pending)> {
        self.list.iter().enumerate().filter_map(|(at, pending)| Some((PendingId(at as u32), pending.as_ref()?)))
    }
}
