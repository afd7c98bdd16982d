//! Plain memory whose accesses are operations: visible places, on which a data race was seen, and accesses inside
//! atomic sections.
//!
//! There is no state here, as with [`super::atomic`]: the program performs the access itself, right after the event.
//! For the search these accesses are like atomic ones. Unlike them they synchronise nothing, so a race on them remains
//! a race. The race detector takes care of that.
//!
//! The lower 21 bits of `detail` hold the length in bytes, at most the largest number that fits. `size` holds it too,
//! as far as it fits there.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Mode, ObjectId, OpCode, Operation, ThreadId, World};

/// The family of accesses to plain memory.
pub const FAMILY: u8 = 14;
/// Reads. The result is the value, or its first eight bytes.
pub const READ: OpCode = OpCode::new(FAMILY, 1);
/// Writes.
pub const WRITE: OpCode = OpCode::new(FAMILY, 2);
/// Copies: reads at the address `argument` and writes at `object`.
pub const COPY: OpCode = OpCode::new(FAMILY, 3);

/// The largest length in bytes that `detail` can hold.
const LONGEST: u32 = (1 << 21) - 1;

/// An access of `length` bytes at `address`.
#[inline]
pub const fn access(code: OpCode, address: u64, length: usize) -> Operation {
    let detail = if length > LONGEST as usize { LONGEST } else { length as u32 };
    // The highest bit of a size says something else (`Operation::is_cancellable`).
    let size = if length > i16::MAX as usize { i16::MAX as u16 } else { length as u16 };
    Operation { object: ObjectId(address), argument: 0, code, size, detail }
}

/// The length in bytes of `operation`, an access to plain memory.
#[inline]
pub const fn length(operation: &Operation) -> u32 {
    operation.detail & LONGEST
}

/// Whether `operation` is an access to plain memory that touches one of `places`. A place is the address of a granule
/// of eight bytes.
#[cfg(feature = "std")]
pub fn touches_any(operation: &Operation, places: &std::collections::BTreeSet<u64>) -> bool {
    if operation.code.family() != FAMILY {
        return false;
    }
    let touches = |address: u64| {
        let last = address + u64::from(length(operation).max(1)) - 1;
        places.range(address & !7..=last).next().is_some()
    };
    touches(operation.object.0) || operation.code == COPY && touches(operation.argument)
}

/// The semantics of plain memory.
pub struct PlainMemory;

impl Primitive for PlainMemory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            READ => "read",
            WRITE => "write",
            COPY => "copy",
            _ => "operation",
        }
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        let mode = if operation.code == READ { Mode::Read } else { Mode::Write };
        into.touch_bytes(operation.object, length(operation).max(1), mode);
        if operation.code == COPY {
            into.touch_bytes(ObjectId(operation.argument), length(operation).max(1), Mode::Read);
        } else if let Some((place, size)) = operation.also_awaited() {
            into.touch_bytes(place, size as u32, Mode::Read);
        }
    }

    fn enabled_by(&self, _earlier: &Event, later: &Event) -> bool {
        later.flags.contains(EventFlags::STIRRED_ONCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_touches_the_granules_that_its_bytes_lie_in() {
        let places = [64, 80].into();
        let touched = |code, address, length| touches_any(&access(code, address, length), &places);
        assert!(touched(READ, 64, 1) && touched(WRITE, 71, 1) && touched(READ, 60, 5));
        assert!(!touched(READ, 63, 1) && !touched(READ, 72, 8) && touched(READ, 72, 9));
        assert!(touches_any(&access(COPY, 0, 4).with_argument(84), &places));
        assert!(!touches_any(&Operation::new(crate::primitive::atomic::LOAD, ObjectId(64)), &places));
    }
}
