//! Identifiers that stay stable across executions.

use core::fmt;

/// A thread of the program under test. `0` is the main thread.
///
/// A thread's id is determined by its parent and by its position among the parent's children
/// ([`crate::wire::ThreadName`]). Therefore two executions that differ only in the order of independent steps give
/// their threads equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The main thread, which runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// This id as an index into a table of threads.
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

/// An object that operations touch: a mutex, a location in memory, a thread.
///
/// An object in memory is identified by its address. Equivalent executions use equal addresses, because every thread
/// has its own heap and stack at a place that depends only on its id. Objects without an address have ids above the
/// highest address of a user program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub u64);

const THREAD: u64 = 1 << 63;
const HANDLE: u64 = 1 << 63 | 1 << 62;
const CANCELLATION: u64 = 1 << 63 | 1 << 61;
const POPULATION: u64 = 1 << 60 | 1 << 58;

impl ObjectId {
    /// No object.
    pub const NONE: ObjectId = ObjectId(0);

    /// The set of running threads, for programs that can ask for it.
    pub const POPULATION: ObjectId = ObjectId(POPULATION);

    /// The life cycle of `thread`: creation, start and end.
    #[inline]
    pub const fn thread(thread: ThreadId) -> ObjectId {
        ObjectId(THREAD | thread.0 as u64)
    }

    /// The right to join or detach `thread`. It is distinct from the thread's life cycle, because detaching a thread
    /// commutes with its end.
    #[inline]
    pub const fn handle(thread: ThreadId) -> ObjectId {
        ObjectId(HANDLE | thread.0 as u64)
    }

    /// The cancellation requests for `thread`.
    #[inline]
    pub const fn cancellation(thread: ThreadId) -> ObjectId {
        ObjectId(CANCELLATION | thread.0 as u64)
    }

    /// The share of `thread` in the object at an address, for example how often it holds a read-write lock. It only
    /// stores state and is never part of a footprint.
    #[inline]
    pub(crate) const fn share(object: ObjectId, thread: ThreadId) -> ObjectId {
        // Above all addresses, below the things that have none.
        ObjectId(object.0 | (thread.0 as u64 + 1) << 47)
    }

    /// The object that this is one thread's [share](Self::share) of. `None` for any other object.
    #[inline]
    pub(crate) const fn shared(self) -> Option<ObjectId> {
        let thread = self.0 >> 47;
        if thread != 0 && thread <= u16::MAX as u64 + 1 && self.0 & (THREAD | POPULATION) == 0 {
            Some(ObjectId(self.0 & ((1 << 47) - 1)))
        } else {
            None
        }
    }

    /// Whether this is a thing in the program's memory, by its address.
    #[inline]
    pub(crate) const fn is_address(self) -> bool {
        self.0 >> 47 == 0
    }

    /// The thread whose life cycle this is. `None` for any other object.
    #[inline]
    pub const fn life_of(self) -> Option<ThreadId> {
        if self.0 & !(u16::MAX as u64) == THREAD { Some(ThreadId(self.0 as u16)) } else { None }
    }

    /// The thread that this id refers to through its life cycle, handle or cancellation. `None` for any other object.
    #[inline]
    pub const fn as_thread(self) -> Option<ThreadId> {
        if self.0 & THREAD != 0 { Some(ThreadId(self.0 as u16)) } else { None }
    }
}

/// The position of an event in its execution, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct EventIndex(pub u32);

impl EventIndex {
    /// This position as an index into the events of an execution.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
