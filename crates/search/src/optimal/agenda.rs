//! What is pending, and what comes next of it.
//!
//! Fewest preemptions first, then fewest reversals, then fewest switches, as long as there is room: a bug that one preemption shows does not wait
//! behind a million executions of another corner. Past the limit the deepest comes first, which needs no more
//! memory than one path with its branches.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use heddle_model::Footprint;
use heddle_model::follow::Step;

use super::tree::{NodeId, PendingId};

/// How far a schedule is from one that runs each thread as long as it can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Cost {
    pub preemptions: u32,
    /// How many reversals lead to it from the first execution. Before switches: a reversal late in a long schedule has
    /// all the switches before it, and is as near as one at its beginning.
    pub reversals: u32,
    pub switches: u32,
}

/// A sequence to be run from a node.
#[derive(Debug)]
pub(crate) struct Pending {
    pub node: NodeId,
    pub slot: u32,
    pub cost: Cost,
    depth: u32,
    number: u64,
    running: bool,
    pub steps: Vec<Step>,
    /// What each step touches; empty in programs where no operation has several ways to be taken.
    pub footprints: Vec<Footprint>,
}

/// All that is pending.
pub(crate) struct Agenda {
    list: Vec<Option<Pending>>,
    unused: Vec<PendingId>,
    cheapest: BTreeSet<(Cost, Reverse<u64>, PendingId)>,
    deepest: BTreeSet<(u32, u64, PendingId)>,
    bytes: usize,
    limit: usize,
    numbers: u64,
}

impl Agenda {
    pub fn new(limit: usize) -> Agenda {
        Agenda {
            list: Vec::new(),
            unused: Vec::new(),
            cheapest: BTreeSet::new(),
            deepest: BTreeSet::new(),
            bytes: 0,
            limit,
            numbers: 0,
        }
    }

    /// How much is pending.
    pub fn len(&self) -> usize {
        self.cheapest.len()
    }

    fn size(pending: &Pending) -> usize {
        // The sequence, the entry, its two places in the orders, and the child in its node.
        pending.steps.capacity() * size_of::<Step>() + pending.footprints.capacity() * size_of::<Footprint>() + 384
    }

    pub fn get(&self, id: PendingId) -> Option<&Pending> {
        self.list.get(id.0 as usize)?.as_ref()
    }

    /// Adds what is to be run from child `slot` of `node`, which is at `depth`.
    pub fn add(
        &mut self,
        (node, slot): (NodeId, u32),
        depth: u32,
        cost: Cost,
        steps: Vec<Step>,
        footprints: Vec<Footprint>,
    ) -> PendingId {
        let number = self.numbers;
        self.numbers += 1;
        let pending = Pending { node, slot, cost, depth, number, running: false, steps, footprints };
        self.bytes += Agenda::size(&pending);
        let id = self.unused.pop().unwrap_or_else(|| {
            self.list.push(None);
            PendingId(self.list.len() as u32 - 1)
        });
        // Among equals the newest comes first: it has most in common with what was run last.
        self.cheapest.insert((cost, Reverse(number), id));
        self.deepest.insert((depth, number, id));
        self.list[id.0 as usize] = Some(pending);
        id
    }

    /// Chooses what is to be run next. It stays here, out of order, until it is [removed](Self::remove).
    ///
    /// `more` is how much memory there is in use besides.
    pub fn next(&mut self, more: usize) -> Option<(PendingId, &Pending)> {
        let id = if self.bytes + more < self.limit {
            self.cheapest.first().map(|e| e.2)?
        } else {
            self.deepest.last().map(|e| e.2)?
        };
        let pending = self.list[id.0 as usize].as_mut()?;
        pending.running = true;
        self.cheapest.remove(&(pending.cost, Reverse(pending.number), id));
        self.deepest.remove(&(pending.depth, pending.number, id));
        Some((id, pending))
    }

    /// Takes out what was run.
    pub fn remove(&mut self, id: PendingId) -> Option<Pending> {
        let pending = self.list.get_mut(id.0 as usize)?.take()?;
        debug_assert!(pending.running);
        self.bytes -= Agenda::size(&pending);
        self.unused.push(id);
        Some(pending)
    }

    /// The first `count` steps are made by nodes now: the rest is to be run from there. Returns those steps.
    pub fn shorten(&mut self, id: PendingId, count: usize) -> Option<(Vec<Step>, Vec<Footprint>)> {
        let pending = self.list.get_mut(id.0 as usize)?.as_mut()?;
        self.bytes -= Agenda::size(pending);
        let steps = pending.steps.drain(..count).collect();
        let footprints = pending.footprints.drain(..count).collect();
        self.bytes += Agenda::size(pending);
        Some((steps, footprints))
    }

    /// Says where what is left of a shortened one is to be run from.
    pub fn relocate(&mut self, id: PendingId, (node, slot): (NodeId, u32), depth: u32) {
        let Some(pending) = self.list.get_mut(id.0 as usize).and_then(Option::as_mut) else { return };
        if !pending.running {
            self.deepest.remove(&(pending.depth, pending.number, id));
            self.deepest.insert((depth, pending.number, id));
        }
        pending.node = node;
        pending.slot = slot;
        pending.depth = depth;
    }
}
