//! The pending sequences of an optimal search, in the order in which they are to be run.
//!
//! The sequence with the fewest preemptions comes first, then the one with the fewest reversals, then the one with the
//! fewest switches. A bug that one preemption shows does not wait behind a million executions of another corner of the
//! program. When the pending sequences take more memory than they may, the deepest comes first, which needs no more
//! memory than one path with its branches. The order changes back when half of the memory is free again.

use std::collections::{BinaryHeap, HashMap, VecDeque};

use heddle_model::follow::Step;
use serde::{Deserialize, Serialize};

use super::tree::{NodeId, PendingId};
use crate::traces::touches::Touch;

/// How far a schedule is from one that runs each thread as long as it can.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Cost {
    /// How many preemptions the schedule has.
    pub preemptions: u32,
    /// How many reversals lead from the first execution to this schedule. They count before switches: a reversal late in
    /// a long schedule comes with all the switches before it, and is as near as one at its beginning.
    pub reversals: u32,
    /// How many switches between threads the schedule has.
    pub switches: u32,
}

/// One step of a pending sequence, with its footprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub step: Step,
    pub touch: Touch,
}

/// A sequence to be run from a node.
#[derive(Debug)]
pub(crate) struct PendingSequence {
    pub node: NodeId,
    pub slot: u32,
    pub cost: Cost,
    pub(crate) depth: u32,
    /// How many pending sequences were added before this one.
    pub(crate) number: u64,
    pub(crate) running: bool,
    /// The depth from which on another search explores what follows the sequence. [`HERE`] if none does.
    pub(crate) border: u32,
    pub pieces: Box<[Piece]>,
}

/// The border of a sequence that is explored here.
pub(crate) const HERE: u32 = u32::MAX;

/// Which pending sequence comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Priority {
    Cheapest,
    Deepest,
}

impl Priority {
    /// The sequence with the largest key comes first. Among equal costs that is the newest, which has most in common with
    /// the last execution.
    fn key(self, pending: &PendingSequence) -> u128 {
        let newest = u128::from(pending.number);
        match self {
            Priority::Cheapest => {
                let Cost { preemptions, reversals, switches } = pending.cost;
                let cost = [preemptions, reversals, switches].map(|n| u128::from(n.min(0xff_ffff)));
                (!(cost[0] << 104 | cost[1] << 80 | cost[2] << 56) >> 56 << 56) | newest
            }
            Priority::Deepest => u128::from(pending.depth) << 64 | newest,
        }
    }
}

/// The pending sequences, and the order in which they are to be run.
pub(crate) struct Agenda {
    pub(crate) list: Vec<Option<PendingSequence>>,
    pub(crate) unused: Vec<PendingId>,
    pub(crate) priority: Priority,
    /// Keys and ids of the sequences that are not under way. An entry is out of date if its sequence is gone or has another
    /// key by now.
    queue: BinaryHeap<(u128, PendingId)>,
    /// Sequences that are under way, in the order in which they were chosen.
    under_way: VecDeque<PendingId>,
    /// Sequences that were under way when the search was written down. They are chosen first, in this order: the search then
    /// goes on in the order of one that was never disturbed. They count as running, so that the queue leaves them out.
    first: VecDeque<PendingId>,
    waiting: usize,
    bytes: usize,
    limit: usize,
    pub(crate) numbers: u64,
}

impl Agenda {
    pub fn new(limit: usize) -> Agenda {
        Agenda {
            list: Vec::new(),
            unused: Vec::new(),
            priority: if limit == 0 { Priority::Deepest } else { Priority::Cheapest },
            queue: BinaryHeap::new(),
            under_way: VecDeque::new(),
            first: VecDeque::new(),
            waiting: 0,
            bytes: 0,
            limit,
            numbers: 0,
        }
    }

    /// How many sequences are pending and not under way.
    pub fn len(&self) -> usize {
        self.waiting
    }

    fn size(pending: &PendingSequence) -> usize {
        // The sequence, the entry and its place in the queue, and what the allocator takes.
        size_of_val(&*pending.pieces) + size_of::<Option<PendingSequence>>() + size_of::<(u128, PendingId)>() + 16
    }

    pub fn get(&self, id: PendingId) -> Option<&PendingSequence> {
        self.list.get(id.0 as usize)?.as_ref()
    }

    /// Adds a sequence that is to be run from child `slot` of `node`, which is at `depth`.
    pub fn add(&mut self, (node, slot): (NodeId, u32), depth: u32, cost: Cost, pieces: Box<[Piece]>) -> PendingId {
        let number = self.numbers;
        self.numbers += 1;
        let pending = PendingSequence { node, slot, cost, depth, number, running: false, border: HERE, pieces };
        self.bytes += Agenda::size(&pending);
        let id = self.unused.pop().unwrap_or_else(|| {
            self.list.push(None);
            PendingId(self.list.len() as u32 - 1)
        });
        self.queue.push((self.priority.key(&pending), id));
        self.waiting += 1;
        self.list[id.0 as usize] = Some(pending);
        id
    }

    /// Chooses the sequence that is to be run next. It counts as under way until it is [removed](Self::remove).
    ///
    /// `more` is how many bytes the rest of the search takes. They count against the limit, too.
    pub fn next(&mut self, more: usize) -> Option<(PendingId, &PendingSequence)> {
        if let Some(id) = self.first.pop_front() {
            self.waiting -= 1;
            self.under_way.push_back(id);
            return self.list[id.0 as usize].as_ref().map(|pending| (id, pending));
        }
        let used = self.bytes + more;
        match self.priority {
            Priority::Cheapest if used >= self.limit => self.reorder(Priority::Deepest),
            Priority::Deepest if used < self.limit / 2 => self.reorder(Priority::Cheapest),
            _ => {}
        }
        let id = loop {
            let (key, id) = self.queue.pop()?;
            let current = |p: &PendingSequence| !p.running && self.priority.key(p) == key;
            if self.get(id).is_some_and(current) {
                break id;
            }
        };
        self.waiting -= 1;
        self.under_way.push_back(id);
        let pending = self.list[id.0 as usize].as_mut()?;
        pending.running = true;
        Some((id, pending))
    }

    /// Sets the depth from which on another search explores what follows a sequence under way.
    pub fn set_border(&mut self, id: PendingId, border: u32) {
        if let Some(pending) = self.list.get_mut(id.0 as usize).and_then(Option::as_mut) {
            pending.border = border;
        }
    }

    /// Appends a sequence of a search that was written down. The caller [orders](Self::reorder) all of them afterwards.
    pub(crate) fn put_back(&mut self, pending: PendingSequence) {
        self.bytes += Agenda::size(&pending);
        self.waiting += 1;
        self.list.push(Some(pending));
    }

    /// The numbers of the sequences under way, in the order in which they were chosen.
    pub(crate) fn under_way(&self) -> Vec<u64> {
        let all = self.under_way.iter().chain(&self.first);
        all.filter_map(|&id| self.get(id)).map(|pending| pending.number).collect()
    }

    /// Has the sequences with these numbers chosen first, in this order. False if there are none with such numbers. The caller
    /// [orders](Self::reorder) the others afterwards.
    pub(crate) fn choose_first(&mut self, numbers: &[u64]) -> bool {
        let all = self.list.iter().zip(0..).filter_map(|(pending, at)| Some((pending.as_ref()?.number, at)));
        let places: HashMap<u64, u32> = all.collect();
        numbers.iter().all(|number| {
            let Some(&at) = places.get(number) else { return false };
            self.first.push_back(PendingId(at));
            let pending = self.list[at as usize].as_mut();
            // Twice the same is damage.
            pending.is_some_and(|pending| !std::mem::replace(&mut pending.running, true))
        })
    }

    /// Orders all sequences that are not under way by `priority`, from now on.
    pub(crate) fn reorder(&mut self, priority: Priority) {
        self.priority = priority;
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        entries.clear();
        for (at, pending) in self.list.iter().enumerate() {
            if let Some(pending) = pending.as_ref().filter(|p| !p.running) {
                entries.push((priority.key(pending), PendingId(at as u32)));
            }
        }
        self.queue = BinaryHeap::from(entries);
    }

    /// Takes out a sequence that was run.
    pub fn remove(&mut self, id: PendingId) -> Option<PendingSequence> {
        let pending = self.list.get_mut(id.0 as usize)?.take()?;
        debug_assert!(pending.running);
        // Mostly the first of them.
        if let Some(at) = self.under_way.iter().position(|&chosen| chosen == id) {
            self.under_way.remove(at);
        }
        self.bytes -= Agenda::size(&pending);
        self.unused.push(id);
        Some(pending)
    }

    /// Drops the first `count` steps of a sequence, for which there are nodes now. Returns all its steps.
    pub fn shorten(&mut self, id: PendingId, count: usize) -> Option<Box<[Piece]>> {
        let pending = self.list.get_mut(id.0 as usize)?.as_mut()?;
        self.bytes -= Agenda::size(pending);
        let rest = pending.pieces[count..].into();
        let all = std::mem::replace(&mut pending.pieces, rest);
        self.bytes += Agenda::size(pending);
        Some(all)
    }

    /// Says from where a [shortened](Self::shorten) sequence is to be run.
    pub fn relocate(&mut self, id: PendingId, (node, slot): (NodeId, u32), depth: u32) {
        let Some(pending) = self.list.get_mut(id.0 as usize).and_then(Option::as_mut) else { return };
        pending.node = node;
        pending.slot = slot;
        pending.depth = depth;
        if !pending.running && self.priority == Priority::Deepest {
            // The old entry is out of date by this, and goes when its depth comes up.
            self.queue.push((self.priority.key(pending), id));
            if self.queue.len() > 2 * self.waiting + 1024 {
                self.reorder(self.priority);
            }
        }
    }
}
