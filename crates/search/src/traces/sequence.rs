//! A sequence of events that is to be run from a node, and what can come first in it.

use heddle_model::follow::Step;
use heddle_model::primitive;
use heddle_model::{Event, Mode, ThreadId};

use crate::traces::analysis::Analysis;
use crate::traces::granules::NONE;
use crate::traces::replay::Replay;
use crate::traces::touches::Touch;

/// One event of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// Its index in the execution that the sequence was taken from (or among those waiting at its end).
    pub event: u32,
    pub step: Step,
}

/// A sequence of events of one execution, the last of them moved in front of others.
#[derive(Default)]
pub(crate) struct Sequence {
    pub items: Vec<Item>,
    /// The event that was moved, and what it touches in its new place.
    moved: (u32, Touch),
}

impl Sequence {
    /// The events after `earlier` that do not happen after it, up to `later`, which comes last and is `moved` now.
    pub fn reversal(&mut self, events: &[Event], analysis: &Analysis, earlier: u32, later: u32) {
        self.items.clear();
        self.moved.0 = NONE;
        let thread = events[earlier as usize].thread.index();
        for index in earlier + 1..later.min(events.len() as u32) {
            if !analysis.before(earlier, thread, index) {
                let event = &events[index as usize];
                self.items.push(Item { event: index, step: Step::of(event) });
            }
        }
    }

    /// The first step of [`reversal`](Self::reversal) that is not the moved one, if there is one.
    pub fn first(events: &[Event], analysis: &Analysis, earlier: u32, later: u32) -> Option<Step> {
        let thread = events[earlier as usize].thread.index();
        let mut between = earlier + 1..later.min(events.len() as u32);
        between.find(|&index| !analysis.before(earlier, thread, index)).map(|index| Step::of(&events[index as usize]))
    }

    /// What `moved`, of a thread that stands in a queue, is after the sequence, which begins before event `earlier`; none if it is
    /// not its turn there, even if those are left out that do not [make room](Self::make_room) for it. (Some of those in the queue stand in
    /// its way and some do not.)
    pub fn in_turn(
        &mut self,
        events: &[Event],
        analysis: &Analysis,
        replay: &mut Replay,
        earlier: usize,
        moved: &Event,
    ) -> Option<Event> {
        let kept = self.items.iter().map(|item| item.event as usize);
        if let Some(event) = replay.relabel(events, earlier, kept, moved) {
            return Some(event);
        }
        let before = self.items.len();
        if !self.make_room(events, analysis, moved) || self.items.len() == before {
            return None;
        }
        let kept = self.items.iter().map(|item| item.event as usize);
        replay.relabel(events, earlier, kept, moved)
    }

    /// Leaves out whoever takes what `moved` needs together with others, and does not give it back before it, with
    /// everything that happens after that: readers that came in beside the one that `moved` is to come before. False if
    /// `moved` itself comes after one of them.
    pub fn make_room(&mut self, events: &[Event], analysis: &Analysis, moved: &Event) -> bool {
        let family = primitive::of(moved.operation.code);
        let event = |item: &Item| &events[item.event as usize];
        let shares = |item: &Item| {
            let accesses = analysis.footprint(item.event as usize).accesses();
            event(item).operation.object == moved.operation.object
                && item.step.thread != moved.thread
                && accesses.iter().any(|a| a.mode == Mode::Add)
                && family.disabled_by(event(item), moved)
        };
        let mut at = 0;
        while at < self.items.len() {
            let thread = self.items[at].step.thread;
            let from = shares(&self.items[at]).then(|| {
                // Where the thread came in and did not leave as often as it came.
                let mut inside = (0, None);
                for item in self.items[at..].iter().filter(|item| item.step.thread == thread) {
                    inside = match inside {
                        (0, _) if shares(item) => (1, Some(item.event)),
                        (times, since) if shares(item) => (times + 1, since),
                        (times @ 1.., since) if family.enabled_by(event(item), moved) => (times - 1, since),
                        same => same,
                    };
                }
                inside.1.filter(|_| inside.0 > 0)
            });
            let Some(from) = from.flatten() else {
                at += 1;
                continue;
            };
            let mine = |items: &[Item]| items.iter().filter(|item| item.step.thread == moved.thread).count();
            let before = mine(&self.items);
            self.items.retain(|item| !analysis.before(from, thread.index(), item.event));
            if mine(&self.items) != before {
                return false;
            }
        }
        true
    }

    /// Adds the event that was moved, which touches `touch` now.
    pub fn push_moved(&mut self, index: u32, event: &Event, touch: Touch) {
        let step = Step { choice: 0, ..Step::of(event) };
        self.items.push(Item { event: index, step });
        self.moved = (index, touch);
    }

    /// Nothing but this event, as it is.
    pub fn set_single(&mut self, index: u32, step: Step) {
        self.items.clear();
        self.items.push(Item { event: index, step });
        self.moved.0 = NONE;
    }

    /// What an event of the sequence touches.
    #[inline]
    pub fn touch(&self, analysis: &Analysis, item: &Item) -> Touch {
        if item.event == self.moved.0 { self.moved.1 } else { analysis.touched[item.event as usize] }
    }

    /// The first event of `thread`.
    pub fn first_of(&self, thread: ThreadId) -> Option<usize> {
        self.items.iter().position(|item| item.step.thread == thread)
    }

    /// Whether nothing in the sequence happens before item `at`, the first of its thread.
    pub fn is_initial(&self, events: &[Event], analysis: &Analysis, at: usize) -> bool {
        let item = &self.items[at];
        let waits = item.event as usize >= events.len();
        if at + 1 == self.items.len() || waits {
            // The moved one: its order in the execution that it was taken from says nothing about its place here.
            let cause = analysis.causes[item.event as usize];
            let touch = self.touch(analysis, item);
            return self.items[..at].iter().all(|before| {
                !analysis.touches.conflict(self.touch(analysis, before), touch)
                    && (cause == NONE || before.event != cause)
            });
        }
        self.items[..at].iter().all(|before| !analysis.before(before.event, before.step.thread.index(), item.event))
    }

    /// The threads that can come first.
    pub fn initials<'s>(&'s self, events: &'s [Event], analysis: &'s Analysis) -> impl Iterator<Item = ThreadId> + 's {
        self.items.iter().enumerate().filter_map(move |(at, item)| {
            let first = self.first_of(item.step.thread) == Some(at);
            (first && self.is_initial(events, analysis, at)).then_some(item.step.thread)
        })
    }

    /// Whether an event of a thread that does not occur in the sequence, touching this, commutes with all of it.
    pub fn commutes_with(&self, analysis: &Analysis, touch: Touch) -> bool {
        // The moved one comes last, and is the one that conflicts most often.
        self.items.iter().rev().all(|item| !analysis.touches.conflict(self.touch(analysis, item), touch))
    }

    /// Whether `thread`, whose next event touches `touch`, can come first: it starts the sequence, or commutes
    /// with all of it (a *weak initial*).
    pub fn may_start_with(&self, events: &[Event], analysis: &Analysis, thread: ThreadId, touch: Touch) -> bool {
        match self.first_of(thread) {
            Some(at) => self.is_initial(events, analysis, at),
            None => self.commutes_with(analysis, touch),
        }
    }
}
