//! Atomic sections: from `BEGIN` to `END`, no other thread runs.
//!
//! **Footprints.** For the search, a section is its `BEGIN` event. When the section ends, the runtime writes everything
//! that the section touched into that event ([`Summary`]). The events inside ([`INSIDE`](crate::EventFlags::INSIDE))
//! have empty footprints. Thus two sections, or a section and an operation of another thread, are dependent exactly if
//! some of their accesses conflict. A section with more accesses than there is room for conflicts with everything. So
//! does a section that has not ended, because its accesses are not known before it runs.
//!
//! **Waiting.** No operation can wait inside a section, because no other thread could enable it. A disabled operation
//! is replaced by the end of the process ([`Ending::Waits`]), and an assumption that does not hold by an ending that
//! discards the execution ([`Ending::Assumed`]). Like every end of the process, both depend on all events of other
//! threads.

use super::{Primitive, assume, process};
use crate::world::Effect;
use crate::{Access, Ending, Event, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of the operations of atomic sections.
pub const FAMILY: u8 = 15;
/// Begins an atomic section.
pub const BEGIN: OpCode = OpCode::new(FAMILY, 1);
/// Ends the atomic section.
pub const END: OpCode = OpCode::new(FAMILY, 2);

/// A flag in the `detail` of a `BEGIN`: the section has ended, and the event contains its accesses.
const KNOWN: u32 = 1 << 30;
/// The number of accesses that a `BEGIN` has room for.
const ROOM: usize = 3;
/// The number of bits in `detail` for each access: eight for the size, one for the mode, one unused.
const BITS: u32 = 10;

/// The operation that replaces `operation`, which is disabled inside a section.
pub(crate) fn instead_of(operation: &Operation) -> Operation {
    process::end(match operation.code {
        assume::FALSE => Ending::Assumed,
        code => Ending::Waits { code },
    })
}

/// The accesses of a section so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    accesses: [Option<Access>; ROOM],
    overflows: bool,
}

impl Summary {
    /// Adds the accesses of an event inside the section.
    pub fn add(&mut self, event: &Event) {
        let footprint = Footprint::alone(event);
        self.overflows |= footprint.is_everything();
        for access in footprint.accesses() {
            self.touch(*access);
        }
    }

    fn touch(&mut self, new: Access) {
        let new = Access { mode: if new.mode == Mode::Read { Mode::Read } else { Mode::Write }, ..new };
        for slot in &mut self.accesses {
            match slot {
                Some(known) if known.object == new.object && known.size == new.size => {
                    if new.mode == Mode::Write {
                        known.mode = Mode::Write;
                    }
                    return;
                }
                Some(_) => {}
                None => {
                    *slot = Some(new);
                    self.overflows |= new.size > u8::MAX as u32;
                    return;
                }
            }
        }
        self.overflows = true;
    }

    /// Writes the section's accesses into `begin`, the event that began it.
    pub fn close(&self, begin: &mut Event) {
        if self.overflows {
            return;
        }
        let mut objects = [0; ROOM];
        let mut detail = KNOWN;
        for (index, access) in self.accesses.iter().flatten().enumerate() {
            objects[index] = access.object.0;
            let writes = access.mode == Mode::Write;
            detail |= (access.size | (writes as u32) << 8) << (BITS * index as u32);
        }
        begin.operation.object = ObjectId(objects[0]);
        begin.operation.argument = objects[1];
        begin.result = objects[2];
        begin.operation.detail = detail;
    }
}

/// The semantics of atomic sections.
pub struct Sections;

impl Primitive for Sections {
    fn name(&self) -> &'static str {
        "atomic section"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        if code == BEGIN { "begin" } else { "end" }
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _: u16) -> Effect {
        world.exclusive = (operation.code == BEGIN).then_some(by);
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        if operation.code != BEGIN {
            return;
        }
        if operation.detail & KNOWN == 0 {
            into.touch_everything();
            return;
        }
        let objects = [operation.object, ObjectId(operation.argument), ObjectId(event.result)];
        for (index, object) in objects.into_iter().enumerate() {
            let bits = operation.detail >> (BITS * index as u32);
            let size = bits & 0xff;
            if size != 0 {
                let mode = if bits & 0x100 != 0 { Mode::Write } else { Mode::Read };
                into.touch_bytes(object, size, mode);
            }
        }
    }

    /// The accesses of a section at another position are known only after it ran there.
    fn depends_on_state(&self, code: OpCode) -> bool {
        code == BEGIN
    }
}

/// A copy of `begin` with unknown accesses, for a section that has not yet run at its new position.
pub fn forgotten(begin: &Event) -> Event {
    Event { operation: Operation::new(BEGIN, ObjectId::NONE), result: 0, ..*begin }
}
