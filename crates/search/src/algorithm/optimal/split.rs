//! One optimal search in parts that others explore.
//!
//! A [`Split`] owns the tree of a search. It hands out subtrees as [items](WorkItem). Whoever gets one [explores](explore)
//! it alone and hands back one [`Commit`], which is applied as a whole. Why each trace is still explored exactly once:
//!
//! 1. Pending sequences may be run in any order, several at a time (departures 1 and 2 of the algorithm). What is learnt
//!    from an execution is a set of insertions, each at one node.
//! 2. What sleeps below a child is fixed when the child is made. So the content of a subtree does not depend on what
//!    others do meanwhile, and insertions inside of it touch only its own nodes.
//! 3. Others have to insert into a subtree only while somebody sleeps there whose own subtree is not done. (The algorithm
//!    frees a subtree that is done if there is nobody of that kind, and then drops what is inserted there: it was found
//!    from within.) An item begins after the first step of its pending sequence where nobody is left of that kind. After
//!    the whole sequence nobody sleeps at all, so there is such a step. What others insert behind it is dropped, as if the
//!    item had been explored at the moment when it was handed out.
//! 4. Insertions above an item wait for its commit. That is the search in which its executions are looked at then. The
//!    item counts as done only after they were made.

use std::collections::HashSet;

use heddle_model::follow::Step;
use heddle_model::{Event, Execution, Executor, ExecutorError, Outcome, Plan, ThreadId};

use super::{Optimal, Strategy};
use crate::drive::observer::{Flow, Info, Observer};
use crate::drive::strategy::Ticket;
use crate::frontier::tree::{NodeId, PendingId, State};
use crate::frontier::work_item::{Commit, Inserted, Insertion, Sleeping, WorkItem};
use crate::options::Options;
use crate::save::{CheckpointError, Touched};
use crate::traces::sequence::Detached;
use crate::traces::touches::Touch;

/// What is known of the one subtree that an [`Optimal`] explores.
pub(crate) struct Part {
    /// The threads that are asleep where it begins. Their own subtrees are done.
    pub sleepers: Vec<(ThreadId, Touch)>,
    /// See [`WorkItem::known`].
    pub known: usize,
    /// How many reversals led to its first execution.
    pub reversals: u32,
    outgoing: Vec<Insertion>,
    /// The depths and steps of `outgoing`.
    sent: HashSet<(u32, Vec<Step>)>,
}

/// Why an item was not explored to its end. Nothing has come of it.
#[derive(Debug, thiserror::Error)]
pub enum Unexplored {
    /// The executor has failed.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// An execution ended in a way from which nothing can be learnt.
    #[error("an execution cannot be followed: {0:?}")]
    Outcome(Outcome),
    /// An execution shows an atomic section, or a data race on a place that is not visible. The whole search has to begin
    /// anew.
    #[error("the search has to begin anew")]
    Again,
    /// The observer has seen enough.
    #[error("the observer has seen enough")]
    Stopped,
    /// The item contradicts itself.
    #[error(transparent)]
    Damaged(#[from] CheckpointError),
}

/// Names an item that was handed out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ItemId(u32);

/// An optimal search whose parts are explored by others.
pub struct Split {
    options: Options,
    search: Optimal,
    executions: u64,
    blocked: u64,
}

/// Runs the next plan of `search`. Returns whether there was one, and whether its execution was blocked.
fn step(
    search: &mut Optimal,
    options: &Options,
    first: &[Step],
    number: u64,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
    learn: impl FnOnce(&Execution<'_>),
) -> Result<Option<bool>, Unexplored> {
    let mut plan = Plan { max_steps: options.max_steps.unwrap_or(0), ..Plan::default() };
    let Some(ticket) = search.propose(&mut plan) else { return Ok(None) };
    if plan.schedule.is_empty() {
        plan.schedule.extend_from_slice(first);
    }
    executor.submit(&plan)?;
    let execution = executor.receive()?;
    let info = Info { number, complete: number, sample: false, sampler: None, earlier: 0, plan: &plan };
    let flow = observer.execution(&execution, &info);
    if let Outcome::Diverged { .. }
    | Outcome::Unsupported
    | Outcome::NeedsFork
    | Outcome::NeedsThreads { .. }
    | Outcome::Capacity(_)
    | Outcome::Running = execution.outcome
    {
        return Err(Unexplored::Outcome(execution.outcome));
    }
    if let Outcome::Learnt { .. } = execution.outcome {
        return Err(Unexplored::Again);
    }
    let sections = execution.events.iter().any(|event| event.operation.begins_section());
    let hidden = |place: &u64| !options.places.contains(place);
    if sections || execution.races.iter().map(|race| race.place).any(|place| hidden(&place)) {
        return Err(Unexplored::Again);
    }
    learn(&execution);
    search.digest(ticket, &execution);
    match flow {
        Flow::Stop => Err(Unexplored::Stopped),
        Flow::Continue => Ok(Some(matches!(execution.outcome, Outcome::Blocked))),
    }
}

/// Explores `item` to its end, and nothing else. `options` are those of the search that it belongs to.
///
/// # Errors
///
/// When it cannot be explored to its end. See [`Unexplored`].
pub fn explore(
    item: &WorkItem,
    options: &Options,
    executor: &mut dyn Executor,
    observer: &mut dyn Observer,
) -> Result<Commit, Unexplored> {
    let mut search = Optimal::new(options);
    search.given = item.steps.len();
    let mut sleepers = Vec::with_capacity(item.sleepers.len());
    for sleeping in &item.sleepers {
        sleepers.push((sleeping.thread, search.analysis.touches.number(&sleeping.footprint()?)));
    }
    if item.known as usize > item.steps.len() || item.steps.is_empty() && !sleepers.is_empty() {
        return Err(CheckpointError::Damaged.into());
    }
    let (outgoing, sent) = (Vec::new(), HashSet::new());
    let reversals = item.cost.reversals;
    search.part = Some(Part { sleepers, known: item.known as usize, reversals, outgoing, sent });
    let first: Vec<Step> = item.steps.iter().chain(&item.sequence).copied().collect();
    let mut commit = Commit::default();
    loop {
        let (path, number) = (&mut commit.path, commit.executions + 1);
        let learn = |execution: &Execution<'_>| {
            if number == 1 {
                path.extend(execution.events.iter().take(item.steps.len()));
            }
        };
        let Some(blocked) = step(&mut search, options, &first, number, executor, observer, learn)? else { break };
        commit.executions += 1;
        commit.blocked += u64::from(blocked);
    }
    let unknown = commit.path.iter().zip(0..).skip(item.known as usize);
    commit.ways = unknown.filter(|(event, _)| event.alternatives > 1).map(|(_, place)| place).collect();
    commit.outgoing = search.part.take().map(|part| part.outgoing).unwrap_or_default();
    Ok(commit)
}

impl Split {
    /// A search that was not begun.
    pub fn new(options: Options) -> Split {
        Split { search: Optimal::new(&options), options, executions: 0, blocked: 0 }
    }

    /// How many executions were run, here and by others, and how many of them were blocked.
    pub fn counts(&self) -> (u64, u64) {
        (self.executions, self.blocked)
    }

    /// How many sequences are pending and were not handed out.
    pub fn pending(&self) -> u64 {
        self.search.pending()
    }

    /// Runs one execution here. Returns false if nothing is pending.
    ///
    /// # Errors
    ///
    /// When its execution cannot be used. See [`Unexplored`].
    pub fn run(&mut self, executor: &mut dyn Executor, observer: &mut dyn Observer) -> Result<bool, Unexplored> {
        let Split { options, search, executions, .. } = self;
        let ran = step(search, options, &options.prefix, *executions + 1, executor, observer, |_| {})?;
        self.executions += u64::from(ran.is_some());
        self.blocked += u64::from(ran == Some(true));
        Ok(ran.is_some())
    }

    /// Hands out a part of what is pending. `None` if nothing is. Before the first execution was [run](Self::run) here,
    /// the whole search is one item.
    pub fn item(&mut self) -> Option<(ItemId, WorkItem)> {
        let search = &mut self.search;
        let mut plan = Plan::default();
        let Ticket(id) = search.propose(&mut plan)?;
        if plan.schedule.is_empty() {
            plan.schedule.extend_from_slice(&self.options.prefix);
        }
        let item = search.item(PendingId(id), plan.schedule);
        search.agenda.set_border(PendingId(id), item.steps.len() as u32);
        Some((ItemId(id), item))
    }

    /// Applies what came of an item, once.
    ///
    /// # Errors
    ///
    /// When the commit contradicts itself or the item. The search is then undefined.
    pub fn commit(&mut self, ItemId(id): ItemId, commit: Commit) -> Result<(), CheckpointError> {
        self.executions += commit.executions;
        self.blocked += commit.blocked;
        self.search.apply(Ticket(id), commit)
    }
}

impl Optimal {
    /// The largest closed subtree around a pending sequence. `schedule` leads to the end of the sequence.
    fn item(&self, id: PendingId, schedule: Vec<Step>) -> WorkItem {
        let Some(pending) = self.agenda.get(id) else {
            // The whole search, after the steps that are given.
            let (sleepers, sequence) = (Vec::new(), Vec::new());
            return WorkItem { steps: schedule, known: 0, sleepers, sequence, cost: Default::default() };
        };
        let mut way: Vec<(NodeId, u32)> = vec![(pending.node, pending.slot)];
        while let Some(above) = way.last().and_then(|&(node, _)| self.tree.node(node).parent) {
            way.push(above);
        }
        way.reverse();
        let seen = |&(node, slot): &(NodeId, u32)| self.tree.child(node, slot).seen;
        let known = way.iter().take_while(|at| seen(at)).count() as u32;
        let touches = &self.analysis.touches;
        // Threads, their footprints, and whether their own subtrees are done.
        let mut asleep: Vec<(ThreadId, Touch, bool)> = Vec::new();
        for &(node, slot) in &way {
            let node = self.tree.node(node);
            let front = &node.children[..node.rank(slot as usize)];
            for (at, child) in front.iter().enumerate() {
                let thread = child.step.thread;
                if front[..at].iter().all(|c| c.step.thread != thread) {
                    let done = node.children.iter().all(|c| c.step.thread != thread || c.state == State::Done);
                    asleep.push((thread, child.touch, done));
                }
            }
            let taken = node.children[slot as usize].touch;
            asleep.retain(|&(_, touch, _)| !touches.conflict(touch, taken));
        }
        let mut border = way.len();
        for piece in pending.pieces.iter().skip(1) {
            if asleep.iter().all(|&(_, _, done)| done) {
                break;
            }
            asleep.retain(|&(_, touch, _)| !touches.conflict(touch, piece.touch));
            border += 1;
        }
        let sleeping = |&(thread, touch, _): &(ThreadId, Touch, bool)| Sleeping::new(thread, touches.footprint(touch));
        let sleepers = asleep.iter().map(sleeping).collect();
        let mut steps = schedule;
        let sequence = steps.split_off(border);
        WorkItem { steps, known, sleepers, sequence, cost: pending.cost }
    }

    /// Notes the sequence as one that belongs above the subtree that is explored here, unless it was noted before.
    pub(super) fn send(&mut self, events: &[Event], depth: usize) {
        let cost = self.cost_of(events, depth);
        let Some(part) = &mut self.part else { return };
        let steps = self.sequence.items.iter().map(|item| item.step).collect();
        if !part.sent.insert((depth as u32, steps)) {
            return;
        }
        let touches = &self.analysis.touches;
        let sequence =
            self.sequence.detach(&self.analysis).into_iter().map(|Detached { step, touch, after, cause }| Inserted {
                step,
                touched: Touched::of(touches.footprint(touch)),
                after,
                cause,
            });
        part.outgoing.push(Insertion { depth: depth as u32, sequence: sequence.collect(), cost });
    }

    /// Learns what another search has found in an item.
    fn apply(&mut self, ticket: Ticket, mut commit: Commit) -> Result<(), CheckpointError> {
        // No other step is tried in the place of one that is given.
        commit.outgoing.retain(|insertion| insertion.depth as usize >= self.given);
        commit.ways.retain(|&depth| depth as usize >= self.given);
        let ran = self.agenda.remove(PendingId(ticket.0));
        self.begun = true;
        let Some(pending) = ran else {
            // The whole search: everything was found inside.
            return if commit.outgoing.is_empty() { Ok(()) } else { Err(CheckpointError::Damaged) };
        };
        self.reversals = pending.cost.reversals;
        self.tree.child_mut(pending.node, pending.slot).state = State::Running;
        let (_, same_nodes) = self.find_path(Some((pending.node, pending.slot)));
        let events = &commit.path[..];
        // An execution that was cut off before its item began shows nothing.
        if events.len() >= self.slots.len() && !events.is_empty() {
            let same_events = self.analysis.run(events, &[], events.len());
            self.find_sleepers(events.len(), same_events.min(same_nodes));
            self.find_costs(events, same_events);
            for insertion in commit.outgoing {
                let depth = insertion.depth as usize;
                if depth >= events.len() {
                    return Err(CheckpointError::Damaged);
                }
                let sequence = self.attach(&insertion)?;
                self.sequence.set_detached(sequence);
                self.insert(events, depth, Some(insertion.cost));
            }
            for depth in commit.ways {
                if depth as usize >= events.len() {
                    return Err(CheckpointError::Damaged);
                }
                self.other_ways(events, depth as usize);
            }
            self.keep_nodes(events);
        }
        if let (Some(&node), Some(&slot)) = (self.path.last(), self.slots.last()) {
            self.tree.done(node, slot);
        }
        // The last execution that was looked at is not the last one that was run.
        self.path.clear();
        self.slots.clear();
        self.sleepers.clear();
        Ok(())
    }

    fn attach(&mut self, insertion: &Insertion) -> Result<Vec<Detached>, CheckpointError> {
        let one = |(at, item): (u32, &Inserted)| {
            if item.after.iter().chain(&item.cause).any(|&before| before >= at) {
                return Err(CheckpointError::Damaged);
            }
            let touch = self.analysis.touches.number(&item.touched.footprint()?);
            Ok(Detached { step: item.step, touch, after: item.after.clone(), cause: item.cause })
        };
        (0..).zip(&insertion.sequence).map(one).collect()
    }
}
