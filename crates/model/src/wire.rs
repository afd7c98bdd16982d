//! The memory that Heddle shares with the program under test.
//!
//! One file, mapped by both: a [`Header`], the [names of the threads](ThreadName), and a ring of slots, each with
//! room for a plan and for the execution that comes back. The driver fills a slot's plan and raises
//! [`Header::submitted`]; the runtime runs it, fills the slot's result and raises [`Header::completed`]. There is
//! one exchange for each execution, none for each step. The file is sparse: room that is not used costs nothing.
//!
//! Both sides are built from this file, so the layout may change with [`VERSION`]; nothing of it is stored.

use core::sync::atomic::{AtomicU32, AtomicU64};

use crate::follow::Step;
use crate::race::Race;
use crate::{Event, Latitude, Pending, ThreadId};

/// The first bytes of the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"heddle\0w");
/// Both sides must have been built with the same.
pub const VERSION: u32 = 8;
/// The variable in the program's environment that holds the number of the shared file's descriptor.
pub const ENVIRONMENT: &str = "HEDDLE_WIRE_FD";
/// Where the runtime maps the file in the program.
pub const ADDRESS: usize = 0x6000_0000_0000;
/// Where the runtime puts the threads' heaps, one after the other: an address says whose it is.
pub const HEAPS: u64 = 0x1000_0000_0000;
/// From one thread's heap to the next.
pub const HEAP_STRIDE: u64 = 16 << 30;
/// Where the runtime puts the stacks of threads.
pub const STACKS: u64 = 0x5000_0000_0000;
/// From one thread's stack to the next.
pub const STACK_STRIDE: u64 = 1 << 30;

/// In [`Header::memory`]: accesses outside of blocks, after their end, and the like.
pub const MEMORY: u32 = 1;
/// In [`Header::memory`]: blocks that nothing points to when the process ends.
pub const LEAKS: u32 = 2;

/// Among the call stacks of a recorded execution, behind all others: a stack that begins with this word, then an object
/// that lies in the heap, then where its block was allocated.
pub const SITE: u64 = u64::MAX - 1;
/// The first word of four that stand among the call stacks: an object on a stack, an address in the code of the function whose
/// variable it is, and where the frame of that function ends.
pub const LOCAL: u64 = u64::MAX - 3;
/// The first word of a list that stands among the call stacks: objects that were made by a call before `main` began.
pub const MADE_BEFORE: u64 = u64::MAX - 2;

/// How an execution starts over. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Restart {
    /// Memory is put back.
    Snapshot = 1,
    /// Each execution in a forked child.
    Fork = 2,
    /// Each execution in a new process.
    Exec = 3,
}

/// What to do about data races. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
pub enum Races {
    /// Do not look for them.
    Off = 0,
    /// An execution ends at its first one.
    #[default]
    Stop = 1,
    /// An execution has a list of them, and goes on.
    Go = 2,
}

impl Races {
    /// The name in trace files.
    pub const fn name(self) -> &'static str {
        match self {
            Races::Off => "off",
            Races::Stop => "stop",
            Races::Go => "go",
        }
    }

    /// What `name` says; none if it is no name of one of these.
    pub fn from_name(name: &str) -> Option<Races> {
        [Races::Off, Races::Stop, Races::Go].into_iter().find(|races| races.name() == name)
    }
}

/// How many places of plain memory can be visible.
pub const PLACES: usize = 1 << 16;
/// How many races of one execution are listed.
pub const RACES: usize = 256;

/// How far the runtime has come. The numbers are part of the wire format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Stage {
    /// The process was made; nothing is known of it.
    Launched = 0,
    /// The runtime is loaded, before the program's constructors.
    Loaded = 1,
    /// At `main`: takes plans.
    Ready = 2,
    /// It cannot go on; [`Header::trouble`] says why.
    Failed = 3,
}

/// How many values an undetermined number can have.
pub const VALUES: usize = 64;
/// How many functions can run as one step.
pub const ATOMIC_FUNCTIONS: usize = 64;
/// How many labels can be reached.
pub const LABELS: usize = 512;

/// The longest path of a scratch directory, with a zero at its end.
pub const SCRATCH: usize = 512;
/// The longest path of a file to read, with a zero at its end.
pub const INPUT: usize = 4096;

/// What an execution can do that is outside the model: bits of [`Header::outside`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Outside {
    /// It made a process.
    Processes = 1,
    /// It changed files where they are, because there is no scratch directory.
    Files = 2,
}

/// Bytes for names of libraries.
pub const LIBRARIES: usize = 4096;

/// What the program and Heddle say to each other by name (`heddle.h`).
#[repr(C)]
pub struct Annotations {
    /// The values that an undetermined number takes, of which `values_len` are given; each is cut to its type.
    pub values: [i64; VALUES],
    /// How many.
    pub values_len: u32,
    /// 1: the program has asked for an undetermined number that has more values than those. Set by the runtime.
    pub values_used: AtomicU32,
    /// Functions of the program's that run as one step, from their first address to one past their last, as the program's
    /// file has them.
    pub functions: [[u64; 2]; ATOMIC_FUNCTIONS],
    /// Where the program begins, as its file has it: from this the runtime knows where it was loaded.
    pub entry: u64,
    /// How many functions.
    pub functions_len: u32,
    /// How many labels were reached.
    pub labels_len: AtomicU32,
    /// The [fingerprints](label) of the labels that were reached, by any execution.
    pub labels: [AtomicU64; LABELS],
}

/// The fingerprint of a label: 64-bit FNV-1a.
pub const fn label(text: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut at = 0;
    while at < text.len() {
        hash = (hash ^ text[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

/// The beginning of the file.
#[repr(C)]
pub struct Header {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// How to start over ([`Restart`]).
    pub restart: u32,
    /// Where things are.
    pub layout: Layout,
    /// Bytes that the program may allocate from its heap in one execution.
    pub memory_limit: u64,
    /// The stack of a thread whose attributes do not say: bytes.
    pub stack_size: u64,
    /// How many threads to prepare for. The runtime asks for more with `NeedsThreads`; the driver keeps the number
    /// here for the next process.
    pub threads_wanted: u32,
    /// Compare all memory with the snapshot after each restoration (slow; for tests).
    pub check_restore: u32,
    /// Whether to look for data races, and what then ([`Races`]).
    pub races: u32,
    /// What to look for in memory: [`MEMORY`] and [`LEAKS`].
    pub memory: u32,
    /// Bytes of freed blocks that each thread's heap keeps unused before it hands them out again.
    pub quarantine: u64,
    /// What the thread library may do of its own accord.
    pub latitude: Latitude,
    /// 1: some execution came to a time-out that was left out because its thread had timed out too often before. Set by the
    /// runtime.
    pub timeouts_left_out: AtomicU32,
    /// 1: a primitive that is used against its rules ends the execution.
    pub misuse: u32,
    /// 1: what the program prints is kept of every execution, not only of recorded ones.
    pub outputs: u32,
    /// How many places of plain memory are visible: written between executions.
    pub places: AtomicU32,
    /// How far the runtime has come ([`Stage`]).
    pub stage: AtomicU32,
    /// Plans that the driver has filled in, ever. Runs around.
    pub submitted: AtomicU32,
    /// Executions that the runtime has finished, ever. Runs around.
    pub completed: AtomicU32,
    /// 1 while the runtime sleeps on `submitted` and must be woken by a futex call.
    pub runtime_sleeps: AtomicU32,
    /// 1 while the driver sleeps on `completed`.
    pub driver_sleeps: AtomicU32,
    /// 1: the runtime is to leave at the next plan.
    pub quit: AtomicU32,
    /// Events ever taken: it stands still when the program hangs.
    pub progress: AtomicU64,
    /// Memory restorations that were compared, and pages found different.
    pub checked: AtomicU64,
    /// See `checked`.
    pub differing: AtomicU64,
    /// How many thread names there are.
    pub names: AtomicU32,
    /// The process id of the process that runs the executions (the forked child, where there is one).
    pub runner: AtomicU32,
    /// 1: the program calls `pthread_exit`, for which a library must be loaded before executions begin. Set by the runtime,
    /// which then asks to run the plan again (`NeedsThreads`); kept for the next process.
    pub unwinder: AtomicU32,
    /// While the driver sleeps: it wants to be woken when `completed` gets here, and not before, unless the runtime has
    /// nothing left to do. Waking it for each execution would cost more than many an execution does.
    pub wake_at: AtomicU32,
    /// 1: an execution has left something in the scratch directory. Set by the runtime.
    pub scratch_used: AtomicU32,
    /// What executions did that is outside the model ([`Outside`]), by any of them. Set by the runtime.
    pub outside: AtomicU32,
    /// A directory for what executions write to files: a path, ending in zero bytes. Empty: there is none.
    pub scratch: [u8; SCRATCH],
    /// The file that every execution reads as its standard input: a path, ending in zero bytes. Empty: there is none.
    pub input: [u8; INPUT],
    /// So many bytes of `libraries` are in use.
    pub libraries_len: AtomicU32,
    /// The libraries that executions have loaded themselves: names that end in zero bytes. Set by the runtime.
    pub libraries: [u8; LIBRARIES],
    /// What the program and Heddle say to each other by name.
    pub annotations: Annotations,
    /// Why the stage is `Failed`: text, ending in zero bytes.
    pub trouble: [u8; 512],
}

/// Where things are in the file, and how much room they have. Set by the driver.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Layout {
    /// Bytes in all.
    pub size: u64,
    /// The thread names.
    pub names_at: u64,
    /// The visible places of plain memory: granules of eight bytes, by their addresses.
    pub places_at: u64,
    /// The first slot.
    pub slots_at: u64,
    /// From one slot to the next.
    pub slot_size: u64,
    /// In a slot: the steps of the plan.
    pub steps_at: u64,
    /// In a slot: the plan's sleeping threads.
    pub sleep_at: u64,
    /// In a slot: the events of the execution.
    pub events_at: u64,
    /// In a slot: what the threads were about to do at the end.
    pub pending_at: u64,
    /// In a slot: call stacks ([`WireResult::stack_words`]).
    pub stacks_at: u64,
    /// In a slot: what the program printed.
    pub output_at: u64,
    /// In a slot: the races of the execution.
    pub races_at: u64,
    /// How many slots.
    pub slots: u32,
    /// Room for threads.
    pub threads: u32,
    /// Room for the steps of a plan and the events of an execution.
    pub events: u32,
    /// Room for words of call stacks.
    pub stack_words: u32,
    /// Room for bytes of output.
    pub output: u32,
    /// Zero.
    pub reserved: u32,
}

const PAGE: u64 = 4096;

impl Layout {
    /// A layout with room for these.
    pub const fn new(slots: u32, threads: u32, events: u32, stack_words: u32, output: u32) -> Layout {
        const fn up(at: u64) -> u64 {
            at.next_multiple_of(PAGE)
        }
        let names_at = up(size_of::<Header>() as u64);
        let places_at = up(names_at + threads as u64 * size_of::<ThreadName>() as u64);
        let slots_at = up(places_at + PLACES as u64 * 8);
        let steps_at = up(size_of::<Slot>() as u64);
        let sleep_at = up(steps_at + events as u64 * size_of::<Step>() as u64);
        let events_at = up(sleep_at + threads as u64 * size_of::<ThreadId>() as u64);
        let pending_at = up(events_at + events as u64 * size_of::<Event>() as u64);
        let stacks_at = up(pending_at + threads as u64 * size_of::<Pending>() as u64);
        let output_at = up(stacks_at + stack_words as u64 * 8);
        let races_at = up(output_at + output as u64);
        let slot_size = up(races_at + RACES as u64 * size_of::<Race>() as u64);
        Layout {
            size: slots_at + slots as u64 * slot_size,
            names_at,
            places_at,
            slots_at,
            slot_size,
            steps_at,
            sleep_at,
            events_at,
            pending_at,
            stacks_at,
            output_at,
            races_at,
            slots,
            threads,
            events,
            stack_words,
            output,
            reserved: 0,
        }
    }
}

/// Whose n-th child a thread is. Thread `i` has entry `i`; the main thread is its own parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct ThreadName {
    /// Who creates it.
    pub parent: ThreadId,
    /// Zero.
    pub reserved: u16,
    /// Its number among that thread's children, from 0.
    pub ordinal: u32,
}

/// One plan and its execution.
#[repr(C)]
pub struct Slot {
    /// What to do.
    pub plan: WirePlan,
    /// What came of it.
    pub result: WireResult,
}

/// A plan's fixed part; the steps and the sleeping threads are elsewhere in the slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct WirePlan {
    /// How many steps.
    pub steps: u32,
    /// How many sleeping threads.
    pub sleep: u32,
    /// [`crate::follow::Policy::code`].
    pub policy: u32,
    /// See [`crate::follow::PlanView::max_steps`].
    pub max_steps: u32,
    /// See [`crate::follow::PlanView::seed`].
    pub seed: u64,
    /// 1: record call stacks and output.
    pub record: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub depth: u32,
    /// See [`crate::follow::Policy::parameters`].
    pub length: u32,
    /// 1: end at the race `aim`.
    pub aims: u32,
    /// See [`crate::Plan`].
    pub aim: Race,
    /// See [`crate::round::Round`].
    pub round_first: u32,
    /// 0 if there is none to look at.
    pub round_length: u32,
}

/// Room for words about the outcome.
pub const MESSAGE: usize = 480;

/// A result's fixed part.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WireResult {
    /// [`crate::Outcome`].
    pub outcome: u32,
    /// How many events.
    pub events: u32,
    /// A number that belongs to the outcome.
    pub detail: u64,
    /// See [`crate::Execution::left`].
    pub left: u64,
    /// Where the program was, for outcomes that are no event (a hang, an unsupported call).
    pub pc: u64,
    /// How many threads had not ended.
    pub pending: u32,
    /// How many words of call stacks. With `record`, the stacks of the events follow each other: for each event,
    /// then for each pending thread, a word with the number of frames, then the return addresses, innermost first. After
    /// those, in the same form, the stacks that belong to a [`crate::fault::Fault`]: where its block was allocated and
    /// where it was freed; of a leak, where each of the lost blocks was allocated.
    pub stack_words: u32,
    /// How many bytes the program printed, of which at most [`Layout::output`] were kept. What went to standard
    /// error is in it too, in the order of printing.
    pub output: u32,
    /// The thread that was running at the end.
    pub thread: ThreadId,
    /// Zero.
    pub reserved: u16,
    /// How many bytes of `message` are used.
    pub message_len: u32,
    /// How many races are listed.
    pub races: u32,
    /// UTF-8 as far as the program's own strings are.
    pub message: [u8; MESSAGE],
}
