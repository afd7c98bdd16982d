//! The semantics of every primitive, one file each: its state, its operations, when each is enabled, its effect and its
//! footprint.
//!
//! A new primitive is a new file and a line in `FAMILIES`. This file only dispatches.

mod ask;
pub mod assume;
pub mod atomic;
pub mod barrier;
pub mod cancellation;
pub mod choice;
pub mod condvar;
pub mod custom;
pub mod futex;
pub mod inherited;
pub mod memory;
pub mod mutex;
pub mod once;
pub mod process;
pub mod process_state;
pub mod prop;
pub mod queue;
pub mod rwlock;
pub mod section;
pub mod semaphore;
pub mod spin;
pub mod thread;
pub mod yielding;

use crate::world::Effect;
use crate::{Event, EventFlags, EventIndex, Footprint, Memory, ObjectSlot, OpCode, Operation, ThreadId, World};

/// The error number of an operation that timed out.
pub const ETIMEDOUT: u64 = 110;

/// The semantics of one primitive. Every method takes operations and events of this primitive's family only.
pub trait Primitive: Sync {
    /// The primitive's name in reports: `mutex`.
    fn name(&self) -> &'static str;

    /// The name of one of its operations in reports: `lock`.
    fn operation_name(&self, code: OpCode) -> &'static str;

    /// Whether `operation` of thread `by` is enabled now.
    fn enabled(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> bool {
        true
    }

    /// The number of alternatives that `operation` has now, at least 1. The search explores each of them. Example: a
    /// signal has one alternative for each thread that it can wake.
    fn alternatives(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> u16 {
        1
    }

    /// Takes it in the way with number `way`, which is less than its [`alternatives`](Self::alternatives).
    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, way: u16) -> Effect;

    /// The result of `operation` if a plan gives it `value`: the value, cut to what the operation has room for. None if
    /// the operation does not take this value, or none at all.
    fn given(&self, _operation: &Operation, _value: u64) -> Option<u64> {
        None
    }

    /// Predicts the flags of the event if `operation` were taken now, as far as its footprint depends on them.
    fn foresee(&self, _world: &World, _by: ThreadId, _operation: &Operation, _memory: &dyn Memory) -> EventFlags {
        EventFlags::NONE
    }

    /// Predicts the result of the event if `operation` were taken now. `None` if its footprint does not depend on the
    /// result.
    fn foresee_result(&self, _world: &World, _by: ThreadId, _operation: &Operation) -> Option<u64> {
        None
    }

    /// Predicts the flags and the result of the event if `operation` were taken now, as far as
    /// [`enabled_by`](Self::enabled_by) asks for them. `flags` are those of [`foresee`](Self::foresee).
    fn foresee_bare(&self, world: &World, by: ThreadId, operation: &Operation, flags: EventFlags) -> (EventFlags, u64) {
        (flags, self.foresee_result(world, by, operation).unwrap_or(0))
    }

    /// Reduces `event` to what [`enabled_by`](Self::enabled_by) asks of it. Events that are equal then and have equal
    /// footprints are ordered alike with all others.
    fn bare(&self, event: &Event) -> Event {
        Event { operation: Operation { argument: 0, ..event.operation }, result: 0, ..*event }
    }

    /// Adds the accesses of `event` to `into`.
    fn footprint(&self, event: &Event, into: &mut Footprint);

    /// Whether `earlier` enabled `later`, an event of this family that depends on it directly. Example: a `lock` and
    /// the `unlock` that freed the mutex. The order of such a pair cannot be reversed.
    fn enabled_by(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether `later`, an event of this family, was enabled right before `earlier`, and `earlier` disabled it.
    ///
    /// This finds the pair to reverse where [`enabled_by`](Self::enabled_by) excludes the neighbouring one. Example: in
    /// `lock`, `unlock`, `lock` by two threads, the two `lock`s can be reversed, and the `unlock` between them cannot
    /// be reversed with the second `lock`.
    fn disabled_by(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether `earlier` only continues an operation that its thread began before, although `earlier` conflicts with
    /// `later`. If so, the beginning is the event that disabled `later`.
    fn continues(&self, _earlier: &Event, _later: &Event) -> bool {
        false
    }

    /// Whether the footprint of this operation, or whether it is enabled, depends on the state in which it is taken. If
    /// so, the search evaluates it again when it moves it to another position.
    fn depends_on_state(&self, _code: OpCode) -> bool {
        false
    }

    /// Cancels thread `by` at `operation`: undoes what the thread has begun, for example its place among the threads
    /// that wait.
    fn abandon(&self, _world: &mut World, _by: ThreadId, _operation: &Operation) -> Effect {
        Effect::default()
    }

    /// Adds the accesses of [`abandon`](Self::abandon) to `into`.
    fn abandon_footprint(&self, _event: &Event, _into: &mut Footprint) {}

    /// The deadline of a timed operation that times out only if no thread is enabled. `None` for every other operation.
    fn deadline(&self, _operation: &Operation) -> Option<u64> {
        None
    }

    /// The words of an object of this family that decide what can follow: see [`World::canonical`].
    fn canonical(&self, slot: &ObjectSlot) -> [u64; 3] {
        slot.words
    }

    /// The [canonical](Self::canonical) words of one thread's share of an object of this family. `owner` is the state of
    /// the object itself.
    fn canonical_share(&self, _owner: &ObjectSlot, share: &ObjectSlot) -> [u64; 3] {
        share.words
    }

    /// The event that woke the thread of `event`, where footprints do not show it.
    fn cause(&self, _event: &Event) -> Option<EventIndex> {
        None
    }

    /// `event` without the number of its [`cause`](Self::cause), which tells how a state was reached and no more.
    fn without_cause(&self, event: &Event) -> Event {
        *event
    }
}

/// All primitives, each at the number of its family.
static FAMILIES: [&dyn Primitive; 22] = [
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
    &process_state::ProcessState,
    // Reserved for a relative of the families above.
    &Nothing,
    &futex::Futexes,
    &prop::Propositions,
];

/// The primitive that `code` belongs to. An unknown code gets a primitive without effect, because codes come from
/// memory that a broken program may have overwritten.
#[inline]
pub fn of(code: OpCode) -> &'static dyn Primitive {
    FAMILIES.get(code.family() as usize).copied().unwrap_or(&Nothing)
}

/// The primitive with this number of its family.
#[inline]
pub(crate) fn of_family(family: u8) -> &'static dyn Primitive {
    FAMILIES.get(family as usize).copied().unwrap_or(&Nothing)
}

/// Whether `earlier` enabled `later`, which depends on it directly: see [`Primitive::enabled_by`].
#[inline]
pub fn enabled_by(earlier: &Event, later: &Event) -> bool {
    cancellation::enabled_by(earlier, later).unwrap_or_else(|| of(later.operation.code).enabled_by(earlier, later))
}

/// Updates `operation`, the next of `thread`, to the object that it acts on now: see [`World::located`].
#[inline]
pub(crate) fn located(world: &World, thread: ThreadId, operation: Operation) -> Operation {
    if operation.code == futex::AWAKEN { futex::located(world, thread, &operation) } else { operation }
}

/// Whether `operation` must be evaluated again when the search moves it: see [`Primitive::depends_on_state`].
#[inline]
pub fn depends_on_state(operation: &Operation) -> bool {
    operation.is_cancellable()
        || mutex::locks_robust(operation)
        || rwlock::waits_for_writers(operation)
        || queue::queues(operation)
        || of(operation.code).depends_on_state(operation.code)
}

/// Whether `later` is an await that `earlier` alone has enabled.
///
/// An await that changes something when it is taken, such as a compare-exchange that succeeds, also depends on earlier
/// reads. It was enabled before those, so their order can be reversed.
#[inline]
pub(crate) fn stirs(earlier: &Event, later: &Event) -> bool {
    later.flags.contains(EventFlags::STIRRED_ONCE) && later.operation.is_stirred_by(earlier)
}

/// The name of an operation together with its primitive: `mutex lock`.
#[derive(Clone, Copy, Debug)]
pub struct OperationName(pub OpCode);

impl core::fmt::Display for OperationName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let primitive = of(self.0);
        write!(f, "{} {}", primitive.name(), primitive.operation_name(self.0))
    }
}

/// A primitive without effect, for family 0 and for unknown numbers.
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
