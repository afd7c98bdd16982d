//! The runtime's side of the memory that is shared with the driver: plans in, executions out.
//!
//! `heddle_model::wire` defines the layout. The mappings belong to this process; the file outlives it.
//!
//! The program cannot write to what the driver says. It can write to reports: so they lie at an address that is drawn, and
//! what is reported counts only together with the sums in the [`Vault`], which lies at another one.

use core::cell::Cell;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use heddle_model::follow::{PlanView, Policy, Step};
use heddle_model::immediate::Immediate;
use heddle_model::race::Race;
use heddle_model::round::{Claim, Round};
use heddle_model::wire::{
    self, FrameTable, Header, Key, Layout, Note, Reports, ResultHead, Stage, ThreadName, WireOutcome, WirePlan,
};
use heddle_model::{Outcome, ThreadId};

use super::report::Record;
use crate::addresses::PAGE;
use crate::{lifetime, sys};

/// The mapped file.
#[derive(Clone, Copy)]
pub struct Wire(());

/// Where the file is mapped, and what is remembered of it.
pub struct Mapped {
    /// Where the driver's part lies.
    header: Cell<usize>,
    /// Where the reports lie.
    reports: Cell<usize>,
    vault: Cell<&'static Vault>,
    /// The id of the thread whose name was looked up last.
    last: Cell<u32>,
}

/// What reports are checked against, in a page of its own at an address that is drawn.
pub struct Vault {
    key: Cell<Key>,
    /// The sum over the execution's report so far ([`ResultHead::sum`]).
    pub(super) sum: Cell<u64>,
    /// The number of things of each kind in the execution's report.
    pub(super) counts: Cell<Counts>,
    /// What executions did, as bits of [`Note`].
    pub(super) notes: Cell<u64>,
    /// The number of names of threads, of labels, and of bytes of names of libraries.
    lists: Cell<[u32; 3]>,
}

// SAFETY: one kernel thread: see `lifetime`.
unsafe impl Sync for Vault {}

/// The number of things of each kind in an execution's report.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub events: u32,
    pub pending: u32,
    pub stack_words: u32,
    pub output: u32,
    pub races: u32,
    pub states: u32,
    pub touches: u32,
}

/// Until the page is mapped. Nothing is reported before.
static NO_VAULT: Vault = Vault {
    // SAFETY: numbers, of which zero is one.
    key: Cell::new(unsafe { core::mem::zeroed() }),
    sum: Cell::new(0),
    counts: Cell::new(Counts { events: 0, pending: 0, stack_words: 0, output: 0, races: 0, states: 0, touches: 0 }),
    notes: Cell::new(0),
    lists: Cell::new([0; 3]),
};

impl Mapped {
    /// The state at the start of the process.
    pub const fn new() -> Mapped {
        Mapped { header: Cell::new(0), reports: Cell::new(0), vault: Cell::new(&NO_VAULT), last: Cell::new(0) }
    }
}

#[inline(always)]
fn mapped() -> &'static Mapped {
    &lifetime::process().mapped
}

/// What reports of this process are checked against.
#[inline(always)]
pub(super) fn vault() -> &'static Vault {
    mapped().vault.get()
}

impl Vault {
    /// What reports are sealed with.
    #[inline(always)]
    pub(super) fn key(&self) -> &Key {
        // SAFETY: written once, when nobody had a reference.
        unsafe { &*self.key.as_ptr() }
    }

    /// Adds to the sum. Returns it.
    #[inline(always)]
    pub(super) fn add(&self, number: u64) -> u64 {
        let sum = self.sum.get().wrapping_add(number);
        self.sum.set(sum);
        sum
    }
}

/// The room for each of the three mappings: the first addresses of those that are ours.
const ROOM: usize = 0x0080_0000_0000;

/// An address with so many bytes behind it in room number `room`, drawn.
fn draw(room: usize, size: usize) -> usize {
    let mut drawn = 0usize;
    // SAFETY: fills a word of our own.
    unsafe { sys::syscall3(sys::GETRANDOM, &raw mut drawn as usize, size_of::<usize>(), 0) };
    let pages = (ROOM - size.next_multiple_of(PAGE)) / PAGE;
    wire::ADDRESS + room * ROOM + drawn % pages * PAGE
}

impl Wire {
    /// The file, once [`Wire::attach`] has succeeded.
    pub const ATTACHED: Wire = Wire(());

    /// Maps the file behind descriptor `file`, and closes the descriptor. None if the file is not of this version.
    pub fn attach(file: usize) -> Option<Wire> {
        let map = |at: usize, from: usize, to: usize, rights: usize| {
            let flags = sys::MAP_SHARED | sys::MAP_FIXED | sys::MAP_NORESERVE;
            // SAFETY: a range of our own, see `memory`.
            let result = unsafe { sys::syscall6(sys::MMAP, at, to - from, rights, flags, file, from) };
            (result == at as isize).then_some(())
        };
        let (both, size) = (sys::PROT_READ | sys::PROT_WRITE, size_of::<Header>());
        let at = draw(0, size);
        map(at, 0, size, sys::PROT_READ)?;
        mapped().header.set(at);
        let first = Wire::ATTACHED.header();
        if first.magic != wire::MAGIC || first.version != wire::VERSION {
            return None;
        }
        let Layout { reports_at, size: end, .. } = first.layout;
        let (reports_at, end) = (reports_at as usize, end as usize);
        // SAFETY: mapped above.
        unsafe { sys::syscall3(sys::MUNMAP, at, size, 0) };
        let at = draw(0, reports_at);
        map(at, 0, reports_at, sys::PROT_READ)?;
        mapped().header.set(at);
        let at = draw(1, end - reports_at);
        map(at, reports_at, end, both)?;
        mapped().reports.set(at);
        let at = draw(2, PAGE);
        crate::addresses::map(at, PAGE);
        // SAFETY: just mapped, and zeroed: numbers, of which zero is one.
        let vault = unsafe { &*(at as *const Vault) };
        let header = Wire::ATTACHED.header();
        vault.key.set(header.key);
        // The names that the driver has given.
        vault.lists.set([Wire::ATTACHED.reports().names.load(Relaxed), 0, 0]);
        mapped().vault.set(vault);
        // SAFETY: the descriptor was handed to us by the driver.
        unsafe { sys::syscall3(sys::CLOSE, file, 0, 0) };
        Some(Wire::ATTACHED)
    }

    /// What the driver says.
    #[inline(always)]
    pub fn header(&self) -> &'static Header {
        // SAFETY: mapped for the life of the process; what changes in it is atomic, or written before we were started.
        unsafe { &*(mapped().header.get() as *const Header) }
    }

    /// What we report.
    #[inline(always)]
    pub fn reports(&self) -> &'static Reports {
        // SAFETY: mapped for the life of the process; what changes in it is atomic, or text that is written through pointers.
        unsafe { &*(mapped().reports.get() as *const Reports) }
    }

    fn plan_base(&self, sequence: u32) -> usize {
        let layout = &self.header().layout;
        mapped().header.get()
            + layout.plans_at as usize
            + (sequence % layout.slots) as usize * layout.plan_size as usize
    }

    fn result_base(&self, sequence: u32) -> usize {
        let layout = &self.header().layout;
        let at = self.in_reports(layout.results_at);
        at + (sequence % layout.slots) as usize * layout.result_size as usize
    }

    /// Where the part of the reports at this offset in the file is mapped.
    fn in_reports(&self, offset: u64) -> usize {
        mapped().reports.get() + (offset - self.header().layout.reports_at) as usize
    }

    /// Waits for the plan with number `sequence`. Spins for a while (the driver usually answers within
    /// microseconds, and waking a sleeping process costs more than that), then sleeps. None if there will be no
    /// more plans.
    pub fn wait_for_plan(&self, sequence: u32) -> Option<()> {
        let (header, reports) = (self.header(), self.reports());
        let there = || header.submitted.load(Acquire).wrapping_sub(sequence) as i32 > 0;
        let mut spins = 0u32;
        if !there() && header.driver_sleeps.load(SeqCst) != 0 {
            // It waits for more than it has asked for.
            sys::futex_wake(&reports.completed);
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
            // A process that the program has made may have written over it since.
            reports.completed.store(sequence, SeqCst);
            reports.runtime_sleeps.store(1, SeqCst);
            if !there() && header.quit.load(SeqCst) == 0 {
                sys::futex_wait(&header.submitted, sequence, 100_000_000);
            }
            reports.runtime_sleeps.store(0, SeqCst);
        }
        (header.quit.load(Relaxed) == 0).then_some(())
    }

    fn wire_plan(&self, sequence: u32) -> &'static WirePlan {
        // SAFETY: the driver filled the plan in and leaves it alone until its result was taken.
        unsafe { &*(self.plan_base(sequence) as *const WirePlan) }
    }

    /// The plan with number `sequence`, which has arrived.
    pub fn plan(&self, sequence: u32) -> PlanView<'static> {
        let (base, plan) = (self.plan_base(sequence), self.wire_plan(sequence));
        let layout = &self.header().layout;
        // SAFETY: as in `wire_plan`.
        unsafe {
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
        self.wire_plan(sequence).record != 0
    }

    /// What plan `sequence` asks to do about states: see [`wire::WirePlan::states`].
    pub fn states(&self, sequence: u32) -> u32 {
        self.wire_plan(sequence).states
    }

    /// After how many events of plan `sequence` the execution tells of plain memory. [`u32::MAX`]: never.
    pub fn touches(&self, sequence: u32) -> u32 {
        self.wire_plan(sequence).touches
    }

    /// The race that plan `sequence` is to end at.
    pub fn aim(&self, sequence: u32) -> Option<Race> {
        let plan = self.wire_plan(sequence);
        (plan.aims != 0).then_some(plan.aim)
    }

    /// The part of plan `sequence` that may be repeated for ever, if it names one.
    pub fn round(&self, sequence: u32) -> Option<Round> {
        let plan = self.wire_plan(sequence);
        let claim = *Claim::ALL.get((plan.round_claim as usize).checked_sub(1)?)?;
        Some(Round { first: plan.round_first, length: plan.round_length, claim })
    }

    /// The places of plain memory that are visible.
    pub fn places(&self) -> &'static [u64] {
        let header = self.header();
        let count = (header.places.load(Acquire) as usize).min(wire::PLACES);
        // SAFETY: the driver has filled in as many, and changes them only between executions.
        unsafe {
            core::slice::from_raw_parts((mapped().header.get() + header.layout.places_at as usize) as *const u64, count)
        }
    }

    /// The table of dead stack bytes, if the driver has made one.
    pub fn frames(&self) -> Option<FrameTable<'static>> {
        let header = self.header();
        let length = (header.frames.load(Acquire) as usize).min(wire::FRAMES);
        let at = mapped().header.get() + header.layout.frames_at as usize;
        // SAFETY: the driver has filled in as much, and changes it only between executions.
        FrameTable::read(unsafe { core::slice::from_raw_parts(at as *const u8, length) })
    }

    /// The states that the search knows.
    pub fn known(&self) -> &'static [wire::known::Entry] {
        let at = mapped().header.get() + self.header().layout.known_at as usize;
        // SAFETY: mapped for the life of the process, and atomic.
        unsafe { core::slice::from_raw_parts(at as *const wire::known::Entry, wire::known::ENTRIES) }
    }

    /// Where the execution of plan `sequence` is to be written.
    pub fn record_of(&self, sequence: u32) -> Record {
        let base = self.result_base(sequence);
        let layout = &self.header().layout;
        Record {
            result: base,
            events: base + layout.events_at as usize,
            pending: base + layout.pending_at as usize,
            stacks: base + layout.stacks_at as usize,
            output: base + layout.output_at as usize,
            races: base + layout.races_at as usize,
            states: base + layout.states_at as usize,
            touches: base + layout.touches_at as usize,
        }
    }

    /// Seals the execution of plan `sequence`, which is over. Nothing of the program runs in this process until it is published.
    pub fn seal(&self, sequence: u32) {
        let result = self.record_of(sequence).result();
        let (vault, Counts { events, pending, stack_words, output, races, states, touches }) =
            (vault(), vault().counts.get());
        let [names, labels, libraries] = vault.lists.get();
        result.head = ResultHead {
            sum: vault.sum.get(),
            notes: vault.notes.get(),
            lists: self.lists_sum(vault.lists.get()),
            sequence,
            events,
            pending,
            stack_words,
            output,
            races,
            states,
            touches,
            names,
            labels,
            libraries,
            ..result.head
        };
        result.seal = vault.key().seal(result);
    }

    /// Seals the execution of plan `sequence`, whose process has died: it ended in this way. Of the rest, what was counted is as the process
    /// left it, and the driver looks whether that fits to its sum.
    pub fn seal_lost(&self, sequence: u32, outcome: &Outcome) {
        let result = self.record_of(sequence).result();
        let (outcome, lists) = (WireOutcome::new(outcome, false), vault().lists.get());
        let [names, labels, libraries] = lists;
        let (left, pc, message_len, thread) = (0, 0, 0, ThreadId::MAIN);
        let lists = self.lists_sum(lists);
        let head = ResultHead {
            outcome,
            left,
            pc,
            lists,
            sequence,
            message_len,
            names,
            labels,
            libraries,
            thread,
            ..result.head
        };
        result.head = head;
        result.seal = vault().key().seal(result);
    }

    /// Whether the execution of plan `sequence` is sealed. One that died is not.
    pub fn is_sealed(&self, sequence: u32) -> bool {
        let result = self.record_of(sequence).result();
        result.head.sequence == sequence && result.seal == vault().key().seal(result)
    }

    /// Learns what the execution of plan `sequence`, in another process, has added to lists and noted.
    pub fn adopt(&self, sequence: u32) {
        let layout = &self.header().layout;
        let reports = self.reports();
        let [names, labels, libraries] = vault().lists.get();
        // More is never there, whoever has written it.
        let more = |old: u32, new: u32, most: usize| if new as usize <= most { new.max(old) } else { old };
        vault().lists.set([
            more(names, reports.names.load(Acquire), layout.threads as usize),
            more(labels, reports.labels_len.load(Acquire), wire::LABELS),
            more(libraries, reports.libraries_len.load(Acquire), wire::LIBRARIES),
        ]);
        if self.is_sealed(sequence) {
            let notes = self.record_of(sequence).result().head.notes;
            vault().notes.set(vault().notes.get() | notes);
        }
    }

    fn lists_sum(&self, [names, labels, libraries]: [u32; 3]) -> u64 {
        let key = vault().key();
        let reports = self.reports();
        let mut sum = 0u64;
        // SAFETY: the lists have room for as many, and nobody else writes now.
        unsafe {
            let table = self.in_reports(self.header().layout.names_at) as *const ThreadName;
            sum = sum.wrapping_add(key.of_names(core::slice::from_raw_parts(table, names as usize).iter().copied()));
            let text = (&raw const reports.libraries).cast::<u8>();
            sum = sum.wrapping_add(key.of_libraries(core::slice::from_raw_parts(text, libraries as usize)));
        }
        let labels = reports.labels.iter().take(labels as usize).map(|label| label.load(Relaxed));
        sum.wrapping_add(key.of_labels(labels))
    }

    /// Hands the execution of plan `sequence` over, which is sealed.
    pub fn publish(&self, sequence: u32) {
        let (header, reports) = (self.header(), self.reports());
        reports.completed.store(sequence.wrapping_add(1), SeqCst);
        let due = sequence.wrapping_add(1).wrapping_sub(header.wake_at.load(Relaxed)) as i32 >= 0;
        if header.driver_sleeps.load(SeqCst) != 0 && due {
            sys::futex_wake(&reports.completed);
        }
    }

    /// Tells the driver how far the process has come.
    pub fn set_stage(&self, stage: Stage) {
        self.reports().stage.store(vault().key().veil(stage as u64), Release);
    }

    /// Tells the driver that the execution goes on. `progress` only grows.
    #[inline(always)]
    pub fn set_progress(&self, progress: u64) {
        self.reports().progress.store(vault().key().veil(progress), Relaxed);
    }

    /// How far executions have got, as the last process has told.
    pub fn progress(&self) -> u64 {
        // What makes no sense is the driver's affair.
        vault().key().unveil(self.reports().progress.load(Relaxed))
    }

    /// Tells the driver which process runs the executions.
    pub fn set_runner(&self, process: usize) {
        self.reports().runner.store(vault().key().veil(process as u64), Relaxed);
    }

    /// Tells the driver what the execution did.
    #[cold]
    pub fn note(&self, what: Note) {
        let vault = vault();
        let (old, new) = (vault.notes.get(), vault.notes.get() | what as u64);
        vault.notes.set(new);
        let sum = vault.add(vault.key().of_notes(new).wrapping_sub(vault.key().of_notes(old)));
        // Between executions there is no report that is ours: the next one begins with what was noted.
        if crate::schedule::active() {
            let head = &mut crate::schedule::record().result().head;
            (head.notes, head.sum) = (new, sum);
        }
    }

    /// Whether an execution did this, in this process or, if it is to be run again, in its child.
    pub fn has_noted(&self, what: Note) -> bool {
        vault().notes.get() & what as u64 != 0
    }

    /// Whether an execution may have left something in the scratch directory. It is taken for empty from now on.
    pub fn takes_scratch(&self) -> bool {
        let empty = vault().key().veil(0);
        self.reports().scratch_used.swap(empty, Relaxed) != empty
    }

    /// Notes that there is something in the scratch directory.
    pub fn uses_scratch(&self) {
        self.reports().scratch_used.store(vault().key().veil(1), Relaxed);
    }

    /// Tells the driver why the program cannot be run, and ends the process.
    pub fn trouble(&self, message: &[u8]) -> ! {
        let reports = self.reports();
        let n = message.len().min(reports.trouble.len());
        // SAFETY: the driver reads the text only after the stage says that it is there.
        unsafe {
            let to = (&raw const reports.trouble).cast::<u8>().cast_mut();
            core::ptr::copy_nonoverlapping(message.as_ptr(), to, n);
        }
        reports.trouble_len.store(n as u32, Relaxed);
        reports.trouble_seal.store(vault().key().of_trouble(&message[..n]), Relaxed);
        self.set_stage(Stage::Failed);
        sys::exit_process(112)
    }

    /// The id of the `ordinal`-th child of `parent`: the one it had in an earlier execution, or a new one. None if
    /// there is no room.
    pub fn name_thread(&self, parent: ThreadId, ordinal: u32) -> Option<ThreadId> {
        let [count, labels, libraries] = vault().lists.get();
        let names = self.in_reports(self.header().layout.names_at) as *mut ThreadName;
        let name = ThreadName { parent, reserved: 0, ordinal };
        // SAFETY: the table has room for `layout.threads` entries, of which `count` are filled in. One process at a time
        // writes it.
        unsafe {
            // A thread's children mostly have ids in a row, so the search begins after the previous one's.
            let last = &mapped().last;
            let start = if ordinal == 0 { 0 } else { last.get() + 1 };
            let found = (start..count).chain(0..start.min(count)).find(|&i| i != 0 && *names.add(i as usize) == name);
            let id = match found {
                Some(id) => id,
                None => {
                    let id = count.max(1);
                    if id >= self.header().layout.threads {
                        return None;
                    }
                    names.add(id as usize).write(name);
                    vault().lists.set([id + 1, labels, libraries]);
                    self.reports().names.store(id + 1, Release);
                    id
                }
            };
            last.set(id);
            Some(ThreadId(id as u16))
        }
    }

    /// Adds a label to those that were reached. False if there is no room.
    pub fn reach(&self, label: u64) -> bool {
        let ([names, count, libraries], reports) = (vault().lists.get(), self.reports());
        let (known, rest) = reports.labels.split_at((count as usize).min(wire::LABELS));
        if known.iter().any(|known| known.load(Relaxed) == label) {
            return true;
        }
        let Some(place) = rest.first() else { return false };
        place.store(label, Relaxed);
        vault().lists.set([names, count + 1, libraries]);
        reports.labels_len.store(count + 1, Release);
        true
    }

    /// Adds the name of a library, which ends in a zero byte, unless it is listed or there is no room.
    pub fn list_library(&self, name: &[u8]) {
        let ([listed, labels, used], reports) = (vault().lists.get(), self.reports());
        let (used, room) = ((used as usize).min(wire::LIBRARIES), reports.libraries.len());
        let text = (&raw const reports.libraries).cast::<u8>().cast_mut();
        // SAFETY: one process at a time writes there, and the driver reads what is counted.
        unsafe {
            let known = core::slice::from_raw_parts(text, used);
            let is_listed = known.split_inclusive(|&byte| byte == 0).any(|known| known == name);
            if !is_listed && used + name.len() <= room {
                core::ptr::copy_nonoverlapping(name.as_ptr(), text.add(used), name.len());
                let used = (used + name.len()) as u32;
                vault().lists.set([listed, labels, used]);
                reports.libraries_len.store(used, Release);
            }
        }
    }
}

/// How often to look before going to sleep: some tens of microseconds.
const SPINS: u32 = 2000;
