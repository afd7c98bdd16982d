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

/// Which memory order an atomic asks for. Every execution is sequentially consistent whatever it is; what it decides is whether
/// plain accesses before and after are ordered with those of other threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Order {
    /// None.
    Relaxed,
    /// What was done before the value was released comes before what follows. Consume is this, too, as in every compiler.
    Acquire,
    /// What was done before comes before what follows an acquiring read of the value.
    Release,
    /// Both.
    AcquireRelease,
    /// Both, and one order of all such operations.
    SequentiallyConsistent,
}

/// Where the order stands in an operation's `detail`, and the one that a compare-exchange has if it fails.
const ORDER: u32 = 4;
const FAILURE: u32 = 8;

impl Order {
    /// By the number that compilers have for it (relaxed 0, consume, acquire, release, acquire-release, sequentially
    /// consistent 5). An order that is not a constant may be anything, and compilers add hints in higher bits.
    #[inline]
    pub const fn from_number(number: u32) -> Order {
        match number & 7 {
            0 => Order::Relaxed,
            1 | 2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcquireRelease,
            _ => Order::SequentiallyConsistent,
        }
    }

    /// Whether a read, or a fence, with it acquires.
    #[inline]
    pub const fn acquires(self) -> bool {
        !matches!(self, Order::Relaxed | Order::Release)
    }

    /// Whether a write, or a fence, with it releases.
    #[inline]
    pub const fn releases(self) -> bool {
        !matches!(self, Order::Relaxed | Order::Acquire)
    }
}

/// The part of an operation's `detail` that says its order, and the order that a compare-exchange has if it fails, both by the
/// compilers' numbers.
#[inline(always)]
pub const fn orders(order: u32, failure: u32) -> u32 {
    (order & 7) << ORDER | (failure & 7) << FAILURE
}

/// The order that `event` had.
#[inline]
pub fn order(event: &Event) -> Order {
    let failed = event.operation.code == COMPARE_EXCHANGE && event.failed();
    Order::from_number(event.operation.detail >> if failed { FAILURE } else { ORDER })
}

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
