//! The driver's side of the memory that is shared with the program: see [`heddle_model::wire`].
//!
//! Each process has a memory file of its own. A process that died may leave children that still write to its file for a moment, and
//! they cannot reach the file of the next process. Only the names of threads are carried over, because plans name threads.
//!
//! The program can write to the shared memory and may be broken. So counts are checked against the size of their arrays, and events
//! are copied before they are used, so that a stray write of the next execution cannot change them.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::{self, NonNull};

use heddle_model::follow::Step;
use heddle_model::race::Race;
use heddle_model::wire::{
    ATOMIC_FUNCTIONS, Annotations, CONTENTS, FRAMES, Header, LIBRARIES, Layout, MAGIC, NO_STATES, PLACES, RACES,
    RECORD_STATES, ROUNDS, STOP_AT_STATES, Slot, TOUCHES, ThreadName, VERSION, WirePlan, WireResult, known,
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
}

// SAFETY: the mapping belongs to this value alone, as a vector's memory would.
unsafe impl Send for Wire {}

impl Wire {
    /// Makes new shared memory: the header is filled in from `briefing` and `names`, and there are no plans.
    pub fn new(layout: Layout, briefing: &Briefing, names: &[ThreadName]) -> io::Result<Wire> {
        // SAFETY: a name that ends in zero.
        let raw = unsafe { libc::memfd_create(c"heddle-wire".as_ptr(), libc::MFD_CLOEXEC) };
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
        // SAFETY: a new mapping anywhere.
        let base = unsafe {
            let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_NORESERVE);
            libc::mmap(ptr::null_mut(), layout.size as usize, protection, flags, file.as_raw_fd(), 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).expect("a mapping is not at 0");
        let mut wire = Wire { base, layout, file, outputs: briefing.settings.outputs, known: Vec::new() };
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
            *(*header).unwinder.get_mut() = briefing.unwinder.into();
            *(*header).names.get_mut() = names.len() as u32;
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
            ptr::copy_nonoverlapping(names.as_ptr(), table, names.len().min(self.layout.threads as usize));
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

    /// The header. Only its atomic fields may be read while a process runs.
    pub fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a header that is filled in. What the other side changes is atomic, but for
        // `trouble`, which is read through `trouble`.
        unsafe { &*self.base.as_ptr().cast() }
    }

    /// The libraries that executions have loaded themselves.
    pub fn libraries(&self) -> Vec<PathBuf> {
        let used = self.header().libraries_len.load(std::sync::atomic::Ordering::Acquire) as usize;
        // SAFETY: within the header; copied, since the other side may write.
        let text: [u8; LIBRARIES] =
            unsafe { ptr::read_volatile(&raw const (*self.base.as_ptr().cast::<Header>()).libraries) };
        let names = text[..used.min(LIBRARIES)].split(|&byte| byte == 0).filter(|name| !name.is_empty());
        names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect()
    }

    /// The reason why the runtime cannot continue, in its words.
    pub fn trouble(&self) -> String {
        // SAFETY: within the header; copied, since the other side may write.
        let mut text: [u8; 512] =
            unsafe { ptr::read_volatile(&raw const (*self.base.as_ptr().cast::<Header>()).trouble) };
        text[511] = 0;
        CStr::from_bytes_until_nul(&text).map_or(String::new(), |text| text.to_string_lossy().into_owned())
    }

    /// Adds the names of new threads to `known`. Returns false if the names are inconsistent, because the program overwrote them.
    pub fn add_names(&self, known: &mut Vec<ThreadName>) -> bool {
        let count = self.header().names.load(std::sync::atomic::Ordering::Acquire) as usize;
        if count == known.len() {
            return true;
        }
        if count < known.len() || count > self.layout.threads as usize {
            return false;
        }
        let table: *const ThreadName = self.at(self.layout.names_at);
        for index in known.len()..count {
            // SAFETY: within the table; plain numbers.
            let name = unsafe { ptr::read_volatile(table.add(index)) };
            // Everybody but the main thread is created by somebody who was there before.
            if name.parent.index() >= index.max(1) {
                known.truncate(index);
                return false;
            }
            known.push(name);
        }
        true
    }

    /// Writes plan number `index` into its slot. Returns false if the plan does not fit.
    pub fn put(&mut self, index: u32, plan: &Plan) -> bool {
        if plan.schedule.len() > self.layout.events as usize || plan.sleep.len() > self.layout.threads as usize {
            return false;
        }
        let slot = self.slot(index);
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
            contents: plan.contents.into(),
            reserved: 0,
        };
        // SAFETY: within the slot by the layout and the test above. The other side does not look at a slot that was
        // not submitted.
        unsafe {
            (*slot.cast::<Slot>()).plan = wire;
            let steps: *mut Step = slot.add(self.layout.steps_at as usize).cast();
            ptr::copy_nonoverlapping(plan.schedule.as_ptr(), steps, plan.schedule.len());
            let sleep: *mut ThreadId = slot.add(self.layout.sleep_at as usize).cast();
            ptr::copy_nonoverlapping(plan.sleep.as_ptr(), sleep, plan.sleep.len());
        }
        true
    }

    /// Copies the result of plan number `index` out of its slot. `None` if the result is inconsistent or has counts beyond its arrays,
    /// because the program overwrote it.
    pub fn get(&self, index: u32, into: &mut Taken, record: bool) -> Option<()> {
        let slot = self.slot(index);
        // SAFETY: within the slot; plain numbers, of which every value is valid.
        let result = unsafe { ptr::read_volatile(&raw const (*slot.cast::<Slot>()).result) };
        let room = &self.layout;
        if result.events > room.events
            || result.pending > room.threads
            || result.stack_words > room.stack_words
            || result.races as usize > RACES
            || result.states > result.events + 1
            || result.touches as usize > TOUCHES
            || result.contents as usize > CONTENTS
        {
            return None;
        }
        // SAFETY: as much as there is room for, by the test above.
        unsafe {
            copy(slot.add(room.events_at as usize).cast(), result.events as usize, &mut into.events);
            copy(slot.add(room.pending_at as usize).cast(), result.pending as usize, &mut into.pending);
            copy(slot.add(room.races_at as usize).cast(), result.races as usize, &mut into.races);
            copy(slot.add(room.states_at as usize).cast(), result.states as usize, &mut into.states);
            copy(slot.add(room.touches_at as usize).cast(), result.touches as usize, &mut into.touches);
            copy(slot.add(room.contents_at as usize).cast(), result.contents as usize, &mut into.contents);
            // Of executions that are not recorded only the amount of output is known.
            let printed = if record || self.outputs { result.output.min(room.output) } else { 0 };
            let (output, words) = (printed, if record { result.stack_words } else { 0 });
            copy(slot.add(room.output_at as usize), output as usize, &mut into.output);
            copy(slot.add(room.stacks_at as usize).cast(), words as usize, &mut into.stacks);
        }
        into.outcome = result.outcome.read(&into.events)?;
        into.circle = result.outcome.circle();
        let exists = |thread: ThreadId| u32::from(thread.0) < room.threads;
        let race_makes_sense = |race: &Race| {
            race.is_sensible()
                && race.events <= result.events
                && exists(race.later_thread)
                && exists(race.earlier_thread)
        };
        let sensible = into.events.iter().all(|event| exists(event.thread) && event.has_sound_choice())
            && into.pending.iter().all(|pending| exists(pending.thread))
            && into.races.iter().all(race_makes_sense)
            && into.touches.iter().all(|touch| touch.is_sensible(result.events))
            && into.touches.is_sorted_by_key(|touch| touch.events)
            && into.outcome.race().is_none_or(race_makes_sense)
            && into.outcome.fault().is_none_or(|fault| fault.threads().all(exists))
            && exists(result.thread);
        into.message.clear();
        let message = &result.message[..(result.message_len as usize).min(result.message.len())];
        into.message.push_str(&String::from_utf8_lossy(message));
        into.result = result;
        sensible.then_some(())
    }

    fn slot(&self, index: u32) -> *mut u8 {
        let slot = u64::from(index % self.layout.slots);
        self.at(self.layout.slots_at + slot * self.layout.slot_size)
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
    pub result: WireResult,
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
    /// What these states consist of, if that was asked for.
    pub contents: Vec<u64>,
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
            result: nothing(),
            events: Vec::new(),
            pending: Vec::new(),
            races: Vec::new(),
            states: Vec::new(),
            touches: Vec::new(),
            contents: Vec::new(),
            stacks: Vec::new(),
            output: Vec::new(),
            message: String::new(),
        }
    }

    /// Makes this the result of an execution that wrote none, because its process died or hangs.
    pub fn lost(&mut self, outcome: Outcome, message: &str) {
        (self.outcome, self.circle, self.result) = (outcome, false, nothing());
        self.events.clear();
        self.pending.clear();
        self.races.clear();
        self.states.clear();
        self.touches.clear();
        self.contents.clear();
        self.stacks.clear();
        self.output.clear();
        self.message.clear();
        self.message.push_str(message);
    }
}

fn nothing() -> WireResult {
    // SAFETY: numbers and arrays of numbers, of which zero is a value.
    unsafe { std::mem::zeroed() }
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
mod tests {
    use super::*;
    use heddle_model::race::Access;
    use heddle_model::wire::WireOutcome;
    use heddle_model::{Ending, Values};
    use std::sync::atomic::Ordering::Relaxed;

    fn settings() -> Settings {
        Settings { quarantine: 4, outputs: true, nondet: Values::given(&[1, -1]).unwrap(), ..Settings::default() }
    }

    fn wire(names: &[ThreadName]) -> Wire {
        let briefing = Briefing {
            settings: settings(),
            inputs: vec![Input { value: 9, ..Input::default() }],
            restart: Restart::Fork,
            threads_wanted: 3,
            check_restore: true,
            input: Vec::new(),
            scratch: Vec::new(),
            places: vec![8, 16],
            unwinder: true,
            entry: 5,
            functions: vec![[6, 7]],
        };
        Wire::new(Layout::new(2, 8, 64, 32, 16), &briefing, names).unwrap()
    }

    #[test]
    fn the_header_says_what_was_asked_for() {
        let names = [ThreadName::default(), ThreadName { ordinal: 7, ..ThreadName::default() }];
        let wire = wire(&names);
        let header = wire.header();
        assert_eq!((header.magic, header.version, header.restart), (MAGIC, VERSION, Restart::Fork as u32));
        assert_eq!((header.threads_wanted, header.check_restore), (3, 1));
        assert_eq!(header.settings, settings());
        assert_eq!(header.unwinder.load(Relaxed), 1);
        let annotations = &header.annotations;
        assert_eq!(annotations.entry, 5);
        assert_eq!(header.places.load(Relaxed), 2);
        assert_eq!((annotations.functions_len, annotations.functions[0]), (1, [6, 7]));
        assert_eq!((annotations.inputs_len, annotations.inputs[0].value), (1, 9));
        let mut copied = Vec::new();
        assert!(wire.add_names(&mut copied));
        assert_eq!(copied, names);
        header.names.store(9, Relaxed);
        assert!(!wire.add_names(&mut copied), "there is room for 8");
        header.names.store(1, Relaxed);
        assert!(!wire.add_names(&mut copied), "names do not go away");
        header.names.store(3, Relaxed);
        assert!(wire.add_names(&mut copied));
        assert_eq!(copied.len(), 3);
        assert!(wire.descriptor() >= 100);
    }

    #[test]
    fn plans_that_do_not_fit_are_refused() {
        let mut wire = wire(&[]);
        let plan = |steps| Plan { schedule: vec![Step::default(); steps], ..Plan::default() };
        assert!(wire.put(0, &plan(64)));
        assert!(!wire.put(0, &plan(65)));
    }

    #[test]
    fn results_are_checked() {
        let wire = wire(&[]);
        let mut taken = Taken::new();
        let write = |index: u32, result: WireResult| {
            // SAFETY: within the slot.
            unsafe { (*wire.slot(index).cast::<Slot>()).result = result };
        };
        let deadlock = WireOutcome::new(&Outcome::Deadlock, false);
        let good = WireResult { outcome: deadlock, events: 64, pending: 8, ..nothing() };
        write(3, good);
        assert!(wire.get(3, &mut taken, true).is_some());
        assert_eq!((taken.events.len(), taken.pending.len()), (64, 8));
        assert!(wire.get(1, &mut taken, true).is_some(), "slot 3 is slot 1 of 2");
        let race = |change: fn(&mut Race)| {
            let mut race = Race { later: Access::new(true, false), events: 64, ..Race::default() };
            change(&mut race);
            WireOutcome::new(&Outcome::Race(race), false)
        };
        write(0, WireResult { outcome: race(|_| {}), ..good });
        assert!(wire.get(0, &mut taken, true).is_some());
        // No event of these ends the process.
        let ended = Outcome::Ended { ending: Ending::Abort, fault: None };
        for bad in [
            WireResult { events: 65, ..good },
            WireResult { pending: 9, ..good },
            WireResult { stack_words: 33, ..good },
            WireResult { races: RACES as u32 + 1, ..good },
            WireResult { touches: TOUCHES as u32 + 1, ..good },
            WireResult { contents: CONTENTS as u32 + 1, ..good },
            // What is there is no memory: it has no bytes.
            WireResult { touches: 1, ..good },
            WireResult { thread: ThreadId(8), ..good },
            WireResult { outcome: race(|race| race.later_thread = ThreadId(8)), ..good },
            WireResult { outcome: race(|race| race.earlier_thread = ThreadId(8)), ..good },
            WireResult { outcome: race(|race| race.events = 65), ..good },
            WireResult {
                outcome: WireOutcome::new(
                    &Outcome::Cycle { length: 65, claim: heddle_model::round::Claim::Suspected },
                    false,
                ),
                ..good
            },
            WireResult { outcome: WireOutcome::new(&ended, false), ..good },
        ] {
            write(0, bad);
            assert!(wire.get(0, &mut taken, true).is_none());
        }
    }

    /// Any bytes in a slot are taken as a result or refused.
    #[test]
    fn foreign_bytes_as_a_result() {
        let wire = wire(&[]);
        let good =
            WireResult { outcome: WireOutcome::new(&Outcome::Deadlock, false), events: 64, pending: 8, ..nothing() };
        let size = wire.layout.slot_size as usize;
        // SAFETY: a slot is as long as this, within the mapping, and no process has it.
        let right = unsafe {
            (*wire.slot(0).cast::<Slot>()).result = good;
            std::slice::from_raw_parts(wire.slot(0), size).to_vec()
        };
        let mut taken = Taken::new();
        heddle_testkit::bytes::damage(&[right], |bytes| {
            // SAFETY: no more than there is room for in the slot, which no process has.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), wire.slot(0), bytes.len().min(size)) };
            let _ = wire.get(0, &mut taken, true);
        });
    }
}
