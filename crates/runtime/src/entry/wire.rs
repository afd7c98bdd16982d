//! The runtime's side of the memory that is shared with the driver: plans in, executions out.
//!
//! `heddle_model::wire` defines the layout. The mapping belongs to this process; the file outlives it.

use core::cell::Cell;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use heddle_model::follow::{PlanView, Policy, Step};
use heddle_model::immediate::Immediate;
use heddle_model::race::Race;
use heddle_model::round::{Claim, Round};
use heddle_model::wire::{self, FrameTable, Header, Layout, Slot, Stage, ThreadName, WireOutcome, WireResult};
use heddle_model::{Event, Fingerprint, Pending, PlainTouch, ThreadId};

use crate::{lifetime, sys};

/// The mapped file, which lies at [`wire::ADDRESS`].
#[derive(Clone, Copy)]
pub struct Wire(());

/// What is remembered about the table of thread names.
pub struct Names {
    /// The id that was looked up last.
    last: Cell<u32>,
}

impl Names {
    /// The state at the start of the process.
    pub const fn new() -> Names {
        Names { last: Cell::new(0) }
    }
}

impl Wire {
    /// The file, once [`Wire::attach`] has succeeded.
    pub const ATTACHED: Wire = Wire(());

    /// Maps the file behind descriptor `file`, and closes the descriptor. None if the file is not of this version.
    pub fn attach(file: usize) -> Option<Wire> {
        let map = |from: usize, to: usize, rights: usize| {
            let flags = sys::MAP_SHARED | sys::MAP_FIXED | sys::MAP_NORESERVE;
            // SAFETY: a range of our own, see `memory`.
            let at = unsafe { sys::syscall6(sys::MMAP, wire::ADDRESS + from, to - from, rights, flags, file, from) };
            (at == (wire::ADDRESS + from) as isize).then_some(Wire::ATTACHED)
        };
        let both = sys::PROT_READ | sys::PROT_WRITE;
        let first = map(0, size_of::<Header>(), both)?;
        if first.header().magic != wire::MAGIC || first.header().version != wire::VERSION {
            return None;
        }
        let Layout { frames_at, size, .. } = first.header().layout;
        let whole = map(0, frames_at as usize, both);
        // A stray write of the program's must neither make a byte dead nor a state known.
        let whole = whole.and(map(frames_at as usize, size as usize, sys::PROT_READ));
        // SAFETY: the descriptor was handed to us by the driver.
        unsafe { sys::syscall3(sys::CLOSE, file, 0, 0) };
        whole
    }

    /// The beginning of the file.
    #[inline(always)]
    pub fn header(&self) -> &'static Header {
        // SAFETY: mapped for the life of the process; what changes in it is atomic, or written before we were started.
        unsafe { &*(wire::ADDRESS as *const Header) }
    }

    fn slot_base(&self, sequence: u32) -> usize {
        let layout = &self.header().layout;
        wire::ADDRESS + layout.slots_at as usize + (sequence % layout.slots) as usize * layout.slot_size as usize
    }

    /// Waits for the plan with number `sequence`. Spins for a while (the driver usually answers within
    /// microseconds, and waking a sleeping process costs more than that), then sleeps. None if there will be no
    /// more plans.
    pub fn wait_for_plan(&self, sequence: u32) -> Option<()> {
        let header = self.header();
        let there = || header.submitted.load(Acquire) != sequence;
        let mut spins = 0u32;
        if !there() && header.driver_sleeps.load(SeqCst) != 0 {
            // It waits for more than it has asked for.
            sys::futex_wake(&header.completed);
        }
        while !there() {
            if header.quit.load(Relaxed) != 0 {
                return None;
            }
            spins += 1;
            if spins < SPINS {
                core::hint::spin_loop();
                continue;
            }
            header.runtime_sleeps.store(1, SeqCst);
            if !there() && header.quit.load(SeqCst) == 0 {
                sys::futex_wait(&header.submitted, sequence, 100_000_000);
            }
            header.runtime_sleeps.store(0, SeqCst);
        }
        (header.quit.load(Relaxed) == 0).then_some(())
    }

    /// The plan with number `sequence`, which has arrived.
    pub fn plan(&self, sequence: u32) -> PlanView<'static> {
        let base = self.slot_base(sequence);
        let layout = &self.header().layout;
        // SAFETY: the driver filled the slot in and leaves it alone until its result was taken.
        unsafe {
            let plan = &(*(base as *const Slot)).plan;
            let steps = (base + layout.steps_at as usize) as *const Step;
            let sleep = (base + layout.sleep_at as usize) as *const ThreadId;
            PlanView {
                schedule: core::slice::from_raw_parts(steps, plan.steps.min(layout.events) as usize),
                sleep: core::slice::from_raw_parts(sleep, plan.sleep.min(layout.threads) as usize),
                // Both sides have the same version, so there is no number that we do not know.
                policy: Policy::from_code(plan.policy, (plan.depth, plan.length)).unwrap_or_default(),
                seed: plan.seed,
                max_steps: plan.max_steps,
                max_switches: Some(plan.max_switches).filter(|&most| most != u32::MAX),
                immediate: Immediate::from_code(plan.immediate),
            }
        }
    }

    /// Whether plan `sequence` asks for call stacks and output.
    pub fn recording(&self, sequence: u32) -> bool {
        // SAFETY: as in `plan`.
        unsafe { (*(self.slot_base(sequence) as *const Slot)).plan.record != 0 }
    }

    /// What plan `sequence` asks to do about states: see [`wire::WirePlan::states`].
    pub fn states(&self, sequence: u32) -> u32 {
        // SAFETY: as in `plan`.
        unsafe { (*(self.slot_base(sequence) as *const Slot)).plan.states }
    }

    /// After how many events of plan `sequence` the execution tells of plain memory. [`u32::MAX`]: never.
    pub fn touches(&self, sequence: u32) -> u32 {
        // SAFETY: as in `plan`.
        unsafe { (*(self.slot_base(sequence) as *const Slot)).plan.touches }
    }

    /// The race that plan `sequence` is to end at.
    pub fn aim(&self, sequence: u32) -> Option<Race> {
        // SAFETY: as in `plan`.
        let plan = unsafe { &(*(self.slot_base(sequence) as *const Slot)).plan };
        (plan.aims != 0).then_some(plan.aim)
    }

    /// The part of plan `sequence` that may be repeated for ever, if it names one.
    pub fn round(&self, sequence: u32) -> Option<Round> {
        // SAFETY: as in `plan`.
        let plan = unsafe { &(*(self.slot_base(sequence) as *const Slot)).plan };
        let claim = *Claim::ALL.get((plan.round_claim as usize).checked_sub(1)?)?;
        Some(Round { first: plan.round_first, length: plan.round_length, claim })
    }

    /// The places of plain memory that are visible.
    pub fn places(&self) -> &'static [u64] {
        let header = self.header();
        let count = (header.places.load(Acquire) as usize).min(wire::PLACES);
        // SAFETY: the driver has filled in as many, and changes them only between executions.
        unsafe { core::slice::from_raw_parts((wire::ADDRESS + header.layout.places_at as usize) as *const u64, count) }
    }

    /// The table of dead stack bytes, if the driver has made one.
    pub fn frames(&self) -> Option<FrameTable<'static>> {
        let header = self.header();
        let length = (header.frames.load(Acquire) as usize).min(wire::FRAMES);
        let at = wire::ADDRESS + header.layout.frames_at as usize;
        // SAFETY: the driver has filled in as much, and changes it only between executions.
        FrameTable::read(unsafe { core::slice::from_raw_parts(at as *const u8, length) })
    }

    /// The states that the search knows.
    pub fn known(&self) -> &'static [wire::known::Entry] {
        let at = wire::ADDRESS + self.header().layout.known_at as usize;
        // SAFETY: mapped for the life of the process, and atomic.
        unsafe { core::slice::from_raw_parts(at as *const wire::known::Entry, wire::known::ENTRIES) }
    }

    /// Where the execution of plan `sequence` is to be written.
    pub fn record_of(&self, sequence: u32) -> Record {
        let base = self.slot_base(sequence);
        let layout = &self.header().layout;
        Record {
            result: base + core::mem::offset_of!(Slot, result),
            events: base + layout.events_at as usize,
            pending: base + layout.pending_at as usize,
            stacks: base + layout.stacks_at as usize,
            output: base + layout.output_at as usize,
            races: base + layout.races_at as usize,
            states: base + layout.states_at as usize,
            touches: base + layout.touches_at as usize,
        }
    }

    /// Where the execution of plan `sequence` writes what its states consist of. 0 if the plan does not ask for it.
    pub fn contents(&self, sequence: u32) -> usize {
        let base = self.slot_base(sequence);
        // SAFETY: as in `plan`.
        let is_asked = unsafe { (*(base as *const Slot)).plan.contents != 0 };
        if is_asked { base + self.header().layout.contents_at as usize } else { 0 }
    }

    /// Hands the execution of plan `sequence` over.
    pub fn publish(&self, sequence: u32) {
        let header = self.header();
        header.completed.store(sequence.wrapping_add(1), SeqCst);
        let due = sequence.wrapping_add(1).wrapping_sub(header.wake_at.load(Relaxed)) as i32 >= 0;
        if header.driver_sleeps.load(SeqCst) != 0 && due {
            sys::futex_wake(&header.completed);
        }
    }

    /// Tells the driver how far the process has come.
    pub fn set_stage(&self, stage: Stage) {
        self.header().stage.store(stage as u32, Release);
        sys::futex_wake(&self.header().stage);
    }

    /// Tells the driver why the program cannot be run, and ends the process.
    pub fn trouble(&self, message: &[u8]) -> ! {
        let n = message.len().min(self.header().trouble.len() - 1);
        // SAFETY: the driver reads the text only after the stage says that it is there.
        unsafe {
            let to = (&raw const self.header().trouble).cast::<u8>().cast_mut();
            core::ptr::copy_nonoverlapping(message.as_ptr(), to, n);
        }
        self.set_stage(Stage::Failed);
        sys::exit_process(112)
    }

    /// The id of the `ordinal`-th child of `parent`: the one it had in an earlier execution, or a new one. None if
    /// there is no room.
    pub fn name_thread(&self, parent: ThreadId, ordinal: u32) -> Option<ThreadId> {
        let header = self.header();
        let count = header.names.load(Acquire);
        let names = (wire::ADDRESS + header.layout.names_at as usize) as *mut ThreadName;
        let name = ThreadName { parent, reserved: 0, ordinal };
        // SAFETY: the table has room for `layout.threads` entries, of which `count` are filled in. One process at a time
        // writes it.
        unsafe {
            // A thread's children mostly have ids in a row, so the search begins after the previous one's.
            let last = &lifetime::process().names.last;
            let start = if ordinal == 0 { 0 } else { last.get() + 1 };
            let found = (start..count).chain(0..start.min(count)).find(|&i| i != 0 && *names.add(i as usize) == name);
            let id = match found {
                Some(id) => id,
                None => {
                    let id = count.max(1);
                    if id >= header.layout.threads {
                        return None;
                    }
                    names.add(id as usize).write(name);
                    header.names.store(id + 1, Release);
                    id
                }
            };
            last.set(id);
            Some(ThreadId(id as u16))
        }
    }
}

/// How often to look before going to sleep: some tens of microseconds.
const SPINS: u32 = 2000;

/// How many touches of plain memory a new one is compared with.
const RECENT: usize = 8;

/// Where one execution is written.
#[derive(Clone, Copy)]
pub struct Record {
    result: usize,
    events: usize,
    pending: usize,
    stacks: usize,
    output: usize,
    races: usize,
    states: usize,
    touches: usize,
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
        let result = self.result();
        result.outcome = WireOutcome::default();
        result.events = 0;
        result.pc = 0;
        result.pending = 0;
        result.stack_words = 0;
        result.output = 0;
        result.thread = ThreadId::MAIN;
        result.message_len = 0;
        result.races = 0;
        result.states = 0;
        result.touches = 0;
        result.contents = 0;
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

    /// The events of the execution that were written.
    pub fn events_so_far(&self) -> &'static [Event] {
        // SAFETY: written before they were counted, and there is room for them.
        unsafe { core::slice::from_raw_parts(self.event(0), self.result().events as usize) }
    }

    /// The event that was written last. There must be one.
    pub fn last_event(&self) -> &'static Event {
        // SAFETY: written before it was counted.
        unsafe { &*self.event(self.result().events - 1) }
    }

    /// Adds the pending operation of a thread that has not ended.
    pub fn push_pending(&self, pending: Pending, room: u32) {
        let result = self.result();
        if result.pending < room {
            // SAFETY: there is room, and it is ours until published.
            unsafe { (self.pending as *mut Pending).add(result.pending as usize).write(pending) };
            result.pending += 1;
        }
    }

    /// Adds a data race, unless the same two accesses to the same place are listed. One that there is no room for
    /// is seen again once the places of the others are visible.
    pub fn push_race(&self, race: &Race) {
        let result = self.result();
        // SAFETY: ours until it is published; as many were written.
        let listed = unsafe { core::slice::from_raw_parts(self.races as *const Race, result.races as usize) };
        let of = |race: &Race| (race.later_pc, race.earlier_pc, race.place);
        if listed.iter().any(|known| of(known) == of(race)) || listed.len() == wire::RACES {
            return;
        }
        // SAFETY: there is room.
        unsafe { (self.races as *mut Race).add(listed.len()).write(*race) };
        result.races += 1;
    }

    /// Adds the state before the next event. There is one at most before each, and one at the end.
    pub fn push_state(&self, state: Fingerprint) {
        let result = self.result();
        if result.states <= result.events {
            // SAFETY: there is room for one more than for events.
            unsafe { (self.states as *mut Fingerprint).add(result.states as usize).write(state) };
            result.states += 1;
        }
    }

    /// Tells what was done with plain memory. What is one piece with something that the step has done just before is one. Without room for
    /// more, the last says so.
    pub fn push_touch(&self, touch: PlainTouch) {
        let count = self.result().touches as usize;
        // SAFETY: ours until it is published; as many were written.
        let told = unsafe { core::slice::from_raw_parts_mut(self.touches as *mut PlainTouch, count) };
        let recent = told.iter_mut().rev().take(RECENT).take_while(|known| known.events == touch.events);
        if count == wire::TOUCHES || recent.into_iter().any(|known| *known == touch || known.merge(&touch)) {
            return;
        }
        let full = PlainTouch { first: 0, size: 0, how: PlainTouch::EVERYTHING, ..touch };
        let touch = if count + 1 == wire::TOUCHES { full } else { touch };
        // SAFETY: there is room.
        unsafe { (self.touches as *mut PlainTouch).add(count).write(touch) };
        self.result().touches += 1;
    }

    /// The room that is left for call stacks.
    pub fn stack_room(&self, room: u32) -> &'static mut [u64] {
        let used = self.result().stack_words as usize;
        // SAFETY: the area has `room` words, of which `used` are taken.
        unsafe { core::slice::from_raw_parts_mut((self.stacks as *mut u64).add(used), room as usize - used) }
    }

    /// Adds to what the program printed. Bytes that do not fit are only counted.
    pub fn push_output(&self, bytes: &[u8], room: u32) {
        let result = self.result();
        let at = result.output.min(room) as usize;
        let n = bytes.len().min(room as usize - at);
        // SAFETY: within the area.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), (self.output as *mut u8).add(at), n) };
        result.output = result.output.saturating_add(bytes.len() as u32);
    }

    /// Sets the message about the outcome.
    pub fn set_message(&self, message: &[u8]) {
        let result = self.result();
        let n = message.len().min(wire::MESSAGE);
        result.message[..n].copy_from_slice(&message[..n]);
        result.message_len = n as u32;
    }
}
