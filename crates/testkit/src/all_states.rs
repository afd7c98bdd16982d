//! All states of a scripted program by brute force: no reduction, and nothing of the search.

use std::collections::{HashMap, HashSet};

use heddle_model::follow::Step;
use heddle_model::{Choice, Ending, Event, EventFlags, Footprint, Mode, Outcome, States, ThreadId};

use crate::state::{LocalState, State};
use crate::{Program, Scripted};

/// One step from one state to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Who takes it.
    pub thread: ThreadId,
    /// In which way.
    pub way: u16,
    /// The number of the state after it. `None` if it ends the process.
    pub to: Option<usize>,
    /// How it ends the process, if it does.
    pub ending: Option<Ending>,
    /// Whether it changes nothing, and whether it reads something.
    pub looks: Option<bool>,
}

/// A state and all its steps.
#[derive(Clone, Debug)]
pub struct Node {
    /// The state.
    pub state: State,
    /// All steps that are possible there.
    pub edges: Vec<Edge>,
    /// Whether nobody can go on although somebody has not ended.
    pub stuck: bool,
    /// The threads that have not ended and cannot go on.
    pub waiting: Vec<ThreadId>,
}

impl Node {
    /// The threads that can go on.
    pub fn ready(&self) -> impl Iterator<Item = ThreadId> {
        let mut threads: Vec<_> = self.edges.iter().map(|edge| edge.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        threads.into_iter()
    }
}

/// What can be found out about a program by its states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// The states in which nobody can go on.
    pub stuck: HashSet<State>,
    /// Everything that a thread can know at an operation.
    pub locals: HashSet<(ThreadId, LocalState)>,
    /// How the process can end, and by whom, in which local state.
    pub endings: HashSet<(Ending, ThreadId, LocalState)>,
}

/// All states of a program. The first is number 0.
#[derive(Clone, Debug, Default)]
pub struct Whole {
    /// The states.
    pub nodes: Vec<Node>,
    /// What they show.
    pub seen: Seen,
}

/// All states of `program`. `None` if there are more than `limit`.
pub fn all_states(program: &Program, limit: usize) -> Option<Whole> {
    let mut executor = Scripted::new(program);
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut whole = Whole::default();
    let mut ways: Vec<Vec<Step>> = Vec::new();
    let mut at = 0;
    let root = meet(&mut executor, &mut whole, &mut numbers, &mut ways, Vec::new());
    debug_assert_eq!(root.0, Some(0));
    while at < whole.nodes.len() {
        if whole.nodes.len() > limit {
            return None;
        }
        for next in 0..whole.nodes[at].edges.len() {
            let Edge { thread, way, .. } = whole.nodes[at].edges[next];
            let mut longer = ways[at].clone();
            longer.push(Step::new(thread).taking(Choice::Way(way)));
            let (to, ending, looks) = meet(&mut executor, &mut whole, &mut numbers, &mut ways, longer);
            if let Some(ending) = ending {
                let local = whole.nodes[at].state.locals().find(|(id, _)| *id == thread).map(|(_, local)| local);
                whole.seen.endings.extend(local.map(|local| (ending, thread, local)));
            }
            whole.nodes[at].edges[next] = Edge { to, ending, looks, ..whole.nodes[at].edges[next] };
        }
        // Its way is not needed any more.
        ways[at] = Vec::new();
        at += 1;
    }
    Some(whole)
}

/// The number of the state after these steps, which is added if it is new, or how they end the process. And what the last of them does
/// ([`Edge::looks`]).
fn meet(
    executor: &mut Scripted<'_>,
    whole: &mut Whole,
    numbers: &mut HashMap<State, usize>,
    ways: &mut Vec<Vec<Step>>,
    steps: Vec<Step>,
) -> (Option<usize>, Option<Ending>, Option<bool>) {
    let (events, next, outcome) = executor.prefix_with(&steps, States::Record);
    let looks = events.last().and_then(looks);
    let Some(&fingerprint) = executor.passed().last() else { return (None, outcome.ending(), looks) };
    let state = executor.exact().get(fingerprint).unwrap_or_else(|| unreachable!("it was passed"));
    if let Some(&number) = numbers.get(state) {
        return (Some(number), None, looks);
    }
    let edge = |step: &Step| {
        let Choice::Way(way) = step.choice() else { unreachable!("brute force takes ways") };
        Edge { thread: step.thread, way, to: None, ending: None, looks: None }
    };
    let number = whole.nodes.len();
    numbers.insert(state.clone(), number);
    let waiting = executor.pending().iter().filter(|pending| pending.enabled == 0).map(|pending| pending.thread);
    let stuck = matches!(outcome, Outcome::Deadlock | Outcome::Hang | Outcome::Assumed);
    let node = Node { state: state.clone(), edges: next.iter().map(edge).collect(), stuck, waiting: waiting.collect() };
    see(&mut whole.seen, &node.state, stuck);
    whole.nodes.push(node);
    ways.push(steps);
    (Some(number), None, looks)
}

/// See [`Edge::looks`].
fn looks(event: &Event) -> Option<bool> {
    let footprint = Footprint::of(event);
    let reads = footprint.accesses().iter().all(|access| access.mode == Mode::Read);
    let same = event.flags.contains(EventFlags::UNCHANGED);
    (!footprint.is_everything() && (reads || same)).then(|| !footprint.accesses().is_empty())
}

/// Notes what a state shows.
pub(crate) fn see(seen: &mut Seen, state: &State, stuck: bool) {
    if stuck {
        seen.stuck.insert(state.clone());
    }
    seen.locals.extend(state.locals());
}
