//! Happens-before of an execution, and the pairs of its events that can be reversed.
//!
//! One pass over the events computes a vector clock for each. Events that may conflict are found through the objects that
//! they touch, newest access first, and never by comparing all pairs. Clocks, footprints and access chains live in flat
//! buffers that outlive an execution. The next execution mostly begins like the last one, and what is known of the events
//! that they share holds for both. Only what differs is taken back and computed again.
//!
//! **Happens-before** is the transitive closure of program order, conflicting footprints and [causes](Event::cause). A
//! **reversal** is a pair of events of different threads: one happens before the other with nothing in between, and their
//! order can be reversed. (P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Source sets*, J. ACM 64(4), 2017, section 4, call
//! it a reversible race. Here a race is a data race only.)
//!
//! Departures:
//!
//! 1. **Enabling.** A pair is left out if the earlier event enabled the later one (`unlock` and `lock`). Such a pair hides
//!    another one: `lock` and `lock`, with the `unlock` between them. The later lock could have been taken instead of the
//!    earlier one if it needs nothing that happened after that. So from an enabling event the pass reaches back to the
//!    last event that [disabled](Event::disabled_by) the later one, and compares it with the later event's clock
//!    *without* the enabling edge. Where several events disabled it together (readers, a writer), each
//!    of them is a reversal with the later event. The others are left out of the sequence
//!    ([`crate::traces::sequence::Sequence::make_room`]).
//! 2. **Waiting.** A thread that still waits at the end never took its operation. It could have taken it before the event
//!    that disabled it. It is treated like an event that follows all others.
//! 3. **Queues.** A queued thread waits for its turn and for what the queue belongs to. Any earlier event may have decided
//!    either. All of those that it does not happen after anyway are reported, and the model says whether the thread's
//!    operation was enabled there.
//! 4. **Atomic sections.** A section may have disabled the later event, and says only what it touched. The model says
//!    whether the later event was enabled before the section.
//! 5. **The end of the process.** A thread that was enabled when the process ended can be reversed with that end. The same
//!    holds for an atomic section that is never left, because a bound has stopped its thread inside.
//! 6. **Looks in vain** ([`heddle_model::vain`]). What a look finds decides whether it can be taken, as the owner of a mutex decides
//!    about a lock. Where it would have been in vain before the event that it follows, the pass reaches back to the newest
//!    event before which it would have got through.
//! 7. **Quiescence.** A time-out that happens because no thread is enabled happens after everything before it and before
//!    everything after it. It cannot be reversed. Its thread waited until then, so it is treated like a thread that waits
//!    at the end. An event after the time-out can be reversed with an event before it.

use heddle_model::retrace;
use heddle_model::vain::{self, Vain};
use heddle_model::{Access, Event, EventFlags, Footprint, Mode, OpCode, Pending};

use crate::traces::granules::NONE;
use crate::traces::touches::{Touch, Touches};

/// Two events whose order can be reversed. If `later` is a thread that never took its operation, its index is the number
/// of events plus its place in [`Analysis::waiting`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reversal {
    pub earlier: u32,
    pub later: u32,
}

/// One access in the chain of accesses to a granule of memory.
#[derive(Clone, Copy)]
struct Link {
    access: Access,
    event: u32,
    older: u32,
    /// The newest older access in another mode. Reads commute with reads and additions with additions, so a chain of them
    /// is skipped at once.
    unlike: u32,
    granule: u32,
}

/// What one pass over an execution finds. Everything is about the last execution that was analysed.
#[derive(Default)]
pub(crate) struct Analysis {
    /// The length of a vector clock: the most threads of an execution so far.
    width: usize,
    /// The events, to find out how much the next execution has in common with this one.
    events: Vec<Event>,
    /// The vector clock after each event, then one for each of `waiting`.
    clocks: Vec<u32>,
    /// The index of each event, then of each of `waiting`, among the events of its thread.
    local: Vec<u32>,
    /// All footprints of all executions, by number.
    pub touches: Touches,
    /// The footprint of each event, then of each of `waiting`.
    pub touched: Vec<Touch>,
    /// The event that woke the thread of each event, then of each of `waiting`, for that event.
    pub causes: Vec<u32>,
    /// The event before each event in program order.
    previous: Vec<u32>,
    /// What the thread of each event does next.
    pub following: Vec<OpCode>,
    /// Operations that were never taken, as events.
    pub waiting: Vec<Event>,
    /// The reversals whose later event is not older than asked for.
    pub reversals: Vec<Reversal>,
    /// The last event of each thread. `count` is how many it has.
    last: Vec<u32>,
    count: Vec<u32>,
    /// The last time-out that happened because no thread was enabled.
    quiescence: Option<u32>,
    links: Vec<Link>,
    /// One plus the newest event that conflicts with everything, or 0 if there is none. Besides the end of the process
    /// that is a section that touched too much to be told.
    everything: u32,
    /// The newest link of each granule.
    heads: Vec<u32>,
    now: Vec<u32>,
    candidates: Vec<(u32, u32)>,
    /// What is known of looks in vain, sorted: see [`heddle_model::vain`].
    pub vain: Vec<u64>,
    /// Whether an event and the one that enabled it are reported as a reversal, too.
    pub shortsighted: bool,
}

impl Analysis {
    /// An analysis that knows what `places`, which are visible and sorted, say of looks in vain.
    pub fn knowing(places: &[u64]) -> Analysis {
        let vain = places.iter().copied().filter(|place| vain::is_about_looks(*place)).collect();
        Analysis { vain, ..Analysis::default() }
    }

    /// Analyses an execution. Reversals whose later event is before `from` are not reported: an execution with the same
    /// beginning was analysed before. Returns how many events at the beginning are those of the last execution.
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

    /// Forgets all but the first `events` events of the last execution.
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

    /// The length of a vector clock.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The vector clock of an event: how many events of each thread happen before it. Counts the event itself.
    pub fn clock(&self, event: usize) -> &[u32] {
        &self.clocks[event * self.width..(event + 1) * self.width]
    }

    /// Whether event `a`, of thread `a_thread`, happens before event `b` or is `b`. Both may be of `waiting`.
    #[inline]
    pub fn before(&self, a: u32, a_thread: usize, b: u32) -> bool {
        self.clocks[b as usize * self.width + a_thread] > self.local[a as usize]
    }

    /// Whether event `a` happens before the event of thread `b_thread` in front of `b`, or before the one that woke it for
    /// `b`.
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
        let cause = event.cause().map_or(NONE, |e| e.0);
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
            self.takers_from_newest(events, &waiting, index as u32, &Footprint::of(&waiting));
        }
        if report && event.operation.queues() && !event.flags.contains(EventFlags::QUIESCENT) {
            self.takers_from_newest(events, event, index as u32, &footprint);
        }
        let freed = |quiescence: u32| event.enabled_by(&events[quiescence as usize]);
        if report && !event.operation.queues() && self.quiescence.is_some_and(freed) {
            // Who timed out when nobody could go on let it in: until then it waited, too.
            self.takers_from_newest(events, event, index as u32, &footprint);
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
                let vain = self.is_vain_before(events, other, event);
                let enabling = vain || event.enabled_by(earlier);
                let queues = event.operation.queues();
                if vain && let Some(older) = self.links.get(link as usize).map(|link| link.older) {
                    self.reach_through(events, event, index as u32, &footprint, older);
                }
                if enabling && !queues {
                    self.reach_back(events, event, index as u32, link);
                    self.reach_across(events, event, index as u32, &footprint, link);
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

    /// Collects the events of other threads that conflict with `touch`. In each granule it stops at a write that all older
    /// accesses conflict with.
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

    /// Whether looks in `state` can be in vain, as far as is known.
    pub fn looks_in_vain(&self, state: u64) -> bool {
        Vain::new(&self.vain).knows(state)
    }

    /// Whether `look` would have been in vain right before event `index`.
    fn is_vain_before(&self, events: &[Event], index: u32, look: &Event) -> bool {
        look.state != 0 && retrace::is_vain_before(Vain::new(&self.vain), events, index as usize, look)
    }

    /// Reports the newest event, from link `at` back, before which `later` would have got through. `later` is a look that would
    /// have been in vain after it. Its thread waited from then on, as for a lock.
    fn reach_through(&mut self, events: &[Event], later: &Event, index: u32, footprint: &Footprint, mut at: u32) {
        let Some(access) = footprint.accesses().first() else { return };
        while at != NONE {
            let Link { access: other, event: earlier, older, unlike, .. } = self.links[at as usize];
            if other.mode.commutes_with(access.mode) {
                at = unlike;
                continue;
            }
            if other.conflicts_with(access) {
                let event = &events[earlier as usize];
                if event.thread == later.thread || self.known(earlier, event.thread.index()) {
                    return;
                }
                // Whoever awaits besides could go on only after a write since its last round.
                let stirred =
                    !later.operation.is_await() || later.operation.stirs(later.thread, &events[..earlier as usize]) > 0;
                if stirred && !self.is_vain_before(events, earlier, later) {
                    if !self.is_known_reversal(earlier, index) {
                        self.reversals.push(Reversal { earlier, later: index });
                    }
                    return;
                }
            }
            at = older;
        }
    }

    /// Reports the events that disabled `later`, from the enabling event at `link` back.
    fn reach_back(&mut self, events: &[Event], later: &Event, index: u32, link: u32) {
        if let Some(Link { access, older, .. }) = self.links.get(link as usize).copied() {
            self.takers(events, later, index, &access, older);
        }
    }

    /// Reports the events that disabled `later` where the enabling event is about another object than the one that `later`
    /// waits for. Example: a thread waits for a lock and is cancelled, or gets the lock because its owner ended. The event
    /// that took the lock is found in the chain of the lock.
    fn reach_across(&mut self, events: &[Event], later: &Event, index: u32, footprint: &Footprint, link: u32) {
        let (Some(through), Some(access)) = (self.links.get(link as usize), footprint.accesses().first()) else {
            return;
        };
        if through.access.object != access.object {
            let head = self.newest(footprint, 0);
            self.takers(events, later, index, access, head);
        }
    }

    /// The newest link of the granule that access number `access` of `footprint` touches.
    fn newest(&mut self, footprint: &Footprint, access: usize) -> u32 {
        let touch = self.touches.number(footprint);
        let granule = self.touches.granules(touch).iter().rfind(|g| g.1 as usize == access).map_or(NONE, |g| g.0);
        // A new granule was touched by nobody.
        self.heads.get(granule as usize).copied().unwrap_or(NONE)
    }

    /// Reports each event that disabled `later`, from link `at` back to the newest event that changed the object of
    /// `access` alone. Several can have disabled it together, like the readers that a writer waits for.
    fn takers(&mut self, events: &[Event], later: &Event, index: u32, access: &Access, mut at: u32) {
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
                    && (later.disabled_by(event) || event.operation.begins_section())
                    && !known
                    && !self.is_known_reversal(earlier, index)
                {
                    self.reversals.push(Reversal { earlier, later: index });
                }
                // What comes before this comes before whatever is after this.
                if other.mode == Mode::Write && (known || !later.waits_since_before(event)) {
                    return;
                }
            }
            at = older;
        }
    }

    /// Reports each event that disabled `later`, from the newest event back. `later` waits and would touch `footprint`.
    fn takers_from_newest(&mut self, events: &[Event], later: &Event, index: u32, footprint: &Footprint) {
        // Who stands in a queue waits for what it is the queue of, and for its turn.
        let waits_for = if later.operation.queues() { footprint.accesses().len() } else { 1 };
        for (number, access) in footprint.accesses().iter().enumerate().take(waits_for) {
            let head = self.newest(footprint, number);
            self.takers(events, later, index, access, head);
        }
    }

    /// Whether this reversal was reported already.
    fn is_known_reversal(&self, earlier: u32, later: u32) -> bool {
        self.reversals.iter().rev().take_while(|r| r.later == later).any(|r| r.earlier == earlier)
    }

    /// Reports the reversals of operations that were never taken.
    fn unfinished(&mut self, events: &[Event], pending: &[Pending]) {
        let last = events.last();
        // Nobody can come after the end of the process, nor after a section whose thread is stopped inside it.
        let stuck = |event: &&Event| {
            event.leaves_section_open() && pending.iter().any(|p| p.thread == event.thread && p.stopped != 0)
        };
        let end = last.filter(|event| event.operation.ends_process()).or(last.filter(stuck));
        for pending in pending.iter().filter(|pending| pending.stopped == 0) {
            let event = Event {
                operation: pending.operation,
                thread: pending.thread,
                pc: pending.pc,
                flags: pending.flags,
                state: pending.state,
                alternatives: 1,
                ..Event::default()
            };
            let thread = event.thread.index();
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
            } else if !event.operation.needs_wakeup() || cause != NONE {
                self.start_clock(thread, cause);
                self.takers_from_newest(events, &event, index, &footprint);
                if event.state != 0 {
                    let newest = self.newest(&footprint, 0);
                    self.reach_through(events, &event, index, &footprint, newest);
                }
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

/// The beginning of the atomic section that event `index` is in, or the event itself if it is in none.
fn start_of(events: &[Event], index: usize) -> u32 {
    let outside = |event: &Event| !event.flags.contains(EventFlags::INSIDE);
    events[..=index].iter().rposition(outside).unwrap_or(index) as u32
}

fn covers(whole: &Access, part: &Access) -> bool {
    whole.object.0 <= part.object.0 && part.object.0 + part.size as u64 <= whole.object.0 + whole.size as u64
}

/// The event that woke the thread of `event`, its next operation, after its event `last`. `NONE` if no event woke it or if
/// the operation needs no wakeup.
fn waker(events: &[Event], event: &Event, last: u32) -> u32 {
    if !event.operation.needs_wakeup() || last == NONE {
        return NONE;
    }
    let after = last as usize + 1;
    events[after..].iter().position(|earlier| earlier.wakes(event)).map_or(NONE, |at| (after + at) as u32)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use heddle_model::primitive::{atomic, semaphore};
    use heddle_model::{ObjectId, Operation, ThreadId};

    use super::*;

    thread_local! {
        /// How many links an analysis has visited.
        pub static WALKED: Cell<u64> = const { Cell::new(0) };
    }

    /// The number of links visited for `length` events of three threads that take turns at one object. Each `every`-th
    /// event is `rarely`, the others are `often`.
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

    /// An execution of twice the length is about twice the work, however reads, additions and writes are mixed.
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
                // Miri is a hundred times slower.
                let length = if cfg!(miri) { 100 } else { 4000 };
                let (once, twice) = (work(length, often, rarely, every), work(2 * length, often, rarely, every));
                assert!(twice <= 3 * once, "{often:?} and {rarely:?}, every {every}: {once}, then {twice}");
            }
        }
    }
}
