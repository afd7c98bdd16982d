//! Names that stay the same from one execution to the next.

use core::fmt;

/// A thread of the program under test. `0` is the main thread.
///
/// A thread is the n-th child of its parent, and that pair decides its id ([`crate::wire::ThreadName`]): two
/// executions that differ only in the order of independent steps name their threads alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// As an index into a table of threads.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Something that operations touch: a mutex, a location in memory, a thread.
///
/// Objects in memory are named by their address. Addresses are the same in every equivalent execution because
/// each thread has a heap and a stack of its own at a place that depends only on its id. Things without an
/// address live above the largest one that a user program can have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub u64);

const THREAD: u64 = 1 << 63;
const HANDLE: u64 = 1 << 63 | 1 << 62;
const CANCELLATION: u64 = 1 << 63 | 1 << 61;
const POPULATION: u64 = 1 << 60 | 1 << 58;

impl ObjectId {
    /// No object at all.
    pub const NONE: ObjectId = ObjectId(0);

    /// Which threads run, in programs that may ask for that.
    pub const POPULATION: ObjectId = ObjectId(POPULATION);

    /// The life of a thread: created, started, ended.
    #[inline]
    pub const fn thread(thread: ThreadId) -> ObjectId {
        ObjectId(THREAD | thread.0 as u64)
    }

    /// The right to join or detach a thread. Apart from its life: detaching a thread commutes with its end.
    #[inline]
    pub const fn handle(thread: ThreadId) -> ObjectId {
        ObjectId(HANDLE | thread.0 as u64)
    }

    /// Whether a thread was asked to end.
    #[inline]
    pub const fn cancellation(thread: ThreadId) -> ObjectId {
        ObjectId(CANCELLATION | thread.0 as u64)
    }

    /// The part of one thread in something at an address: how often it holds a lock that several can hold. Nothing that
    /// is touched, only a place for state.
    #[inline]
    pub(crate) const fn share(object: ObjectId, thread: ThreadId) -> ObjectId {
        // Above all addresses, below the things that have none.
        ObjectId(object.0 | (thread.0 as u64 + 1) << 47)
    }

    /// The thread that this names, if it names one (by life or by handle).
    #[inline]
    pub const fn as_thread(self) -> Option<ThreadId> {
        if self.0 & THREAD != 0 { Some(ThreadId(self.0 as u16)) } else { None }
    }
}

/// The position of an event in its execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct EventIndex(pub u32);

impl EventIndex {
    /// As an index into the events of an execution.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
