//! Which pairs of events of an execution are in a race that can be reversed.
//!
//! One pass over the events, with a vector clock for each. What an event may conflict with is found through the objects that
//! it touches, newest access first, and never by comparing all pairs. Clocks, footprints and access chains live in flat
//! buffers that outlive an execution: the next one mostly begins like it, and what is known of the events that they share
//! holds for both. Only what is different is taken back and looked at.
//!
//! **Happens-before** is the transitive closure of program order, conflicting footprints and
//! [causes](heddle_model::primitive::Primitive::cause). A **race** is a pair of events of different threads that
//! happen one after the other with nothing in between (Abdulla et al. 2017, section 4), and that can be reversed:
//!
//! * A direct pair is left out if the earlier one made the later one possible (`unlock` and `lock`).
//! * Such a pair hides another one behind it: `lock` and `lock`, with the `unlock` between. The later lock could have
//!   been taken instead of the earlier one if it does not need anything that happened after that. So from an enabling
//!   event the pass reaches back to the last event that [took away](heddle_model::primitive::Primitive::disabled_by)
//!   what the later one needs, and tests it against the later event's order *without* the enabling edge. Where several have
//!   taken it away together (readers, from a writer) each of them is in a race with the later event; those that come in
//!   beside it are left out of the sequence ([`crate::traces::sequence::Sequence::make_room`]).
//! * A thread that is still waiting at the end never took its operation, yet it could have, before the event that
//!   took away what it waits for. It is treated like an event that follows all others.
//! * Whoever stands in a queue waits for what it is the queue of and for its turn, and what others did before may have decided
//!   that: all of those that it does not come after anyway are reported, and whether it was possible there is asked of the model.
//! * A section that runs as one step may have taken what the later one needs, and says only that it touched it: it is asked of
//!   the model whether the later one was possible before it.
//! * A thread that could have gone on when the process ended is in a race with that end.
//! * A time-out that happens because nobody can go on comes after everything before it and before everything after it, and
//!   cannot be reversed as such. Up to there its thread waited, so it is treated like one that waits at the end. What comes
//!   after it can be in a race with what came before it, across it.

use heddle_model::primitive::{self, Primitive, condvar, process, queue, section};
use heddle_model::{Access, Event, EventFlags, Footprint, Mode, OpCode, Pending};

use crate::traces::granules::NONE;
use crate::traces::touches::{Touch, Touches};

/// Two events whose order can be reversed. `later` may stand for a thread that never took its operation: then it is
/// the number of events plus its place in [`Analysis::waiting`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reversal {
    pub earlier: u32,
    pub later: u32,
}

/// One access, in the chain of those to the same place.
#[derive(Clone, Copy)]
struct Link {
    access: Access,
    event: u32,
    older: u32,
    /// The newest older one in another mode: what looks, or what only adds, commutes with its like, however many there are.
    unlike: u32,
    granule: u32,
}

/// What one pass finds. Everything is about the last execution that was looked at.
#[derive(Default)]
pub(crate) struct Analysis {
    /// The length of a clock: the most threads of an execution so far.
    width: usize,
    /// The events themselves, to know how much the next execution has in common with this one.
    events: Vec<Event>,
    /// For each event the clock after it; then one for each of `waiting`.
    clocks: Vec<u32>,
    /// For each event (then for each of `waiting`) its number among those of its thread, from 0.
    local: Vec<u32>,
    /// All footprints of all executions.
    pub touches: Touches,
    /// For each event, then for each of `waiting`.
    pub touched: Vec<Touch>,
    /// For each event, then for each of `waiting`, the event that woke its thread for it.
    pub causes: Vec<u32>,
    /// For each event the one before of the same thread.
    previous: Vec<u32>,
    /// For each event what its thread does next.
    pub following: Vec<OpCode>,
    /// Operations that were never taken, as events.
    pub waiting: Vec<Event>,
    /// The races whose later event is not older than asked for.
    pub reversals: Vec<Reversal>,
    /// For each thread its last event, and how many it has.
    last: Vec<u32>,
    count: Vec<u32>,
    /// The last time-out that happened because nobody could go on.
    quiescence: Option<u32>,
    links: Vec<Link>,
    /// The newest event that conflicts with everything, plus one; 0 if there is none. Not the last of an execution: a section of
    /// which no more is known.
    everything: u32,
    /// For each granule the newest link.
    heads: Vec<u32>,
    now: Vec<u32>,
    candidates: Vec<(u32, u32)>,
    /// Report an event and the one that made it possible as a race too.
    pub shortsighted: bool,
}

impl Analysis {
    /// Looks at an execution. Races whose later event is before `from` are not reported: an execution with the same
    /// beginning was looked at before. Returns how many events at the beginning are those of the last execution.
    pub fn run(&mut self, events: &[Event], pending: &[Pending], from: usize) -> usize {
        let threads = events.iter().map(|e| e.thread).chain(pending.iter().map(|p| p.thread));
        let width = threads.map(|t| t.index() + 1).max().unwrap_or(1);
        let mut same = self.events.iter().zip(events).take(from).take_while(|(a, b)| a == b).count();
        if width > self.width {
            same = 0;
        }
        self.take_back(same);
        if width > self.width {
            self.width = width;
            self.last.resize(width, NONE);
            self.count.resize(width, 0);
        }
        for (index, event) in events.iter().enumerate().skip(same) {
            self.event(events, index, event, index >= from);
        }
        self.events.extend_from_slice(&events[same..]);
        self.unfinished(events, pending);
        same
    }

    /// Forgets all but the first `events` events.
    fn take_back(&mut self, events: usize) {
        for index in (events..self.events.len()).rev() {
            let thread = self.events[index].thread.index();
            self.last[thread] = self.previous[index];
            self.count[thread] = self.local[index];
        }
        while let Some(link) = self.links.pop_if(|link| link.event as usize >= events) {
            self.heads[link.granule as usize] = link.older;
        }
        self.events.truncate(events);
        if self.quiescence.is_some_and(|at| at as usize >= events) {
            let expires = |event: &Event| event.flags.contains(EventFlags::QUIESCENT);
            self.quiescence = self.events.iter().rposition(expires).map(|at| at as u32);
        }
        self.clocks.truncate(events * self.width);
        self.local.truncate(events);
        self.touched.truncate(events);
        self.causes.truncate(events);
        self.previous.truncate(events);
        self.following.truncate(events);
        if self.everything as usize > events {
            let known = (0..events).rev().find(|&index| self.footprint(index).is_everything());
            self.everything = known.map_or(0, |index| index as u32 + 1);
        }
        self.waiting.clear();
        self.reversals.clear();
    }

    /// What event `index` touches.
    pub fn footprint(&self, index: usize) -> &Footprint {
        self.touches.footprint(self.touched[index])
    }

    /// How many threads there are: the length of a clock.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many events of each thread happen before an event, or are it.
    pub fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event * self.width..(event + 1) * self.width]
    }

    /// Whether event `a` happens before event `b` (both may be of `waiting`), or is it.
    #[inline]
    pub fn before(&self, a: u32, a_thread: usize, b: u32) -> bool {
        self.clocks[b as usize * self.width + a_thread] > self.local[a as usize]
    }

    /// Whether event `a` happens before what thread `b_thread` did before `b`, or woke it for `b`.
    pub fn before_previous(&self, events: &[Event], (a, a_thread): (u32, usize), b: u32, b_thread: usize) -> bool {
        let cause = self.causes[b as usize];
        if cause != NONE && self.before(a, a_thread, cause) {
            return true;
        }
        let until = (b as usize).min(events.len());
        let previous = events[..until].iter().rposition(|e| e.thread.index() == b_thread);
        previous.is_some_and(|previous| self.before(a, a_thread, previous as u32))
    }

    fn start_clock(&mut self, thread: usize, cause: u32) {
        self.now.clear();
        match self.last[thread] {
            NONE => self.now.resize(self.width, 0),
            last => {
                let at = last as usize * self.width;
                self.now.extend_from_slice(&self.clocks[at..at + self.width]);
            }
        }
        if cause != NONE {
            self.join(cause);
        }
    }

    #[inline]
    fn join(&mut self, event: u32) {
        let at = event as usize * self.width;
        for (mine, theirs) in self.now.iter_mut().zip(&self.clocks[at..at + self.width]) {
            *mine = (*mine).max(*theirs);
        }
    }

    #[inline]
    fn known(&self, event: u32, thread: usize) -> bool {
        self.now[thread] > self.local[event as usize]
    }

    fn event(&mut self, events: &[Event], index: usize, event: &Event, report: bool) {
        let thread = event.thread.index();
        let family = primitive::of(event.operation.code);
        let cause = family.cause(event).map_or(NONE, |e| e.0);
        self.start_clock(thread, cause);
        let mut footprint = Footprint::new();
        footprint.add(event);
        let touch = self.touches.number(&footprint);
        if self.heads.len() < self.touches.granule_count() {
            self.heads.resize(self.touches.granule_count(), NONE);
        }
        if report && event.flags.contains(EventFlags::QUIESCENT) {
            // Until then it waited, like a thread that waits at the end.
            let waiting = Event { flags: EventFlags::NONE, ..*event };
            self.takers_from_newest(events, family, &waiting, index as u32, &Footprint::of(&waiting));
        }
        if report && queue::queues(&event.operation) && !event.flags.contains(EventFlags::QUIESCENT) {
            self.takers_from_newest(events, family, event, index as u32, &footprint);
        }
        let freed = |quiescence: u32| primitive::enabled_by(&events[quiescence as usize], event);
        if report && !queue::queues(&event.operation) && self.quiescence.is_some_and(freed) {
            // Who timed out when nobody could go on let it in: until then it waited, too.
            self.takers_from_newest(events, family, event, index as u32, &footprint);
        }
        self.candidates.clear();
        if footprint.is_everything() {
            for (other, &last) in self.last.iter().enumerate() {
                if other != thread && last != NONE {
                    self.candidates.push((start_of(events, last as usize), NONE));
                }
            }
        } else {
            self.conflicts(events, touch, thread);
            // Inside a section it would have to go before the section: that is what the section's own event is for.
            if self.everything != 0 && !event.flags.contains(EventFlags::INSIDE) {
                let newest = self.everything - 1;
                if events[newest as usize].thread != event.thread {
                    self.candidates.push((newest, NONE));
                }
            }
        }
        if let Some(quiescence) = self.quiescence {
            self.candidates.push((quiescence, NONE));
        }
        if self.candidates.len() > 1 {
            self.candidates.sort_unstable_by(|a, b| b.cmp(a));
            self.candidates.dedup_by_key(|c| c.0);
        }
        // Newest first: whatever comes between a candidate and this event has been joined before it is asked for.
        for at in 0..self.candidates.len() {
            let (other, link) = self.candidates[at];
            let earlier = &events[other as usize];
            if self.known(other, earlier.thread.index()) {
                continue;
            }
            // Nobody could go on before a time-out of this kind, and it could not happen while somebody could.
            let quiescence = EventFlags::QUIESCENT;
            if report && !earlier.flags.contains(quiescence) && !event.flags.contains(quiescence) {
                let enabling = primitive::enabled_by(earlier, event);
                let queues = queue::queues(&event.operation);
                if enabling && !queues {
                    self.reach_back(events, family, event, index as u32, link);
                    self.reach_across(events, family, event, index as u32, &footprint, link);
                }
                if (!enabling || self.shortsighted) && !(queues && self.is_known_reversal(other, index as u32)) {
                    self.reversals.push(Reversal { earlier: other, later: index as u32 });
                }
            }
            self.join(other);
        }
        if event.flags.contains(EventFlags::QUIESCENT) {
            self.quiescence = Some(index as u32);
        }
        if footprint.is_everything() {
            // After the ends of sections, too, whose beginnings it was held against.
            for other in 0..self.width {
                if self.last[other] != NONE {
                    self.join(self.last[other]);
                }
            }
        }
        let local = self.count[thread];
        self.now[thread] = local + 1;
        self.clocks.extend_from_slice(&self.now);
        self.local.push(local);
        self.causes.push(cause);
        self.previous.push(self.last[thread]);
        if let Some(previous) = self.following.get_mut(self.last[thread] as usize) {
            *previous = event.operation.code;
        }
        self.following.push(OpCode::ANY);
        self.last[thread] = index as u32;
        if footprint.is_everything() {
            self.everything = index as u32 + 1;
        }
        self.count[thread] = local + 1;
        let Analysis { touches, heads, links, .. } = self;
        for &(granule, access) in touches.granules(touch) {
            let head = &mut heads[granule as usize];
            let access = footprint.accesses()[access as usize];
            let unlike = match links.get(*head as usize) {
                Some(newest) if newest.access.mode == access.mode => newest.unlike,
                _ => *head,
            };
            links.push(Link { access, event: index as u32, older: *head, unlike, granule });
            *head = links.len() as u32 - 1;
        }
        self.touched.push(touch);
    }

    /// Collects the events of other threads that conflict with `touch`, in each place back to one that all older ones
    /// conflict with.
    fn conflicts(&mut self, events: &[Event], touch: Touch, thread: usize) {
        let Analysis { touches, heads, links, candidates, .. } = self;
        let accesses = touches.footprint(touch).accesses();
        for &(granule, access) in touches.granules(touch) {
            let access = &accesses[access as usize];
            let mut at = heads[granule as usize];
            while at != NONE {
                let link = &links[at as usize];
                #[cfg(test)]
                tests::WALKED.set(tests::WALKED.get() + 1);
                if link.access.mode.commutes_with(access.mode) {
                    at = link.unlike;
                    continue;
                }
                if link.access.conflicts_with(access) {
                    if events[link.event as usize].thread.index() != thread {
                        candidates.push((link.event, at));
                    }
                    if link.access.mode == Mode::Write && covers(&link.access, access) {
                        break;
                    }
                }
                at = link.older;
            }
        }
    }

    /// From an enabling event, at `link`, back to the events that took away what `later` needs.
    fn reach_back(&mut self, events: &[Event], family: &dyn Primitive, later: &Event, index: u32, link: u32) {
        if let Some(Link { access, older, .. }) = self.links.get(link as usize).copied() {
            self.takers(events, family, later, index, &access, older);
        }
    }

    /// The same where what made `later` possible is not what it waits for: a thread that waits for a lock and is
    /// cancelled, or gets it because its owner ended. Who took the lock is found in the history of the lock.
    fn reach_across(
        &mut self,
        events: &[Event],
        family: &dyn Primitive,
        later: &Event,
        index: u32,
        footprint: &Footprint,
        link: u32,
    ) {
        let (Some(through), Some(access)) = (self.links.get(link as usize), footprint.accesses().first()) else {
            return;
        };
        if through.access.object != access.object {
            let head = self.newest(footprint, 0);
            self.takers(events, family, later, index, access, head);
        }
    }

    /// The newest link of the place that the access with this number in `footprint` touches.
    fn newest(&mut self, footprint: &Footprint, access: usize) -> u32 {
        let touch = self.touches.number(footprint);
        let granule = self.touches.granules(touch).iter().rfind(|g| g.1 as usize == access).map_or(NONE, |g| g.0);
        // A new granule was touched by nobody.
        self.heads.get(granule as usize).copied().unwrap_or(NONE)
    }

    /// Reports `later` with each event that took away what it needs, from `at` back to the newest that changed the object of
    /// `access` alone. Several can have done that together: the readers that a writer waits for.
    fn takers(
        &mut self,
        events: &[Event],
        family: &dyn Primitive,
        later: &Event,
        index: u32,
        access: &Access,
        mut at: u32,
    ) {
        while at != NONE {
            let Link { access: other, event: earlier, older, unlike, .. } = self.links[at as usize];
            if other.mode == Mode::Read {
                // Who only looks takes nothing away.
                at = unlike;
                continue;
            }
            if other.object == access.object {
                let event = &events[earlier as usize];
                let known = self.known(earlier, event.thread.index());
                if event.thread != later.thread
                    && (family.disabled_by(event, later) || event.operation.code == section::BEGIN)
                    && !known
                    && !self.is_known_reversal(earlier, index)
                {
                    self.reversals.push(Reversal { earlier, later: index });
                }
                // What comes before this comes before whatever is after this.
                if other.mode == Mode::Write && (known || !family.continues(event, later)) {
                    return;
                }
            }
            at = older;
        }
    }

    /// The same from the newest event on, for one that waits and would touch `footprint`.
    fn takers_from_newest(
        &mut self,
        events: &[Event],
        family: &dyn Primitive,
        later: &Event,
        index: u32,
        footprint: &Footprint,
    ) {
        // Who stands in a queue waits for what it is the queue of, and for its turn.
        let waits_for = if queue::queues(&later.operation) { footprint.accesses().len() } else { 1 };
        for (number, access) in footprint.accesses().iter().enumerate().take(waits_for) {
            let head = self.newest(footprint, number);
            self.takers(events, family, later, index, access, head);
        }
    }

    /// Whether this race was reported already.
    fn is_known_reversal(&self, earlier: u32, later: u32) -> bool {
        self.reversals.iter().rev().take_while(|r| r.later == later).any(|r| r.earlier == earlier)
    }

    /// The operations that were never taken, and what they are in a race with.
    fn unfinished(&mut self, events: &[Event], pending: &[Pending]) {
        let end = events.last().filter(|e| e.operation.code == process::END);
        for pending in pending {
            let event = Event {
                operation: pending.operation,
                thread: pending.thread,
                pc: pending.pc,
                flags: pending.flags,
                alternatives: 1,
                ..Event::default()
            };
            let thread = event.thread.index();
            let family = primitive::of(event.operation.code);
            let cause = waker(events, &event, self.last[thread]);
            let index = (events.len() + self.waiting.len()) as u32;
            let footprint = Footprint::of(&event);
            if let Some(previous) = self.following.get_mut(self.last[thread] as usize) {
                *previous = event.operation.code;
            }
            let before = self.reversals.len();
            if pending.enabled != 0 {
                if end.is_some_and(|e| e.thread != event.thread) {
                    self.reversals.push(Reversal { earlier: start_of(events, events.len() - 1), later: index });
                }
            } else if event.operation.code != condvar::REACQUIRE || cause != NONE {
                self.start_clock(thread, cause);
                self.takers_from_newest(events, family, &event, index, &footprint);
            }
            if self.reversals.len() > before {
                self.start_clock(thread, cause);
                self.clocks.extend_from_slice(&self.now);
                self.local.push(self.count[thread]);
                let touch = self.touches.number(&footprint);
                self.touched.push(touch);
                self.causes.push(cause);
                self.waiting.push(event);
            }
        }
    }
}

/// Where the section begins that event `index` is in; the event itself, if it is in none.
fn start_of(events: &[Event], index: usize) -> u32 {
    let outside = |event: &Event| !event.flags.contains(EventFlags::INSIDE);
    events[..=index].iter().rposition(outside).unwrap_or(index) as u32
}

fn covers(whole: &Access, part: &Access) -> bool {
    whole.object.0 <= part.object.0 && part.object.0 + part.size as u64 <= whole.object.0 + whole.size as u64
}

/// Who woke the thread that is about to take `event` again after a condition wait, its last event; nobody did, or it
/// is something else: none.
fn waker(events: &[Event], event: &Event, last: u32) -> u32 {
    if event.operation.code != condvar::REACQUIRE || last == NONE {
        return NONE;
    }
    let woke = |e: &Event| {
        e.operation.object == event.operation.object
            && match e.operation.code {
                condvar::SIGNAL => e.result == event.thread.0 as u64 + 1,
                condvar::BROADCAST => !e.failed(),
                _ => false,
            }
    };
    let after = last as usize + 1;
    events[after..].iter().position(woke).map_or(NONE, |at| (after + at) as u32)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use heddle_model::primitive::{atomic, semaphore};
    use heddle_model::{ObjectId, Operation, ThreadId};

    use super::*;

    thread_local! {
        /// How many links were looked at.
        pub static WALKED: Cell<u64> = const { Cell::new(0) };
    }

    /// The work for `length` events of three threads that take turns at one object, all alike but for each `every`-th.
    fn work(length: u32, often: OpCode, rarely: OpCode, every: u32) -> u64 {
        let event = |index: u32| {
            let code = if index.is_multiple_of(every) { rarely } else { often };
            let operation = Operation { size: 4, ..Operation::new(code, ObjectId(0x1000)) };
            Event { operation, thread: ThreadId((index % 3) as u16), ..Event::default() }
        };
        let events: Vec<Event> = (0..length).map(event).collect();
        WALKED.set(0);
        Analysis::default().run(&events, &[], 0);
        WALKED.get()
    }

    /// Twice as long an execution is twice the work. (All looks and additions since the last change are a race with the next one, so it makes a
    /// difference where that is.)
    #[test]
    fn work_grows_with_the_length() {
        let kinds = [
            (atomic::LOAD, atomic::STORE),
            (atomic::STORE, atomic::LOAD),
            (atomic::RMW, atomic::RMW),
            (semaphore::POST, semaphore::WAIT),
            (semaphore::GETVALUE, semaphore::WAIT),
        ];
        for (often, rarely) in kinds {
            for every in [2, 10, 1000, 100_000] {
                let (once, twice) = (work(4000, often, rarely, every), work(8000, often, rarely, every));
                assert!(twice <= 3 * once, "{often:?} and {rarely:?}, every {every}: {once}, then {twice}");
            }
        }
    }
}
