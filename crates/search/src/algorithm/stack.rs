//! Depth-first exploration with backtrack sets, which persistent sets, source sets and bounded searches share.
//!
//! C. Flanagan, P. Godefroid, *Dynamic partial-order reduction for model checking software*, POPL 2005, figure 3. There is
//! one frame for each event of the last execution: the threads that were enabled there, those in the backtrack set, those
//! that were tried and those that sleep. After an execution, a [`Rule`] turns reversals into entries of backtrack sets.
//! The deepest frame with an entry that was not tried, and does not sleep, decides the next plan.
//!
//! Departures:
//!
//! 1. Reversals are looked for when an execution has ended, not at each step.
//! 2. An operation with several ways is tried in all of them before its thread counts as tried.

use heddle_model::follow::Step;
use heddle_model::retrace::{Ready, Retrace};
use heddle_model::{Choice, Event, Execution, Footprint, Outcome, Plan, ThreadId};
use serde::{Deserialize, Serialize};

use crate::algorithm::bound::{Bound, LeftOut, Spent};
use crate::drive::strategy::{Strategy, Ticket};
use crate::options::Options;
use crate::save::{self, CheckpointError, Touched};
use crate::traces::analysis::{Analysis, Reversal};
use crate::traces::touches::Touches;

/// The state before one event of the last execution.
#[derive(Default)]
pub(crate) struct Frame {
    /// The threads that are enabled here.
    pub ready: Vec<Ready>,
    /// The threads to be tried here: the backtrack set.
    pub backtrack: Vec<ThreadId>,
    /// The threads that sleep here, with their next footprints.
    pub sleep: Vec<(ThreadId, Footprint)>,
    /// The threads that were tried here, in all their ways, with the footprints that they had.
    tried: Vec<(ThreadId, Footprint)>,
    step: Step,
    /// The cost of the schedule up to here.
    spent: Spent,
}

impl Frame {
    /// Whether `thread` is enabled here.
    pub fn is_ready(&self, thread: ThreadId) -> bool {
        self.ready.iter().any(|r| r.thread == thread)
    }

    /// Whether `thread` sleeps here.
    pub fn sleeps(&self, thread: ThreadId) -> bool {
        self.sleep.iter().any(|s| s.0 == thread)
    }

    /// Adds a thread to the backtrack set.
    pub fn add(&mut self, thread: ThreadId) {
        if !self.backtrack.contains(&thread) {
            self.backtrack.push(thread);
        }
    }

    /// Adds all enabled threads to the backtrack set.
    pub fn add_all(&mut self) {
        for at in 0..self.ready.len() {
            self.add(self.ready[at].thread);
        }
    }

    fn entry(&self, thread: ThreadId) -> Option<&Ready> {
        self.ready.iter().find(|r| r.thread == thread)
    }

    /// The cost of the schedule if `thread` goes on here.
    fn spend(&self, thread: ThreadId) -> Spent {
        self.spent.then(thread, &self.ready)
    }

    /// The next step from here that was not tried and is within `bound`. Notes in `left_out` if one is not.
    fn next(&mut self, bound: &Bound, left_out: &mut LeftOut) -> Option<Step> {
        let current = self.step.thread;
        let ready = *self.entry(current)?;
        if ways_left(self.step.choice(), &ready) > 0
            && let Choice::Way(way) = self.step.choice()
        {
            self.step = Step::new(current).taking(Choice::Way(way + 1));
            return Some(self.step);
        }
        self.tried.push((current, ready.footprint));
        let mut open = |t: &&ThreadId| {
            let open = !self.tried.iter().any(|d| d.0 == **t) && !self.sleeps(**t);
            open && bound.admits(&self.spend(**t), left_out)
        };
        let thread = *self.backtrack.iter().find(&mut open)?;
        self.step = Step::new(thread);
        Some(self.step)
    }

    /// Adds to `into` the threads that sleep after an event of `thread` that touches `footprint`.
    fn sleep_after(&self, thread: ThreadId, footprint: &Footprint, into: &mut Vec<(ThreadId, Footprint)>) {
        let still = |s: &&(ThreadId, Footprint)| s.0 != thread && !s.1.conflicts_with(footprint);
        into.extend(self.sleep.iter().chain(&self.tried).filter(still));
    }
}

/// How many ways come after `choice`. None do after a value that was given.
fn ways_left(choice: Choice, ready: &Ready) -> u16 {
    match choice {
        Choice::Way(way) => ready.alternatives.saturating_sub(1).saturating_sub(way),
        Choice::Value(_) => 0,
    }
}

/// How reversals become entries of backtrack sets.
pub(crate) trait Rule {
    /// Whether an event and the one that enabled it count as a reversal, too.
    fn shortsighted(&self) -> bool {
        false
    }

    /// Adds to the backtrack sets of `frames` what `reversals` ask for.
    fn apply(
        &mut self,
        events: &[Event],
        analysis: &mut Analysis,
        reversals: &[Reversal],
        retrace: &mut Retrace,
        frames: &mut [Frame],
    );
}

pub(crate) struct Stack<R> {
    rule: R,
    frames: Vec<Frame>,
    started: bool,
    under_way: bool,
    /// The plan of `frames` was under way when the search was written down: it comes once more.
    again: bool,
    sleep_sets: bool,
    analysis: Analysis,
    retrace: Retrace,
    from: usize,
    bound: Bound,
    left_out: LeftOut,
    /// How many steps are given ([`Options::prefix`]). No other step is tried in their place.
    given: usize,
    /// Frames that were given up although executions may be left: a thread has run that was not foreseen there. They count as
    /// pending for ever, so that nothing is called complete.
    given_up: u64,
}

impl<R: Rule> Stack<R> {
    pub fn new(rule: R, sleep_sets: bool, options: &Options) -> Self {
        let mut analysis = Analysis::knowing(&options.places);
        let mut retrace = Retrace::default();
        retrace.know(&options.places);
        analysis.shortsighted = rule.shortsighted();
        Stack {
            rule,
            frames: Vec::new(),
            started: false,
            under_way: false,
            again: false,
            sleep_sets,
            analysis,
            retrace,
            from: 0,
            bound: Bound::default(),
            left_out: LeftOut::default(),
            given: options.prefix.len(),
            given_up: 0,
        }
    }

    /// Leaves out what is not within `bound`.
    pub fn within(self, bound: Bound) -> Self {
        Stack { bound, ..self }
    }
}

/// What is written down of a depth-first exploration. Footprints are numbers in `footprints`.
#[derive(Serialize, Deserialize)]
pub(crate) struct State {
    started: bool,
    again: bool,
    frames: Vec<SavedFrame>,
    footprints: Vec<Touched>,
    left_out: LeftOut,
    given_up: u64,
}

/// A [`Frame`] that is written down.
#[derive(Serialize, Deserialize)]
struct SavedFrame {
    ready: Vec<(ThreadId, u16, u32)>,
    backtrack: Vec<ThreadId>,
    sleep: Vec<(ThreadId, u32)>,
    tried: Vec<(ThreadId, u32)>,
    step: Step,
    spent: Spent,
}

impl<R: Rule + Send> Strategy for Stack<R> {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        if self.under_way {
            return None;
        }
        if self.started && !std::mem::take(&mut self.again) {
            loop {
                if self.frames.len() <= self.given {
                    return None;
                }
                let frame = self.frames.last_mut()?;
                self.given_up += u64::from(frame.entry(frame.step.thread).is_none());
                match frame.next(&self.bound, &mut self.left_out) {
                    Some(_) => break,
                    None => self.frames.pop(),
                };
            }
        }
        if let Some(frame) = self.frames.last() {
            plan.schedule.extend(self.frames.iter().map(|f| f.step));
            let footprint = frame.entry(frame.step.thread)?.footprint;
            if self.sleep_sets {
                let mut sleep = Vec::new();
                frame.sleep_after(frame.step.thread, &footprint, &mut sleep);
                plan.sleep.extend(sleep.iter().map(|s| s.0));
            }
            self.from = self.frames.len() - 1;
        }
        plan.policy = self.bound.policy();
        self.started = true;
        self.under_way = true;
        Some(Ticket(0))
    }

    fn digest(&mut self, _: Ticket, execution: &Execution<'_>) {
        self.under_way = false;
        let events = execution.events;
        self.left_out.any |= matches!(execution.outcome, Outcome::SwitchLimit { .. });
        if events.len() < self.frames.len() {
            // It ended early, for reasons of its own: there is nothing to learn beyond what led here.
            return;
        }
        self.analysis.run(events, execution.pending, self.from);
        let Stack { frames, analysis, sleep_sets, .. } = self;
        self.retrace.walk(execution, frames.len(), |index, ready| {
            let Some(event) = events.get(index) else { return };
            let mut frame = Frame {
                ready: ready.to_vec(),
                backtrack: vec![event.thread],
                step: Step::of(event),
                ..Frame::default()
            };
            if *sleep_sets && index > 0 {
                let above = &frames[index - 1];
                above.sleep_after(events[index - 1].thread, analysis.footprint(index - 1), &mut frame.sleep);
            }
            if index > 0 {
                frame.spent = frames[index - 1].spend(events[index - 1].thread);
            }
            frames.push(frame);
        });
        let reversals = std::mem::take(&mut self.analysis.reversals);
        self.rule.apply(events, &mut self.analysis, &reversals, &mut self.retrace, &mut self.frames);
        self.analysis.reversals = reversals;
    }

    fn left_out(&self) -> LeftOut {
        self.left_out
    }

    fn pending(&self) -> u64 {
        let open = |f: &Frame| {
            let left =
                f.backtrack.iter().filter(|t| !f.tried.iter().any(|d| d.0 == **t) && !f.sleeps(**t)).count() as u64;
            let ways = f.entry(f.step.thread).map_or(0, |r| ways_left(f.step.choice(), r));
            left.saturating_sub(1) + ways as u64
        };
        self.frames.iter().skip(self.given).map(open).sum::<u64>()
            + u64::from(!self.started || self.again)
            + self.given_up
    }

    fn save(&self) -> save::State {
        let mut footprints = Touches::default();
        let mut number = |footprint: &Footprint| footprints.number(footprint).get();
        let mut sleepers = |list: &[(ThreadId, Footprint)]| list.iter().map(|s| (s.0, number(&s.1))).collect();
        let frames = self.frames.iter().map(|frame| SavedFrame {
            backtrack: frame.backtrack.clone(),
            sleep: sleepers(&frame.sleep),
            tried: sleepers(&frame.tried),
            step: frame.step,
            spent: frame.spent,
            ready: Vec::new(),
        });
        let mut frames: Vec<SavedFrame> = frames.collect();
        for (saved, frame) in frames.iter_mut().zip(&self.frames) {
            saved.ready = frame.ready.iter().map(|r| (r.thread, r.alternatives, number(&r.footprint))).collect();
        }
        save::State::Stack(State {
            started: self.started,
            again: self.under_way || self.again,
            frames,
            footprints: footprints.all().iter().map(Touched::of).collect(),
            left_out: self.left_out,
            given_up: self.given_up,
        })
    }

    fn restore(&mut self, state: save::State) -> Result<(), CheckpointError> {
        let save::State::Stack(state) = state else { return Err(CheckpointError::Damaged) };
        let footprints = state.footprints.iter().map(Touched::footprint).collect::<Result<Vec<_>, _>>()?;
        let footprint = |number: u32| footprints.get(number as usize).copied().ok_or(CheckpointError::Damaged);
        let sleepers = |list: Vec<(ThreadId, u32)>| {
            list.into_iter().map(|(thread, number)| Ok((thread, footprint(number)?))).collect::<Result<Vec<_>, _>>()
        };
        for SavedFrame { ready, backtrack, sleep, tried, step, spent } in state.frames {
            let ready = ready.into_iter().map(|(thread, alternatives, number)| {
                Ok(Ready { thread, alternatives, footprint: footprint(number)? })
            });
            let ready = ready.collect::<Result<Vec<_>, CheckpointError>>()?;
            let frame = Frame { ready, backtrack, sleep: sleepers(sleep)?, tried: sleepers(tried)?, step, spent };
            // Where the step leads is not known otherwise.
            frame.entry(step.thread).ok_or(CheckpointError::Damaged)?;
            self.frames.push(frame);
        }
        (self.started, self.again, self.left_out) = (state.started, state.again, state.left_out);
        self.given_up = state.given_up;
        Ok(())
    }
}
