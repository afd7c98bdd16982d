//! The beginning of both parts of the shared file, and the names of the threads.

use core::sync::atomic::{AtomicU32, AtomicU64};

use super::{ATOMIC_FUNCTIONS, INPUT, Key, LABELS, LIBRARIES, Layout, SCRATCH, TROUBLE};
use crate::{Input, MOST_INPUTS, Settings, ThreadId};

/// Data for the program's annotations (`heddle.h`).
#[repr(C)]
pub struct Annotations {
    /// Functions of the program that run as one step. Each is the range from its first address to one past its last, as
    /// in the program's file.
    pub functions: [[u64; 2]; ATOMIC_FUNCTIONS],
    /// The program's entry address, as in its file. The runtime derives the load address from it.
    pub entry: u64,
    /// The number of entries in use in `functions`.
    pub functions_len: u32,
    /// The number of entries in use in `inputs`.
    pub inputs_len: u32,
    /// The inputs that are given, sorted. The driver writes them before the process starts.
    pub inputs: [Input; MOST_INPUTS],
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

/// What the driver says, at the start of the shared file. The program's process can only read it.
#[repr(C)]
pub struct Header {
    /// The number [`super::MAGIC`].
    pub magic: u64,
    /// The version [`super::VERSION`].
    pub version: u32,
    /// How this process starts over, as a number of [`Restart`](super::Restart). [`Settings::restart`] is what the user
    /// asked for.
    pub restart: u32,
    /// The layout of the rest of the file.
    pub layout: Layout,
    /// What reports are sealed with.
    pub key: Key,
    /// How executions run.
    pub settings: Settings,
    /// The number of threads to prepare. The runtime asks for more with `NeedsThreads`, and the driver passes the
    /// number to the next process here.
    pub threads_wanted: u32,
    /// 1 to compare all memory with the snapshot after each restoration. Slow; for tests.
    pub check_restore: u32,
    /// The number of visible places of plain memory. Written between executions.
    pub places: AtomicU32,
    /// The size of the table of dead stack bytes ([`super::FrameTable`]). 0 if there is none. Written between executions.
    pub frames: AtomicU32,
    /// The number of the plan that a process begins with.
    pub first: AtomicU32,
    /// The number of plans submitted by the driver so far, modulo 2^32.
    pub submitted: AtomicU32,
    /// 1 while the driver sleeps on `completed`. It must be woken by a futex call.
    pub driver_sleeps: AtomicU32,
    /// The value of `completed` at which a sleeping driver wants to be woken, unless the runtime runs out of work
    /// before. A wakeup for each execution would often cost more than the execution.
    pub wake_at: AtomicU32,
    /// 1 to make the runtime exit at the next plan.
    pub quit: AtomicU32,
    /// 1 if a library for `pthread_exit` must be loaded before executions begin ([`super::Note::Unwinder`]).
    pub unwinder: u32,
    /// The path of a directory for files that executions write, terminated by zero. Empty if there is none.
    pub scratch: [u8; SCRATCH],
    /// The path of the file that every execution reads as its standard input, terminated by zero. Empty if there is
    /// none.
    pub input: [u8; INPUT],
    /// Data for the program's annotations.
    pub annotations: Annotations,
}

/// What the runtime reports, at the start of its part of the file. The program can write here, so each word is
/// [veiled](Key::veil), or covered by a seal, or no more than a hint.
#[repr(C)]
pub struct Reports {
    /// How far the runtime has come ([`super::Stage`]), veiled.
    pub stage: AtomicU64,
    /// The number of executions completed by the runtime so far, modulo 2^32. Never more than were submitted.
    pub completed: AtomicU32,
    /// 1 while the runtime sleeps on `submitted`. It must be woken by a futex call. It also wakes by itself, after a while.
    pub runtime_sleeps: AtomicU32,
    /// Grows with each event, and while the runtime itself waits for a time that ends. It stops growing when the program hangs. Veiled.
    pub progress: AtomicU64,
    /// The id of the process that runs the executions. It is the forked child, if there is one. Veiled.
    pub runner: AtomicU64,
    /// The number of memory restorations that were compared with the snapshot. For tests.
    pub checked: AtomicU64,
    /// The number of pages that differed in these comparisons.
    pub differing: AtomicU64,
    /// 0, veiled, as long as no execution has left anything in the scratch directory.
    pub scratch_used: AtomicU64,
    /// The number of thread names.
    pub names: AtomicU32,
    /// The number of labels reached.
    pub labels_len: AtomicU32,
    /// The number of bytes in use in `libraries`.
    pub libraries_len: AtomicU32,
    /// The number of bytes in use in `trouble`.
    pub trouble_len: AtomicU32,
    /// The [fingerprints](label) of the labels that any execution has reached.
    pub labels: [AtomicU64; LABELS],
    /// The names of the libraries that executions have loaded themselves, each terminated by zero.
    pub libraries: [u8; LIBRARIES],
    /// The seal of `trouble`.
    pub trouble_seal: AtomicU64,
    /// Why the stage is `Failed`.
    pub trouble: [u8; TROUBLE],
}

/// A thread's name: its parent and its position among the parent's children. Entry `i` belongs to thread `i`. The main
/// thread is its own parent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[repr(C)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ThreadName {
    /// The thread that creates it.
    pub parent: ThreadId,
    /// Padding, always zero.
    #[cfg_attr(feature = "std", serde(skip))]
    pub reserved: u16,
    /// The thread's position among the parent's children, from 0.
    pub ordinal: u32,
}
