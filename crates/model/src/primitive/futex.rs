//! Futexes: the kernel's part of locks that programs, libraries and the runtimes of other languages implement
//! themselves.
//!
//! A futex is a word in the program's memory with a queue of threads that sleep on it. [`WAIT`] tests whether the word
//! still has the value that the thread saw and, if so, enters the queue, in one atomic step. [`AWAKEN`] ends the sleep.
//! [`WAKE`] wakes some sleepers. [`REQUEUE`] wakes some and moves others to the queue of another word. The kernel does
//! not specify which sleepers are woken or moved, so both are choices.
//!
//! **Footprints.** Each sleeper is recorded in its thread, as for condition variables. The queue of a word is an object
//! beside the word ([`queue_of`]): a write to the word conflicts with no wake-up, and a wait conflicts with both.
//! Entering the queue and leaving it after a timeout [add](Mode::Add), waking [writes](Mode::Write), and a wake-up that
//! found no sleeper [reads](Mode::Read). A thread that was woken and the event that woke it both touch the thread's own
//! sleep. An event that wakes more than a few threads touches the sleep of all threads.
//!
//! An operation whose comparison fails touches the queues as if the comparison had succeeded. At another position it
//! may succeed. An event that would conflict with it there must not commute with it here without conflicting on the
//! word. In general, the footprint of a moved event on an object may change only through events that conflict with it
//! on that object.
//!
//! The word is in the program's memory, which the model does not contain. [`Memory`] answers whether it has the
//! expected value. Priority inheritance (`FUTEX_LOCK_PI` and its relatives), `FUTEX_WAKE_OP` and `futex_waitv` are not
//! modelled.

use super::{Primitive, atomic};
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Mode, ObjectId, OpCode, Operation, Phase, ThreadId, World};

/// The family of the operations on futexes.
pub const FAMILY: u8 = 20;
/// Enters the queue of the word `object` if the word has the expected value: see [`wait`]. With another value the event
/// has the flag [`EventFlags::MISMATCH`], and the runtime stores the value as the result.
pub const WAIT: OpCode = OpCode::new(FAMILY, 1);
/// Ends a sleep. If the thread was woken, the result is 0. Otherwise it leaves the queue with `ETIMEDOUT`: at any time
/// if it is [impatient](Operation::is_impatient), or, with [`TIMED`], when no thread is enabled. `argument` is the
/// deadline.
pub const AWAKEN: OpCode = OpCode::new(FAMILY, 2);
/// Wakes sleepers of the word `object`: see [`wake`]. The result contains their number: see [`woken`].
pub const WAKE: OpCode = OpCode::new(FAMILY, 3);
/// Wakes sleepers of the word `object` and moves others to another word: see [`requeue`]. The result contains both
/// numbers: see [`woken`] and [`moved`].
pub const REQUEUE: OpCode = OpCode::new(FAMILY, 4);

/// A flag in the `detail` of [`AWAKEN`]: the wait has a timeout.
pub const TIMED: u32 = 1;
/// The number of sleepers that stands for all of them.
pub const ALL: u8 = 127;

/// A flag in the `detail` of [`REQUEUE`]: it compares the word with an expected value.
const COMPARES: u32 = 1 << 16;
/// The size of a word in bytes.
const SIZE: u16 = 4;

/// The operation that sleeps on `word` if its value is `expected`. A wake-up wakes the thread if their bit sets
/// `wakers` overlap.
pub const fn wait(word: ObjectId, expected: u32, wakers: u32) -> Operation {
    Operation { argument: expected as u64 | (wakers as u64) << 32, size: SIZE, ..Operation::new(WAIT, word) }
}

/// The operation that wakes at most `most` sleepers of `word` whose bit set overlaps `wakers`.
pub const fn wake(word: ObjectId, most: u32, wakers: u32) -> Operation {
    Operation { argument: most as u64 | (wakers as u64) << 32, ..Operation::new(WAKE, word) }
}

/// The operation that wakes at most `wakes` sleepers of `word` and moves at most `moves` of the others to `to`. If
/// `expected` is given, it fails if `word` has another value.
pub const fn requeue(word: ObjectId, to: ObjectId, (wakes, moves): (u8, u8), expected: Option<u32>) -> Operation {
    let (low, detail) = match expected {
        Some(value) => ((value as u64) << 48, value >> 16 | COMPARES),
        None => (0, 0),
    };
    // Addresses have 47 bits.
    let argument = (to.0 & ADDRESS) | low;
    Operation {
        argument,
        detail,
        size: (wakes & ALL) as u16 | ((moves & ALL) as u16) << 8,
        ..Operation::new(REQUEUE, word)
    }
}

const ADDRESS: u64 = (1 << 48) - 1;

/// The number of sleepers that `event` has woken.
pub const fn woken(event: &Event) -> u32 {
    event.result as u16 as u32
}

/// The number of sleepers that `event` has moved.
pub const fn moved(event: &Event) -> u32 {
    (event.result >> 16) as u16 as u32
}

/// The comparison that `operation` makes with its word, as a compare-exchange. `None` if it makes none.
pub fn comparison(operation: &Operation) -> Option<Operation> {
    let expected = match operation.code {
        WAIT => operation.argument as u32,
        REQUEUE if operation.detail & COMPARES != 0 => {
            (operation.argument >> 48) as u32 | (operation.detail & 0xffff) << 16
        }
        _ => return None,
    };
    let compare = Operation::new(atomic::COMPARE_EXCHANGE, operation.object);
    Some(Operation { argument: expected as u64, size: SIZE, ..compare })
}

/// The queue of a word, as an object in footprints. Its id is above all addresses and differs for every word.
pub const fn queue_of(word: ObjectId) -> ObjectId {
    ObjectId(word.0 | 1 << 61)
}

/// The sleep of one thread, as an object in footprints.
fn sleep_of(sleeper: ThreadId) -> ObjectId {
    ObjectId(1 << 60 | (sleeper.0 as u64) << 3)
}

/// The sleep of all threads, as an object in footprints.
const SLEEP_OF_ALL: ObjectId = ObjectId(1 << 60 | 1 << 59);

/// The number of woken threads that a result can name.
const NAMED: usize = 2;

/// The threads that sleep in `queue`, were not woken, and have a bit set that overlaps `wakers`.
fn sleepers(world: &World, queue: ObjectId, wakers: u32) -> impl Iterator<Item = ThreadId> {
    world.ids().filter(move |&t| {
        let state = world.thread(t);
        let sleeps = state.phase == Phase::Alive && state.waits_on == queue && state.woken_by == 0;
        sleeps && state.mask & wakers != 0
    })
}

/// The number of ways to choose `some` of `all`, at most 2^16.
fn ways(all: u64, some: u64) -> u64 {
    let some = some.min(all - some);
    (0..some).fold(1u64, |ways, i| (ways.saturating_mul(all - i) / (i + 1)).min(1 << 16))
}

/// Chooses `some` of `all` elements in the way with the number `way`.
struct Pick {
    all: u64,
    some: u64,
    way: u64,
}

impl Pick {
    /// Whether the next element is chosen.
    fn next(&mut self) -> bool {
        self.all -= 1;
        if self.some == 0 {
            return false;
        }
        let with = ways(self.all, self.some - 1);
        if self.way < with {
            self.some -= 1;
            return true;
        }
        self.way -= with;
        false
    }
}

/// What a wake-up would do now: how many of how many sleepers it wakes and moves.
struct Plan {
    queue: ObjectId,
    wakers: u32,
    all: u64,
    wakes: u64,
    moves: u64,
}

impl Plan {
    fn of(world: &World, operation: &Operation) -> Plan {
        let queue = queue_of(operation.object);
        let limit = |most: u16| if most == ALL as u16 { u64::MAX } else { most as u64 };
        let (wakers, most, move_most) = match operation.code {
            WAKE => ((operation.argument >> 32) as u32, operation.argument & u32::MAX as u64, 0),
            _ => (u32::MAX, limit(operation.size & 0xff), limit(operation.size >> 8)),
        };
        let all = sleepers(world, queue, wakers).count() as u64;
        let wakes = most.min(all);
        Plan { queue, wakers, all, wakes, moves: move_most.min(all - wakes) }
    }

    fn does_nothing(&self) -> bool {
        self.wakes + self.moves == 0
    }

    fn alternatives(&self) -> u64 {
        ways(self.all, self.wakes).saturating_mul(ways(self.all - self.wakes, self.moves))
    }

    /// Wakes and moves sleepers in the way with the number `choice`. Returns the event's result.
    fn apply(&self, world: &mut World, to: ObjectId, choice: u16) -> u64 {
        let inner = ways(self.all - self.wakes, self.moves);
        let mut wake = Pick { all: self.all, some: self.wakes, way: choice as u64 / inner };
        let mut shift = Pick { all: self.all - self.wakes, some: self.moves, way: choice as u64 % inner };
        let mut result = self.wakes | self.moves << 16;
        let mut named = 0;
        let waker = world.events + 1;
        for thread in world.ids() {
            let state = world.thread(thread);
            let sleeps = state.phase == Phase::Alive && state.waits_on == self.queue && state.woken_by == 0;
            if !sleeps || state.mask & self.wakers == 0 {
                continue;
            }
            if wake.next() {
                world.thread_mut(thread).woken_by = waker;
                if named < NAMED && self.wakes as usize <= NAMED {
                    result |= (thread.0 as u64 + 1) << (32 + 16 * named);
                    named += 1;
                }
            } else if shift.next() {
                world.thread_mut(thread).waits_on = to;
            }
        }
        result
    }
}

/// The [`AWAKEN`] of `by` on the word that the thread sleeps on now. Another thread may have moved it to that word.
pub(crate) fn located(world: &World, by: ThreadId, operation: &Operation) -> Operation {
    let queue = world.thread(by).waits_on;
    let object = if queue == ObjectId::NONE { operation.object } else { ObjectId(queue.0 & ADDRESS) };
    Operation { object, ..*operation }
}

/// The semantics of futexes.
pub struct Futexes;

impl Primitive for Futexes {
    fn name(&self) -> &'static str {
        "futex"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            WAIT => "wait",
            AWAKEN => "wake up",
            WAKE => "wake",
            REQUEUE => "requeue",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        operation.code != AWAKEN || operation.is_impatient() || world.thread(by).woken_by != 0
    }

    fn alternatives(&self, world: &World, _by: ThreadId, operation: &Operation) -> u16 {
        match operation.code {
            WAKE | REQUEUE => Plan::of(world, operation).alternatives().clamp(1, u16::MAX as u64) as u16,
            _ => 1,
        }
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, choice: u16) -> Effect {
        let flags = self.foresee(world, by, operation, world.memory());
        if flags.contains(EventFlags::MISMATCH) {
            return Effect { result: 0, flags };
        }
        match operation.code {
            WAIT => {
                let state = world.thread_mut(by);
                state.waits_on = queue_of(operation.object);
                // Any sleeper may be woken first.
                state.ticket = 0;
                state.woken_by = 0;
                state.mask = (operation.argument >> 32) as u32;
                Effect::default()
            }
            AWAKEN => {
                let state = world.thread_mut(by);
                let woken = state.woken_by != 0;
                state.waits_on = ObjectId::NONE;
                state.woken_by = 0;
                if woken { Effect::default() } else { Effect::timed_out(operation) }
            }
            _ => {
                let plan = Plan::of(world, operation);
                let result = plan.apply(world, queue_of(ObjectId(operation.argument & ADDRESS)), choice);
                Effect { result, flags }
            }
        }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, memory: &dyn Memory) -> EventFlags {
        if comparison(operation).is_some_and(|compare| memory.compare_fails(&compare)) {
            return EventFlags::FAILED.union(EventFlags::MISMATCH);
        }
        match operation.code {
            WAKE | REQUEUE if Plan::of(world, operation).does_nothing() => EventFlags::FAILED,
            AWAKEN if world.thread(by).woken_by == 0 => world.foresee_timeout(by, operation),
            _ => EventFlags::NONE,
        }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        let queue = queue_of(operation.object);
        if comparison(operation).is_some() {
            into.touch_bytes(operation.object, SIZE as u32, Mode::Read);
        }
        match operation.code {
            // Even if the comparison fails: see the module's documentation.
            WAIT => into.touch(queue, Mode::Add),
            AWAKEN if event.failed() => {
                into.touch(queue, Mode::Add);
                into.touch(sleep_of(event.thread), Mode::Write);
            }
            AWAKEN => {
                into.touch(sleep_of(event.thread), Mode::Write);
                into.touch(SLEEP_OF_ALL, Mode::Read);
            }
            WAKE if event.failed() => into.touch(queue, Mode::Read),
            WAKE => {
                into.touch(queue, Mode::Write);
                touch_sleeps(event, into);
            }
            _ => {
                // Even if there was no sleeper: whether the comparison fails is not always known in advance.
                into.touch(queue, Mode::Write);
                into.touch(queue_of(ObjectId(operation.argument & ADDRESS)), Mode::Write);
                if event.failed() {
                    return;
                }
                match woken(event) {
                    0 | 1 => touch_sleeps(event, into),
                    _ => into.touch(SLEEP_OF_ALL, Mode::Write),
                }
            }
        }
    }

    fn enabled_by(&self, _: &Event, later: &Event) -> bool {
        // It waited for the wake-up only.
        later.operation.code == AWAKEN && !later.operation.is_impatient() && !later.failed()
    }

    fn depends_on_state(&self, _: OpCode) -> bool {
        true
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        let waits = operation.code == AWAKEN && !operation.is_impatient() && operation.detail & TIMED != 0;
        waits.then_some(operation.argument)
    }
}

/// Adds the sleeps that `event` has ended.
fn touch_sleeps(event: &Event, into: &mut Footprint) {
    match woken(event) as usize {
        0 => {}
        count if count <= NAMED => {
            for at in 0..count {
                let named = (event.result >> (32 + 16 * at)) as u16;
                into.touch(sleep_of(ThreadId(named.wrapping_sub(1))), Mode::Write);
            }
        }
        _ => into.touch(SLEEP_OF_ALL, Mode::Write),
    }
}
