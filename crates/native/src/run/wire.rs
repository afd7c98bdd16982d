//! The driver's side of the memory that is shared with the program: see [`heddle_model::wire`].
//!
//! Each process has a memory file of its own. A process that died may leave children that still write to its file for a moment, and
//! they cannot reach the file of the next process. Only the names of threads are carried over, because plans name threads.
//!
//! The program can write to the part of the shared memory that reports come from, and may be broken. So counts are checked against the
//! size of their arrays, everything is copied before it is used, and only what fits to the [seal](Key) of the runtime is used. Nobody can make the
//! memory smaller while it is mapped here.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::{self, NonNull};
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::wire::{
    ATOMIC_FUNCTIONS, Annotations, FRAMES, Header, Key, LABELS, LIBRARIES, Layout, MAGIC, NO_STATES, Note, PLACES,
    RACES, RECORD_STATES, ROUNDS, Reports, ResultHead, STOP_AT_STATES, Stage, TOUCHES, TROUBLE, ThreadName, VERSION,
    WirePlan, WireResult, known,
};
use heddle_model::{
    Event, Fingerprint, Input, MOST_INPUTS, Outcome, Pending, PlainTouch, Plan, Restart, Settings, States, ThreadId,
};

/// What the runtime is told once, when its process starts.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// The settings of executions, with a stack size that is not 0.
    pub settings: Settings,
    /// See [`Annotations::inputs`]: sorted.
    pub inputs: Vec<Input>,
    /// How this process returns to its start after an execution.
    pub restart: Restart,
    /// See [`Header::threads_wanted`].
    pub threads_wanted: u32,
    /// See [`Header::check_restore`].
    pub check_restore: bool,
    /// See [`Header::unwinder`].
    pub unwinder: bool,
    /// See [`Header::input`].
    pub input: Vec<u8>,
    /// See [`Header::scratch`].
    pub scratch: Vec<u8>,
    /// The granules of plain memory whose accesses are visible operations.
    pub places: Vec<u64>,
    /// See [`Annotations::entry`].
    pub entry: u64,
    /// See [`Annotations::functions`].
    pub functions: Vec<[u64; 2]>,
}

/// Writes `text` with a zero byte after it into `room`. Writes nothing if both do not fit.
fn put_text(room: &mut [u8], text: &[u8]) {
    if text.len() < room.len() {
        room[..text.len()].copy_from_slice(text);
    }
}

/// The shared memory of one process.
pub struct Wire {
    base: NonNull<u8>,
    layout: Layout,
    file: OwnedFd,
    /// Whether the program's output is kept for every execution.
    outputs: bool,
    /// The entries in use of the table of known states.
    known: Vec<u32>,
    /// What reports are sealed with. The copy in the shared memory is for the runtime.
    key: Key,
    told: Told,
}

/// What the results that were taken tell of all executions of the process.
#[derive(Clone, Debug, Default)]
struct Told {
    /// Bits of [`Note`].
    notes: u64,
    labels: Vec<u64>,
    /// Names, each with a zero byte after it.
    libraries: Vec<u8>,
}

// SAFETY: the mapping belongs to this value alone, as a vector's memory would.
unsafe impl Send for Wire {}

impl Wire {
    /// Makes new shared memory: the header is filled in from `briefing` and `names`, and there are no plans.
    pub fn new(layout: Layout, briefing: &Briefing, names: &[ThreadName]) -> io::Result<Wire> {
        // SAFETY: a name that ends in zero.
        let raw = unsafe { libc::memfd_create(c"heddle-wire".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just opened, and nobody else's. A high number keeps the low ones for the program, as without Heddle.
        let low = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: a call on an open descriptor.
        let high = unsafe { libc::fcntl(low.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 100) };
        let file = if high < 0 {
            low
        } else {
            // SAFETY: just opened, and nobody else's.
            unsafe { OwnedFd::from_raw_fd(high) }
        };
        File::from(file.try_clone()?).set_len(layout.size)?;
        // Who uses a mapping beyond the end of its file is killed.
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: a call on an open descriptor.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new mapping anywhere.
        let base = unsafe {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            libc::mmap(ptr::null_mut(), layout.size as usize, protection, flags, file.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).expect("a mapping is not at 0");
        let outputs = briefing.settings.outputs;
        let key = Key::new(draw()?);
        let mut wire = Wire { base, layout, file, outputs, known: Vec::new(), key, told: Told::default() };
        wire.fill(briefing, names);
        Ok(wire)
    }

    fn fill(&mut self, briefing: &Briefing, names: &[ThreadName]) {
        let header: *mut Header = self.base.as_ptr().cast();
        // SAFETY: within the mapping by the layout; nobody else has it yet. New memory is zero, which is a valid
        // value of every field that is not set here.
        unsafe {
            (*header).magic = MAGIC;
            (*header).version = VERSION;
            (*header).restart = briefing.restart as u32;
            (*header).layout = self.layout;
            (*header).settings = briefing.settings;
            (*header).threads_wanted = briefing.threads_wanted;
            (*header).check_restore = briefing.check_restore.into();
            put_text(&mut (*header).scratch, &briefing.scratch);
            put_text(&mut (*header).input, &briefing.input);
            (*header).unwinder = briefing.unwinder.into();
            (*header).key = self.key;
            let annotations: &mut Annotations = &mut (*header).annotations;
            annotations.entry = briefing.entry;
            for (to, function) in annotations.functions.iter_mut().zip(&briefing.functions) {
                *to = *function;
            }
            for (to, input) in annotations.inputs.iter_mut().zip(&briefing.inputs) {
                *to = *input;
            }
            annotations.inputs_len = briefing.inputs.len().min(MOST_INPUTS) as u32;
            annotations.functions_len = briefing.functions.len().min(ATOMIC_FUNCTIONS) as u32;
            let table: *mut ThreadName = self.at(self.layout.names_at);
            let names = &names[..names.len().min(self.layout.threads as usize)];
            ptr::copy_nonoverlapping(names.as_ptr(), table, names.len());
            let reports: *mut Reports = self.at(self.layout.reports_at);
            *(*reports).names.get_mut() = names.len() as u32;
            *(*reports).stage.get_mut() = self.key.veil(Stage::Launched as u64);
            for word in [&mut (*reports).progress, &mut (*reports).runner, &mut (*reports).scratch_used] {
                *word.get_mut() = self.key.veil(0);
            }
        }
        self.reveal(&briefing.places);
    }

    /// Sets the granules of plain memory whose accesses are visible operations. The runtime reads them when an execution begins.
    pub fn reveal(&mut self, places: &[u64]) {
        let count = places.len().min(PLACES);
        // SAFETY: within the mapping by the layout. The runtime reads only as many as the header counts.
        unsafe { ptr::copy_nonoverlapping(places.as_ptr(), self.at(self.layout.places_at), count) };
        self.header().places.store(count as u32, std::sync::atomic::Ordering::Release);
    }

    /// Sets the table of dead stack bytes. The runtime reads it when an execution begins. A table that is too large is left out.
    pub fn set_frames(&mut self, table: &[u8]) {
        let length = if table.len() > FRAMES { 0 } else { table.len() };
        // SAFETY: within the mapping by the layout. The runtime reads only as much as the header counts.
        unsafe { ptr::copy_nonoverlapping(table.as_ptr(), self.at(self.layout.frames_at), length) };
        self.header().frames.store(length as u32, std::sync::atomic::Ordering::Release);
    }

    /// Makes executions end at these states, too.
    pub fn remember(&mut self, states: &[Fingerprint]) {
        for &state in states {
            let added = known::insert(self.known_table(), self.known.len(), state);
            self.known.extend(added.map(|at| at as u32));
        }
    }

    /// Forgets all states. No execution may be under way.
    pub fn forget_states(&mut self) {
        let used = std::mem::take(&mut self.known);
        used.iter().for_each(|&at| known::clear(&self.known_table()[at as usize]));
    }

    fn known_table(&self) -> &[known::Entry] {
        // SAFETY: within the mapping by the layout; only this side writes to it.
        unsafe { std::slice::from_raw_parts(self.at(self.layout.known_at), known::ENTRIES) }
    }

    /// The file descriptor of the shared memory, which the process inherits.
    pub fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// What the driver says. The other side cannot write there.
    pub fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a header that is filled in.
        unsafe { &*self.base.as_ptr().cast() }
    }

    /// What the runtime reports. Only its atomic fields may be read, and the program may have written to them.
    pub fn reports(&self) -> &Reports {
        // SAFETY: within the mapping by the layout. What the other side changes is atomic, or read through pointers.
        unsafe { &*self.at(self.layout.reports_at) }
    }

    /// How far the runtime has come. `None`: the program has written over it.
    pub fn stage(&self) -> Option<Stage> {
        let stage = self.key.unveil(self.reports().stage.load(Acquire));
        Stage::ALL.get(usize::try_from(stage).ok()?).copied()
    }

    /// What grows as executions go on. `None`: the program has written over it.
    pub fn progress(&self) -> Option<u64> {
        /// More operations than any process takes.
        const MOST: u64 = 1 << 48;
        Some(self.key.unveil(self.reports().progress.load(Relaxed))).filter(|progress| *progress < MOST)
    }

    /// The id of the process that runs the executions. 0 if the program has written over it.
    pub fn runner(&self) -> u32 {
        u32::try_from(self.key.unveil(self.reports().runner.load(Relaxed))).unwrap_or(0)
    }

    /// What executions did, as far as their results were taken.
    pub fn went(&self, how: Note) -> bool {
        self.told.notes & how as u64 != 0
    }

    /// The labels that executions have reached.
    pub fn labels(&self) -> &[u64] {
        &self.told.labels
    }

    /// The libraries that executions have loaded themselves.
    pub fn libraries(&self) -> Vec<PathBuf> {
        let names = self.told.libraries.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect()
    }

    /// The reason why the runtime cannot continue, in its words. `None`: the program has written over them.
    pub fn trouble(&self) -> Option<String> {
        let reports = self.reports();
        let length = (reports.trouble_len.load(Acquire) as usize).min(TROUBLE);
        // SAFETY: within the reports; copied, since the other side may write.
        let text: [u8; TROUBLE] = unsafe { ptr::read_volatile(&raw const (*ptr::from_ref(reports)).trouble) };
        let is_sealed = self.key.of_trouble(&text[..length]) == reports.trouble_seal.load(Relaxed);
        is_sealed.then(|| String::from_utf8_lossy(&text[..length]).into_owned())
    }

    /// Reads the lists that a result counts: the names of threads, of which `known` are known, the labels and the libraries. Keeps them
    /// if they are those that the runtime has written.
    fn take_lists(&mut self, head: &ResultHead, known: &mut Vec<ThreadName>) -> Option<()> {
        let (names, labels, libraries) = (head.names as usize, head.labels as usize, head.libraries as usize);
        let (old_labels, old_libraries) = (self.told.labels.len(), self.told.libraries.len());
        let grow = known.len() <= names && old_labels <= labels && old_libraries <= libraries;
        if !grow || names > self.layout.threads as usize || labels > LABELS || libraries > LIBRARIES {
            return None;
        }
        let old_names = known.len();
        let table: *const ThreadName = self.at(self.layout.names_at);
        // SAFETY: within the table; plain numbers.
        known.extend((old_names..names).map(|index| unsafe { ptr::read_volatile(table.add(index)) }));
        // Everybody but the main thread is created by somebody who was there before.
        let mut new = known.iter().enumerate().skip(old_names);
        let mut sensible = new.all(|(index, name)| name.parent.index() < index.max(1));
        let reports = self.reports();
        let new: Vec<u64> = reports.labels[old_labels..labels].iter().map(|label| label.load(Relaxed)).collect();
        let text = (&raw const reports.libraries).cast::<u8>();
        // SAFETY: within the reports.
        let more: Vec<u8> = (old_libraries..libraries).map(|at| unsafe { ptr::read_volatile(text.add(at)) }).collect();
        self.told.labels.extend(new);
        self.told.libraries.extend(more);
        let key = &self.key;
        let sum = key.of_names(known.iter().copied()).wrapping_add(key.of_libraries(&self.told.libraries));
        sensible &= sum.wrapping_add(key.of_labels(self.told.labels.iter().copied())) == head.lists;
        if !sensible {
            known.truncate(old_names);
            self.told.labels.truncate(old_labels);
            self.told.libraries.truncate(old_libraries);
            return None;
        }
        self.told.notes |= head.notes;
        Some(())
    }

    /// Writes plan number `index` into its slot. Returns false if the plan does not fit.
    pub fn put(&mut self, index: u32, plan: &Plan) -> bool {
        if plan.schedule.len() > self.layout.events as usize || plan.sleep.len() > self.layout.threads as usize {
            return false;
        }
        let slot = self.plan_slot(index);
        let (depth, length) = plan.policy.parameters();
        let wire = WirePlan {
            steps: plan.schedule.len() as u32,
            sleep: plan.sleep.len() as u32,
            policy: plan.policy.code(),
            max_steps: plan.max_steps,
            seed: plan.seed,
            record: plan.record.into(),
            depth,
            length,
            aims: plan.aim.is_some().into(),
            aim: plan.aim.unwrap_or_default(),
            round_first: plan.round.unwrap_or_default().first,
            round_length: plan.round.unwrap_or_default().length,
            round_claim: plan.round.map_or(0, |round| round.claim as u32 + 1),
            touches: plan.touches.unwrap_or(u32::MAX),
            max_switches: plan.max_switches.unwrap_or(u32::MAX),
            immediate: plan.immediate.code(),
            states: match plan.states {
                States::Off => NO_STATES,
                States::Rounds => ROUNDS,
                States::Record => RECORD_STATES,
                States::Stop => STOP_AT_STATES,
            },
        };
        // SAFETY: within the slot by the layout and the test above. The other side does not look at a slot that was
        // not submitted.
        unsafe {
            slot.cast::<WirePlan>().write(wire);
            let steps: *mut Step = slot.add(self.layout.steps_at as usize).cast();
            ptr::copy_nonoverlapping(plan.schedule.as_ptr(), steps, plan.schedule.len());
            let sleep: *mut ThreadId = slot.add(self.layout.sleep_at as usize).cast();
            ptr::copy_nonoverlapping(plan.sleep.as_ptr(), sleep, plan.sleep.len());
        }
        true
    }

    /// Copies the result of plan number `index` out of its slot, and adds the names of new threads to `names`. `None` if it is not what the
    /// runtime has written: the program has written over it.
    pub fn get(&mut self, index: u32, into: &mut Taken, record: bool, names: &mut Vec<ThreadName>) -> Option<()> {
        let slot = self.result_slot(index);
        // SAFETY: within the slot; plain numbers, of which every value is valid.
        let result = unsafe { ptr::read_volatile(slot.cast::<WireResult>()) };
        let (head, room) = (&result.head, &self.layout);
        if head.sequence != index
            || head.events > room.events
            || head.pending > room.threads
            || head.stack_words > room.stack_words
            || head.races as usize > RACES
            || head.states > head.events + 1
            || head.touches as usize > TOUCHES
            || self.key.seal(&result) != result.seal
        {
            return None;
        }
        // SAFETY: as much as there is room for, by the test above.
        unsafe {
            copy(slot.add(room.events_at as usize).cast(), head.events as usize, &mut into.events);
            copy(slot.add(room.pending_at as usize).cast(), head.pending as usize, &mut into.pending);
            copy(slot.add(room.races_at as usize).cast(), head.races as usize, &mut into.races);
            copy(slot.add(room.states_at as usize).cast(), head.states as usize, &mut into.states);
            copy(slot.add(room.touches_at as usize).cast(), head.touches as usize, &mut into.touches);
            // Of executions that are not recorded only the amount of output is known.
            let kept = head.output.min(room.output);
            debug_assert!(record || self.outputs || kept == 0, "output is kept that nobody asked for");
            copy(slot.add(room.output_at as usize), kept as usize, &mut into.output);
            copy(slot.add(room.stacks_at as usize).cast(), head.stack_words as usize, &mut into.stacks);
        }
        if into.sum(&self.key, head.notes) != head.sum {
            return None;
        }
        into.outcome = head.outcome.read(&into.events)?;
        into.circle = head.outcome.circle();
        let exists = |thread: ThreadId| u32::from(thread.0) < room.threads;
        let race_makes_sense = |race: &Race| {
            race.is_sensible() && race.events <= head.events && exists(race.later_thread) && exists(race.earlier_thread)
        };
        let sensible = into.events.iter().all(|event| exists(event.thread) && event.has_sound_choice())
            && into.pending.iter().all(|pending| exists(pending.thread))
            && into.races.iter().all(race_makes_sense)
            && into.touches.iter().all(|touch| touch.is_sensible(head.events))
            && into.touches.is_sorted_by_key(|touch| touch.events)
            && into.outcome.race().is_none_or(race_makes_sense)
            && into.outcome.fault().is_none_or(|fault| fault.threads().all(exists))
            && exists(head.thread);
        if !sensible {
            return None;
        }
        into.message.clear();
        let message = &result.message[..(head.message_len as usize).min(result.message.len())];
        into.message.push_str(&String::from_utf8_lossy(message));
        self.take_lists(&result.head, names)?;
        into.result = result.head;
        Some(())
    }

    fn plan_slot(&self, index: u32) -> *mut u8 {
        let slot = u64::from(index % self.layout.slots);
        self.at(self.layout.plans_at + slot * self.layout.plan_size)
    }

    fn result_slot(&self, index: u32) -> *mut u8 {
        let slot = u64::from(index % self.layout.slots);
        self.at(self.layout.results_at + slot * self.layout.result_size)
    }

    fn at<T>(&self, offset: u64) -> *mut T {
        // SAFETY: offsets come from the layout that the mapping was made for.
        unsafe { self.base.as_ptr().add(offset as usize).cast() }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // SAFETY: our own mapping, to which no reference outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.layout.size as usize) };
    }
}

/// A result, copied out of the shared memory. Its buffers are used again for the next one.
pub struct Taken {
    /// How the execution ended.
    pub outcome: Outcome,
    /// See [`heddle_model::Execution::circle`].
    pub circle: bool,
    /// The part of the result that has a fixed size.
    pub result: ResultHead,
    /// The events.
    pub events: Vec<Event>,
    /// The threads that had not ended.
    pub pending: Vec<Pending>,
    /// The data races that were seen.
    pub races: Vec<Race>,
    /// The states past the schedule, if they were asked for.
    pub states: Vec<Fingerprint>,
    /// What was told of plain memory, if that was asked for.
    pub touches: Vec<PlainTouch>,
    /// Call stacks, if recorded.
    pub stacks: Vec<u64>,
    /// What the program printed.
    pub output: Vec<u8>,
    /// The text that belongs to the outcome.
    pub message: String,
}

impl Taken {
    /// An empty result.
    pub fn new() -> Taken {
        Taken {
            outcome: Outcome::Running,
            circle: false,
            result: ResultHead::default(),
            events: Vec::new(),
            pending: Vec::new(),
            races: Vec::new(),
            states: Vec::new(),
            touches: Vec::new(),
            stacks: Vec::new(),
            output: Vec::new(),
            message: String::new(),
        }
    }

    /// The sum over all that was copied: [`ResultHead::sum`].
    fn sum(&self, key: &Key, notes: u64) -> u64 {
        let mut sum = key.of_notes(notes);
        let mut add = |number: u64| sum = sum.wrapping_add(number);
        self.events.iter().zip(0..).for_each(|(event, index)| add(key.of_event(index, event)));
        self.pending.iter().zip(0..).for_each(|(pending, index)| add(key.of_pending(index, pending)));
        self.races.iter().zip(0..).for_each(|(race, index)| add(key.of_race(index, race)));
        self.states.iter().zip(0..).for_each(|(&state, index)| add(key.of_state(index, state)));
        self.touches.iter().zip(0..).for_each(|(touch, index)| add(key.of_touch(index, touch)));
        add(key.of_stack(0, &self.stacks));
        add(key.of_output(0, &self.output));
        sum
    }

    /// Makes this the result of an execution that wrote none, because its process died or hangs.
    pub fn lost(&mut self, outcome: Outcome, message: &str) {
        (self.outcome, self.circle, self.result) = (outcome, false, ResultHead::default());
        self.events.clear();
        self.pending.clear();
        self.races.clear();
        self.states.clear();
        self.touches.clear();
        self.stacks.clear();
        self.output.clear();
        self.message.clear();
        self.message.push_str(message);
    }
}

/// Random numbers of the system's.
fn draw() -> io::Result<[u64; 2]> {
    let mut bytes = [0u8; 16];
    // SAFETY: fills bytes of our own.
    if unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) } != bytes.len() as isize {
        return Err(io::Error::last_os_error());
    }
    let number = u128::from_ne_bytes(bytes);
    Ok([number as u64, (number >> 64) as u64])
}

/// # Safety
/// `count` values of `T` can be read at `from`. Every bit pattern is a valid `T`.
unsafe fn copy<T>(from: *const T, count: usize, into: &mut Vec<T>) {
    into.clear();
    into.reserve(count);
    // SAFETY: the caller's, and there is room.
    unsafe {
        ptr::copy_nonoverlapping(from, into.as_mut_ptr(), count);
        into.set_len(count);
    }
}

#[cfg(test)]
mod tests;
