//! One file for each primitive: its state, its operations, when each is enabled, what it does, what it touches.
//!
//! A new primitive is a new file and a line in `FAMILIES`. This file holds no logic.

pub mod assume;
pub mod atomic;
pub mod barrier;
pub mod cancellation;
pub mod choice;
pub mod condvar;
pub mod custom;
pub mod file;
pub mod futex;
pub mod memory;
pub mod mutex;
pub mod once;
pub mod process;
pub mod queue;
pub mod rwlock;
pub mod section;
pub mod semaphore;
pub mod spin;
pub mod thread;
pub mod yielding;

use crate::world::Effect;
use crate::{Event, EventFlags, EventIndex, Footprint, Memory, OpCode, Operation, ThreadId, World};

/// Its time has passed.
pub const ETIMEDOUT: u64 = 110;

/// The meaning of one primitive. All methods are about operations and events of this family.
pub trait Primitive: Sync {
    /// What a person calls it: `mutex`.
    fn name(&self) -> &'static str;

    /// What a person calls one of its operations: `lock`.
    fn operation_name(&self, code: OpCode) -> &'static str;

    /// Whether `by` can take `operation` now. If not, it waits.
    fn enabled(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> bool {
        true
    }

    /// How many ways there are to take it now, each of which is to be explored. At least 1.
    fn alternatives(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> u16 {
        1
    }

    /// Takes it.
    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, choice: u16) -> Effect;

    /// The flags that its event would have if it were taken now, as far as its footprint depends on them.
    fn foresee(&self, _world: &World, _by: ThreadId, _operation: &Operation, _memory: &dyn Memory) -> EventFlags {
        EventFlags::NONE
    }

    /// The result that its event would have if it were taken now, where its footprint depends on that.
    fn foresee_result(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> Option<u64> {
        None
    }

    /// What the event touched.
    fn footprint(&self, event: &Event, into: &mut Footprint);

    /// Whether `later`, an event of this family that depends on `earlier` directly, was not possible before it:
    /// a `lock` before the `unlock` that freed the mutex. The order of such a pair cannot be reversed.
    fn enabled_by(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether `earlier` took away what `later`, an operation of this family that may have to wait, waits for: right
    /// before `earlier`, `later` was possible. The last such pair is the one whose order can be reversed where
    /// [`enabled_by`](Self::enabled_by) forbids the neighbouring one: `lock` against `lock`, across the `unlock`.
    fn disabled_by(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether `earlier`, although it changed what `later` waits for alone, only went on with what its thread had begun
    /// before: then it is that beginning that took it away.
    fn continues(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether what this operation touches, or whether it can be taken at all after a reversal, depends on the state
    /// that it finds, so that it must be asked of the world again when it is moved to another place.
    fn depends_on_state(&self, _code: OpCode) -> bool {
        false
    }

    /// A thread that was asked to end does so at this operation, which it may have begun: undoes what it had begun.
    fn abandon(&self, _world: &mut World, _by: ThreadId, _operation: &Operation) -> Effect {
        Effect::default()
    }

    /// What [`abandon`](Self::abandon) changes.
    fn abandon_footprint(&self, _event: &Event, _into: &mut Footprint) {}

    /// When `operation`, which is timed and may not time out before nobody can go on, times out then. None for all others.
    fn deadline(&self, _operation: &Operation) -> Option<u64> {
        None
    }

    /// The event that woke the thread so that it could take `event`, where footprints do not show it.
    fn cause(&self, _event: &Event) -> Option<EventIndex> {
        None
    }
}

/// Every primitive, at its family's number.
static FAMILIES: [&dyn Primitive; 21] = [
    &Nothing,
    &thread::Threads,
    &mutex::Mutexes,
    &atomic::Atomics,
    &yielding::Yielding,
    &process::Process,
    &condvar::ConditionVariables,
    &semaphore::Semaphores,
    &choice::Choices,
    &once::Once,
    &rwlock::ReaderWriterLocks,
    &spin::SpinLocks,
    &barrier::Barriers,
    &assume::Assumptions,
    &memory::PlainMemory,
    &section::Sections,
    &queue::Policies,
    &custom::Custom,
    &file::Files,
    // Room for relatives of the ones above.
    &Nothing,
    &futex::Futexes,
];

/// The primitive that `code` belongs to. Codes come from memory that a broken program may have written to, so an
/// unknown one is answered by a primitive that does nothing.
#[inline]
pub fn of(code: OpCode) -> &'static dyn Primitive {
    FAMILIES.get(code.family() as usize).copied().unwrap_or(&Nothing)
}

/// Whether `later`, which depends on `earlier` directly, was not possible before it: see [`Primitive::enabled_by`].
#[inline]
pub fn enabled_by(earlier: &Event, later: &Event) -> bool {
    cancellation::enabled_by(earlier, later).unwrap_or_else(|| of(later.operation.code).enabled_by(earlier, later))
}

/// Whether this operation must be asked of the world again when it is moved: see [`Primitive::depends_on_state`].
#[inline]
pub fn depends_on_state(operation: &Operation) -> bool {
    operation.is_cancellable()
        || mutex::locks_robust(operation)
        || rwlock::waits_for_writers(operation)
        || queue::queues(operation)
        || of(operation.code).depends_on_state(operation.code)
}

/// Whether `later` is an await that nothing but `earlier` has made possible. (An await that changes something when it is
/// taken, a compare-exchange that succeeds, also depends on those who have only looked: those it could have come before.)
#[inline]
pub(crate) fn stirs(earlier: &Event, later: &Event) -> bool {
    later.flags.contains(EventFlags::STIRRED_ONCE) && later.operation.is_stirred_by(earlier, true, true)
}

/// The name of an operation, with its primitive: `mutex lock`.
#[derive(Clone, Copy, Debug)]
pub struct OperationName(pub OpCode);

impl core::fmt::Display for OperationName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let primitive = of(self.0);
        write!(f, "{} {}", primitive.name(), primitive.operation_name(self.0))
    }
}

/// Family 0, which no operation belongs to.
struct Nothing;

impl Primitive for Nothing {
    fn name(&self) -> &'static str {
        "unknown"
    }
    fn operation_name(&self, _: OpCode) -> &'static str {
        "operation"
    }
    fn take(&self, _: &mut World, _: ThreadId, _: &Operation, _: u16) -> Effect {
        Effect::default()
    }
    fn footprint(&self, _: &Event, _: &mut Footprint) {}
}
