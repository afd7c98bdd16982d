//! Every state, those with the fewest switches between threads first.
//!
//! V. Štill, P. Ročkai, J. Barnat, *Context-switch-directed verification in DIVINE*, MEMICS 2014, explore the states of a
//! program in layers: first all that can be reached without a switch of threads, then all that need one, and so on. A
//! counterexample found in this way has few switches, which makes it readable.
//!
//! Here the layers are exact. The search is a breadth-first search with costs (R. Dial, *Shortest-path forest with
//! topological ordering*, 1969) over pairs: a state, and the thread that ran last. Layer `c` is begun when everything that
//! costs less was run. So the first execution that shows a finding has provably the fewest switches, and with a bound the
//! search ends with all that is possible within it, and nothing else.
//!
//! Departures:
//!
//! 1. The paper keeps one incoming thread for a state, the one that came first (its section 3.1 says that the result
//!    depends on the order of exploration). Two ways with equally many switches can lead to a state by two threads, and
//!    only one of them may go on from there without a switch. [`Cost::exact`] keeps a pair for each thread. A pair takes
//!    32 bytes and no execution: a step from a state is run once, whoever came in. Without it this is the paper's own
//!    search, for comparison.
//! 2. What counts is a parameter: [switches, preemptions or delays](crate::algorithm::bound).
//! 3. To create a thread costs nothing. The paper's layers begin with a switch for each thread that is created.
//! 4. There is no reduction: every step of every state is run.
//!
//! An execution goes on with its last thread alone and ends where that thread would have to wait. Whatever comes after
//! belongs to another layer.

use std::collections::{HashMap, VecDeque};

use heddle_model::follow::{Policy, Step};
use heddle_model::{Choice, Execution, Fingerprint, Plan, States, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::bound::LeftOut;
use crate::algorithm::stateful::build::{Builder, Task};
use crate::algorithm::stateful::graph::{self, Graph, NONE};
use crate::algorithm::stateful::summary;
use crate::drive::strategy::{Strategy, Ticket};
use crate::drive::summary::{DisciplineCounts, StateCounts};
use crate::options::Options;
use crate::save::{self, CheckpointError};

/// What a switch costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum By {
    /// Each switch costs one.
    Switches,
    /// A switch away from a thread that could have gone on costs one.
    Preemptions,
    /// A switch costs one for each thread that it skips.
    Delays,
}

/// What is counted, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// What a switch costs.
    pub by: By,
    /// The most that an execution may cost. `None` is no limit.
    pub most: Option<u32>,
    /// Whether each state is explored for each thread that can come in, and not only for the first.
    pub exact: bool,
}

/// A step that is to be taken from a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Move {
    node: u32,
    /// The thread that ran last.
    last: ThreadId,
    thread: ThreadId,
    way: u16,
}

/// How a pair was reached first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Reached {
    /// The edge that led to it. [`NONE`] for the first pair.
    edge: u32,
    /// The thread that ran last before that edge.
    last: ThreadId,
}

/// The search by switches.
pub(crate) struct Switches {
    builder: Builder,
    cost: Cost,
    pairs: HashMap<(u32, ThreadId), Reached>,
    /// The moves of each layer that were not made.
    layers: Vec<Vec<Move>>,
    /// The layer under way.
    layer: usize,
    /// Moves along an edge that is under way for another pair.
    postponed: Vec<Move>,
    /// The plans under way, oldest first: the move, and how many steps the plan has. `None` for the first plan of all.
    under_way: VecDeque<(Option<Move>, usize)>,
    /// Moves that were under way when the search was written down. The last comes first.
    again: Vec<Option<Move>>,
    started: bool,
    left_out: LeftOut,
}

/// What is written down of a search by switches.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    started: bool,
    again: Vec<Option<Move>>,
    postponed: Vec<Move>,
    layers: Vec<Vec<Move>>,
    layer: u32,
    pairs: Vec<(u32, ThreadId, Reached)>,
    left_out: LeftOut,
    graph: graph::Saved,
    summaries: summary::Saved,
}

impl Switches {
    /// Every state, in the order of what it costs to reach it.
    pub fn new(cost: Cost, options: &Options) -> Switches {
        Switches {
            builder: Builder::new(options, false),
            cost,
            pairs: HashMap::new(),
            layers: Vec::new(),
            layer: 0,
            postponed: Vec::new(),
            under_way: VecDeque::new(),
            again: Vec::new(),
            started: false,
            left_out: LeftOut::default(),
        }
    }

    /// What it costs that `thread` goes on in a state after `last`.
    fn price(&self, node: u32, last: ThreadId, thread: ThreadId) -> u32 {
        let possible = self.builder.graph.possible(node);
        match self.cost.by {
            By::Switches => u32::from(thread != last),
            By::Preemptions => u32::from(thread != last && possible.iter().any(|step| step.thread == last)),
            By::Delays => {
                // The place in the round that begins with who ran last.
                let place = |thread: ThreadId| (thread < last, thread);
                possible.iter().filter(|step| place(step.thread) < place(thread)).count() as u32
            }
        }
    }

    /// Notes that the state of a node was reached by `last`, in the layer under way.
    fn reach(&mut self, node: u32, last: ThreadId, by: Reached) {
        // The paper forgets who comes later.
        let key = (node, if self.cost.exact { last } else { ThreadId::MAIN });
        if self.pairs.contains_key(&key) {
            return;
        }
        self.pairs.insert(key, by);
        let possible = self.builder.graph.possible(node).to_vec();
        for step in possible.iter().rev() {
            let price = self.layer as u32 + self.price(node, last, step.thread);
            if self.cost.most.is_some_and(|most| price > most) {
                self.left_out.any = true;
                self.left_out.by_preemptions |= self.cost.by == By::Preemptions;
                continue;
            }
            let layer = price as usize;
            if self.layers.len() <= layer {
                self.layers.resize(layer + 1, Vec::new());
            }
            let moves = (0..step.ways).rev().map(|way| Move { node, last, thread: step.thread, way });
            self.layers[layer].extend(moves);
        }
    }

    /// The edge of a move, if it was run.
    fn edge(&self, Move { node, thread, way, .. }: Move) -> Option<u32> {
        self.builder.graph.edge(node, way, |class| self.builder.summaries.thread(class) == thread)
    }

    /// The next move whose edge must be run. Those whose edges are known are made on the way.
    fn next(&mut self) -> Option<Option<Move>> {
        if let Some(next) = self.again.pop() {
            return Some(next);
        }
        if !self.started {
            self.started = true;
            return Some(None);
        }
        loop {
            let Some(next) = self.layers.get_mut(self.layer)?.pop() else {
                if !self.under_way.is_empty() || self.layer + 1 >= self.layers.len() {
                    return None;
                }
                self.layer += 1;
                continue;
            };
            if self.edge(next).is_some() {
                self.make(next);
                continue;
            }
            let same = |other: &Move| (other.node, other.thread, other.way) == (next.node, next.thread, next.way);
            if self.under_way.iter().any(|(other, _)| other.as_ref().is_some_and(same)) {
                self.postponed.push(next);
                continue;
            }
            return Some(Some(next));
        }
    }

    /// Makes a move whose edges are known.
    fn make(&mut self, made: Move) {
        let Move { node, last, thread, way } = made;
        let graph = &self.builder.graph;
        let own = |edge: &u32| {
            let edge = &graph.edges[*edge as usize];
            edge.way == way && edge.target != NONE && self.builder.summaries.thread(edge.class) == thread
        };
        // One, but for atomic sections, which touch different things with different choices inside.
        let edges: Vec<u32> = graph.leaving(node).filter(own).collect();
        for edge in edges {
            let target = self.builder.graph.edges[edge as usize].target;
            self.reach(target, thread, Reached { edge, last });
        }
    }

    /// Writes down the steps to a pair, on the way that costs least, and the step of the move.
    fn schedule(&self, next: Move, into: &mut Vec<Step>) {
        into.extend_from_slice(&self.builder.given);
        into.extend_from_slice(&self.builder.opening);
        let start = into.len();
        let (mut node, mut last) = (next.node, next.last);
        loop {
            let key = (node, if self.cost.exact { last } else { ThreadId::MAIN });
            let Some(reached) = self.pairs.get(&key).filter(|reached| reached.edge != NONE) else { break };
            let edge = &self.builder.graph.edges[reached.edge as usize];
            self.builder.summaries.steps_back(edge.class, edge.way, into);
            (node, last) = (edge.source, reached.last);
        }
        into[start..].reverse();
        into.push(Step::new(next.thread).taking(Choice::Way(next.way)));
    }

    fn is_sound(&self, Move { node, thread, way, .. }: &Move) -> bool {
        let known = (*node as usize) < self.builder.graph.nodes.len();
        known && self.builder.graph.possible(*node).iter().any(|step| step.thread == *thread && *way < step.ways)
    }
}

impl Strategy for Switches {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        let next = self.next()?;
        match next {
            Some(next) => self.schedule(next, &mut plan.schedule),
            None => plan.schedule.extend_from_slice(&self.builder.given),
        }
        plan.policy = Policy::Alone;
        plan.states = States::Stop;
        self.under_way.push_back((next, plan.schedule.len()));
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        // Executions come back in the order of their plans.
        let Some((made, steps)) = self.under_way.pop_front() else { return };
        match made {
            Some(made) => {
                let Move { node, thread, way, .. } = made;
                self.builder.learn(Task::Go { node, thread, way }, steps, execution);
                self.make(made);
            }
            None => {
                self.builder.learn(Task::Begin, steps, execution);
                let last = self.builder.given.last().map_or(ThreadId::MAIN, |step| step.thread);
                if !self.builder.graph.nodes.is_empty() {
                    self.reach(0, last, Reached { edge: NONE, last });
                }
            }
        }
        let postponed = std::mem::take(&mut self.postponed);
        if let Some(layer) = self.layers.get_mut(self.layer) {
            layer.extend(postponed.into_iter().rev());
        }
    }

    fn pending(&self) -> u64 {
        let moves: usize = self.layers.iter().skip(self.layer).map(Vec::len).sum();
        (moves + self.postponed.len() + self.again.len()) as u64 + u64::from(!self.started)
    }

    fn left_out(&self) -> LeftOut {
        self.left_out
    }

    fn new_states(&mut self) -> Vec<Fingerprint> {
        self.builder.take_fresh()
    }

    fn state_count(&self) -> u64 {
        self.builder.graph.nodes.len() as u64
    }

    fn bytes(&self) -> usize {
        let pairs = self.pairs.capacity() * (size_of::<((u32, ThreadId), Reached)>() + 1);
        let moves: usize = self.layers.iter().map(|layer| layer.capacity() * size_of::<Move>()).sum();
        self.builder.graph.bytes() + self.builder.summaries.bytes() + pairs + moves
    }

    fn ways(&self, most: usize) -> Vec<Plan> {
        self.builder.ways(most, &Plan { policy: Policy::Alone, ..Plan::default() })
    }

    fn states(&self) -> Option<StateCounts> {
        Some(StateCounts {
            states: self.builder.graph.nodes.len() as u64,
            edges: self.builder.graph.edges.len() as u64,
            endless: self.builder.graph.endless(),
            goes_round: self.builder.graph.goes_round(),
            in_vain: self.builder.in_vain(),
            has_progress: self.builder.summaries.have_progress(),
            bytes: self.bytes() as u64,
            discipline: DisciplineCounts::default(),
        })
    }

    fn save(&self) -> save::State {
        let under_way = self.under_way.iter().rev().map(|(made, _)| *made);
        // In an order of its own, so that equal searches have equal bytes.
        let mut pairs: Vec<_> = self.pairs.iter().map(|(&(node, last), &reached)| (node, last, reached)).collect();
        pairs.sort_unstable_by_key(|&(node, last, _)| (node, last));
        save::State::Switches(Box::new(State {
            started: self.started,
            again: self.again.iter().copied().chain(under_way).collect(),
            postponed: self.postponed.clone(),
            layers: self.layers.clone(),
            layer: self.layer as u32,
            pairs,
            left_out: self.left_out,
            graph: self.builder.graph.save(),
            summaries: self.builder.summaries.save(),
        }))
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Switches(state) = state else { return Err(CheckpointError::Damaged) };
        let State { started, again, mut postponed, mut layers, layer, pairs, left_out, graph, summaries } = *state;
        let damaged = || CheckpointError::Damaged;
        self.builder.graph = Graph::restore(graph, summaries.classes.len()).ok_or_else(damaged)?;
        self.builder.summaries.restore(summaries, 0).ok_or_else(damaged)?;
        let (nodes, edges) = (self.builder.graph.nodes.len() as u32, self.builder.graph.edges.len() as u32);
        let sound =
            pairs.iter().all(|&(node, _, reached)| node < nodes && (reached.edge == NONE || reached.edge < edges));
        let moves = layers.iter().flatten().chain(&postponed).chain(again.iter().flatten());
        if !sound || !moves.into_iter().all(|made| self.is_sound(made)) {
            return Err(damaged());
        }
        // What waited for a plan under way comes after that plan, which is run again.
        if let Some(layer) = layers.get_mut(layer as usize) {
            postponed.reverse();
            layer.append(&mut postponed);
        }
        self.pairs = pairs.into_iter().map(|(node, last, reached)| ((node, last), reached)).collect();
        // The way back from a pair must end.
        let steps = |&(node, last): &(u32, ThreadId)| {
            let (mut at, mut count) = ((node, last), 0);
            while let Some(reached) = self.pairs.get(&at).filter(|reached| reached.edge != NONE) {
                let key = if self.cost.exact { reached.last } else { ThreadId::MAIN };
                at = (self.builder.graph.edges[reached.edge as usize].source, key);
                count += 1;
                if count > self.pairs.len() {
                    return false;
                }
            }
            true
        };
        if !self.pairs.keys().all(steps) {
            return Err(damaged());
        }
        self.builder.all_are_fresh();
        (self.started, self.again, self.left_out) = (started, again, left_out);
        (self.layers, self.layer) = (layers, layer as usize);
        Ok(())
    }
}
