//! The sequence of events that a reversal asks for, and what can come first in it.
//!
//! After P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Source sets: a foundation for optimal dynamic partial order
//! reduction*, J. ACM 64(4), 2017, section 4: `v = notdep(e, E).e'` for a reversal of `e` and `e'` in `E`, and its
//! initials and weak initials. Departure: the moved event `e'` may be another event in its new place, and events that
//! stand in its way are left out of `v` ([`Sequence::make_room`]).

use heddle_model::follow::Step;
use heddle_model::retrace::Retrace;
use heddle_model::{Choice, Event, Mode, ThreadId};

use crate::traces::analysis::Analysis;
use crate::traces::granules::NONE;
use crate::traces::touches::Touch;

/// One event of a sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    /// The index of the event in the execution that the sequence was taken from. Threads that still waited at the end
    /// follow the events ([`Analysis::waiting`]).
    pub event: u32,
    pub step: Step,
}

/// A sequence of events of one execution. The last one was moved in front of others.
#[derive(Default)]
pub(crate) struct Sequence {
    pub items: Vec<Item>,
    /// The moved event, and what it touches in its new place.
    moved: (u32, Touch),
    /// What is known of each item, if the sequence comes without its execution: see [`Sequence::set_detached`]. Empty
    /// otherwise.
    detached: Vec<Detached>,
}

/// What is known of an item of a sequence without the execution that it was taken from.
#[derive(Clone, Debug)]
pub(crate) struct Detached {
    pub step: Step,
    pub touch: Touch,
    /// The items that happen before this one, by their places in the sequence.
    pub after: Vec<u32>,
    /// The item that woke the thread for this one.
    pub cause: Option<u32>,
}

impl Sequence {
    /// Fills in the events after `earlier`, and before `later`, that do not happen after `earlier`. The caller
    /// [adds](Self::push_moved) `later` itself.
    pub fn reversal(&mut self, events: &[Event], analysis: &Analysis, earlier: u32, later: u32) {
        self.items.clear();
        self.detached.clear();
        self.moved.0 = NONE;
        let thread = events[earlier as usize].thread.index();
        for index in earlier + 1..later.min(events.len() as u32) {
            if !analysis.before(earlier, thread, index) {
                let event = &events[index as usize];
                self.items.push(Item { event: index, step: Step::of(event) });
            }
        }
    }

    /// The first step that [`reversal`](Self::reversal) would fill in, if there is one.
    pub fn first(events: &[Event], analysis: &Analysis, earlier: u32, later: u32) -> Option<Step> {
        let thread = events[earlier as usize].thread.index();
        let mut between = earlier + 1..later.min(events.len() as u32);
        between.find(|&index| !analysis.before(earlier, thread, index)).map(|index| Step::of(&events[index as usize]))
    }

    /// Recomputes `moved`, an event of a queued thread, at the end of this sequence. The sequence starts before event
    /// `earlier`. Returns `None` if it is not that thread's turn there, even after dropping the items that do not
    /// [make room](Self::make_room) for it. (Some of the threads in the queue stand in its way and some do not.)
    pub fn in_turn(
        &mut self,
        events: &[Event],
        analysis: &Analysis,
        retrace: &mut Retrace,
        earlier: usize,
        moved: &Event,
    ) -> Option<Event> {
        let kept = self.items.iter().map(|item| item.event as usize);
        if let Some(event) = retrace.relabel(events, earlier, kept, moved) {
            return Some(event);
        }
        let before = self.items.len();
        if !self.make_room(events, analysis, moved) || self.items.len() == before {
            return None;
        }
        let kept = self.items.iter().map(|item| item.event as usize);
        retrace.relabel(events, earlier, kept, moved)
    }

    /// Drops the items that share what `moved` needs and do not give it back before `moved`, with everything that happens
    /// after them. Example: `moved` is a writer that is to come before one reader of a lock; other readers that hold the
    /// lock at that time are dropped. Returns false if `moved` itself happens after a dropped item.
    pub fn make_room(&mut self, events: &[Event], analysis: &Analysis, moved: &Event) -> bool {
        let event = |item: &Item| &events[item.event as usize];
        let shares = |item: &Item| {
            let accesses = analysis.footprint(item.event as usize).accesses();
            event(item).operation.object == moved.operation.object
                && item.step.thread != moved.thread
                && accesses.iter().any(|a| a.mode == Mode::Add)
                && moved.disabled_by(event(item))
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
                        (times @ 1.., since) if moved.freed_by(event(item)) => (times - 1, since),
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

    /// Adds the moved event at the end. It touches `touch` there.
    pub fn push_moved(&mut self, index: u32, event: &Event, touch: Touch) {
        let step = Step::of(event).taking(Choice::FIRST);
        self.items.push(Item { event: index, step });
        self.moved = (index, touch);
    }

    /// Makes this the sequence of one event, which is not moved.
    pub fn set_single(&mut self, index: u32, step: Step) {
        self.items.clear();
        self.detached.clear();
        self.items.push(Item { event: index, step });
        self.moved.0 = NONE;
    }

    /// Everything that an insertion asks about this sequence, without the execution.
    pub fn detach(&self, analysis: &Analysis) -> Vec<Detached> {
        let one = |(at, item): (usize, &Item)| {
            let before = |b: &Item| analysis.before(b.event, b.step.thread.index(), item.event);
            let after = self.items[..at].iter().zip(0..).filter(|(b, _)| before(b)).map(|(_, place)| place).collect();
            let cause = analysis.causes[item.event as usize];
            let cause = self.items[..at].iter().position(|b| cause != NONE && b.event == cause).map(|at| at as u32);
            Detached { step: item.step, touch: self.touch(analysis, item), after, cause }
        };
        self.items.iter().enumerate().map(one).collect()
    }

    /// Makes this a sequence that was [detached](Self::detach) from its execution. The events of its items are their
    /// places in `detached`.
    pub fn set_detached(&mut self, detached: Vec<Detached>) {
        self.items.clear();
        self.items.extend(detached.iter().zip(0..).map(|(item, event)| Item { event, step: item.step }));
        self.moved.0 = NONE;
        self.detached = detached;
    }

    /// What an item of the sequence touches.
    #[inline]
    pub fn touch(&self, analysis: &Analysis, item: &Item) -> Touch {
        if let Some(detached) = self.detached.get(item.event as usize) {
            return detached.touch;
        }
        if item.event == self.moved.0 { self.moved.1 } else { analysis.touched[item.event as usize] }
    }

    /// The index of the first item of `thread`.
    pub fn first_of(&self, thread: ThreadId) -> Option<usize> {
        self.items.iter().position(|item| item.step.thread == thread)
    }

    /// Whether no item happens before item `at`, which is the first of its thread (an *initial*).
    pub fn is_initial(&self, events: &[Event], analysis: &Analysis, at: usize) -> bool {
        let item = &self.items[at];
        if let Some(this) = self.detached.get(item.event as usize) {
            let is_last = at + 1 == self.items.len();
            return self.items[..at].iter().all(|before| {
                if is_last {
                    !analysis.touches.conflict(self.touch(analysis, before), this.touch)
                        && this.cause != Some(before.event)
                } else {
                    !this.after.contains(&before.event)
                }
            });
        }
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

    /// The threads that can come first (the *initials* of the sequence).
    pub fn initials<'s>(&'s self, events: &'s [Event], analysis: &'s Analysis) -> impl Iterator<Item = ThreadId> + 's {
        self.items.iter().enumerate().filter_map(move |(at, item)| {
            let first = self.first_of(item.step.thread) == Some(at);
            (first && self.is_initial(events, analysis, at)).then_some(item.step.thread)
        })
    }

    /// Whether an event that touches `touch`, of a thread that has no items, commutes with all items.
    pub fn commutes_with(&self, analysis: &Analysis, touch: Touch) -> bool {
        // The moved one comes last, and is the one that conflicts most often.
        self.items.iter().rev().all(|item| !analysis.touches.conflict(self.touch(analysis, item), touch))
    }

    /// Whether `thread`, whose next event touches `touch`, is a *weak initial*: it can come first in the sequence, or
    /// commutes with all of it.
    pub fn may_start_with(&self, events: &[Event], analysis: &Analysis, thread: ThreadId, touch: Touch) -> bool {
        match self.first_of(thread) {
            Some(at) => self.is_initial(events, analysis, at),
            None => self.commutes_with(analysis, touch),
        }
    }
}
