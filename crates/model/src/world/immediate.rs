//! Operations that are no decisions: whoever can take one takes it at once.
//!
//! A search over states may leave out the states before an operation that commutes with everything that other threads can do in the
//! meantime. It is taken at once, as a part of the step before it, and no state is taken there ([`crate::Plan::immediate`]).
//!
//! * The **start** of a thread. It touches the life cycle of its own thread alone. Others write to that before it (the creation) or after the
//!   thread's own end.
//! * The **end** of a thread, unless somebody can see whether a thread has ended without waiting for it ([`ENDS_ARE_SEEN`]). A join comes after
//!   the end whenever that is.
//! * What a thread does in a **critical section** of a mutex that only excludes, up to its unlock. Which mutexes do is the search's affair: all of
//!   them at first, until one [is seen](seen) to do more. What can wait, choose, or end something is not taken at once, inside such a
//!   section either: the search sees that, too.

use super::{Phase, World};
use crate::primitive::thread::{COUNTED, CREATE, EXIT, JOIN, START};
use crate::primitive::{atomic, condvar, memory, mutex};
use crate::vain::{MARK, mix};
use crate::{Event, Footprint, ObjectId, OpCode, Operation, ThreadId};

/// Which operations are no decisions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(u32)]
pub enum Immediate {
    /// None: every operation is a decision.
    #[default]
    Nothing,
    /// Starts and ends of threads.
    Lives,
    /// Starts and ends of threads, and what is done in critical sections.
    Sections,
}

impl Immediate {
    /// The number that stands for it.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// What a number stands for.
    pub const fn from_code(code: u32) -> Immediate {
        match code {
            1 => Immediate::Lives,
            2 => Immediate::Sections,
            _ => Immediate::Nothing,
        }
    }
}

/// How many operations a critical section may have. A thread that takes more may wait in there, in a loop, for what others do.
const MOST: u32 = 256;

/// The number among the visible places that says that threads look whether others have ended: ends of threads are decisions.
pub const ENDS_ARE_SEEN: u64 = MARK | 3;

/// The number among the visible places that says that every mutex may do more than exclude.
pub const SECTIONS_ARE_SEEN: u64 = MARK | 4;

/// The numbers among the visible places that say that what the race detector knows of some places, or of all of them, is part of a state.
pub const SOME_WATCHED: u64 = MARK | 5;
/// See [`SOME_WATCHED`].
pub const ALL_WATCHED: u64 = MARK | 6;

/// The number among the visible places that says the same of a granule of eight bytes.
pub const fn watched(granule: u64) -> u64 {
    mix(granule, 6) | MARK
}

/// Whether `event` is an access to plain memory that is visible.
pub fn is_plain(event: &Event) -> bool {
    event.operation.code.family() == memory::FAMILY
}

/// The number among the visible places that says that `mutex` does more than exclude: what is done while it is locked is a decision.
pub const fn seen(mutex: ObjectId) -> u64 {
    mix(mutex.0, 5) | MARK
}

/// Whether an operation that touches this tells whether another thread has ended, and need not wait until it has: `tryjoin`, or `trylock` of a
/// robust mutex.
pub fn sees_ends(code: OpCode, footprint: &Footprint) -> bool {
    let waits_or_is_its_own = matches!(code, CREATE | START | EXIT | JOIN);
    !waits_or_is_its_own && footprint.accesses().iter().any(|access| access.object.life_of().is_some())
}

/// The mutex whose critical section begins with `event`, if it is one that can be a single step.
#[inline]
pub fn begins_section(event: &Event) -> Option<ObjectId> {
    let is_plain = event.operation.detail & !mutex::CHECKS_OWNER == mutex::NORMAL;
    (event.operation.code == mutex::LOCK && is_plain && !event.failed()).then_some(event.operation.object)
}

/// Whether `event` ends the critical section of `mutex` that its thread is in.
#[inline]
pub fn ends_section(event: &Event, mutex: ObjectId) -> bool {
    event.operation.code == mutex::UNLOCK && event.operation.object == mutex && !event.failed()
}

/// What an event does to the mutexes that its thread holds, and to the order of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deed {
    /// It locks this mutex.
    Locks(ObjectId),
    /// It unlocks this mutex.
    Unlocks(ObjectId),
    /// It creates this thread.
    Creates(ThreadId),
    /// It has waited for the end of this thread.
    Joins(ThreadId),
    /// None of these.
    Other,
}

/// What `event` does.
pub fn deed(event: &Event) -> Deed {
    let Operation { code, object, .. } = event.operation;
    match code {
        mutex::LOCK | mutex::TRYLOCK | mutex::TIMEDLOCK if !event.failed() => Deed::Locks(object),
        mutex::UNLOCK => Deed::Unlocks(object),
        condvar::WAIT => Deed::Unlocks(ObjectId(event.operation.argument)),
        condvar::REACQUIRE if condvar::error(event.result) == 0 => Deed::Locks(ObjectId(event.operation.argument)),
        CREATE => object.as_thread().map_or(Deed::Other, Deed::Creates),
        JOIN if !event.failed() => object.as_thread().map_or(Deed::Other, Deed::Joins),
        _ => Deed::Other,
    }
}

/// Whether `event` is about a mutex, and then whether nobody can tell by it that the mutex is locked.
pub fn on_mutex(event: &Event) -> Option<bool> {
    let code = event.operation.code;
    let is_plain = match code {
        mutex::LOCK => begins_section(event).is_some(),
        code => matches!(code, mutex::UNLOCK | mutex::INIT | mutex::DESTROY),
    };
    (code.family() == mutex::FAMILY).then_some(is_plain)
}

impl World<'_> {
    /// The thread whose next operation is taken at once, if there is one.
    pub fn immediate(&self, what: Immediate) -> Option<ThreadId> {
        if what == Immediate::Nothing {
            return None;
        }
        if what == Immediate::Sections
            && let Some((thread, mutex, begin)) = self.holder
        {
            let operation = &self.thread(thread).pending;
            let goes_on = match operation.code {
                mutex::UNLOCK => operation.object == mutex,
                code => matches!(code.family(), atomic::FAMILY | memory::FAMILY),
            };
            let goes_on = goes_on && self.events - begin < MOST;
            return (goes_on && self.alternatives(thread) == 1 && self.enabled(thread)).then_some(thread);
        }
        self.ids().find(|&thread| {
            let state = self.thread(thread);
            state.phase == Phase::Alive && self.is_of_life(&state.pending) && self.enabled(thread)
        })
    }

    /// Whether critical sections are noted from now on: needed where they [are no decisions](Immediate::Sections).
    pub fn note_sections(&mut self, on: bool) {
        self.sections = on;
    }

    fn is_of_life(&self, operation: &Operation) -> bool {
        match operation.code {
            START => true,
            EXIT => operation.detail != COUNTED && !self.memory().knows(ENDS_ARE_SEEN),
            _ => false,
        }
    }

    /// Notes that `event` was taken: whether a critical section has begun or ended.
    #[inline]
    pub(crate) fn hold(&mut self, event: &Event) {
        if !self.sections || event.operation.code.family() != mutex::FAMILY {
            return;
        }
        match self.holder {
            Some((thread, mutex, _)) if thread == event.thread && ends_section(event, mutex) => self.holder = None,
            None => {
                let begins = begins_section(event).filter(|&mutex| !self.memory().knows(seen(mutex)));
                self.holder = begins.map(|mutex| (event.thread, mutex, self.events));
            }
            Some(_) => {}
        }
    }
}
