//! Locations in memory that are accessed atomically, and fences.
//!
//! No state here: the value is in the program's memory, and whoever runs the program performs the access. An
//! operation's `size` is its bytes; a compare-exchange that finds another value has only read.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, OpCode, Operation, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 3;
/// Reads; the result is the value.
pub const LOAD: OpCode = OpCode::new(FAMILY, 1);
/// Writes `argument`. With [`EventFlags::KNOWS_OLD`] the result is the value before.
pub const STORE: OpCode = OpCode::new(FAMILY, 2);
/// Reads, computes, writes; the result is the old value.
pub const RMW: OpCode = OpCode::new(FAMILY, 3);
/// Writes if the value is `argument`; the result is the old value.
pub const COMPARE_EXCHANGE: OpCode = OpCode::new(FAMILY, 4);
/// A memory fence: touches nothing under sequential consistency, but is a place to switch.
pub const FENCE: OpCode = OpCode::new(FAMILY, 5);

/// The meaning of this family.
pub struct Atomics;

impl Primitive for Atomics {
    fn name(&self) -> &'static str {
        "atomic"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            LOAD => "load",
            STORE => "store",
            RMW => "read-modify-write",
            COMPARE_EXCHANGE => "compare-exchange",
            FENCE => "fence",
            _ => "operation",
        }
    }

    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }

    fn foresee(&self, _: &World, _: ThreadId, operation: &Operation, memory: &dyn Memory) -> EventFlags {
        let fails = operation.code == COMPARE_EXCHANGE && memory.compare_fails(operation);
        if fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        code == COMPARE_EXCHANGE
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        let mode = match operation.code {
            FENCE => return,
            LOAD => Mode::Read,
            _ if event.failed() => Mode::Read,
            _ => Mode::Write,
        };
        into.touch_bytes(operation.object, operation.size.max(1) as u32, mode);
        if let Some((place, size)) = operation.also_awaited() {
            into.touch_bytes(place, size as u32, Mode::Read);
        }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        super::stirs(earlier, later)
    }
}
