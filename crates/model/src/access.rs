//! When does the order of two events matter?
//!
//! Each primitive states which objects its events touch, and how: the event's [`Footprint`]. Two events of different
//! threads are **dependent** if their footprints conflict. Independent events commute: swapping two adjacent ones gives
//! an execution with equal events and an equal final state. Dependence is never declared by hand; a new primitive only
//! states its footprints.
//!
//! The relation is over events, not operations, because a footprint may depend on the result: a failed `trylock` only
//! reads. It is thus a relation over labels that include the result, as trace theory requires. The happens-before order
//! of an execution is the transitive closure of program order and dependence. Executions with equal happens-before
//! order form one trace.

use crate::primitive::process;
use crate::{Event, EventFlags, ObjectId};

/// How an event touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Reads. Commutes with other reads.
    Read,
    /// Adds to a counter without reading it. Commutes with other additions, for example two `sem_post`s.
    Add,
    /// Writes, or reads and writes. Commutes with nothing.
    Write,
}

impl Mode {
    /// Whether two accesses to one object in these modes commute.
    #[inline]
    pub const fn commutes_with(self, other: Mode) -> bool {
        matches!((self, other), (Mode::Read, Mode::Read) | (Mode::Add, Mode::Add))
    }
}

/// An access to one object in one mode. Locations in memory have a size in bytes; other objects have size 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The object, or the first byte of the location.
    pub object: ObjectId,
    /// The size in bytes. 1 for anything that is not a location in memory.
    pub size: u32,
    /// The mode of the access.
    pub mode: Mode,
}

impl Access {
    /// Whether the two accesses overlap and do not commute.
    #[inline]
    pub const fn conflicts_with(&self, other: &Access) -> bool {
        !self.mode.commutes_with(other.mode)
            && self.object.0 < other.object.0 + other.size as u64
            && other.object.0 < self.object.0 + self.size as u64
    }
}

/// The largest number of accesses in one footprint.
pub const MAX_ACCESSES: usize = 5;

/// All accesses of an event. The size is fixed, because the runtime creates footprints between two instructions of the
/// program.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    accesses: [Access; MAX_ACCESSES],
    len: u8,
    everything: bool,
}

const NOTHING: Access = Access { object: ObjectId::NONE, size: 0, mode: Mode::Read };

impl Default for Footprint {
    fn default() -> Self {
        Footprint::new()
    }
}

impl Footprint {
    /// The empty footprint. It commutes with every footprint except that of
    /// [`touch_everything`](Self::touch_everything).
    #[inline]
    pub const fn new() -> Footprint {
        Footprint { accesses: [NOTHING; MAX_ACCESSES], len: 0, everything: false }
    }

    /// The footprint that decides how `event` is ordered with others. Inside an atomic section it is empty, because the
    /// accesses belong to the event that began the section.
    #[inline]
    pub fn of(event: &Event) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.add(event);
        footprint
    }

    /// The footprint of `event` itself, even inside an atomic section.
    #[inline]
    pub fn alone(event: &Event) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.add_alone(event);
        footprint
    }

    /// Adds the accesses of [`of`](Self::of). Faster than creating a footprint and copying it: the copy would wait for
    /// the small writes just made to reach the cache.
    #[inline]
    pub fn add(&mut self, event: &Event) {
        if !event.flags.contains(EventFlags::INSIDE) || event.operation.code == process::END {
            self.add_alone(event);
        }
    }

    /// Adds the accesses of [`alone`](Self::alone).
    #[inline]
    pub fn add_alone(&mut self, event: &Event) {
        if event.flags.contains(EventFlags::QUIESCENT) {
            return self.touch_everything();
        }
        crate::primitive::of(event.operation.code).footprint(event, self);
        if event.operation.is_cancellable() {
            crate::primitive::cancellation::footprint(event, self);
        }
    }

    /// Adds an access to an object.
    #[inline]
    pub fn touch(&mut self, object: ObjectId, mode: Mode) {
        self.touch_bytes(object, 1, mode);
    }

    /// Adds an access to a location of `size` bytes.
    #[inline]
    pub fn touch_bytes(&mut self, object: ObjectId, size: u32, mode: Mode) {
        self.accesses[self.len as usize] = Access { object, size, mode };
        self.len += 1;
    }

    /// Turns every access so far into a read.
    pub(crate) fn only_look(&mut self) {
        for access in &mut self.accesses[..self.len as usize] {
            access.mode = Mode::Read;
        }
    }

    /// Makes this footprint conflict with every other, even an empty one. Used for the end of the process: no event of
    /// any thread can follow it.
    #[inline]
    pub fn touch_everything(&mut self) {
        self.everything = true;
    }

    /// Whether this footprint conflicts with every other: see [`touch_everything`](Self::touch_everything).
    #[inline]
    pub const fn is_everything(&self) -> bool {
        self.everything
    }

    /// The accesses. They do not tell whether the footprint conflicts with everything.
    #[inline]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses[..self.len as usize]
    }

    /// Whether two events of different threads with these footprints are dependent.
    #[inline]
    pub fn conflicts_with(&self, other: &Footprint) -> bool {
        self.everything
            || other.everything
            || self.accesses().iter().any(|a| other.accesses().iter().any(|b| a.conflicts_with(b)))
    }
}

/// Whether the order of `a` and `b` matters: one thread took both, or their footprints conflict.
pub fn dependent(a: &Event, b: &Event) -> bool {
    a.thread == b.thread || Footprint::of(a).conflicts_with(&Footprint::of(b))
}
