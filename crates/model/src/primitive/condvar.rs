//! Condition variables.
//!
//! A wait is two operations: [`WAIT`] releases the mutex and joins the sleepers, [`REACQUIRE`] takes the mutex
//! again once somebody has woken the thread. In between lies the signal, an operation of another thread. Which
//! sleeper a signal wakes is a choice that is explored. State: who sleeps is written down with the threads
//! ([`crate::ThreadState::waits_on`]).
//!
//! **Waits that can end by themselves.** A wait with a time-out, or one that may wake up for no reason, is three operations:
//! [`WAIT`] with [`SELF_WAKING`], [`AWAKEN`], and to lock the mutex. Awakening, if nobody woke the thread, takes it out of
//! the sleepers: that it is not there any more when a signal comes, while it still waits for the mutex, is a
//! difference, so it is a step of its own. It is possible at any time, and so there is nothing to choose between "woken"
//! and "not woken": that is decided by who goes first, the signal or the sleeper. In footprints it
//! [adds](Mode::Add) to the sleepers like a wait (one less is one more: neither looks), which conflicts with signals. One
//! that was woken touches only its own sleep, as does the signal that ended it.
//!
//! **Wakeup policies.** Of a condition variable with a policy ([`Operation::order`]) a signal wakes the one that has slept longest, or
//! shortest. A wait is with whatever policy the mutex has; if that has a [queue](super::queue), the wait is one of those with
//! [`AWAKEN`], because to stand in the queue comes after waking up.
//!
//! The kind of the mutex is in the `detail` of both. A recursive mutex is unlocked once and locked once, as POSIX warns: a
//! thread that has locked it twice sleeps on it, and nobody else gets it.

use super::{Primitive, mutex};
use crate::world::Effect;
use crate::{
    Event, EventFlags, EventIndex, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, Order, Phase,
    ThreadId, World,
};

/// This family's number.
pub const FAMILY: u8 = 6;
/// Releases the mutex `argument` and joins the sleepers of `object`. The result is 1 if the mutex was locked, as it has
/// to be. With a mutex that knows its owner, a wait of another thread fails with `EPERM`.
pub const WAIT: OpCode = OpCode::new(FAMILY, 1);
/// Woken, locks the mutex `argument` again. The lower half of the result is the event that woke it; the upper half is about
/// robust mutexes: the [error number](error), and as in [`mutex`] who owned it.
pub const REACQUIRE: OpCode = OpCode::new(FAMILY, 2);
/// Wakes one sleeper, if there is one. The result is its id plus one.
pub const SIGNAL: OpCode = OpCode::new(FAMILY, 3);
/// Wakes all sleepers.
pub const BROADCAST: OpCode = OpCode::new(FAMILY, 4);
/// Made.
pub const INIT: OpCode = OpCode::new(FAMILY, 5);
/// Gone.
pub const DESTROY: OpCode = OpCode::new(FAMILY, 6);

/// The end of a [self-waking](SELF_WAKING) wait on `object`. If the thread was woken the result is 0. Else it leaves the
/// sleepers: it timed out (`ETIMEDOUT`), if it is [impatient](Operation::is_impatient), or, with [`TIMED`], when nobody
/// can go on; or, with [`MAY_BE_SPURIOUS`], it woke up for no reason (0). `argument` is the deadline.
pub const AWAKEN: OpCode = OpCode::new(FAMILY, 16);

/// In the `detail` of [`WAIT`]: what comes next is [`AWAKEN`], not [`REACQUIRE`].
pub const SELF_WAKING: u32 = 1 << 8;
/// In the `detail` of [`AWAKEN`]: it has a time-out.
pub const TIMED: u32 = 1 << 9;
/// In the `detail` of [`AWAKEN`]: it may end for no reason.
pub const MAY_BE_SPURIOUS: u32 = 1 << 10;

/// The part of `detail` that is the kind of the mutex.
const KINDS: u32 = 0xff;

/// The sleep of one thread, as a thing that is touched.
fn sleep_of(condvar: ObjectId, sleeper: ThreadId) -> ObjectId {
    ObjectId::share(condvar, sleeper)
}

/// The order in which threads fell asleep on one with a wakeup policy, as a thing that is touched.
fn order_of_sleep(condvar: ObjectId) -> ObjectId {
    ObjectId(condvar.0 + 16)
}

/// What ends the sleep of all, as a thing that is touched.
fn sleep_of_all(condvar: ObjectId) -> ObjectId {
    ObjectId(condvar.0 + 8)
}

/// Above this bit of the result of [`REACQUIRE`]: the error number.
const ERROR: u32 = 48;

/// The error number that locking the mutex again came to, in the result of [`REACQUIRE`].
pub const fn error(result: u64) -> u64 {
    result >> ERROR
}

/// The result of [`REACQUIRE`], from that of locking the mutex.
const fn with_waker(locked: u64, waker: u64) -> u64 {
    let (owner, error) = (locked >> 32, locked & 0xffff);
    error << ERROR | owner << 32 | waker
}

/// Those that sleep on `condvar` and were not woken, in the order of their ids.
fn sleepers(world: &World, condvar: ObjectId) -> impl Iterator<Item = ThreadId> {
    world.ids().filter(move |&t| {
        let state = world.thread(t);
        state.phase == Phase::Alive && state.waits_on == condvar && state.woken_by == 0
    })
}

/// Whether threads sleep on `condvar` with different mutexes. Whoever wakes one sees that: those who fall asleep do not see each
/// other.
fn sleep_with_different_mutexes(world: &World, condvar: ObjectId) -> bool {
    let mut mutexes = sleepers(world, condvar).map(|sleeper| world.thread(sleeper).waits_with);
    mutexes.next().is_some_and(|first| mutexes.any(|mutex| mutex != first))
}

/// The meaning of this family.
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
            SIGNAL if operation.order() == Order::Arbitrary => sleepers(world, operation.object).count().max(1) as u16,
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
            INIT => world.make(condvar),
            DESTROY if sleepers(world, condvar).next().is_some() => world.accuse(Misuse::DestroyWaited),
            DESTROY => world.unmake(condvar),
            REACQUIRE => {}
            _ => world.touch(condvar),
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
                world.tickets += 1;
                let ticket = world.tickets;
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
                // The last way is the one without a reason.
                let spurious = operation.detail & MAY_BE_SPURIOUS != 0;
                match choice {
                    _ if woken => Effect { result: 0, flags },
                    0 if operation.is_impatient() || !spurious => Effect::timed_out(operation),
                    _ => Effect { result: 0, flags: EventFlags::FAILED.union(EventFlags::SPURIOUS) },
                }
            }
            SIGNAL => {
                let ticket = |sleeper: &ThreadId| world.thread(*sleeper).ticket;
                let sleeper = match operation.order() {
                    Order::Arbitrary => sleepers(world, condvar).nth(choice as usize),
                    Order::Fifo => sleepers(world, condvar).min_by_key(ticket),
                    Order::Lifo => sleepers(world, condvar).max_by_key(ticket),
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
            // A normal mutex takes no offence.
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
            // Any sleeper may be woken, so the order in which they went to sleep does not matter, unless there is a policy.
            WAIT => {
                into.touch(operation.object, Mode::Add);
                into.touch(ObjectId(operation.argument), mutex::mode(event.flags));
                if operation.order() != Order::Arbitrary {
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
            // One that woke nobody has only seen that nobody sleeps.
            SIGNAL | BROADCAST if event.failed() => into.touch(operation.object, Mode::Read),
            // Whom it would wake is not known before it is taken, and need not be: whoever sleeps and could wake up by
            // itself conflicts with any signal.
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

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        let mutex = ObjectId(later.operation.argument);
        match later.operation.code {
            REACQUIRE => mutex::releases(earlier, mutex) || mutex::bequeathes(earlier, later),
            // It waited for the signal, and for nothing else.
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

    /// It sleeps no more, and has not got the mutex. If it was woken by a signal, the result is 1: the signal is to be
    /// passed on, because POSIX does not let a thread that is cancelled take one from others.
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
            // Like falling asleep: that others do so too commutes, that somebody is woken does not.
            into.touch(event.operation.object, Mode::Add);
        }
    }

    fn cause(&self, event: &Event) -> Option<EventIndex> {
        (event.operation.code == REACQUIRE && !event.flags.contains(EventFlags::CANCELLED))
            .then_some(EventIndex(event.result as u32))
    }
}

/// The kind of the mutex that `operation` is about.
fn kind(operation: &Operation) -> u32 {
    operation.detail & KINDS
}

/// Whether an awakening needs nobody else.
fn ends_by_itself(operation: &Operation) -> bool {
    operation.is_impatient() || operation.detail & MAY_BE_SPURIOUS != 0
}

/// The flags of a signal that wakes a thread with this mask.
fn wakes(mask: u32) -> EventFlags {
    if mask & SELF_WAKING != 0 { EventFlags::WAKES } else { EventFlags::NONE }
}
