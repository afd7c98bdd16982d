//! When does the order of two events matter?
//!
//! Each primitive says what its events touch and how: that is the event's [`Footprint`]. Two events of different
//! threads are **dependent** if their footprints conflict, and independent events commute: swapping two
//! neighbours that are independent gives another execution with the same events and the same final state. Nobody
//! declares dependence by hand; a new primitive states its footprints and is done.
//!
//! The relation is over events, not operations: what an event touches may depend on what came of it (a failed
//! `trylock` only looked). That makes it a relation over labels that include the result, which is what trace
//! theory needs: the happens-before order of an execution is the transitive closure of program order and
//! dependence, and the executions with equal order are one trace.

use crate::primitive::process;
use crate::{Event, EventFlags, ObjectId};

/// How an event touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Looks. Commutes with other looks.
    Read,
    /// Adds to something that only counts, without looking. Commutes with other additions (two `sem_post`s).
    Add,
    /// Changes, or looks and changes. Commutes with nothing.
    Write,
}

impl Mode {
    /// Whether two touches of one object in these modes commute.
    #[inline]
    pub const fn commutes_with(self, other: Mode) -> bool {
        matches!((self, other), (Mode::Read, Mode::Read) | (Mode::Add, Mode::Add))
    }
}

/// One object, touched in one way. Locations in memory have a size in bytes, other objects 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The object, or the first byte of the location.
    pub object: ObjectId,
    /// How many bytes; 1 for anything that is not a location in memory.
    pub size: u32,
    /// How.
    pub mode: Mode,
}

impl Access {
    /// Whether the order of the two matters.
    #[inline]
    pub const fn conflicts_with(&self, other: &Access) -> bool {
        !self.mode.commutes_with(other.mode)
            && self.object.0 < other.object.0 + other.size as u64
            && other.object.0 < self.object.0 + self.size as u64
    }
}

/// The most objects that one event touches.
pub const MAX_ACCESSES: usize = 5;

/// All that an event touches. Fixed size: the runtime makes these between two instructions of the program.
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
    /// Touches nothing: commutes with everything except what touches [everything](Self::touch_everything).
    #[inline]
    pub const fn new() -> Footprint {
        Footprint { accesses: [NOTHING; MAX_ACCESSES], len: 0, everything: false }
    }

    /// What `event` touches, as far as its order with others goes: inside a section that is all with the event that began it.
    #[inline]
    pub fn of(event: &Event) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.add(event);
        footprint
    }

    /// What `event` itself touches.
    #[inline]
    pub fn alone(event: &Event) -> Footprint {
        let mut footprint = Footprint::new();
        footprint.add_alone(event);
        footprint
    }

    /// Adds what [`of`](Self::of) says. For who does this for every event: a footprint that was just written, a few bytes at a
    /// time, is slow to copy, because the processor has to wait for all these bytes to be in its cache.
    #[inline]
    pub fn add(&mut self, event: &Event) {
        if !event.flags.contains(EventFlags::INSIDE) || event.operation.code == process::END {
            self.add_alone(event);
        }
    }

    /// Adds what [`alone`](Self::alone) says.
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

    /// Adds an object.
    #[inline]
    pub fn touch(&mut self, object: ObjectId, mode: Mode) {
        self.touch_bytes(object, 1, mode);
    }

    /// Adds a location of `size` bytes.
    #[inline]
    pub fn touch_bytes(&mut self, object: ObjectId, size: u32, mode: Mode) {
        self.accesses[self.len as usize] = Access { object, size, mode };
        self.len += 1;
    }

    /// Turns everything touched so far into a look.
    pub(crate) fn only_look(&mut self) {
        for access in &mut self.accesses[..self.len as usize] {
            access.mode = Mode::Read;
        }
    }

    /// The end of the process: its order with anything that any other thread does matters, even with what
    /// touches nothing, because after it there is no more of that.
    #[inline]
    pub fn touch_everything(&mut self) {
        self.everything = true;
    }

    /// Whether this conflicts with whatever another thread does.
    #[inline]
    pub const fn is_everything(&self) -> bool {
        self.everything
    }

    /// The objects, where it is not everything.
    #[inline]
    pub fn accesses(&self) -> &[Access] {
        &self.accesses[..self.len as usize]
    }

    /// Whether the order of two events of different threads with these footprints matters.
    #[inline]
    pub fn conflicts_with(&self, other: &Footprint) -> bool {
        self.everything
            || other.everything
            || self.accesses().iter().any(|a| other.accesses().iter().any(|b| a.conflicts_with(b)))
    }
}

/// Whether the order of `a` and `b` matters: they are of one thread, or their footprints conflict.
pub fn dependent(a: &Event, b: &Event) -> bool {
    a.thread == b.thread || Footprint::of(a).conflicts_with(&Footprint::of(b))
}
