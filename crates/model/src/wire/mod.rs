//! The memory that Heddle shares with the program under test.
//!
//! It is one file that both sides map. What the driver says comes first: a [`Header`], the visible places of plain memory, a ring of
//! plans, the table of [dead stack bytes](FrameTable), and a table of [known states](known). The program's process can only read it. What the runtime
//! [reports](Reports) follows: the [names of the threads](ThreadName) and a ring of results. The driver fills in a plan and increments
//! [`Header::submitted`]. The runtime runs it, fills in its result, [seals](Key) it and increments [`Reports::completed`]. There is
//! one exchange for each execution, none for each step. The file is sparse, so unused room costs nothing.
//!
//! Both sides are built from this file, and the layout is never stored. It may therefore change with [`VERSION`].

mod frames;
mod header;
pub mod known;
mod layout;
mod outcome;
mod seal;
mod slot;

pub use crate::Restart;
pub use frames::{DeadRange, Frame, FrameBase, FrameCall, FrameTable, KEPT, Walk};
pub use header::{Annotations, Header, Reports, ThreadName, label};
pub use layout::Layout;
pub use outcome::WireOutcome;
pub use seal::Key;
pub use slot::{MESSAGE, NO_STATES, RECORD_STATES, ROUNDS, ResultHead, STOP_AT_STATES, WirePlan, WireResult};

/// The first bytes of the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"heddle\0w");
/// The version of the layout. Both sides must agree on it.
pub const VERSION: u32 = 18;
/// The environment variable that holds the shared file's descriptor.
pub const ENVIRONMENT: &str = "HEDDLE_WIRE_FD";
/// How the names of environment variables begin that only fill the environment up to a fixed size.
pub const PADDING: &str = "HEDDLE_PADDING";
/// The first address of those that are the runtime's. It maps the file somewhere from there on.
pub const ADDRESS: usize = 0x6000_0000_0000;
/// The address of the first thread's heap. The heaps follow each other, so an address tells whose heap it is in.
pub const HEAPS: u64 = 0x1000_0000_0000;
/// The distance from one thread's heap to the next.
pub const HEAP_STRIDE: u64 = 16 << 30;
/// The address of the first thread's stack.
pub const STACKS: u64 = 0x5000_0000_0000;
/// The distance from one thread's stack to the next.
pub const STACK_STRIDE: u64 = 1 << 30;

/// The first word of an allocation site after the call stacks of a recorded execution. It is followed by an object in
/// the heap and the call stack that allocated its block.
pub const SITE: u64 = u64::MAX - 1;
/// The first word of four among the call stacks that describe a local variable. The others are an object on a stack, an
/// address in the code of the variable's function, and the end of that function's frame.
pub const LOCAL: u64 = u64::MAX - 3;
/// The first word of a list among the call stacks: the objects that were initialised by a call before `main` began.
pub const MADE_BEFORE: u64 = u64::MAX - 2;

/// The largest number of visible places of plain memory.
pub const PLACES: usize = 1 << 16;
/// The largest number of data races listed for one execution.
pub const RACES: usize = 256;
/// The most that is told of plain memory in one execution.
pub const TOUCHES: usize = 1 << 16;
/// The largest table of dead stack bytes. A program with a larger one is run without. What is never written takes no memory.
pub const FRAMES: usize = 64 << 20;

/// How far the runtime has come. The numbers are part of the wire format: [`Reports::stage`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Stage {
    /// The process was created. Nothing else is known about it.
    Launched = 0,
    /// The runtime is loaded. The program's constructors have not run yet.
    Loaded = 1,
    /// The program is at `main` and the runtime accepts plans.
    Ready = 2,
    /// The runtime cannot continue. [`Reports::trouble`] says why.
    Failed = 3,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 4] = [Stage::Launched, Stage::Loaded, Stage::Ready, Stage::Failed];
}

/// The largest number of functions that run as one step.
pub const ATOMIC_FUNCTIONS: usize = 64;
/// The largest number of labels that can be reached.
pub const LABELS: usize = 512;

/// The longest path of a scratch directory, including the terminating zero.
pub const SCRATCH: usize = 512;
/// The longest text of [`Reports::trouble`].
pub const TROUBLE: usize = 512;
/// The longest path of an input file, including the terminating zero.
pub const INPUT: usize = 4096;

/// What an execution can do that the driver is to know of beside its outcome: bits of [`ResultHead::notes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u64)]
pub enum Note {
    /// The program created a process.
    Processes = 1,
    /// The program changed files in place, because there is no scratch directory.
    Files = 2,
    /// A library that is not instrumented created a thread.
    Threads = 4,
    /// Threads opened or closed descriptors, and nothing orders which of them gets which number.
    Numbers = 8,
    /// A file is mapped to be shared, and it is also mapped elsewhere, or used by calls.
    SharedFiles = 16,
    /// It asked for a nondeterministic number with more values than were tried.
    ValuesUsed = 32,
    /// It skipped a timeout because its thread had timed out too often before.
    TimeoutsLeftOut = 64,
    /// A thread waited in a loop that looks at a clock, whatever the time was.
    WaitsByClock = 128,
    /// The program calls `pthread_exit`, so a library must be loaded before executions begin. The plan is to be run again (`NeedsThreads`).
    Unwinder = 256,
}

/// The capacity for names of libraries in bytes.
pub const LIBRARIES: usize = 4096;
