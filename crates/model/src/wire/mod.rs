//! The memory that Heddle shares with the program under test.
//!
//! One file, mapped by both: a [`Header`], the [names of the threads](ThreadName), and a ring of slots, each with
//! room for a plan and for the execution that comes back. The driver fills a slot's plan and raises
//! [`Header::submitted`]; the runtime runs it, fills the slot's result and raises [`Header::completed`]. There is
//! one exchange for each execution, none for each step. The file is sparse: room that is not used costs nothing.
//!
//! Both sides are built from this file, so the layout may change with [`VERSION`]; nothing of it is stored.

mod header;
mod layout;
mod outcome;
mod slot;

pub use crate::Restart;
pub use header::{Annotations, Header, ThreadName, label};
pub use layout::Layout;
pub use outcome::WireOutcome;
pub use slot::{MESSAGE, Slot, WirePlan, WireResult};

/// The first bytes of the file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"heddle\0w");
/// Both sides must have been built with the same.
pub const VERSION: u32 = 9;
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

/// Among the call stacks of a recorded execution, behind all others: a stack that begins with this word, then an object
/// that lies in the heap, then where its block was allocated.
pub const SITE: u64 = u64::MAX - 1;
/// The first word of four that stand among the call stacks: an object on a stack, an address in the code of the function whose
/// variable it is, and where the frame of that function ends.
pub const LOCAL: u64 = u64::MAX - 3;
/// The first word of a list that stands among the call stacks: objects that were made by a call before `main` began.
pub const MADE_BEFORE: u64 = u64::MAX - 2;

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
