//! From executions to the graph of states.

use heddle_model::follow::Step;
use heddle_model::retrace::Retrace;
use heddle_model::{Choice, Event, EventFlags, Execution, Fingerprint, Footprint, ObjectId, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::stateful::graph::{Edge, Graph, NONE};
use crate::algorithm::stateful::summary::Summaries;
use crate::liveness::{StateEdge, StateGraph, StateNode};
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
}

impl Builder {
    /// An empty graph, whose states have summaries if `summarises`.
    pub fn new(options: &Options, summarises: bool) -> Builder {
        let mut builder = Builder { summarises, given: options.prefix.clone(), ..Builder::default() };
        builder.summaries.rules = options.rules;
        builder
    }

    /// How many states there are in which threads wait in vain: see [`Graph::in_vain`].
    pub fn in_vain(&self) -> u64 {
        self.graph.in_vain(|class| self.summaries.looks(class))
    }

    /// Whether some thread may wait for ever while others go on: in vain, or in all states of a component that nothing leaves.
    pub fn waits_for_ever(&self) -> bool {
        self.in_vain() > 0 || self.graph.has_a_waiter()
    }

    /// Writes down the steps that lead to a task, and the task itself.
    pub fn schedule(&self, task: Task, into: &mut Vec<Step>) {
        into.extend_from_slice(&self.given);
        if let Task::Go { node, thread, way } = task {
            self.graph.way_to(node, |class| self.summaries.step(class), into);
            into.push(Step::new(thread).taking(Choice::Way(way)));
        }
    }

    /// Learns from the execution of a task whose schedule had so many steps.
    ///
    /// Everything is added up to the first state that was known. What follows from that one is its own affair.
    pub fn learn(&mut self, task: Task, steps: usize, execution: &Execution<'_>) -> Added {
        let Builder { graph, summaries, summarises, begins, retrace, fresh, .. } = self;
        let Execution { events, states, .. } = *execution;
        let mut added = Added::default();
        let mut source = match task {
            Task::Begin => NONE,
            Task::Go { node, .. } => node,
        };
        if task == Task::Begin {
            begins.clear();
            events[..steps.min(events.len())].iter().for_each(|event| apply(event, begins));
        }
        let mut done = false;
        let mut connect = |graph: &mut Graph, summaries: &mut Summaries, source: u32, target: u32, at: usize| {
            let Some(event) = at.checked_sub(1).map(|last| &events[last]).filter(|_| source != NONE) else { return };
            let class = summaries.class(&event.bare(), &Footprint::of(event));
            added.edges.extend(graph.connect(source, target, class, event.thread, event.way));
        };
        let mut nodes = Vec::new();
        retrace.walk_standing(execution, steps, |index, standing| {
            let Some(&state) = states.get(index - steps).filter(|_| !done) else { return };
            let found = graph.find(state);
            let node = found.unwrap_or_else(|| {
                fresh.push(state);
                let ready = standing.iter().filter(|standing| standing.ways != 0);
                let waiting = standing.iter().filter(|standing| standing.ways == 0);
                let ready = ready.map(|standing| (standing.event.thread, standing.ways));
                let node = graph.add(state, ready, waiting.map(|standing| standing.event.thread));
                if *summarises {
                    let waiting = summaries.rules.waiting;
                    let classes = standing.iter().filter(|standing| waiting || standing.ways != 0);
                    let classes: Vec<_> = classes.map(|one| summaries.class(&one.event, &one.footprint)).collect();
                    summaries.add_state(node, classes.into_iter());
                }
                nodes.push(node);
                node
            });
            connect(graph, summaries, source, node, index);
            source = node;
            // An execution does not stop inside an atomic section.
            let inside = events.get(index).is_some_and(|event| event.flags.contains(EventFlags::INSIDE));
            done = found.is_some() && !inside;
        });
        if !done && execution.outcome.is_ended() && steps + states.len() == events.len() {
            connect(graph, summaries, source, NONE, events.len());
        }
        added.nodes = nodes;
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
            StateEdge { thread: step.thread, code: step.code, way, to, marks: self.summaries.marks(class) }
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
        StateGraph { nodes }
    }

    /// The states that are new since the last call.
    pub fn take_fresh(&mut self) -> Vec<Fingerprint> {
        std::mem::take(&mut self.fresh)
    }

    /// Takes every state as new: whoever runs the program knows none.
    pub fn all_are_fresh(&mut self) {
        self.fresh = self.graph.nodes.iter().map(|node| node.fingerprint).collect();
    }
}
