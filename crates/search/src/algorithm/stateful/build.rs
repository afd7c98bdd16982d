//! From executions to the graph of states.

use heddle_model::follow::Step;
use heddle_model::retrace::{Retrace, Standing};
use heddle_model::{
    Choice, Event, EventFlags, Execution, Fingerprint, ObjectId, PlainTouch, Plan, ThreadId, immediate,
};
use serde::{Deserialize, Serialize};

use crate::algorithm::stateful::discipline::Discipline;
use crate::algorithm::stateful::graph::{Edge, Graph, NONE};
use crate::algorithm::stateful::summary::Summaries;
use crate::liveness::{LOOKS, StateEdge, StateGraph, StateNode};
use crate::options::Options;

/// Takes note of what an event says of a proposition.
fn apply(event: &Event, holds: &mut Vec<ObjectId>) {
    if let Some((object, value)) = event.proposition() {
        holds.retain(|known| *known != object);
        holds.extend(value.then_some(object));
        holds.sort_unstable();
    }
}

/// A step that is to be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Whatever comes first.
    Begin,
    /// `thread` goes on from a state in this way.
    Go {
        /// The number of the state.
        node: u32,
        thread: ThreadId,
        way: u16,
    },
    /// `thread` ends the process while `holder`, which stands before a critical section that is one step, is inside it.
    Inside {
        /// The number of the state before the section.
        node: u32,
        holder: ThreadId,
        thread: ThreadId,
        way: u16,
    },
}

/// The graph of states, with what is needed to build it.
#[derive(Default)]
pub(crate) struct Builder {
    pub graph: Graph,
    pub summaries: Summaries,
    /// Whether states have summaries.
    pub summarises: bool,
    /// The steps that every execution begins with.
    pub given: Vec<Step>,
    /// The steps after them that lead to the first state: there was nothing to decide.
    pub opening: Vec<Step>,
    /// Which mutexes only exclude.
    pub discipline: Discipline,
    /// The propositions that hold in the first state.
    pub begins: Vec<ObjectId>,
    retrace: Retrace,
    /// States that are new since [`Builder::take_fresh`].
    fresh: Vec<Fingerprint>,
}

/// What an execution has added to the graph.
#[derive(Default)]
pub(crate) struct Added {
    /// The new nodes, in their order.
    pub nodes: Vec<u32>,
    /// The new edges, in their order.
    pub edges: Vec<u32>,
    /// Whether a thread is about to look whether another one has ended.
    pub sees_ends: bool,
}

impl Builder {
    /// An empty graph, whose states have summaries if `summarises`.
    pub fn new(options: &Options, summarises: bool) -> Builder {
        let mut builder = Builder { summarises, given: options.prefix.clone(), ..Builder::default() };
        builder.summaries.rules = options.rules;
        let on = (options.sections && summarises, options.plain && summarises);
        builder.discipline = Discipline::new(on, &options.places, options.rules);
        builder
    }

    /// How many states there are in which threads wait in vain: see [`Graph::in_vain`].
    pub fn in_vain(&self) -> u64 {
        self.graph.in_vain(|class| self.summaries.looks(class), |class| self.summaries.marks(class) & LOOKS != 0)
    }

    /// Whether some thread may wait for ever while others go on: in vain, or in all states of a component that nothing leaves.
    pub fn waits_for_ever(&self) -> bool {
        self.in_vain() > 0 || self.graph.has_a_waiter()
    }

    /// Writes down the steps that lead to a task, and the task itself.
    pub fn schedule(&self, task: Task, into: &mut Vec<Step>) {
        let (node, holder, thread, way) = match task {
            Task::Begin => return into.extend_from_slice(&self.given),
            Task::Go { node, thread, way } => (node, None, thread, way),
            Task::Inside { node, holder, thread, way } => (node, Some(holder), thread, way),
        };
        self.way_to(node, into);
        into.extend(holder.map(Step::new));
        into.push(Step::new(thread).taking(Choice::Way(way)));
    }

    /// Writes down the steps that lead to a state.
    pub fn way_to(&self, node: u32, into: &mut Vec<Step>) {
        into.extend_from_slice(&self.given);
        into.extend_from_slice(&self.opening);
        self.graph.way_to(node, |class, way, into| self.summaries.steps_back(class, way, into), into);
    }

    /// The ways to so many of the states that were met last, as plans made of `plan`.
    pub fn ways(&self, most: usize, plan: &Plan) -> Vec<Plan> {
        let count = self.graph.nodes.len() as u32;
        let nodes = count.saturating_sub(most as u32)..count;
        let way = |node| {
            let mut way = plan.clone();
            self.way_to(node, &mut way.schedule);
            way.touches = way.touches.map(|_| way.schedule.len() as u32);
            way
        };
        nodes.map(way).collect()
    }

    /// Learns from the execution of a task whose schedule had so many steps.
    ///
    /// Everything is added up to the first state that was known. What follows from that one is its own affair.
    pub fn learn(&mut self, task: Task, steps: usize, execution: &Execution<'_>) -> Added {
        let Builder { graph, summaries, summarises, begins, retrace, fresh, opening, discipline, .. } = self;
        let Execution { events, states, touches, .. } = *execution;
        let mut added = Added::default();
        // The last state, and its event.
        let (mut source, mut since) = match task {
            Task::Begin => (NONE, steps),
            Task::Go { node, .. } => (node, steps - 1),
            // The state inside the section is none.
            Task::Inside { .. } => return Added::default(),
        };
        if task == Task::Begin {
            begins.clear();
            events[..steps.min(events.len())].iter().for_each(|event| apply(event, begins));
        }
        let mut done = false;
        discipline.execution(execution, if task == Task::Begin { 0 } else { since });
        let mut connect = |graph: &mut Graph,
                           summaries: &mut Summaries,
                           discipline: &mut Discipline,
                           (source, target): (u32, u32),
                           (since, until): (usize, usize)| {
            let step = &events[since..until];
            let Some(first) = step.first() else { return };
            let of_step = |touch: &PlainTouch| (since + 1..=until).contains(&(touch.events as usize));
            let first_touch = touches.partition_point(|touch| touch.events as usize <= since);
            let count = touches[first_touch..].iter().take_while(|touch| of_step(touch)).count();
            let section = discipline.step(step, &touches[first_touch..][..count], since);
            let class = summaries.class_of(step, section.map(|body| (step[0].operation.object, body)));
            added.edges.extend(graph.connect(source, target, class, first.thread, first.way));
        };
        let (mut nodes, mut sees_ends) = (Vec::new(), false);
        retrace.walk_standing(execution, steps, |index, standing| {
            let state = states.get(index - steps).filter(|&&state| !done && state != Fingerprint::NONE);
            let Some(&state) = state else { return };
            let found = graph.find(state);
            let node = found.unwrap_or_else(|| {
                fresh.push(state);
                let ready = standing.iter().filter(|standing| standing.ways != 0);
                let waiting = standing.iter().filter(|standing| standing.ways == 0);
                let ready = ready.map(|standing| (standing.event.thread, standing.ways));
                let node = graph.add(state, ready, waiting.map(|standing| standing.event.thread));
                if *summarises {
                    let sees = |one: &Standing| immediate::sees_ends(one.event.operation.code, &one.footprint);
                    sees_ends = sees_ends || standing.iter().any(sees);
                    let waiting = summaries.rules.waiting;
                    // What a critical section touches is known when it has run.
                    let is_section = |one: &Standing| discipline.begins(&one.event).is_some();
                    let has_item = |one: &&Standing| (waiting || one.ways != 0) && !is_section(one);
                    let classes = standing.iter().filter(has_item);
                    let classes: Vec<_> = classes.map(|one| summaries.class(&one.event, &one.footprint)).collect();
                    summaries.add_state(node, classes.into_iter());
                }
                nodes.push(node);
                node
            });
            match source {
                NONE => {
                    opening.extend(events[since..index].iter().map(Step::of));
                    events[since..index].iter().for_each(|event| apply(event, begins));
                }
                source => connect(graph, summaries, discipline, (source, node), (since, index)),
            }
            discipline.state(node, index);
            (source, since) = (node, index);
            // An execution does not stop inside an atomic section.
            let inside = events.get(index).is_some_and(|event| event.flags.contains(EventFlags::INSIDE));
            done = found.is_some() && !inside;
        });
        if !done && execution.outcome.is_ended() && steps + states.len() == events.len() && source != NONE {
            connect(graph, summaries, discipline, (source, NONE), (since, events.len()));
        }
        (added.nodes, added.sees_ends) = (nodes, sees_ends);
        added
    }

    /// The last of `nodes`, if no step was run from it.
    pub fn graph_end<'n>(&self, nodes: &'n [u32]) -> Option<&'n u32> {
        nodes.last().filter(|&&last| self.graph.leaving(last).next().is_none())
    }

    /// The graph as it is asked about cycles, if every step of every state was run.
    pub fn whole(&self) -> StateGraph {
        let edge = |edge: u32| {
            let Edge { target, class, way, .. } = self.graph.edges[edge as usize];
            let step = self.summaries.step(class);
            let to = (target != NONE).then_some(target);
            let (marks, tail) = (self.summaries.marks(class), class.index() as u32);
            StateEdge { thread: step.thread, code: step.code, way, to, marks, tail }
        };
        let mut nodes: Vec<StateNode> = Vec::with_capacity(self.graph.nodes.len());
        for number in 0..self.graph.nodes.len() as u32 {
            // What holds is part of the state, so every way to a state says the same of it. The state before was met before.
            let parent = self.graph.nodes[number as usize].parent;
            let holds = if parent == NONE {
                self.begins.clone()
            } else {
                let Edge { source, class, .. } = self.graph.edges[parent as usize];
                let mut holds = nodes[source as usize].holds.clone();
                apply(self.summaries.bare(class), &mut holds);
                holds
            };
            nodes.push(StateNode {
                ready: self.graph.possible(number).iter().map(|step| step.thread).collect(),
                waiting: self.graph.waiting(number).collect(),
                edges: self.graph.leaving(number).map(edge).collect(),
                holds,
            });
        }
        StateGraph { nodes, opening: self.opening.clone(), tails: self.summaries.tails() }
    }

    /// The states that are new since the last call.
    pub fn take_fresh(&mut self) -> Vec<Fingerprint> {
        std::mem::take(&mut self.fresh)
    }

    /// Takes every state as new: whoever runs the program knows none.
    pub fn all_are_fresh(&mut self) {
        self.fresh = self.graph.nodes.iter().map(|node| node.fingerprint()).collect();
    }
}
