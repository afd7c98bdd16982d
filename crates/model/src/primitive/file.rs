//! Files: their contents, and their names.
//!
//! No state here: the kernel has it, and the program itself makes the call, right after the event. Each file is an object, and all names together
//! are another. Looking commutes with looking; what a file's contents are is told apart from what it is called.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 18;
/// Reads from a file, or asks about it.
pub const READ: OpCode = OpCode::new(FAMILY, 1);
/// Writes to a file, or moves a position in it that others share.
pub const USE: OpCode = OpCode::new(FAMILY, 2);
/// Looks for a name.
pub const FIND: OpCode = OpCode::new(FAMILY, 3);
/// Makes, changes or removes a name.
pub const NAME: OpCode = OpCode::new(FAMILY, 4);

/// All names of files. Nothing is mapped there in the program.
const NAMES: u64 = 0x5b00_0000_0000;
/// So many files are told apart: those that fall together are taken for one.
const FILES: u64 = 1 << 20;

/// An operation on the names of files.
#[inline]
pub const fn on_names(code: OpCode) -> Operation {
    Operation { size: 1, ..Operation::new(code, ObjectId(NAMES)) }
}

/// An operation on the contents of the file with this identity.
#[inline]
pub const fn on_contents(code: OpCode, identity: u64) -> Operation {
    Operation { size: 1, ..Operation::new(code, ObjectId(NAMES + 8 + identity % FILES * 8)) }
}

/// The meaning of this family.
pub struct Files;

impl Primitive for Files {
    fn name(&self) -> &'static str {
        "file"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            READ => "read",
            USE => "use",
            FIND => "look for a file",
            NAME => "make or remove a file",
            _ => "operation",
        }
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        let mode = if matches!(operation.code, READ | FIND) { Mode::Read } else { Mode::Write };
        into.touch_bytes(operation.object, 1, mode);
    }
}
