//! The beginning of the shared file, and the names of the threads.

use core::sync::atomic::{AtomicU32, AtomicU64};

use super::{ATOMIC_FUNCTIONS, INPUT, LABELS, LIBRARIES, Layout, SCRATCH};
use crate::{Settings, ThreadId};

/// What the program and Heddle say to each other by name (`heddle.h`).
#[repr(C)]
pub struct Annotations {
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
    /// How this process starts over ([`Restart`](super::Restart)); [`Settings::restart`] is what was asked for.
    pub restart: u32,
    /// Where things are.
    pub layout: Layout,
    /// How executions go. Written by the driver before the process starts, and never read back by it.
    pub settings: Settings,
    /// How many threads to prepare for. The runtime asks for more with `NeedsThreads`; the driver keeps the number
    /// here for the next process.
    pub threads_wanted: u32,
    /// Compare all memory with the snapshot after each restoration (slow; for tests).
    pub check_restore: u32,
    /// 1: some execution came to a time-out that was left out because its thread had timed out too often before. Set by the
    /// runtime.
    pub timeouts_left_out: AtomicU32,
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

/// Whose n-th child a thread is. Thread `i` has entry `i`; the main thread is its own parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ThreadName {
    /// The thread that creates it.
    pub parent: ThreadId,
    /// Zero.
    #[cfg_attr(feature = "std", serde(skip))]
    pub reserved: u16,
    /// Its number among that thread's children, from 0.
    pub ordinal: u32,
}
