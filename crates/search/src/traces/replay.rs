//! What the model says about an execution beyond its events: which threads were enabled where, and what an event would be
//! in another place.
//!
//! The events of an execution carry every operation, so the model's world can be taken through them again without the
//! program. The world does not know the content of the program's memory. Whether a compare-exchange would succeed is read
//! off the next event that touches its place, which shows what was there before. There is no answer where places overlap
//! without being equal, or where a store does not know what it replaced. The operation then counts as a write. That can
//! only make operations more dependent than they are: more executions, never fewer.

use std::cell::Cell;

use heddle_model::primitive::{atomic, futex, process, section};
use heddle_model::{
    Event, EventFlags, Execution, Footprint, Memory, ObjectId, ObjectSlot, Operation, Phase, ThreadId, ThreadState,
    World,
};

/// A thread that is enabled at some point of an execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub thread: ThreadId,
    pub alternatives: u16,
    pub footprint: Footprint,
}

/// A world of the model that is taken through events again. Its buffers are kept between uses.
#[derive(Default)]
pub(crate) struct Replay {
    threads: Vec<ThreadState>,
    objects: Vec<ObjectSlot>,
    next: Vec<usize>,
    upcoming: Vec<Vec<Operation>>,
}

/// The program's memory, of which only one thing is known: whether the next comparison fails.
struct Fails(Cell<bool>);

impl Memory for Fails {
    fn compare_fails(&self, _: &Operation) -> bool {
        self.0.get()
    }
}

impl Replay {
    fn prepare(&mut self, threads: usize, events: usize) {
        if self.threads.len() < threads {
            self.threads.resize(threads, ThreadState::default());
        }
        // Every event touches at most four objects, and most touch one that was touched before.
        let objects = (events * 4).max(64).next_power_of_two();
        if self.objects.len() < objects {
            self.objects.resize(objects, ObjectSlot::default());
        }
    }

    /// The event that `moved` would be right after the events `..earlier` and then those of `kept`. `None` if it would have
    /// to wait there.
    pub fn relabel(
        &mut self,
        events: &[Event],
        earlier: usize,
        kept: impl Iterator<Item = usize> + Clone,
        moved: &Event,
    ) -> Option<Event> {
        let mismatch = comparison(&moved.operation).is_some_and(|comparison| {
            let touches = |&index: &usize| touches(&events[index], &comparison);
            let last = kept.clone().filter(touches).last().or_else(|| (0..earlier).rev().find(touches));
            match content(events, last.map_or(0, |last| last + 1), &comparison) {
                Content::Known(value) => value != comparison.argument,
                // Nobody came between the last one and the end, when whoever ran the program has looked.
                Content::Untouched if moved.operation.code == atomic::COMPARE_EXCHANGE => moved.failed(),
                Content::Untouched => moved.flags.contains(EventFlags::MISMATCH),
                Content::Unknown => false,
            }
        });
        if moved.operation.code == atomic::COMPARE_EXCHANGE {
            // Always possible, in one way: only memory decides what it touches.
            let fails = mismatch;
            let flags = if fails { EventFlags::FAILED } else { EventFlags::NONE };
            return Some(Event {
                operation: moved.operation.without_await(),
                flags,
                choice: 0,
                alternatives: 1,
                ..*moved
            });
        }
        let prefix = (0..earlier).chain(kept).map(|index| &events[index]);
        let threads = prefix.clone().map(widest).max().unwrap_or(1).max(widest(moved));
        self.prepare(threads, prefix.clone().count() + 1);
        let fails = Fails(Cell::new(false));
        let mut world = World::new(&mut self.threads, &mut self.objects, &fails);
        for event in prefix {
            world.announce(event.thread, event.operation, event.pc);
            fails.0.set(event.flags.contains(EventFlags::MISMATCH));
            world.take(event.thread, event.choice);
        }
        fails.0.set(mismatch);
        // An await is moved only over one of several writes that it waits for.
        world.announce(moved.thread, moved.operation.without_await(), moved.pc);
        if world.thread(moved.thread).phase != Phase::Alive || !world.enabled(moved.thread) {
            return None;
        }
        if moved.operation.code == section::BEGIN {
            return Some(section::forgotten(moved));
        }
        let flags = world.foresee_flags(moved.thread);
        let result = world.foresee_result(moved.thread).unwrap_or(moved.result);
        let operation = world.located(moved.thread, moved.operation);
        Some(Event { operation, flags, result, choice: 0, alternatives: world.alternatives(moved.thread), ..*moved })
    }

    /// Calls `visit` with the enabled threads before each event from `from` on, and at the end.
    pub fn walk(&mut self, execution: &Execution<'_>, from: usize, mut visit: impl FnMut(usize, &[Ready])) {
        let events = execution.events;
        let pending = execution.pending.iter().map(|p| widest_of(p.thread, &p.operation));
        let threads = events.iter().map(widest).chain(pending).max();
        let threads = threads.unwrap_or(1);
        self.prepare(threads, events.len());
        for list in &mut self.upcoming {
            list.clear();
        }
        if self.upcoming.len() < threads {
            self.upcoming.resize(threads, Vec::new());
        }
        for event in events {
            self.upcoming[event.thread.index()].push(event.operation);
        }
        for pending in execution.pending {
            self.upcoming[pending.thread.index()].push(pending.operation);
        }
        self.next.clear();
        self.next.resize(threads, 0);
        let fails = Fails(Cell::new(false));
        let mut world = World::new(&mut self.threads, &mut self.objects, &fails);
        let mut ready = Vec::new();
        for index in 0..=events.len() {
            if index >= from {
                ready.clear();
                for thread in world.ids() {
                    let Some(&operation) = self.upcoming[thread.index()].get(self.next[thread.index()]) else {
                        continue;
                    };
                    // What a section touched later says nothing about what it would touch here.
                    let later = operation.code == section::BEGIN
                        && events.get(index).is_none_or(|event| event.thread != thread);
                    let operation = if later { Operation::new(section::BEGIN, ObjectId::NONE) } else { operation };
                    world.announce(thread, operation, 0);
                    if world.enabled(thread) {
                        if let Some(comparison) = comparison(&operation) {
                            let exchange = operation.code == atomic::COMPARE_EXCHANGE;
                            let fails_by = if exchange { EventFlags::FAILED } else { EventFlags::MISMATCH };
                            fails.0.set(match content(events, index, &comparison) {
                                Content::Known(value) => value != comparison.argument,
                                Content::Untouched => {
                                    let pending = execution.pending.iter().find(|p| p.thread == thread);
                                    pending.is_some_and(|p| p.flags.contains(fails_by))
                                }
                                Content::Unknown => false,
                            });
                        }
                        let alternatives = world.alternatives(thread);
                        ready.push(Ready { thread, alternatives, footprint: world.foresee(thread) });
                    }
                }
                if ready.is_empty()
                    && let Some(thread) = world.expire()
                {
                    ready.push(Ready { thread, alternatives: 1, footprint: world.foresee(thread) });
                }
                visit(index, &ready);
            }
            if let Some(event) = events.get(index) {
                if event.operation.code == process::END {
                    break;
                }
                world.announce(event.thread, event.operation, event.pc);
                fails.0.set(event.flags.contains(EventFlags::MISMATCH));
                world.take(event.thread, event.choice);
                let next = &mut self.next[event.thread.index()];
                *next += 1;
                if let Some(operation) = self.upcoming[event.thread.index()].get(*next)
                    && operation.is_await()
                {
                    // Said right away: what happens from now on may be what it waits for.
                    world.announce_look(event.thread, *operation, 0, &events[..=index]);
                }
                world.settle(event);
            }
        }
    }
}

/// One past the highest thread that `event` names.
fn widest(event: &Event) -> usize {
    widest_of(event.thread, &event.operation)
}

/// One past the highest thread that an operation of `thread` names.
fn widest_of(thread: ThreadId, operation: &Operation) -> usize {
    let named = operation.object.as_thread().map_or(0, |t| t.index() + 1);
    named.max(thread.index() + 1)
}

/// The comparison that `operation` makes with memory, as a compare-exchange.
fn comparison(operation: &Operation) -> Option<Operation> {
    if operation.code == atomic::COMPARE_EXCHANGE { Some(*operation) } else { futex::comparison(operation) }
}

/// The value at the place of `event` before it, if the event shows it.
fn value_before(event: &Event) -> Option<u64> {
    let reads = matches!(event.operation.code, atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE);
    match futex::comparison(&event.operation) {
        Some(compared) if !event.flags.contains(EventFlags::MISMATCH) => Some(compared.argument),
        compared => {
            (reads || compared.is_some() || event.flags.contains(EventFlags::KNOWS_OLD)).then_some(event.result)
        }
    }
}

/// Whether `a` accesses or compares exactly the memory that the compare-exchange `b` compares.
fn same_place(a: &Operation, b: &Operation) -> bool {
    match futex::comparison(a) {
        Some(compared) => compared.object == b.object && compared.size == b.size,
        None => a.code.family() == atomic::FAMILY && a.object == b.object && a.size == b.size,
    }
}

/// Whether `event` touches memory that `operation` would touch.
fn touches(event: &Event, operation: &Operation) -> bool {
    let place = Footprint::of(&Event { operation: *operation, ..Event::default() });
    // The default event has not failed: it writes, and conflicts with whatever touches its place.
    let touched = Footprint::of(event);
    // What conflicts with everything touches no memory.
    !touched.is_everything() && place.conflicts_with(&touched)
}

/// What the events show of a place in memory.
enum Content {
    /// The place holds this value.
    Known(u64),
    /// No later event touches the place.
    Untouched,
    /// The events do not show it.
    Unknown,
}

/// The content of the place of `operation` before event `from`. The next event that touches the place shows it.
fn content(events: &[Event], from: usize, operation: &Operation) -> Content {
    let Some(next) = events[from..].iter().find(|event| touches(event, operation)) else { return Content::Untouched };
    if same_place(&next.operation, operation)
        && let Some(value) = value_before(next)
    {
        return Content::Known(value);
    }
    // It does not say what was there before. The last one before it may say what it left.
    match events[..from].iter().rev().find(|event| touches(event, operation)) {
        Some(last) if same_place(&last.operation, operation) => match last.operation.code {
            atomic::LOAD => Content::Known(last.result),
            atomic::STORE => Content::Known(last.operation.argument),
            atomic::COMPARE_EXCHANGE if last.failed() => Content::Known(last.result),
            // It has only looked.
            code if code.family() == futex::FAMILY => value_before(last).map_or(Content::Unknown, Content::Known),
            _ => Content::Unknown,
        },
        _ => Content::Unknown,
    }
}
