//! Takes the model's world through the events of an execution again, without the program.
//!
//! The events of an execution carry every operation. So the states of all threads and objects between two events can be
//! computed again by whoever has the events: the search asks which threads were enabled where and what an event would be in
//! another place, and a report asks who holds which lock.

mod content;
mod ready;
mod relabel;

pub use ready::{Ready, Standing};

use crate::vain::{self, Vain};
use crate::{Event, EventFlags, ObjectSlot, Operation, Pending, Recorded, ThreadId, ThreadState, World};

/// Memory for worlds that are taken through events again. It is kept between uses, so that using it again allocates
/// nothing unless an execution is longer or has more threads than all before it.
#[derive(Default)]
pub struct Retrace {
    threads: Vec<ThreadState>,
    objects: Vec<ObjectSlot>,
    recorded: Recorded,
    /// What is known of looks in vain: sorted.
    vain: Vec<u64>,
    /// For each thread, how many of its operations were taken, and all its operations: see [`Retrace::walk`].
    next: Vec<usize>,
    upcoming: Vec<Vec<(Operation, u64)>>,
}

/// A world on its way through the events of an execution.
pub struct Retracing<'r> {
    /// The world after the events that were taken so far.
    pub world: World<'r>,
    recorded: &'r Recorded,
}

impl Retrace {
    /// Knows from now on what `places`, which are visible and sorted, say of looks in vain.
    pub fn know(&mut self, places: &[u64]) {
        self.vain = places.iter().copied().filter(|place| vain::is_about_looks(*place)).collect();
    }

    /// A world at the start of an execution. It has room for `threads` threads (see [`extent`]) and for the objects of
    /// `events` events.
    pub fn begin(&mut self, threads: usize, events: usize) -> Retracing<'_> {
        self.make_room(threads, events);
        let recorded = &self.recorded;
        Retracing { world: World::new(&mut self.threads, &mut self.objects, recorded), recorded }
    }

    fn make_room(&mut self, threads: usize, events: usize) {
        if self.threads.len() < threads {
            self.threads.resize(threads, ThreadState::default());
        }
        // An event creates at most two objects, so half of the table stays free.
        let objects = (events * 4).max(64).next_power_of_two();
        if self.objects.len() < objects {
            self.objects.resize(objects, ObjectSlot::default());
        }
    }
}

impl Retracing<'_> {
    /// Whether `event` can come next. If not, the events are no execution of this model from here on.
    pub fn can_take(&mut self, event: &Event) -> bool {
        self.world.announce(event.thread, event.operation, event.pc);
        event.flags.contains(EventFlags::QUIESCENT) || self.world.enabled(event.thread)
    }

    /// Takes `event`, in the way in which it was taken.
    #[inline]
    pub fn take(&mut self, event: &Event) {
        self.world.announce(event.thread, event.operation, event.pc);
        self.recorded.set(event);
        self.world.take(event.thread, event.choice());
    }

    /// Says what `thread` is going to do next, which may be an await, and enables the awaits that the last event writes
    /// to. `events` are all events so far, the last of which was just taken. Needed after each event by those who ask
    /// whether a thread that awaits is enabled.
    pub fn look_ahead(&mut self, next: Option<(Operation, u64)>, events: &[Event]) {
        let Some(last) = events.last() else { return };
        if let Some((operation, pc)) = next {
            self.world.announce_look(last.thread, operation, pc, events);
        }
        self.world.settle(events);
    }
}

/// Whether `look` would have been in vain right before event `index`, as far as the events show it.
pub fn is_vain_before(known: Vain<'_>, events: &[Event], index: usize, look: &Event) -> bool {
    known.knows(look.state)
        && match content::content(events, index, &look.operation) {
            content::Content::Known(value) => known.is_vain(look.state, value),
            content::Content::Untouched | content::Content::Unknown => false,
        }
}

/// One more than the highest thread that `events` and `pending` name. At least 1.
pub fn extent<'e>(
    events: impl IntoIterator<Item = &'e Event>,
    pending: impl IntoIterator<Item = &'e Pending>,
) -> usize {
    let events = events.into_iter().map(|event| named(event.thread, &event.operation));
    let pending = pending.into_iter().map(|pending| named(pending.thread, &pending.operation));
    events.chain(pending).max().unwrap_or(1)
}

/// One more than the highest thread that an operation of `thread` names.
fn named(thread: ThreadId, operation: &Operation) -> usize {
    operation.object.as_thread().map_or(0, |other| other.index() + 1).max(thread.index() + 1)
}

#[cfg(test)]
mod tests;
