//! Condition variables.
//!
//! A wait is two operations. [`WAIT`] releases the mutex and makes the thread a sleeper. [`REACQUIRE`] acquires the
//! mutex again after another thread has woken the sleeper. The signal, an operation of that other thread, lies in
//! between. Which sleeper a signal wakes is a choice that is explored. State: each sleeper is recorded in its thread
//! ([`crate::ThreadState::waits_on`]).
//!
//! **Waits that can end by themselves.** A wait with a timeout, or one that may wake spuriously, is three operations:
//! [`WAIT`] with [`SELF_WAKING`], [`AWAKEN`], and a lock of the mutex. If no thread woke the sleeper, `AWAKEN` removes
//! it from the sleepers. This is a separate step, because a signal that comes afterwards cannot wake the thread, even
//! while the thread still waits for the mutex. `AWAKEN` is enabled at any time. Whether the thread was woken is
//! therefore decided by the order of the signal and `AWAKEN`, and needs no choice. In footprints, an `AWAKEN` without a
//! signal [adds](Mode::Add) to the sleepers, like a wait: both change the set of sleepers without reading it. It
//! conflicts with signals. An `AWAKEN` after a signal touches only the thread's own sleep, and so does the signal that
//! ended that sleep.
//!
//! **Wakeup policies.** If the condition variable has a policy ([`Operation::order`]), a signal wakes the thread that
//! has slept longest (`fifo`) or shortest (`lifo`). The policy of the mutex is independent of it. If the mutex has a
//! [queue](super::queue), the wait uses [`AWAKEN`], because the thread enters the queue only after it was woken.
//!
//! The `detail` of [`WAIT`] and [`REACQUIRE`] contains the kind of the mutex. A recursive mutex is unlocked once and
//! locked once, as POSIX warns: a thread that has locked it twice still owns it while it sleeps, and no other thread
//! can acquire it.

use super::{Primitive, mutex};
use crate::world::Effect;
use crate::{
    Event, EventFlags, EventIndex, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, Phase, ThreadId,
    WakeupOrder, World,
};

/// The family of the operations on condition variables.
pub const FAMILY: u8 = 6;
/// Releases the mutex `argument` and makes the thread a sleeper of `object`. The result is 1 if the mutex was locked,
/// as it must be. If the mutex checks its owner and another thread owns it, the operation fails with `EPERM`.
pub const WAIT: OpCode = OpCode::new(FAMILY, 1);
/// Locks the mutex `argument` again after the thread was woken. The lower half of the result is the index of the event
/// that woke the thread. The upper half concerns robust mutexes: the [error number](error) and the former owner, as in
/// [`mutex`].
pub const REACQUIRE: OpCode = OpCode::new(FAMILY, 2);
/// Wakes one sleeper, if there is one. The result is its thread id plus one, or 0.
pub const SIGNAL: OpCode = OpCode::new(FAMILY, 3);
/// Wakes all sleepers. The result is their number.
pub const BROADCAST: OpCode = OpCode::new(FAMILY, 4);
/// Initialises the condition variable.
pub const INIT: OpCode = OpCode::new(FAMILY, 5);
/// Destroys the condition variable.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 6);

/// Ends a [self-waking](SELF_WAKING) wait on `object`. `argument` is the deadline.
///
/// If a signal woke the thread, the result is 0. Otherwise the thread leaves the sleepers in one of two ways. It times
/// out with `ETIMEDOUT`: at any time if the operation is [impatient](Operation::is_impatient), or, with [`TIMED`], when
/// no thread is enabled. Or, with [`MAY_BE_SPURIOUS`], it wakes spuriously, and the result is 0.
pub const AWAKEN: OpCode = OpCode::new(FAMILY, 16);

/// A flag in the `detail` of [`WAIT`]: the next operation is [`AWAKEN`], not [`REACQUIRE`].
pub const SELF_WAKING: u32 = 1 << 8;
/// A flag in the `detail` of [`AWAKEN`]: the wait has a timeout.
pub const TIMED: u32 = 1 << 9;
/// A flag in the `detail` of [`AWAKEN`]: the thread may wake spuriously.
pub const MAY_BE_SPURIOUS: u32 = 1 << 10;

/// The part of `detail` that is the kind of the mutex.
const KINDS: u32 = 0xff;

/// The sleep of one thread, as an object in footprints.
fn sleep_of(condvar: ObjectId, sleeper: ThreadId) -> ObjectId {
    ObjectId::share(condvar, sleeper)
}

/// The order in which threads fell asleep, as an object in footprints. Used if the condition variable has a policy.
fn order_of_sleep(condvar: ObjectId) -> ObjectId {
    ObjectId(condvar.0 + 16)
}

/// The sleep of all threads, as an object in footprints: a broadcast writes it.
fn sleep_of_all(condvar: ObjectId) -> ObjectId {
    ObjectId(condvar.0 + 8)
}

/// The lowest bit of the error number in the result of [`REACQUIRE`].
const ERROR: u32 = 48;

/// The error number of locking the mutex again, in the result of [`REACQUIRE`].
pub const fn error(result: u64) -> u64 {
    result >> ERROR
}

/// The result of [`REACQUIRE`]: `locked` is the result of locking the mutex, `waker` the index of the event that woke
/// the thread.
const fn with_waker(locked: u64, waker: u64) -> u64 {
    let (owner, error) = (locked >> 32, locked & 0xffff);
    error << ERROR | owner << 32 | waker
}

/// The threads that sleep on `condvar` and were not woken, in order of their ids.
fn sleepers(world: &World, condvar: ObjectId) -> impl Iterator<Item = ThreadId> {
    world.ids().filter(move |&t| {
        let state = world.thread(t);
        state.phase == Phase::Alive && state.waits_on == condvar && state.woken_by == 0
    })
}

/// Whether threads sleep on `condvar` with different mutexes. This is tested when a sleeper is woken, because threads
/// that fall asleep do not read each other's state.
fn sleep_with_different_mutexes(world: &World, condvar: ObjectId) -> bool {
    let mut mutexes = sleepers(world, condvar).map(|sleeper| world.thread(sleeper).waits_with);
    mutexes.next().is_some_and(|first| mutexes.any(|mutex| mutex != first))
}

/// The semantics of condition variables.
pub struct ConditionVariables;

impl Primitive for ConditionVariables {
    fn name(&self) -> &'static str {
        "condition"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            WAIT => "wait",
            REACQUIRE | AWAKEN => "wake up",
            SIGNAL => "signal",
            BROADCAST => "broadcast",
            INIT => "init",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        let woken = world.thread(by).woken_by != 0;
        match operation.code {
            REACQUIRE => woken && mutex::can_lock(world, by, ObjectId(operation.argument), kind(operation)),
            AWAKEN => woken || ends_by_itself(operation),
            _ => true,
        }
    }

    fn alternatives(&self, world: &World, by: ThreadId, operation: &Operation) -> u16 {
        match operation.code {
            SIGNAL if operation.order() == WakeupOrder::Arbitrary => {
                sleepers(world, operation.object).count().max(1) as u16
            }
            AWAKEN if world.thread(by).woken_by == 0 => {
                let spurious = operation.detail & MAY_BE_SPURIOUS != 0;
                1 + (spurious && operation.is_impatient()) as u16
            }
            _ => 1,
        }
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, choice: u16) -> Effect {
        let condvar = operation.object;
        let waker = world.events + 1;
        match operation.code {
            INIT => world.make(condvar, FAMILY),
            DESTROY if sleepers(world, condvar).next().is_some() => world.accuse(Misuse::DestroyWaited),
            DESTROY => world.unmake(condvar, FAMILY),
            REACQUIRE => {}
            _ => world.touch(condvar, FAMILY),
        }
        if matches!(operation.code, SIGNAL | BROADCAST) && sleep_with_different_mutexes(world, condvar) {
            world.accuse(Misuse::WaitTwoMutexes);
        }
        match operation.code {
            WAIT => {
                let mutex = ObjectId(operation.argument);
                let locked = mutex::owner_of(world, mutex).is_some();
                let kind = kind(operation);
                if mutex::owner_of(world, mutex) != Some(by) && kind & (mutex::ERRORCHECK | mutex::ROBUST) == 0 {
                    world.accuse(Misuse::WaitWithoutMutex);
                }
                let effect = mutex::unlock(world, by, mutex, kind);
                if effect.result == mutex::EPERM {
                    return effect;
                }
                // Without a policy the order of sleepers means nothing, and two waits commute.
                let ordered = operation.order() != WakeupOrder::Arbitrary;
                world.tickets += u32::from(ordered);
                let ticket = if ordered { world.tickets } else { 0 };
                let state = world.thread_mut(by);
                state.waits_on = condvar;
                state.waits_with = mutex;
                state.ticket = ticket;
                state.woken_by = 0;
                state.mask = operation.detail & SELF_WAKING;
                let nested = effect.flags.contains(EventFlags::NESTED);
                let flags = if nested { EventFlags::NESTED } else { EventFlags::NONE };
                Effect { result: locked as u64, flags }
            }
            REACQUIRE => {
                let Effect { result, flags } = mutex::lock(world, by, ObjectId(operation.argument), kind(operation));
                let state = world.thread_mut(by);
                state.waits_on = ObjectId::NONE;
                Effect { result: with_waker(result, state.woken_by as u64 - 1), flags }
            }
            AWAKEN => {
                let flags = self.foresee(world, by, operation, &crate::NoMemory);
                let state = world.thread_mut(by);
                let woken = state.woken_by != 0;
                state.waits_on = ObjectId::NONE;
                state.woken_by = 0;
                // The last alternative is the spurious wakeup.
                let spurious = operation.detail & MAY_BE_SPURIOUS != 0;
                match choice {
                    _ if woken => Effect { result: 0, flags },
                    0 if operation.is_impatient() || !spurious => Effect::timed_out(operation),
                    _ => {
                        state.spurious += 1;
                        Effect { result: 0, flags: EventFlags::FAILED.union(EventFlags::SPURIOUS) }
                    }
                }
            }
            SIGNAL => {
                let ticket = |sleeper: &ThreadId| world.thread(*sleeper).ticket;
                let sleeper = match operation.order() {
                    WakeupOrder::Arbitrary => sleepers(world, condvar).nth(choice as usize),
                    WakeupOrder::Fifo => sleepers(world, condvar).min_by_key(ticket),
                    WakeupOrder::Lifo => sleepers(world, condvar).max_by_key(ticket),
                };
                let Some(sleeper) = sleeper else { return Effect::failed(0) };
                let state = world.thread_mut(sleeper);
                state.woken_by = waker;
                state.woken_alone = true;
                Effect { result: sleeper.0 as u64 + 1, flags: wakes(state.mask) }
            }
            BROADCAST => {
                let (mut woken, mut flags) = (0, EventFlags::NONE);
                for thread in world.ids() {
                    let state = world.thread_mut(thread);
                    if state.phase == Phase::Alive && state.waits_on == condvar && state.woken_by == 0 {
                        state.woken_by = waker;
                        state.woken_alone = false;
                        flags = flags.union(wakes(state.mask));
                        woken += 1;
                    }
                }
                if woken == 0 { Effect::failed(0) } else { Effect { result: woken, flags } }
            }
            _ => Effect::default(),
        }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let (mutex, kind) = (ObjectId(operation.argument), kind(operation));
        match operation.code {
            SIGNAL | BROADCAST if sleepers(world, operation.object).next().is_none() => EventFlags::FAILED,
            BROADCAST => {
                let flags = sleepers(world, operation.object).map(|t| wakes(world.thread(t).mask));
                flags.fold(EventFlags::NONE, EventFlags::union)
            }
            AWAKEN if world.thread(by).woken_by == 0 => {
                let spurious = operation.detail & MAY_BE_SPURIOUS != 0;
                match ends_by_itself(operation) || world.thread(by).expired {
                    false => EventFlags::NONE,
                    true if spurious && !operation.is_impatient() => EventFlags::FAILED.union(EventFlags::SPURIOUS),
                    true => crate::world::timed_out(operation),
                }
            }
            // A normal mutex does not check its owner.
            WAIT => {
                if kind != mutex::NORMAL {
                    mutex::foresee_unlock(world, by, mutex, kind)
                } else {
                    EventFlags::NONE
                }
            }
            REACQUIRE => mutex::foresee_lock(world, by, mutex, kind),
            _ => EventFlags::NONE,
        }
    }

    fn foresee_result(&self, world: &World, by: ThreadId, operation: &Operation) -> Option<u64> {
        if operation.code != REACQUIRE {
            return None;
        }
        let locked = mutex::foresee_result(world, by, ObjectId(operation.argument), kind(operation))?;
        Some(with_waker(locked, world.thread(by).woken_by.saturating_sub(1) as u64))
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        match operation.code {
            WAIT if event.failed() => into.touch(ObjectId(operation.argument), Mode::Read),
            // A signal may wake any sleeper, so the order in which they fell asleep matters only with a policy.
            WAIT => {
                into.touch(operation.object, Mode::Add);
                into.touch(ObjectId(operation.argument), mutex::mode(event.flags));
                if operation.order() != WakeupOrder::Arbitrary {
                    into.touch(order_of_sleep(operation.object), Mode::Write);
                }
            }
            REACQUIRE => {
                into.touch(ObjectId(operation.argument), mutex::mode(event.flags));
                mutex::touch_owner(event, into);
            }
            AWAKEN if event.failed() => {
                into.touch(operation.object, Mode::Add);
                into.touch(sleep_of(operation.object, event.thread), Mode::Write);
            }
            AWAKEN => {
                into.touch(sleep_of(operation.object, event.thread), Mode::Write);
                into.touch(sleep_of_all(operation.object), Mode::Read);
            }
            // A signal that woke no thread only read that there is no sleeper.
            SIGNAL | BROADCAST if event.failed() => into.touch(operation.object, Mode::Read),
            // The woken thread is not known before the signal is taken, and need not be: a sleeper that could wake by
            // itself conflicts with every signal.
            SIGNAL if event.flags.contains(EventFlags::WAKES) && event.result != 0 => {
                into.touch(operation.object, Mode::Write);
                into.touch(sleep_of(operation.object, ThreadId(event.result as u16 - 1)), Mode::Write);
            }
            BROADCAST if event.flags.contains(EventFlags::WAKES) => {
                into.touch(operation.object, Mode::Write);
                into.touch(sleep_of_all(operation.object), Mode::Write);
            }
            _ => into.touch(operation.object, Mode::Write),
        }
    }

    fn bare(&self, event: &Event) -> Event {
        let result = match event.operation.code {
            WAIT => event.result,
            REACQUIRE => error(event.result) << ERROR,
            _ => 0,
        };
        let timed = event.operation.code == AWAKEN;
        let argument = if timed { 0 } else { event.operation.argument };
        Event { operation: Operation { argument, ..event.operation }, result, ..*event }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let mutex = ObjectId(later.operation.argument);
        match later.operation.code {
            REACQUIRE => mutex::releases(earlier, mutex) || mutex::bequeathes(earlier, later),
            // It waited for the signal only.
            AWAKEN => !ends_by_itself(&later.operation) && !later.failed(),
            _ => false,
        }
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        later.operation.code == REACQUIRE && mutex::acquires(earlier, ObjectId(later.operation.argument))
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, SIGNAL | BROADCAST | AWAKEN)
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        let waits = operation.code == AWAKEN && !ends_by_itself(operation) && operation.detail & TIMED != 0;
        waits.then_some(operation.argument)
    }

    /// Removes the thread from the sleepers without acquiring the mutex. If a signal had woken the thread, the result
    /// is 1 and the signal must be passed on: POSIX does not let a cancelled thread consume a signal that could wake
    /// another thread.
    fn abandon(&self, world: &mut World, by: ThreadId, operation: &Operation) -> Effect {
        if !matches!(operation.code, REACQUIRE | AWAKEN) {
            return Effect::default();
        }
        let state = world.thread_mut(by);
        state.waits_on = ObjectId::NONE;
        Effect::result((state.woken_by != 0 && state.woken_alone) as u64)
    }

    fn abandon_footprint(&self, event: &Event, into: &mut Footprint) {
        if matches!(event.operation.code, REACQUIRE | AWAKEN) {
            // As with falling asleep: it commutes with other sleepers that come or go, and conflicts with signals.
            into.touch(event.operation.object, Mode::Add);
        }
    }

    fn cause(&self, event: &Event) -> Option<EventIndex> {
        (event.operation.code == REACQUIRE && !event.flags.contains(EventFlags::CANCELLED))
            .then_some(EventIndex(event.result as u32))
    }

    fn without_cause(&self, event: &Event) -> Event {
        let waker = if self.cause(event).is_some() { u64::from(u32::MAX) } else { 0 };
        Event { result: event.result & !waker, ..*event }
    }
}

/// The kind of the mutex of `operation`.
fn kind(operation: &Operation) -> u32 {
    operation.detail & KINDS
}

/// Whether this `AWAKEN` is enabled without a signal.
fn ends_by_itself(operation: &Operation) -> bool {
    operation.is_impatient() || operation.detail & MAY_BE_SPURIOUS != 0
}

/// The flags of a signal that wakes a thread with this mask.
fn wakes(mask: u32) -> EventFlags {
    if mask & SELF_WAKING != 0 { EventFlags::WAKES } else { EventFlags::NONE }
}
