//! Optimal DPOR: one execution for each trace, and none that is abandoned.
//!
//! P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Source sets: a foundation for optimal dynamic partial order
//! reduction*, J. ACM 64(4), 2017: the optimal algorithm of section 7, with reversals found in whole executions (section
//! 7.3). Storage follows P. Abdulla, M. Atig, S. Das, B. Jonsson, K. Sagonas, *Parsimonious optimal dynamic partial order
//! reduction*, CAV 2024.
//!
//! Every reversal of an execution (see `traces::analysis`) asks for a sequence `v`: the events after the earlier one that
//! do not happen after it, and then the later one. It is to be run from the node before the earlier event. It is inserted
//! there unless a sleeping thread, or a child that exists, is a weak initial of `v`. In that case the traces that begin
//! like `v` belong to that thread or child. Whatever sleeps at the node conflicts with `v` somewhere. So nobody is asleep
//! once `v` has been run, and no execution is ever blocked.
//!
//! Departures:
//!
//! 1. **One tree.** The paper inserts into trees of sequences that were not run yet, and relies on depth-first order: when
//!    a child is run, everything asleep below it is done. Here one tree holds what was run, what is under way and what is
//!    pending. A sequence that a child covers goes on below that child. It is dropped where nobody is asleep any more,
//!    because from there on everything is found from within. It is dropped at once if the child stands in front of the
//!    one that it came from. While a sleeping thread's own subtree is not done, more may be inserted below. The nodes
//!    along which such a thread sleeps are kept, even if all below them is done. (In depth-first order there are none.)
//!    A pending sequence is stored in one piece, and cut into nodes only where another one branches off. The parsimonious
//!    algorithm runs reversals at once and stores nothing; the agenda of pending sequences is what lets this one choose.
//! 2. **Any order.** The children of a node are ordered by when they were found. Below a child, the children in front of
//!    it are asleep, whether they are done or not. Two subtrees do not depend on which of them is run first. So pending
//!    sequences can be run in any order (fewest preemptions first, see `frontier::agenda`), and several at a time.
//! 3. **Several ways to take an operation** (which waiting thread a signal wakes, a choice of data). The paper's threads
//!    are deterministic. Here all ways of one thread share one place in the order of children, and a sleeping thread
//!    sleeps in all its ways. That is sound because all ways of an operation touch the same objects. When an operation
//!    with several ways is first run, the other ways are inserted beside it, unless they commute with a sleeping thread.
//!    In that case they belong to the executions where that thread went first. If it turns out there that it cannot come
//!    first, that reversal inserts them here (departure 1).
//! 4. **Blocking.** Reversals reach across the event that enables the later one, and threads that still wait at the end of
//!    an execution take part (see `traces::analysis`). A sleeping thread is always able to go on: whatever disables an
//!    operation conflicts with it, and wakes it.
//! 5. **Labels.** The moved event may touch other objects in its new place (a trylock that now succeeds). The model is
//!    asked again. The answer is unknown only for a compare-exchange on a value that no event shows. The event then
//!    counts as a write, and an execution may be blocked.
//!
//! Nodes exist only above something pending. A subtree that is done is freed.
//!
//! [`split`] cuts a search into parts that others explore alone.

mod cost;
pub mod split;

use heddle_model::follow::Step;
use heddle_model::retrace::Retrace;
use heddle_model::{Choice, Event, Execution, Footprint, Plan, ThreadId};
use serde::{Deserialize, Serialize};

use crate::drive::strategy::{Strategy, Ticket};
use crate::frontier::agenda::{Agenda, Cost, Piece, Priority};
use crate::frontier::estimate::Estimate;
use crate::frontier::levels::Levels;
use crate::frontier::saved_tree::SavedTree;
use crate::frontier::tree::{self, Child, NodeId, PendingId, Tree};
use crate::options::Options;
use crate::save::{self, CheckpointError};
use crate::traces::analysis::{Analysis, Reversal};
use crate::traces::sequence::{Item, Sequence};
use crate::traces::touches::{Touch, Touches};

/// The ticket of the first plan, which has no pending sequence.
const FIRST: Ticket = Ticket(u32::MAX);

/// Stands for "no item of the sequence".
const ABSENT: usize = usize::MAX;

/// A thread that sleeps along a stretch of the path.
#[derive(Clone, Copy)]
struct Sleeper {
    thread: ThreadId,
    touch: Touch,
    /// The depths of the first and the last node where the thread sleeps.
    first: u32,
    last: u32,
    /// The depth of the node of which the thread's step is a child.
    source: u32,
}

pub(crate) struct Optimal {
    tree: Tree,
    agenda: Agenda,
    estimate: Estimate,
    levels: Levels,
    root: NodeId,
    started: bool,
    /// Whether the first execution was looked at.
    begun: bool,
    analysis: Analysis,
    retrace: Retrace,
    sequence: Sequence,
    /// The nodes along the execution that is looked at, and in `slots` the child that it took at each.
    path: Vec<NodeId>,
    slots: Vec<u32>,
    sleepers: Vec<Sleeper>,
    /// The cost of the schedule up to each event.
    costs: Vec<Cost>,
    /// How many reversals led to the execution that is looked at.
    reversals: u32,
    /// Footprints of the threads that are asleep where the insertion of a sequence has come to.
    asleep: Vec<Touch>,
    /// How many steps are given ([`Options::prefix`]). No other step is tried in their place, and what follows them is
    /// explored as if the program began there. Nobody is asleep along them, so nothing is missed.
    given: usize,
    /// What is known of the one subtree that is explored here, if others explore the rest. Then the given steps are the
    /// way to that subtree.
    part: Option<split::Part>,
}

impl Optimal {
    pub fn new(options: &Options) -> Optimal {
        let mut tree = Tree::default();
        let root = tree.add(None);
        let mut retrace = Retrace::default();
        retrace.know(&options.places);
        Optimal {
            tree,
            agenda: Agenda::new(options.memory),
            estimate: Estimate::new(),
            levels: Levels::default(),
            root,
            started: false,
            begun: false,
            analysis: Analysis::knowing(&options.places),
            retrace,
            sequence: Sequence::default(),
            path: Vec::new(),
            slots: Vec::new(),
            sleepers: Vec::new(),
            costs: Vec::new(),
            asleep: Vec::new(),
            given: options.prefix.len(),
            reversals: 0,
            part: None,
        }
    }

    /// Finds the nodes from the root to the sequence that was run. Returns the first event that no earlier execution has
    /// shown, and how many nodes at the beginning are those of the last path, with the children that it took.
    fn find_path(&mut self, ran: Option<(NodeId, u32)>) -> (usize, usize) {
        let Some((mut node, mut slot)) = ran else {
            self.path.clear();
            self.slots.clear();
            self.path.push(self.root);
            return (0, 0);
        };
        let length = self.tree.node(node).depth as usize + 1;
        self.path.resize(length, NodeId(u32::MAX));
        self.slots.resize(length, u32::MAX);
        let mut new = length;
        for depth in (0..length).rev() {
            if self.path[depth] == node && self.slots[depth] == slot {
                return (new, depth + 1);
            }
            self.path[depth] = node;
            self.slots[depth] = slot;
            let child = self.tree.child_mut(node, slot);
            if !child.seen {
                child.seen = true;
                new = depth;
            }
            if let Some(above) = self.tree.node(node).parent {
                (node, slot) = above;
            }
        }
        (new, 0)
    }

    /// Finds the threads that sleep along the path. The first `known` events and nodes are those of the last path.
    fn find_sleepers(&mut self, events: usize, known: usize) {
        let Analysis { touches, touched, .. } = &self.analysis;
        let wakes = |touch: Touch, from: usize| {
            let conflict = |t: &Touch| touches.conflict(*t, touch);
            touched[from..events].iter().position(conflict).map_or(events, |at| from + at) as u32
        };
        self.sleepers.retain_mut(|s| {
            if s.source as usize >= known {
                return false;
            }
            if s.last as usize >= known {
                s.last = wakes(s.touch, known);
            }
            true
        });
        if let Some(part) = self.part.as_ref().filter(|_| known < self.given) {
            let first = self.given as u32;
            self.sleepers.extend(part.sleepers.iter().map(|&(thread, touch)| {
                let last = wakes(touch, self.given.min(events));
                Sleeper { thread, touch, first, last, source: first - 1 }
            }));
        }
        for depth in known..self.slots.len() {
            let (node, slot) = (self.tree.node(self.path[depth]), self.slots[depth]);
            let front = &node.children[..node.rank(slot as usize)];
            for (at, child) in front.iter().enumerate() {
                let thread = child.step.thread;
                if front[..at].iter().any(|c| c.step.thread == thread) {
                    continue;
                }
                let last = wakes(child.touch, depth);
                if last > depth as u32 {
                    let source = depth as u32;
                    self.sleepers.push(Sleeper { thread, touch: child.touch, first: source + 1, last, source });
                }
            }
        }
    }

    /// The node before event `depth` of the execution that is looked at. Makes it if there is none.
    fn node_at(&mut self, events: &[Event], depth: usize) -> NodeId {
        if self.slots.is_empty() {
            // The very first execution: nothing stands for it yet.
            self.first_child(events, 0, self.root);
        }
        while self.path.len() <= depth {
            let at = self.path.len();
            let (above, slot) = (self.path[at - 1], self.slots[at - 1]);
            let node = self.tree.add(Some((above, slot)));
            self.path.push(node);
            self.first_child(events, at, node);
        }
        self.path[depth]
    }

    fn first_child(&mut self, events: &[Event], depth: usize, node: NodeId) {
        let touch = self.analysis.touched[depth];
        self.tree.adopt(node, Child { step: Step::of(&events[depth]), touch, seen: true, state: tree::State::Running });
        self.slots.push(0);
    }

    /// Inserts the sequence of a reversal, unless it is covered.
    fn reverse(&mut self, events: &[Event], Reversal { earlier, later }: Reversal) {
        let depth = earlier as usize;
        let mut moved = match events.get(later as usize) {
            Some(event) => *event,
            None => self.analysis.waiting[later as usize - events.len()],
        };
        let relabels = moved.operation.depends_on_state() || self.analysis.looks_in_vain(moved.state);
        // Many reversals were made before: a child in front of this one begins with the same event. That is seen before the
        // whole sequence is made.
        if !relabels && self.begins_in_front(depth, Sequence::first(events, &self.analysis, earlier, later)) {
            return;
        }
        self.sequence.reversal(events, &self.analysis, earlier, later);
        let mut touch = self.analysis.touched[later as usize];
        if relabels {
            let Optimal { sequence, analysis, retrace, .. } = self;
            if moved.operation.queues() {
                match sequence.in_turn(events, analysis, retrace, depth, &moved) {
                    Some(event) => moved = event,
                    None => return,
                }
            } else {
                if !self.sequence.make_room(events, &self.analysis, &moved)
                    || self.begins_in_front(depth, self.sequence.items.first().map(|item| item.step))
                {
                    return;
                }
                let kept = self.sequence.items.iter().map(|item| item.event as usize);
                match self.retrace.relabel(events, depth, kept, &moved) {
                    Some(event) => moved = event,
                    None => return,
                }
            }
            touch = self.analysis.touches.number(&Footprint::of(&moved));
        }
        self.sequence.push_moved(later, &moved, touch);
        if depth < self.given {
            self.send(events, depth);
        } else {
            self.insert(events, depth, None);
        }
    }

    /// Whether a child in front of the one that the execution took at `depth` begins with `step`.
    fn begins_in_front(&self, depth: usize, step: Option<Step>) -> bool {
        let (Some(step), Some(&node)) = (step, self.path.get(depth)) else { return false };
        let node = self.tree.node(node);
        let front = &node.children[..node.rank(self.slots[depth] as usize)];
        front.iter().any(|c| c.step.thread == step.thread && c.step.choice() == step.choice())
    }

    /// Inserts the sequence at the node before event `depth`, unless it is covered. `cost` is its cost, if it is known.
    fn insert(&mut self, events: &[Event], depth: usize, cost: Option<Cost>) {
        for sleeper in &self.sleepers {
            if sleeper.first <= depth as u32
                && depth as u32 <= sleeper.last
                && self.sequence.may_start_with(events, &self.analysis, sleeper.thread, sleeper.touch)
            {
                return;
            }
        }
        let cost = cost.unwrap_or_else(|| self.cost_of(events, depth));
        let mut node = self.node_at(events, depth);
        self.asleep.clear();
        let active = |s: &&Sleeper| s.first <= depth as u32 && depth as u32 <= s.last;
        self.asleep.extend(self.sleepers.iter().filter(active).map(|s| s.touch));
        let mut front = self.tree.node(node).rank(self.slots[depth] as usize);
        while let Some((slot, item)) = self.covering(events, node) {
            let Some(slot) = slot else {
                // Its thread is there, but not this way of it.
                let first = self.sequence.items.remove(item);
                self.sequence.items.insert(0, first);
                break;
            };
            let rank = self.tree.node(node).rank(slot as usize);
            if rank < front {
                return;
            }
            front = 0;
            if item != ABSENT {
                self.sequence.items.remove(item);
            }
            match self.go_down(events, node, slot, rank) {
                Some(below) => node = below,
                None => return,
            }
        }
        self.add(node, cost);
    }

    /// The first child of `node` that covers the sequence, and the item that it stands for ([`ABSENT`] if its thread has
    /// none). The child is `None` if its thread comes first in the sequence, but in a way that is no child yet.
    fn covering(&self, events: &[Event], node: NodeId) -> Option<(Option<u32>, usize)> {
        let children = &self.tree.node(node).children;
        for (slot, child) in children.iter().enumerate() {
            let thread = child.step.thread;
            if children[..slot].iter().any(|c| c.step.thread == thread) {
                continue;
            }
            match self.sequence.first_of(thread) {
                Some(at) if self.sequence.is_initial(events, &self.analysis, at) => {
                    let choice = self.sequence.items[at].step.choice();
                    let same = children.iter().position(|c| c.step.thread == thread && c.step.choice() == choice);
                    return Some((same.map(|s| s as u32), at));
                }
                None if self.sequence.commutes_with(&self.analysis, child.touch) => {
                    return Some((Some(slot as u32), ABSENT));
                }
                _ => {}
            }
        }
        None
    }

    /// Wakes those of `asleep` that conflict with `touch`. Returns whether anybody still sleeps.
    fn take_asleep(touches: &Touches, asleep: &mut Vec<Touch>, touch: Touch) -> bool {
        asleep.retain(|&sleeping| !touches.conflict(sleeping, touch));
        !asleep.is_empty()
    }

    /// The node below a child that covers the beginning of the sequence, where the rest is to be inserted. `None` if the
    /// child covers all of it: nobody is asleep below, so everything there is found from within.
    fn go_down(&mut self, events: &[Event], node: NodeId, slot: u32, rank: usize) -> Option<NodeId> {
        let children = &self.tree.node(node).children;
        self.asleep.extend(children[..rank].iter().map(|c| c.touch));
        let Child { touch, state, .. } = children[slot as usize];
        let touches = &self.analysis.touches;
        if !Optimal::take_asleep(touches, &mut self.asleep, touch) || self.sequence.items.is_empty() {
            return None;
        }
        match state {
            tree::State::Node(below) => Some(below),
            tree::State::Running | tree::State::Done => None,
            tree::State::Pending(id) => {
                let pending = self.agenda.get(id)?;
                for (at, &Piece { step, touch }) in pending.pieces.iter().enumerate().skip(1) {
                    if pending.depth + at as u32 >= pending.border {
                        // Whoever explores that part finds it from within: see [`split`].
                        return None;
                    }
                    match self.sequence.first_of(step.thread) {
                        Some(first) => {
                            let same = self.sequence.items[first].step.choice() == step.choice();
                            if !same || !self.sequence.is_initial(events, &self.analysis, first) {
                                return self.split(node, slot, at);
                            }
                            self.sequence.items.remove(first);
                        }
                        None if self.sequence.commutes_with(&self.analysis, touch) => {}
                        None => return self.split(node, slot, at),
                    }
                    if !Optimal::take_asleep(touches, &mut self.asleep, touch) || self.sequence.items.is_empty() {
                        return None;
                    }
                }
                None
            }
        }
    }

    /// Makes nodes along a pending sequence, up to its step `at`, where another sequence may branch off. Returns the last
    /// of them.
    fn split(&mut self, node: NodeId, slot: u32, at: usize) -> Option<NodeId> {
        let tree::State::Pending(id) = self.tree.child(node, slot).state else { return None };
        let pieces = self.agenda.shorten(id, at)?;
        let (mut node, mut slot) = (node, slot);
        for &Piece { step, touch } in &pieces[1..=at] {
            let below = self.tree.add(Some((node, slot)));
            self.tree.adopt(below, Child { step, touch, seen: false, state: tree::State::Running });
            (node, slot) = (below, 0);
        }
        self.tree.child_mut(node, slot).state = tree::State::Pending(id);
        self.agenda.relocate(id, (node, slot), self.tree.node(node).depth);
        Some(node)
    }

    /// Adds the sequence as a new child of `node`.
    fn add(&mut self, node: NodeId, cost: Cost) {
        let Some(first) = self.sequence.items.first() else { return };
        let (step, touch) = (first.step, self.sequence.touch(&self.analysis, first));
        let slot = self.tree.add_child(node, Child { step, touch, seen: false, state: tree::State::Running });
        let piece = |item: &Item| Piece { step: item.step, touch: self.sequence.touch(&self.analysis, item) };
        let pieces = self.sequence.items.iter().map(piece).collect();
        let depth = self.tree.node(node).depth;
        self.estimate.found();
        let id = self.agenda.add((node, slot), depth, cost, pieces);
        self.tree.child_mut(node, slot).state = tree::State::Pending(id);
    }

    /// Inserts the other ways to take event `depth`, unless they are covered.
    fn other_ways(&mut self, events: &[Event], depth: usize) {
        let event = &events[depth];
        let touch = self.analysis.touched[depth];
        let sleeping = |s: &Sleeper| s.first <= depth as u32 && depth as u32 <= s.last;
        if self.sleepers.iter().any(|s| sleeping(s) && !self.analysis.touches.conflict(s.touch, touch)) {
            return;
        }
        let node = self.node_at(events, depth);
        let rank = self.tree.node(node).rank(self.slots[depth] as usize);
        // A child in front of this thread that commutes with it covers its other ways too.
        let before = &self.tree.node(node).children[..rank];
        if before.iter().any(|c| !self.analysis.touches.conflict(c.touch, touch)) {
            return;
        }
        for choice in (0..event.alternatives).map(Choice::Way) {
            let known = |c: &Child| c.step.thread == event.thread && c.step.choice() == choice;
            if self.tree.node(node).children.iter().any(known) {
                continue;
            }
            let step = Step::of(event).taking(choice);
            self.sequence.set_single(depth as u32, step);
            let cost = self.cost_of(events, depth);
            self.add(node, cost);
        }
    }

    /// Keeps the nodes along which a thread sleeps whose own subtree is not done. From there, more may be inserted here.
    fn keep_nodes(&mut self, events: &[Event]) {
        for at in 0..self.sleepers.len() {
            let Sleeper { thread, last, source, .. } = self.sleepers[at];
            if (source as usize) < self.given {
                // Its subtree is done: that is how a part of a search is cut off.
                continue;
            }
            let above = self.tree.node(self.path[source as usize]);
            if above.children.iter().any(|c| c.step.thread == thread && c.state != tree::State::Done) {
                let node = self.node_at(events, (last as usize).min(events.len() - 1));
                self.tree.keep(node, source);
            }
        }
    }
}

/// What is written down of an optimal search. What is only kept to save time (the path of the last execution, who sleeps
/// along it) begins anew.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    begun: bool,
    tree: SavedTree,
    /// The numbers of the sequences that were under way, in the order in which they were proposed.
    under_way: Vec<u64>,
    numbers: u64,
    priority: Priority,
    estimate: (f64, f64, f64),
    levels: (Vec<u64>, u64),
}

impl Strategy for Optimal {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if !self.started {
            self.started = true;
            return Some(FIRST);
        }
        // Nodes that are kept count too: they go when what they wait for is done, which is what comes first then.
        let (id, pending) = self.agenda.next(self.tree.bytes())?;
        self.tree.steps(pending.node, &mut plan.schedule);
        plan.schedule.extend(pending.pieces.iter().map(|piece| piece.step));
        Some(Ticket(id.0))
    }

    fn digest(&mut self, ticket: Ticket, execution: &Execution<'_>) {
        let ran = self.agenda.remove(PendingId(ticket.0));
        self.estimate.ran();
        if self.agenda.priority == Priority::Cheapest {
            self.levels.ran(ran.as_ref().map_or(0, |pending| pending.cost.preemptions));
        }
        self.begun = true;
        let first = self.part.as_ref().map_or(0, |part| part.reversals);
        self.reversals = ran.as_ref().map_or(first, |pending| pending.cost.reversals);
        let ran = ran.map(|pending| (pending.node, pending.slot));
        if let Some((node, slot)) = ran {
            self.tree.child_mut(node, slot).state = tree::State::Running;
        }
        let events = execution.events;
        let (mut new, same_nodes) = self.find_path(ran);
        if let Some(part) = self.part.as_ref().filter(|_| ran.is_none()) {
            new = part.known;
        }
        let deep_enough = events.len() >= self.slots.len();
        if deep_enough && !events.is_empty() {
            let same_events = self.analysis.run(events, execution.pending, new);
            let known = same_events.min(same_nodes);
            self.find_sleepers(events.len(), known);
            self.find_costs(events, same_events);
            let reversals = std::mem::take(&mut self.analysis.reversals);
            let from = if self.part.is_some() { 0 } else { self.given };
            for &reversal in reversals.iter().filter(|reversal| reversal.earlier as usize >= from) {
                self.reverse(events, reversal);
            }
            self.analysis.reversals = reversals;
            for (depth, event) in events.iter().enumerate().skip(new.max(self.given)) {
                if event.alternatives > 1 {
                    self.other_ways(events, depth);
                }
            }
            self.keep_nodes(events);
        }
        if let (Some(&node), Some(&slot)) = (self.path.last(), self.slots.last()) {
            // What is gone may be another node when the next path is compared with this one.
            let gone = self.tree.done(node, slot) as usize;
            // What was not looked at is no path that the next one could have something in common with.
            let usable = if deep_enough { gone } else { 0 };
            self.path.truncate(usable);
            self.slots.truncate(usable);
        }
    }

    fn pending(&self) -> u64 {
        self.agenda.len() as u64 + u64::from(!self.started)
    }

    fn estimate(&self) -> Option<(u64, Option<u64>)> {
        let (low, high) = self.estimate.range(self.pending(), &self.tree)?;
        Some((low as u64, high.map(|high| high as u64)))
    }

    /// Every pending sequence leads to a trace of its own.
    fn certain(&self) -> Option<u64> {
        Some(self.pending())
    }

    fn expected(&self) -> u64 {
        self.levels.expected()
    }

    fn save(&self) -> save::State {
        save::State::Optimal(Box::new(State {
            begun: self.begun,
            tree: SavedTree::of(&self.tree, self.root, &self.agenda, &self.analysis.touches),
            under_way: self.agenda.under_way(),
            numbers: self.agenda.numbers,
            priority: self.agenda.priority,
            estimate: self.estimate.save(),
            levels: self.levels.save(),
        }))
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Optimal(state) = state else { return Err(CheckpointError::Damaged) };
        let State { begun, tree, under_way, numbers, priority, estimate, levels } = *state;
        (self.agenda.numbers, self.agenda.priority) = (numbers, priority);
        tree.plant(&mut self.tree, &mut self.agenda, &mut self.analysis.touches)?;
        if !begun && !self.tree.node(NodeId(0)).children.is_empty() {
            // Only the first execution makes children.
            return Err(CheckpointError::Damaged);
        }
        if !self.agenda.choose_first(&under_way) {
            return Err(CheckpointError::Damaged);
        }
        self.agenda.reorder(priority);
        self.root = NodeId(0);
        self.estimate = Estimate::restore(estimate);
        self.levels = Levels::restore(levels).ok_or(CheckpointError::Damaged)?;
        // The first execution is to be run again if nothing was learnt from it.
        (self.started, self.begun) = (begun, begun);
        Ok(())
    }
}
