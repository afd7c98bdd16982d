//! SDPOR as it was published: depth first, with a graph of operations. For comparison; it is **not complete**.
//!
//! Y. Yang, *Efficient dynamic verification of concurrent programs*, dissertation, University of Utah, 2009, chapter 4, figures
//! 4.5 (SDPOR), 4.6 (backtrack sets) and 4.8. A depth-first search stops at a state that is known. Whatever may follow from
//! there is read off a graph of operations: there is an edge from one operation to another if they were executed one right after the
//! other, anywhere. All operations that can be reached in it from those that are enabled in the known state update the backtrack sets of
//! the states on the stack.
//!
//! What it misses, each found by brute force on random programs (the test `sdpor` of the testkit counts them):
//!
//! 1. Only operations that are *enabled* in the known state count (line 5). A thread that waits there, in a deadlock for instance, may have
//!    a race with what is on the stack.
//! 2. A known state may be on the stack itself, or have been reached while what is below it was not explored. What is found there later never
//!    reaches the other ways that lead to it. The proof of its lemma 4.2 takes for granted that everything below a known state was explored.
//! 3. A thread that goes round closes its cycle, and nobody else need ever run.
//!
//! [`crate::algorithm::stateful`] is what has none of these. A verdict by this algorithm is never *safe*.
//!
//! Departures:
//!
//! 1. States are fingerprints of everything (threads, memory, objects). Figures 4.3, 4.4 and 4.8 number the local states of threads by their
//!    changes instead, because Inspect could not see them, and give a new number where a change is not understood. Equal numbers mean
//!    equal local states, so fingerprints merge whatever the numbers merge, and more. Nothing else of figure 4.8 differs from figure 4.5.
//! 2. An operation of the graph is its thread, what it does and to which object. What it touches is a set of footprints, since an
//!    operation may touch more or less (a trylock that fails has only read).
//! 3. An operation with several ways is tried in all of them.
//! 4. Two operations may be enabled at the same time unless the model says that the first one enables the second
//!    ([`enabled_by`](heddle_model::Event::enabled_by)).

use std::collections::{HashMap, HashSet};

use heddle_model::follow::{Policy, Step};
use heddle_model::retrace::Retrace;
use heddle_model::{
    Choice, Event, EventFlags, Execution, Fingerprint, Footprint, ObjectId, OpCode, Outcome, Plan, States, ThreadId,
};
use serde::{Deserialize, Serialize};

use crate::drive::strategy::{Strategy, Ticket};
use crate::drive::summary::StateCounts;
use crate::options::Options;
use crate::save::{self, CheckpointError, Touched};

/// The state before one event of the last execution.
#[derive(Clone)]
struct Frame {
    /// The threads that are enabled here, and in how many ways.
    ready: Vec<(ThreadId, u16)>,
    backtrack: Vec<ThreadId>,
    done: Vec<ThreadId>,
    /// The step that was taken, the event that it was, what it touched, and the number of its operation.
    step: Step,
    event: Event,
    footprint: Footprint,
    operation: u32,
}

impl Frame {
    fn is_ready(&self, thread: ThreadId) -> bool {
        self.ready.iter().any(|(ready, _)| *ready == thread)
    }

    fn add(&mut self, thread: ThreadId) {
        if !self.backtrack.contains(&thread) {
            self.backtrack.push(thread);
        }
    }

    /// The next step from here.
    fn next(&mut self) -> Option<Step> {
        let current = self.step.thread;
        let ways = self.ready.iter().find(|(thread, _)| *thread == current).map_or(0, |(_, ways)| *ways);
        if let Choice::Way(way) = self.step.choice()
            && way + 1 < ways
        {
            self.step = Step::new(current).taking(Choice::Way(way + 1));
            return Some(self.step);
        }
        if !self.done.contains(&current) {
            self.done.push(current);
        }
        let thread = *self.backtrack.iter().find(|thread| !self.done.contains(thread))?;
        self.step = Step::new(thread);
        Some(self.step)
    }
}

/// Who has taken no step from a state.
const NOBODY: ThreadId = ThreadId(u16::MAX);

/// An operation: who does what to which object.
type Operation = (ThreadId, OpCode, ObjectId);

/// The graph of visible operations.
#[derive(Default)]
struct Operations {
    numbers: HashMap<Operation, u32>,
    /// Of each operation: what it was seen to be and to touch, and which were executed right after it.
    seen: Vec<Vec<(Event, Footprint)>>,
    next: Vec<HashSet<u32>>,
}

impl Operations {
    /// The number of the operation of a bare event that touches this.
    fn number(&mut self, bare: &Event, footprint: &Footprint) -> u32 {
        let fresh = self.seen.len() as u32;
        let key = (bare.thread, bare.operation.code, bare.operation.object);
        let number = *self.numbers.entry(key).or_insert(fresh);
        if number == fresh {
            self.seen.push(Vec::new());
            self.next.push(HashSet::new());
        }
        let seen = &mut self.seen[number as usize];
        let same = |other: &(Event, Footprint)| {
            other.1.is_everything() == footprint.is_everything() && other.1.accesses() == footprint.accesses()
        };
        if !seen.iter().any(same) {
            seen.push((*bare, *footprint));
        }
        number
    }

    /// All operations that can be reached from these, with these.
    fn reachable(&self, from: &[u32]) -> Vec<u32> {
        let mut found: HashSet<u32> = from.iter().copied().collect();
        let mut todo = from.to_vec();
        while let Some(operation) = todo.pop() {
            for &next in &self.next[operation as usize] {
                if found.insert(next) {
                    todo.push(next);
                }
            }
        }
        let mut found: Vec<u32> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}

/// The search of the dissertation.
pub(crate) struct Sdpor {
    frames: Vec<Frame>,
    known: HashSet<Fingerprint>,
    fresh: Vec<Fingerprint>,
    operations: Operations,
    /// How many transitions were executed beyond schedules.
    transitions: u64,
    started: bool,
    under_way: bool,
    /// The plan of `frames` was under way when the search was written down: it comes once more.
    again: bool,
    retrace: Retrace,
    /// The steps that every execution begins with. No other step is tried in their place.
    given: Vec<Step>,
}

/// What is written down of the search.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    started: bool,
    again: bool,
    transitions: u64,
    frames: Vec<SavedFrame>,
    known: Vec<Fingerprint>,
    operations: Vec<SavedOperation>,
}

#[derive(Serialize, Deserialize)]
struct SavedFrame {
    ready: Vec<(ThreadId, u16)>,
    backtrack: Vec<ThreadId>,
    done: Vec<ThreadId>,
    step: Step,
    event: Event,
    footprint: Touched,
    operation: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedOperation {
    seen: Vec<(Event, Touched)>,
    next: Vec<u32>,
}

impl Sdpor {
    pub fn new(options: &Options) -> Sdpor {
        Sdpor {
            frames: Vec::new(),
            known: HashSet::new(),
            fresh: Vec::new(),
            operations: Operations::default(),
            transitions: 0,
            started: false,
            under_way: false,
            again: false,
            retrace: Retrace::default(),
            given: options.prefix.clone(),
        }
    }

    /// Figure 4.6, for an operation that may follow the state after the first `end` frames.
    fn update(&mut self, end: usize, operation: u32) {
        for (bare, footprint) in self.operations.seen[operation as usize].clone() {
            let frames = &self.frames[..end];
            let depends = |frame: &Frame| {
                frame.event.thread != bare.thread
                    && frame.footprint.conflicts_with(&footprint)
                    && !bare.enabled_by(&frame.event)
            };
            let Some(at) = frames.iter().rposition(depends) else { continue };
            let own = bare.thread;
            // Somebody after it on whom the thread of the operation depends later on.
            let helps = |index: usize| {
                let later = &frames[index];
                let waits =
                    |other: &Frame| other.event.thread == own && other.footprint.conflicts_with(&later.footprint);
                frames[at].is_ready(later.event.thread) && frames[index + 1..].iter().any(waits)
            };
            let helper = match frames[at].is_ready(own) {
                true => Some(own),
                false => (at + 1..end).find(|&index| helps(index)).map(|index| frames[index].event.thread),
            };
            let frame = &mut self.frames[at];
            match helper {
                Some(thread) => frame.add(thread),
                None => frame.ready.clone().into_iter().for_each(|(thread, _)| frame.add(thread)),
            }
        }
    }
}

impl Strategy for Sdpor {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if self.under_way {
            return None;
        }
        if self.started && !std::mem::take(&mut self.again) {
            loop {
                if self.frames.len() <= self.given.len() {
                    return None;
                }
                if self.frames.last_mut()?.next().is_some() {
                    break;
                }
                self.frames.pop();
            }
        }
        match self.frames.is_empty() {
            true => plan.schedule.extend_from_slice(&self.given),
            false => plan.schedule.extend(self.frames.iter().map(|frame| frame.step)),
        }
        plan.policy = Policy::NonPreemptive;
        plan.states = States::Stop;
        (self.started, self.under_way) = (true, true);
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        self.under_way = false;
        let Execution { events, states, .. } = *execution;
        let steps = self.frames.len().max(if self.frames.is_empty() { self.given.len() } else { 0 });
        if events.len() < steps {
            // It ended early, for reasons of its own.
            return;
        }
        // From one step earlier: the event of the step that was tried. Given steps have frames, in which nobody else is tried.
        let from = self.frames.len().saturating_sub(1);
        let mut here = Vec::new();
        let mut retrace = std::mem::take(&mut self.retrace);
        retrace.walk_standing(execution, from, |_, standing| here.push(standing.to_vec()));
        self.retrace = retrace;
        // The state from which another step was tried keeps what was tried before.
        let mut tried = self.frames.pop();
        for (index, standing) in (from..).zip(&here) {
            let enabled: Vec<_> = standing.iter().filter(|one| one.ways != 0).collect();
            let operations: Vec<u32> =
                enabled.iter().map(|one| self.operations.number(&one.event, &one.footprint)).collect();
            // States are told from the end of the schedule on.
            if let Some(&state) = index.checked_sub(steps).and_then(|at| states.get(at)) {
                let inside = events.get(index).is_some_and(|event| event.flags.contains(EventFlags::INSIDE));
                if !self.known.insert(state) {
                    if !inside {
                        for operation in self.operations.reachable(&operations) {
                            self.update(index, operation);
                        }
                        return;
                    }
                } else {
                    self.fresh.push(state);
                }
                for &operation in &operations {
                    self.update(index, operation);
                }
            }
            let Some(event) = events.get(index) else {
                if let (Outcome::Visited, Some(first)) = (execution.outcome, enabled.first()) {
                    // It had become long. Whoever comes first goes on from here.
                    let operation = self.operations.number(&first.event, &first.footprint);
                    self.frames.push(Frame {
                        ready: enabled.iter().map(|one| (one.event.thread, one.ways)).collect(),
                        backtrack: vec![first.event.thread],
                        done: Vec::new(),
                        step: Step::new(NOBODY),
                        event: first.event.bare(),
                        footprint: first.footprint,
                        operation,
                    });
                }
                return;
            };
            let footprint = Footprint::of(event);
            let operation = self.operations.number(&event.bare(), &footprint);
            if let Some(before) = index.checked_sub(1).and_then(|before| self.frames.get(before)) {
                self.operations.next[before.operation as usize].insert(operation);
            }
            self.transitions += u64::from(index + 1 >= steps);
            let ready = enabled.iter().map(|one| (one.event.thread, one.ways)).collect();
            let (step, event) = (Step::of(event), event.bare());
            self.frames.push(match tried.take() {
                Some(frame) => Frame { step, event, footprint, operation, ..frame },
                None => {
                    let backtrack = vec![event.thread];
                    Frame { ready, backtrack, done: Vec::new(), step, event, footprint, operation }
                }
            });
        }
    }

    fn pending(&self) -> u64 {
        let open = |frame: &Frame| {
            let current = frame.step.thread;
            let ways = frame.ready.iter().find(|(thread, _)| *thread == current).map_or(0, |(_, ways)| *ways);
            let left = match frame.step.choice() {
                Choice::Way(way) => ways.saturating_sub(way + 1),
                Choice::Value(_) => 0,
            };
            let others = |thread: &&ThreadId| **thread != current && !frame.done.contains(thread);
            u64::from(left) + frame.backtrack.iter().filter(others).count() as u64
        };
        self.frames.iter().skip(self.given.len()).map(open).sum::<u64>() + u64::from(!self.started || self.again)
    }

    fn new_states(&mut self) -> Vec<Fingerprint> {
        std::mem::take(&mut self.fresh)
    }

    fn state_count(&self) -> u64 {
        self.known.len() as u64
    }

    fn states(&self) -> Option<StateCounts> {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let known = self.known.capacity() * (size_of::<Fingerprint>() + 1);
        let (states, bytes) = (self.known.len() as u64, (frames + known) as u64);
        Some(StateCounts { states, edges: self.transitions, bytes, ..StateCounts::default() })
    }

    fn save(&self) -> save::State {
        let mut known: Vec<Fingerprint> = self.known.iter().copied().collect();
        known.sort_unstable_by_key(|state| state.0);
        let frames = self.frames.iter().map(|frame| SavedFrame {
            ready: frame.ready.clone(),
            backtrack: frame.backtrack.clone(),
            done: frame.done.clone(),
            step: frame.step,
            event: frame.event,
            footprint: Touched::of(&frame.footprint),
            operation: frame.operation,
        });
        let operations = self.operations.seen.iter().zip(&self.operations.next).map(|(seen, next)| {
            let mut next: Vec<u32> = next.iter().copied().collect();
            next.sort_unstable();
            SavedOperation { seen: seen.iter().map(|(bare, touched)| (*bare, Touched::of(touched))).collect(), next }
        });
        save::State::Sdpor(Box::new(State {
            started: self.started,
            again: self.under_way || self.again,
            transitions: self.transitions,
            frames: frames.collect(),
            known,
            operations: operations.collect(),
        }))
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Sdpor(state) = state else { return Err(CheckpointError::Damaged) };
        let State { started, again, transitions, frames, known, operations } = *state;
        let count = operations.len();
        for (number, SavedOperation { seen, next }) in operations.into_iter().enumerate() {
            if seen.is_empty() || next.iter().any(|&next| next as usize >= count) {
                return Err(CheckpointError::Damaged);
            }
            for (bare, touched) in seen {
                if self.operations.number(&bare, &touched.footprint()?) as usize != number {
                    return Err(CheckpointError::Damaged);
                }
            }
            self.operations.next[number].extend(next);
        }
        for SavedFrame { ready, backtrack, done, step, event, footprint, operation } in frames {
            if operation as usize >= count {
                return Err(CheckpointError::Damaged);
            }
            let footprint = footprint.footprint()?;
            self.frames.push(Frame { ready, backtrack, done, step, event, footprint, operation });
        }
        self.fresh.clone_from(&known);
        self.known = known.into_iter().collect();
        (self.started, self.again, self.transitions) = (started, again, transitions);
        Ok(())
    }
}
