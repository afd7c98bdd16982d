//! Atomic locations in memory, and fences.
//!
//! There is no state here: the value is in the program's memory, and the runtime performs the access. An operation's
//! `size` is its size in bytes. A compare-exchange that finds another value only reads.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, OpCode, Operation, ThreadId, World};

/// The family of atomic operations.
pub const FAMILY: u8 = 3;
/// Reads. The result is the value.
pub const LOAD: OpCode = OpCode::new(FAMILY, 1);
/// Writes `argument`. With [`EventFlags::KNOWS_OLD`] the result is the value before.
pub const STORE: OpCode = OpCode::new(FAMILY, 2);
/// Reads, computes and writes a value. The result is the value before.
pub const RMW: OpCode = OpCode::new(FAMILY, 3);
/// Writes if the value is `argument`. The result is the value before.
pub const COMPARE_EXCHANGE: OpCode = OpCode::new(FAMILY, 4);
/// A memory fence. Under sequential consistency its footprint is empty, but another thread may be scheduled here.
pub const FENCE: OpCode = OpCode::new(FAMILY, 5);

/// The memory order of an atomic operation. Every execution is sequentially consistent regardless of it. It decides
/// whether the operation orders plain accesses of different threads, and thus which data races there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum MemoryOrder {
    /// No ordering.
    Relaxed,
    /// Everything before the release of the value that is read happens before what follows. Consume is treated as
    /// acquire, as every compiler does.
    Acquire,
    /// Everything before happens before what follows an acquire that reads the value.
    Release,
    /// Acquire and release.
    AcquireRelease,
    /// Acquire and release, in one total order of all such operations.
    SequentiallyConsistent,
}

/// The lowest bit of the order in an operation's `detail`, and of the order that a failed compare-exchange has.
const ORDER: u32 = 4;
const FAILURE: u32 = 8;

impl MemoryOrder {
    /// The order with this number of the compilers' ABI: relaxed 0, consume 1, acquire 2, release 3, acquire-release 4,
    /// sequentially consistent 5. Higher bits are hints of the compiler and ignored. An order that is not a
    /// compile-time constant may be any number.
    #[inline]
    pub const fn from_number(number: u32) -> MemoryOrder {
        match number & 7 {
            0 => MemoryOrder::Relaxed,
            1 | 2 => MemoryOrder::Acquire,
            3 => MemoryOrder::Release,
            4 => MemoryOrder::AcquireRelease,
            _ => MemoryOrder::SequentiallyConsistent,
        }
    }

    /// Whether a read or fence with this order acquires.
    #[inline]
    pub const fn acquires(self) -> bool {
        !matches!(self, MemoryOrder::Relaxed | MemoryOrder::Release)
    }

    /// Whether a write or fence with this order releases.
    #[inline]
    pub const fn releases(self) -> bool {
        !matches!(self, MemoryOrder::Relaxed | MemoryOrder::Acquire)
    }
}

/// Encodes the order of an operation, and the order `failure` of a failed compare-exchange, as a part of its `detail`.
/// Both are numbers of the compilers' ABI.
#[inline(always)]
pub const fn orders(order: u32, failure: u32) -> u32 {
    (order & 7) << ORDER | (failure & 7) << FAILURE
}

/// The memory order of `event`.
#[inline]
pub fn order(event: &Event) -> MemoryOrder {
    let failed = event.operation.code == COMPARE_EXCHANGE && event.failed();
    MemoryOrder::from_number(event.operation.detail >> if failed { FAILURE } else { ORDER })
}

/// The semantics of atomic operations.
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

    fn bare(&self, event: &Event) -> Event {
        // The detail holds memory orders, and what somebody would write.
        let Operation { object, code, size, .. } = event.operation;
        Event { operation: Operation { size, ..Operation::new(code, object) }, result: 0, ..*event }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        super::stirs(earlier, later)
    }
}
