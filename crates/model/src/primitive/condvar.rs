//! Condition variables.
//!
//! A wait is two operations: [`WAIT`] releases the mutex and joins the sleepers, [`REACQUIRE`] takes the mutex
//! again once somebody has woken the thread. In between lies the signal, an operation of another thread. Which
//! sleeper a signal wakes is a choice that is explored. State: who sleeps is written down with the threads
//! ([`crate::ThreadState::waits_on`]).
//!
//! The kind of the mutex is in the `detail` of both. A recursive mutex is unlocked once and locked once, as POSIX warns: a
//! thread that has locked it twice sleeps on it, and nobody else gets it.

use super::{Primitive, mutex};
use crate::world::Effect;
use crate::{
    Event, EventFlags, EventIndex, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, Phase, ThreadId, World,
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

/// Whether somebody sleeps on `condvar` with another mutex than this.
fn waits_with_another(world: &World, condvar: ObjectId, mutex: ObjectId) -> bool {
    sleepers(world, condvar).any(|sleeper| world.thread(sleeper).waits_with != mutex)
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
            REACQUIRE => "wake up",
            SIGNAL => "signal",
            BROADCAST => "broadcast",
            INIT => "init",
            DESTROY => "destroy",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        operation.code != REACQUIRE
            || (world.thread(by).woken_by != 0
                && mutex::can_lock(world, by, ObjectId(operation.argument), operation.detail))
    }

    fn alternatives(&self, world: &World, _by: ThreadId, operation: &Operation) -> u16 {
        if operation.code == SIGNAL { sleepers(world, operation.object).count().max(1) as u16 } else { 1 }
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
        match operation.code {
            WAIT => {
                let mutex = ObjectId(operation.argument);
                let locked = mutex::owner_of(world, mutex).is_some();
                if mutex::owner_of(world, mutex) != Some(by)
                    && operation.detail & (mutex::ERRORCHECK | mutex::ROBUST) == 0
                {
                    world.accuse(Misuse::WaitWithoutMutex);
                } else if waits_with_another(world, condvar, mutex) {
                    world.accuse(Misuse::WaitTwoMutexes);
                }
                let effect = mutex::unlock(world, by, mutex, operation.detail);
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
                let nested = effect.flags.contains(EventFlags::NESTED);
                let flags = if nested { EventFlags::NESTED } else { EventFlags::NONE };
                Effect { result: locked as u64, flags }
            }
            REACQUIRE => {
                let Effect { result, flags } = mutex::lock(world, by, ObjectId(operation.argument), operation.detail);
                let state = world.thread_mut(by);
                state.waits_on = ObjectId::NONE;
                Effect { result: with_waker(result, state.woken_by as u64 - 1), flags }
            }
            SIGNAL => {
                let Some(sleeper) = sleepers(world, condvar).nth(choice as usize) else { return Effect::failed(0) };
                let state = world.thread_mut(sleeper);
                state.woken_by = waker;
                state.woken_alone = true;
                Effect::result(sleeper.0 as u64 + 1)
            }
            BROADCAST => {
                let mut woken = 0;
                for thread in world.ids() {
                    let state = world.thread_mut(thread);
                    if state.phase == Phase::Alive && state.waits_on == condvar && state.woken_by == 0 {
                        state.woken_by = waker;
                        state.woken_alone = false;
                        woken += 1;
                    }
                }
                if woken == 0 { Effect::failed(0) } else { Effect::result(woken) }
            }
            _ => Effect::default(),
        }
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        let (mutex, kind) = (ObjectId(operation.argument), operation.detail);
        match operation.code {
            SIGNAL | BROADCAST if sleepers(world, operation.object).next().is_none() => EventFlags::FAILED,
            // A normal mutex takes no offence.
            WAIT => {
                let own = if kind != mutex::NORMAL {
                    mutex::foresee_unlock(world, by, mutex, kind)
                } else {
                    EventFlags::NONE
                };
                let two = waits_with_another(world, operation.object, mutex);
                if two { own.union(EventFlags::MISUSE) } else { own }
            }
            REACQUIRE => mutex::foresee_lock(world, by, mutex, kind),
            _ => EventFlags::NONE,
        }
    }

    fn foresee_result(&self, world: &World, by: ThreadId, operation: &Operation) -> Option<u64> {
        if operation.code != REACQUIRE {
            return None;
        }
        let locked = mutex::foresee_result(world, by, ObjectId(operation.argument), operation.detail)?;
        Some(with_waker(locked, world.thread(by).woken_by.saturating_sub(1) as u64))
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        let operation = &event.operation;
        match operation.code {
            // Any sleeper may be woken, so the order in which they went to sleep does not matter.
            WAIT if event.failed() => into.touch(ObjectId(operation.argument), Mode::Read),
            WAIT => {
                // One that finds others asleep with another mutex came after them.
                let looks = event.flags.contains(EventFlags::MISUSE);
                into.touch(operation.object, if looks { Mode::Write } else { Mode::Add });
                into.touch(ObjectId(operation.argument), mutex::mode(event.flags));
            }
            REACQUIRE => {
                into.touch(ObjectId(operation.argument), mutex::mode(event.flags));
                mutex::touch_owner(event, into);
            }
            // One that woke nobody has only seen that nobody sleeps.
            SIGNAL | BROADCAST if event.failed() => into.touch(operation.object, Mode::Read),
            _ => into.touch(operation.object, Mode::Write),
        }
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        later.operation.code == REACQUIRE
            && (mutex::releases(earlier, ObjectId(later.operation.argument)) || mutex::bequeathes(earlier, later))
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        later.operation.code == REACQUIRE && mutex::acquires(earlier, ObjectId(later.operation.argument))
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, SIGNAL | BROADCAST)
    }

    /// It sleeps no more, and has not got the mutex. If it was woken by a signal, the result is 1: the signal is to be
    /// passed on, because POSIX does not let a thread that is cancelled take one from others.
    fn abandon(&self, world: &mut World, by: ThreadId, operation: &Operation) -> Effect {
        if operation.code != REACQUIRE {
            return Effect::default();
        }
        let state = world.thread_mut(by);
        state.waits_on = ObjectId::NONE;
        Effect::result((state.woken_by != 0 && state.woken_alone) as u64)
    }

    fn abandon_footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.code == REACQUIRE {
            // Like falling asleep: that others do so too commutes, that somebody is woken does not.
            into.touch(event.operation.object, Mode::Add);
        }
    }

    fn cause(&self, event: &Event) -> Option<EventIndex> {
        (event.operation.code == REACQUIRE && !event.flags.contains(EventFlags::CANCELLED))
            .then_some(EventIndex(event.result as u32))
    }
}
