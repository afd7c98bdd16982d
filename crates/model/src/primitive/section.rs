//! Sections that run as one step: from `BEGIN` to `END`, no other thread goes on.
//!
//! For the search a section is its `BEGIN`: when the section ends, whoever runs the program writes into that event all that the
//! section touched ([`Summary`]), and what happens inside ([`INSIDE`](crate::EventFlags::INSIDE)) touches nothing by itself. So two sections, or
//! a section and an operation of another thread, are dependent exactly if they conflict somewhere. A section that touches
//! more than there is room for conflicts with everything. So does one that has not ended: what it will touch is not known
//! before it runs.
//!
//! Nothing can wait inside a section, since nobody could ever end the wait: an operation that is not possible there is replaced
//! by the end of the process ([`Ending::Waits`]); an assumption that does not hold, by the end of an execution that is none
//! ([`Ending::Assumed`]). Both cut the others off, so both are in every order with what the others do, as any end is.

use super::{Primitive, assume, process};
use crate::world::Effect;
use crate::{Access, Ending, Event, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 15;
/// A section begins.
pub const BEGIN: OpCode = OpCode::new(FAMILY, 1);
/// It ends.
pub const END: OpCode = OpCode::new(FAMILY, 2);

/// In the detail of a `BEGIN`: the section has ended, and the event says what it touched.
const KNOWN: u32 = 1 << 30;
/// How many accesses a `BEGIN` has room for.
const ROOM: usize = 3;
/// Bits of the detail for each: eight for the size, one for writing.
const BITS: u32 = 10;

/// What takes the place of `operation`, which is not possible inside a section.
pub(crate) fn instead_of(operation: &Operation) -> Operation {
    process::end(match operation.code {
        assume::FALSE => Ending::Assumed,
        code => Ending::Waits { code },
    })
}

/// All that a section has touched so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    accesses: [Option<Access>; ROOM],
    overflows: bool,
}

impl Summary {
    /// Adds what an event inside touched.
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

    /// Says in `begin`, the event that began the section, what the section touched.
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

/// The meaning of this family.
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

    /// What a section would touch elsewhere is known only when it runs there.
    fn depends_on_state(&self, code: OpCode) -> bool {
        code == BEGIN
    }
}

/// A `BEGIN` of which nothing is known: the same event before it is run at another place.
pub fn forgotten(begin: &Event) -> Event {
    Event { operation: Operation::new(BEGIN, ObjectId::NONE), result: 0, ..*begin }
}
