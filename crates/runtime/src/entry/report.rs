//! One execution's report in the shared memory. Each thing that is added is added to the sum in the [`Vault`](super::wire::Vault).

use heddle_model::race::Race;
use heddle_model::wire::{self, ResultHead, WireResult};
use heddle_model::{Event, Fingerprint, Pending, PlainTouch};

use super::wire::{Counts, vault};

/// How many touches of plain memory a new one is compared with.
const RECENT: usize = 8;

/// Where one execution is written.
#[derive(Clone, Copy)]
pub struct Record {
    pub(super) result: usize,
    pub(super) events: usize,
    pub(super) pending: usize,
    pub(super) stacks: usize,
    pub(super) output: usize,
    pub(super) races: usize,
    pub(super) states: usize,
    pub(super) touches: usize,
}

impl Record {
    /// The record before the first plan: nowhere.
    pub const NOWHERE: Record =
        Record { result: 0, events: 0, pending: 0, stacks: 0, output: 0, races: 0, states: 0, touches: 0 };

    /// The part of the record with a fixed layout.
    #[inline(always)]
    pub fn result(&self) -> &'static mut WireResult {
        // SAFETY: ours until it is published.
        unsafe { &mut *(self.result as *mut WireResult) }
    }

    /// Empties the record at the start of an execution.
    pub fn clear(&self) {
        let vault = vault();
        vault.counts.set(Counts::default());
        vault.sum.set(vault.key().of_notes(vault.notes.get()));
        let result = self.result();
        result.head = ResultHead { notes: vault.notes.get(), sum: vault.sum.get(), ..ResultHead::default() };
        result.seal = 0;
    }

    /// Changes the counts, and adds to the sum. Returns both, to be told: whatever of the record was written is covered, wherever the
    /// process dies.
    #[inline(always)]
    fn count(&self, number: u64, change: impl FnOnce(&mut Counts)) -> (Counts, u64) {
        let vault = vault();
        let mut counts = vault.counts.get();
        change(&mut counts);
        vault.counts.set(counts);
        (counts, vault.add(number))
    }

    /// The room for event `index`. The caller checks that there is room.
    ///
    /// # Safety
    /// `index` is below the layout's number of events.
    #[inline(always)]
    pub unsafe fn event(&self, index: u32) -> *mut Event {
        // SAFETY: the caller's.
        unsafe { (self.events as *mut Event).add(index as usize) }
    }

    /// Counts event `index`, which is complete.
    #[inline(always)]
    pub fn count_event(&self, index: u32, event: &Event) {
        let number = vault().key().of_event(index, event);
        let (_, sum) = self.count(number, |counts| counts.events = index + 1);
        // Written for each event, so that the driver knows how far a process came that died.
        let head = &mut self.result().head;
        (head.events, head.sum) = (index + 1, sum);
    }

    /// Changes event `index`, which was counted.
    pub fn change_event(&self, index: u32, change: impl FnOnce(&mut Event)) {
        // SAFETY: written before it was counted.
        let event = unsafe { &mut *self.event(index) };
        let key = vault().key();
        let old = key.of_event(index, event);
        change(event);
        self.result().head.sum = vault().add(key.of_event(index, event).wrapping_sub(old));
    }

    /// How many events were counted.
    pub fn events_counted(&self) -> u32 {
        vault().counts.get().events
    }

    /// The events of the execution that were written.
    pub fn events_so_far(&self) -> &'static [Event] {
        // SAFETY: written before they were counted, and there is room for them.
        unsafe { core::slice::from_raw_parts(self.event(0), self.events_counted() as usize) }
    }

    /// The event that was written last. There must be one.
    pub fn last_event(&self) -> &'static Event {
        // SAFETY: written before it was counted.
        unsafe { &*self.event(self.events_counted() - 1) }
    }

    /// Adds the pending operation of a thread that has not ended.
    pub fn push_pending(&self, pending: Pending, room: u32) {
        let at = vault().counts.get().pending;
        if at < room {
            // SAFETY: there is room, and it is ours until published.
            unsafe { (self.pending as *mut Pending).add(at as usize).write(pending) };
            let (counts, sum) = self.count(vault().key().of_pending(at, &pending), |counts| counts.pending += 1);
            let head = &mut self.result().head;
            (head.pending, head.sum) = (counts.pending, sum);
        }
    }

    /// Adds a data race, unless the same two accesses to the same place are listed. One that there is no room for
    /// is seen again once the places of the others are visible.
    pub fn push_race(&self, race: &Race) {
        let at = vault().counts.get().races;
        // SAFETY: ours until it is published; as many were written.
        let listed = unsafe { core::slice::from_raw_parts(self.races as *const Race, at as usize) };
        let of = |race: &Race| (race.later_pc, race.earlier_pc, race.place);
        if listed.iter().any(|known| of(known) == of(race)) || listed.len() == wire::RACES {
            return;
        }
        // SAFETY: there is room.
        unsafe { (self.races as *mut Race).add(listed.len()).write(*race) };
        let (counts, sum) = self.count(vault().key().of_race(at, race), |counts| counts.races += 1);
        let head = &mut self.result().head;
        (head.races, head.sum) = (counts.races, sum);
    }

    /// Adds the state before the next event. There is one at most before each, and one at the end.
    pub fn push_state(&self, state: Fingerprint) {
        let Counts { states: at, events, .. } = vault().counts.get();
        if at <= events {
            // SAFETY: there is room for one more than for events.
            unsafe { (self.states as *mut Fingerprint).add(at as usize).write(state) };
            let (counts, sum) = self.count(vault().key().of_state(at, state), |counts| counts.states += 1);
            let head = &mut self.result().head;
            (head.states, head.sum) = (counts.states, sum);
        }
    }

    /// Tells what was done with plain memory. What is one piece with something that the step has done just before is one. Without room for
    /// more, the last says so.
    pub fn push_touch(&self, touch: PlainTouch) {
        let count = vault().counts.get().touches as usize;
        let key = vault().key();
        // SAFETY: ours until it is published; as many were written.
        let told = unsafe { core::slice::from_raw_parts_mut(self.touches as *mut PlainTouch, count) };
        let recent =
            told.iter_mut().enumerate().rev().take(RECENT).take_while(|(_, known)| known.events == touch.events);
        for (at, known) in recent {
            let old = *known;
            if old == touch {
                return;
            }
            if known.merge(&touch) {
                let change = key.of_touch(at as u32, known).wrapping_sub(key.of_touch(at as u32, &old));
                self.result().head.sum = vault().add(change);
                return;
            }
        }
        if count == wire::TOUCHES {
            return;
        }
        let full = PlainTouch { first: 0, size: 0, how: PlainTouch::EVERYTHING, ..touch };
        let touch = if count + 1 == wire::TOUCHES { full } else { touch };
        // SAFETY: there is room.
        unsafe { (self.touches as *mut PlainTouch).add(count).write(touch) };
        let (counts, sum) = self.count(key.of_touch(count as u32, &touch), |counts| counts.touches += 1);
        let head = &mut self.result().head;
        (head.touches, head.sum) = (counts.touches, sum);
    }

    /// The room that is left for call stacks.
    pub fn stack_room(&self, room: u32) -> &'static mut [u64] {
        let used = vault().counts.get().stack_words as usize;
        // SAFETY: the area has `room` words, of which `used` are taken.
        unsafe { core::slice::from_raw_parts_mut((self.stacks as *mut u64).add(used), room as usize - used) }
    }

    /// Counts words that were written to the room for call stacks.
    pub fn count_stack(&self, words: &[u64]) {
        let at = vault().counts.get().stack_words;
        let number = vault().key().of_stack(at, words);
        let (counts, sum) = self.count(number, |counts| counts.stack_words += words.len() as u32);
        let head = &mut self.result().head;
        (head.stack_words, head.sum) = (counts.stack_words, sum);
    }

    /// Adds to what the program printed. Bytes that do not fit are only counted.
    pub fn push_output(&self, bytes: &[u8], room: u32) {
        let printed = vault().counts.get().output;
        let at = printed.min(room);
        let kept = &bytes[..bytes.len().min((room - at) as usize)];
        // SAFETY: within the area.
        unsafe { core::ptr::copy_nonoverlapping(kept.as_ptr(), (self.output as *mut u8).add(at as usize), kept.len()) };
        let number = vault().key().of_output(at, kept);
        let (counts, sum) =
            self.count(number, |counts| counts.output = counts.output.saturating_add(bytes.len() as u32));
        let head = &mut self.result().head;
        (head.output, head.sum) = (counts.output, sum);
    }

    /// Sets the message about the outcome.
    pub fn set_message(&self, message: &[u8]) {
        let result = self.result();
        let n = message.len().min(wire::MESSAGE);
        result.message[..n].copy_from_slice(&message[..n]);
        result.head.message_len = n as u32;
    }
}
