//! Every state once: persistent sets over a graph of states.
//!
//! Y. Yang, *Efficient dynamic verification of concurrent programs*, dissertation, University of Utah, 2009, chapter 4
//! (SDPOR), stops an execution at a state that is known, and updates the backtrack sets of the states on the stack by a
//! graph of the operations that can follow. X. Yi, J. Wang, X. Yang, *Stateful dynamic partial-order reduction*, ICFEM
//! 2006, keep a summary of interleavings for each state. R. Trimananda, W. Luo, B. Demsky, G. Xu, *Stateful dynamic
//! partial order reduction for model checking event-driven applications that do not terminate*, VMCAI 2022, show that
//! what was published before is not complete for programs with cycles.
//!
//! A state decides everything that can follow it. So every state is a node of a graph, every step that was run an edge,
//! and each step is run at most once. What follows from a state (`summary.rs`) is carried back over all edges that lead to
//! it. Where an edge and an event that can follow it can be reversed, another thread is tried at the edge's state.
//!
//! Departures:
//!
//! 1. There is no stack, and no order of exploration matters. Summaries are a fixpoint over the whole graph: what is
//!    found below a state later reaches every way that leads to it. The dissertation updates the stack with what is
//!    known at that moment, and misses states, without cycles too.
//! 2. Threads that wait have items in summaries. The dissertation's graph has only operations that were enabled, so the
//!    races of a thread that waits in a deadlock are lost.
//! 3. Nobody is ignored. In a strongly connected component that no edge leaves, each thread that is enabled in all of its
//!    states is tried in one of them. A. Valmari, *Stubborn sets for reduced state space generation*, 1989, and others ask
//!    this of every thread that is enabled in one of its states; `docs/algorithms.md` says why fewer are enough.
//! 4. There are no sleep sets. They save edges, not states, and a state that was explored with a sleep set was explored
//!    in part.
//! 5. An operation with several ways is tried in all of them.
//! 6. Starts and ends of threads are no decisions ([`heddle_model::immediate`]): they belong to the step before them.
//! 7. What an atomic section touches is known when it has run. Programs with atomic sections are explored without
//!    reduction: `everybody`.
//!
//! **What is kept:** every state in which nobody can go on, every way to end the process, and for each thread everything
//! that it can do: each of its local states. **What is not kept:** which states several threads are in together, and
//! cycles.

pub(crate) mod build;
pub(crate) mod chunks;
pub(crate) mod components;
pub(crate) mod discipline;
pub(crate) mod graph;
pub(crate) mod summary;

use std::collections::{BTreeSet, VecDeque};

use heddle_model::follow::{Policy, Step};
use heddle_model::immediate::Immediate;
use heddle_model::{Execution, Fingerprint, ObjectId, Outcome, Plan, States, immediate};
use serde::{Deserialize, Serialize};

use crate::algorithm::stateful::build::{Builder, Task};
use crate::algorithm::stateful::graph::{NONE, Possible};
use crate::algorithm::stateful::summary::bit;
use crate::drive::strategy::{Strategy, Ticket};
use crate::drive::summary::StateCounts;
use crate::liveness::StateGraph;
use crate::options::Options;
use crate::save::{self, CheckpointError};

/// The search over states.
pub(crate) struct Stateful {
    builder: Builder,
    /// Whether every thread is tried everywhere: no reduction.
    everybody: bool,
    /// States in which there may be something to run.
    open: Vec<u32>,
    /// The plans under way, oldest first: what each is for, and how many steps it has.
    under_way: VecDeque<(Task, usize)>,
    /// Plans that were under way when the search was written down. The last comes first.
    again: Vec<Task>,
    started: bool,
    /// Whether ends of threads are decisions.
    ends_are_seen: bool,
    /// What must be visible, and is not: everything begins anew.
    missing: Vec<u64>,
    /// Ends of the process inside critical sections, to be run: what was left locked is told.
    inside: Vec<Task>,
    /// The class of the end and the mutex of each of them that there was.
    ended_inside: BTreeSet<(u32, u64)>,
}

/// What is written down of a search over states.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    started: bool,
    opening: Vec<Step>,
    discipline: discipline::Saved,
    again: Vec<Task>,
    open: Vec<u32>,
    begins: Vec<ObjectId>,
    graph: graph::Saved,
    summaries: summary::Saved,
    inside: Vec<Task>,
    ended_inside: BTreeSet<(u32, u64)>,
}

impl Stateful {
    /// Every state, or, with `everybody`, every step of every state.
    pub fn new(everybody: bool, options: &Options) -> Stateful {
        let builder = Builder::new(options, !everybody);
        let ends_are_seen = everybody || options.places.contains(&immediate::ENDS_ARE_SEEN) || !options.rules.ends;
        Stateful {
            builder,
            everybody,
            open: Vec::new(),
            under_way: VecDeque::new(),
            again: Vec::new(),
            started: false,
            ends_are_seen,
            missing: Vec::new(),
            inside: Vec::new(),
            ended_inside: BTreeSet::new(),
        }
    }

    /// The next step that was asked for and was not handed out.
    fn next(&mut self) -> Option<Task> {
        if let Some(task) = self.again.pop() {
            return Some(task);
        }
        if !self.started {
            self.started = true;
            return Some(Task::Begin);
        }
        loop {
            while let Some(&node) = self.open.last() {
                let mut possible = self.builder.graph.possible_mut(node).iter_mut();
                if let Some(step) = possible.find(|step| step.is_asked() && step.taken() < step.ways) {
                    let (thread, way) = (step.thread, step.take());
                    return Some(Task::Go { node, thread, way });
                }
                self.open.pop();
            }
            if let Some(task) = self.inside.pop() {
                return Some(task);
            }
            if !self.under_way.is_empty()
                || self.everybody
                || !self.builder.summaries.rules.nobody_ignored
                || !self.ask_for_the_ignored()
            {
                return None;
            }
        }
    }

    /// Which operations are no decisions.
    fn immediate(&self) -> Immediate {
        match self.everybody {
            true => Immediate::Nothing,
            false if self.builder.discipline.is_on() => Immediate::Sections,
            false => Immediate::Lives,
        }
    }

    /// Asks for one thread of `threads` at a state, unless one of them was asked for; for everybody if none can go on.
    fn ask(&mut self, node: u32, threads: u64) {
        let graph = &mut self.builder.graph;
        let edge = graph.nodes[node as usize].parent;
        // To go on with the thread that led here costs no switch.
        let before = (edge != NONE).then(|| self.builder.summaries.thread(graph.edges[edge as usize].class));
        let possible = graph.possible_mut(node);
        let is_one = |thread| bit(thread).is_some_and(|bit| threads & bit != 0);
        if possible.iter().any(|step| step.is_asked() && is_one(step.thread)) {
            return;
        }
        let found = possible.iter().position(|step| Some(step.thread) == before && is_one(step.thread));
        match found.or_else(|| possible.iter().position(|step| is_one(step.thread))) {
            Some(one) => possible[one].ask(),
            None => possible.iter_mut().for_each(Possible::ask),
        }
        self.open.push(node);
    }

    fn ask_everybody(&mut self, node: u32) {
        self.builder.graph.possible_mut(node).iter_mut().for_each(Possible::ask);
        self.open.push(node);
    }

    /// Where an edge ends the process and another one from the same state is a critical section: the process can end inside it. Who ends it cannot
    /// tell, but what is left locked then is told. One such end by each kind of end and mutex is enough for that.
    fn end_inside(&mut self, edge: u32) {
        let Builder { graph, summaries, .. } = &self.builder;
        let node = graph.edges[edge as usize].source;
        let is_new = |edge: &u32, other: &u32| graph.edges[*edge as usize].class != graph.edges[*other as usize].class;
        for other in graph.leaving(node).filter(|other| is_new(other, &edge)) {
            for (end, section) in [(edge, other), (other, edge)] {
                let (end, section) = (graph.edges[end as usize], graph.edges[section as usize]);
                let (thread, holder) = (summaries.thread(end.class), summaries.thread(section.class));
                if let (NONE, Some(mutex)) = (end.target, summaries.mutex_of_section(section.class))
                    && thread != holder
                    && self.ended_inside.insert((end.class.index() as u32, mutex.0))
                {
                    self.inside.push(Task::Inside { node, holder, thread, way: end.way });
                }
            }
        }
    }

    /// Carries items back over edges until nothing is new.
    fn settle(&mut self) {
        while let Some((state, item)) = self.builder.summaries.work.pop() {
            if !self.builder.summaries.has(state, item) {
                continue;
            }
            if !self.builder.summaries.rules.fixpoint {
                // Only the way on which it was reached first.
                let parent = self.builder.graph.nodes[state as usize].parent;
                if parent != NONE {
                    self.carry(parent, item);
                }
                continue;
            }
            let mut edge = self.builder.graph.newest_in(state);
            while edge != NONE {
                self.carry(edge, item);
                edge = self.builder.graph.next_in(edge);
            }
        }
    }

    fn carry(&mut self, edge: u32, item: summary::Item) {
        let edge = self.builder.graph.edges[edge as usize];
        let carried = self.builder.summaries.carry(edge.class, item);
        if let Some(threads) = carried.ask {
            self.ask(edge.source, threads);
        }
        if let Some(item) = carried.keep {
            self.builder.summaries.keep(edge.source, item);
        }
    }

    /// In each component that no edge leaves: asks for each thread that is enabled in all of its states and was run in
    /// none. Returns whether there was one.
    fn ask_for_the_ignored(&mut self) -> bool {
        let graph = &self.builder.graph;
        let (component, left) = graph.components();
        // The states of each component that nothing leaves.
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); left.len()];
        for node in 0..graph.nodes.len() as u32 {
            let own = component[node as usize] as usize;
            if !left[own] {
                members[own].push(node);
            }
        }
        let mut ignored = Vec::new();
        for members in members.iter().filter(|members| !members.is_empty()) {
            for step in graph.possible(members[0]) {
                let thread = step.thread;
                let always = members.iter().all(|&node| graph.possible(node).iter().any(|s| s.thread == thread));
                let runs = |&node: &u32| graph.possible(node).iter().any(|s| s.thread == thread && s.is_asked());
                if always && !members.iter().any(runs) {
                    ignored.push((members[0], thread));
                }
            }
        }
        for &(node, thread) in &ignored {
            let possible = self.builder.graph.possible_mut(node);
            possible.iter_mut().filter(|step| step.thread == thread).for_each(Possible::ask);
            self.open.push(node);
        }
        !ignored.is_empty()
    }
}

impl Strategy for Stateful {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        let task = self.next()?;
        self.builder.schedule(task, &mut plan.schedule);
        plan.policy = Policy::NonPreemptive;
        let is_inside = matches!(task, Task::Inside { .. });
        plan.states = if is_inside { States::Rounds } else { States::Stop };
        plan.immediate = if is_inside { Immediate::Lives } else { self.immediate() };
        if self.builder.discipline.is_told() && !is_inside {
            // The last step of the schedule is new.
            let from = if task == Task::Begin { 0 } else { plan.schedule.len() };
            plan.touches = Some(from as u32);
        }
        self.under_way.push_back((task, plan.schedule.len().max(self.builder.given.len())));
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        // Executions come back in the order of their plans.
        let Some((task, steps)) = self.under_way.pop_front() else { return };
        let added = self.builder.learn(task, steps, execution);
        if !self.ends_are_seen && added.sees_ends {
            self.ends_are_seen = true;
            self.missing.push(immediate::ENDS_ARE_SEEN);
        }
        self.missing.extend(self.builder.discipline.take_found());
        for &node in &added.nodes {
            if self.everybody {
                self.ask_everybody(node);
            } else {
                // Somebody must go on. Who does is marked by its edge; others may be asked for later.
                self.open.push(node);
            }
        }
        if let (Outcome::Visited, Some(&last)) = (execution.outcome, self.builder.graph_end(&added.nodes)) {
            // Whoever ran the program did not go on from a state that was not known, because the execution had become long.
            self.ask(last, u64::MAX);
        }
        if self.everybody {
            return;
        }
        for &edge in &added.edges {
            let edge_of = self.builder.graph.edges[edge as usize];
            if let Some(item) = self.builder.summaries.item_of_section(edge_of.class) {
                self.builder.summaries.keep(edge_of.source, item);
            }
            if edge_of.target == NONE {
                // The end of the process conflicts with whatever the others would do.
                self.ask_everybody(edge_of.source);
                continue;
            }
            let first = self.builder.graph.nodes[edge_of.target as usize].parent == edge;
            if !first && !self.builder.summaries.rules.fixpoint {
                continue;
            }
            for item in self.builder.summaries.items(edge_of.target) {
                self.carry(edge, item);
            }
        }
        self.settle();
        for &edge in &added.edges {
            self.end_inside(edge);
        }
    }

    fn pending(&self) -> u64 {
        let open = |&node: &u32| {
            let steps = self.builder.graph.possible(node).iter().filter(|step| step.is_asked());
            steps.map(|step| u64::from(step.ways - step.taken())).sum::<u64>()
        };
        let mut nodes = self.open.clone();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.iter().map(open).sum::<u64>() + (self.again.len() + self.inside.len()) as u64 + u64::from(!self.started)
    }

    fn reveals(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.missing)
    }

    fn new_states(&mut self) -> Vec<Fingerprint> {
        self.builder.take_fresh()
    }

    fn state_count(&self) -> u64 {
        self.builder.graph.nodes.len() as u64
    }

    fn bytes(&self) -> usize {
        self.builder.graph.bytes() + self.builder.summaries.bytes()
    }

    fn ways(&self, most: usize) -> Vec<Plan> {
        let touches = self.builder.discipline.is_told().then_some(0);
        let plan = Plan { policy: Policy::NonPreemptive, immediate: self.immediate(), touches, ..Plan::default() };
        self.builder.ways(most, &plan)
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
            discipline: self.builder.discipline.counts(),
        })
    }

    fn graph(&self) -> Option<StateGraph> {
        let asks = self.everybody || self.builder.waits_for_ever();
        (asks && self.pending() == 0).then(|| self.builder.whole())
    }

    fn save(&self) -> save::State {
        // What is under way comes first, and in its order: from the end.
        let under_way = self.under_way.iter().rev().map(|(task, _)| *task);
        let again = self.again.iter().copied().chain(under_way).collect();
        save::State::Stateful(Box::new(State {
            started: self.started,
            opening: self.builder.opening.clone(),
            discipline: self.builder.discipline.save(),
            again,
            open: self.open.clone(),
            begins: self.builder.begins.clone(),
            graph: self.builder.graph.save(),
            summaries: self.builder.summaries.save(),
            inside: self.inside.clone(),
            ended_inside: self.ended_inside.clone(),
        }))
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Stateful(state) = state else { return Err(CheckpointError::Damaged) };
        let State { started, opening, discipline, again, open, begins, graph, summaries, inside, ended_inside } =
            *state;
        let graph = graph::Graph::restore(graph, summaries.classes.len()).ok_or(CheckpointError::Damaged)?;
        let states = graph.nodes.len();
        let known = |node: u32| (node as usize) < states;
        let sound = |task: &Task| match *task {
            Task::Begin => true,
            Task::Inside { node, .. } => known(node),
            Task::Go { node, thread, way } => {
                known(node) && graph.possible(node).iter().any(|step| step.thread == thread && way < step.ways)
            }
        };
        if !again.iter().chain(&inside).all(sound) || !open.iter().all(|&node| known(node)) {
            return Err(CheckpointError::Damaged);
        }
        let expected = if self.everybody { 0 } else { states };
        self.builder.summaries.restore(summaries, expected).ok_or(CheckpointError::Damaged)?;
        self.builder.discipline.restore(discipline, states).ok_or(CheckpointError::Damaged)?;
        self.builder.graph = graph;
        self.builder.opening = opening;
        self.builder.begins = begins;
        self.builder.all_are_fresh();
        (self.started, self.again, self.open) = (started, again, open);
        (self.inside, self.ended_inside) = (inside, ended_inside);
        Ok(())
    }
}
