//! Threads: creation, start, end, join, detach and cancellation.
//!
//! State: [`crate::ThreadState`]. A thread's life cycle and the right to join it are two objects, so detaching a thread
//! commutes with everything that the thread does, including its end.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, Phase, ThreadId, World};

/// The family of the operations on threads.
pub const FAMILY: u8 = 1;
/// Creates the thread `object`. It is detached if `argument` is 1.
pub const CREATE: OpCode = OpCode::new(FAMILY, 1);
/// The first operation of every thread. Everything that the thread does before its next operation belongs to this step.
pub const START: OpCode = OpCode::new(FAMILY, 2);
/// The last operation of a thread. If `argument` is 1, the thread lingers and [`LAST`] follows. `detail` may be
/// [`COUNTED`].
pub const EXIT: OpCode = OpCode::new(FAMILY, 3);
/// Waits for the end of the thread `object` and joins it.
pub const JOIN: OpCode = OpCode::new(FAMILY, 4);
/// Detaches the thread `object`: no thread can join it any more.
pub const DETACH: OpCode = OpCode::new(FAMILY, 5);
/// Waits until all other threads have ended. Only a thread that lingers takes it. What the thread does next (exit
/// handlers, the end of the process) happens after everything else.
pub const LAST: OpCode = OpCode::new(FAMILY, 6);
/// Joins the thread `object` if it has ended. The result is 0 or an error number.
pub const TRYJOIN: OpCode = OpCode::new(FAMILY, 7);

/// Waits for the end of the thread `object` and joins it, or times out. `detail` says whether the operation is
/// [impatient](Operation::is_impatient). `argument` is the deadline. The result is 0 or an error number.
pub const TIMEDJOIN: OpCode = OpCode::new(FAMILY, 16);

/// Requests the cancellation of the thread `object`. That thread ends at its next [cancellation
/// point](super::cancellation).
pub const CANCEL: OpCode = OpCode::new(FAMILY, 8);
/// Tests whether the cancellation of the calling thread was requested. If so, the result is 1 and the thread ends
/// before its next operation.
pub const TESTCANCEL: OpCode = OpCode::new(FAMILY, 9);
/// Tests whether the thread `object` runs: the result is 1 if it does. Sending a signal to a thread needs this. If the
/// object is [`ObjectId::POPULATION`], it reads which threads run, to send a signal to the process. The model has no
/// result for that case, because the runtime knows the threads itself.
pub const LOOK: OpCode = OpCode::new(FAMILY, 10);

/// The `detail` of an [`EXIT`] in a program that may ask which threads run.
pub const COUNTED: u32 = 1;

/// The error number if the thread is still running.
pub const EBUSY: u64 = 16;
/// The error number if there is no such thread.
pub const ESRCH: u64 = 3;
/// The error number if the thread cannot be joined.
pub const EINVAL: u64 = 22;

/// The semantics of threads.
pub struct Threads;

impl Primitive for Threads {
    fn name(&self) -> &'static str {
        "thread"
    }

    fn operation_name(&self, code: OpCode) -> &'static str {
        match code {
            CREATE => "create",
            START => "start",
            EXIT => "end",
            JOIN => "join",
            DETACH => "detach",
            TRYJOIN => "tryjoin",
            TIMEDJOIN => "timedjoin",
            LAST => "wait for the end of all threads",
            CANCEL => "cancel",
            TESTCANCEL => "testcancel",
            LOOK => "look at",
            _ => "operation",
        }
    }

    fn enabled(&self, world: &World, by: ThreadId, operation: &Operation) -> bool {
        match (operation.code, operation.object.as_thread()) {
            (LAST, _) => world.ids().all(|t| t == by || world.thread(t).phase != Phase::Alive),
            (JOIN, Some(target)) => !must_wait(world, target),
            (TIMEDJOIN, Some(target)) => operation.is_impatient() || !must_wait(world, target),
            _ => true,
        }
    }

    fn take(&self, world: &mut World, by: ThreadId, operation: &Operation, _choice: u16) -> Effect {
        if operation.object == ObjectId::POPULATION {
            return Effect::default();
        }
        let Some(target) = operation.object.as_thread() else { return Effect::failed(ESRCH) };
        if operation.code == EXIT {
            // An atomic section ends with its thread.
            world.end_section();
        }
        match operation.code {
            CREATE => {
                world.admit(target);
                world.thread_mut(target).detached = operation.argument == 1;
                world.thread_mut(by).children += 1;
            }
            EXIT if operation.argument == 1 => world.thread_mut(target).phase = Phase::Lingering,
            EXIT => world.thread_mut(target).phase = Phase::Finished,
            LAST => world.thread_mut(target).phase = Phase::Alive,
            CANCEL => match world.thread(target).phase {
                Phase::Absent => return Effect::failed(ESRCH),
                _ if world.thread(target).joined => {
                    world.accuse(Misuse::JoinTwice);
                    return Effect::failed(ESRCH);
                }
                _ => world.thread_mut(target).requests += 1,
            },
            TESTCANCEL => return Effect::result((world.thread(target).requests > 0) as u64),
            LOOK => return Effect::result((world.thread(target).phase == Phase::Alive) as u64),
            TRYJOIN if world.thread(target).phase == Phase::Alive => return Effect::failed(EBUSY),
            TIMEDJOIN if must_wait(world, target) => return Effect::timed_out(operation),
            JOIN | TRYJOIN | TIMEDJOIN | DETACH => {
                let state = world.thread_mut(target);
                if state.phase == Phase::Absent {
                    return Effect::failed(ESRCH);
                }
                if state.detached || state.joined {
                    let misuse = if state.joined { Misuse::JoinTwice } else { Misuse::JoinDetached };
                    world.accuse(misuse);
                    return Effect::failed(EINVAL);
                }
                if operation.code != DETACH {
                    state.joined = true;
                } else {
                    state.detached = true;
                }
            }
            _ => {}
        }
        Effect::default()
    }

    fn foresee(&self, world: &World, by: ThreadId, operation: &Operation, _: &dyn Memory) -> EventFlags {
        if operation.object == ObjectId::POPULATION {
            return EventFlags::NONE;
        }
        let Some(target) = operation.object.as_thread() else { return EventFlags::FAILED };
        if operation.code == TIMEDJOIN && must_wait(world, target) {
            return world.foresee_timeout(by, operation);
        }
        let target = world.thread(target);
        // Only the footprints of these operations depend on the flag.
        let fails = target.phase == Phase::Alive || target.phase == Phase::Absent || target.detached || target.joined;
        if matches!(operation.code, TRYJOIN | TIMEDJOIN) && fails { EventFlags::FAILED } else { EventFlags::NONE }
    }

    fn footprint(&self, event: &Event, into: &mut Footprint) {
        if event.operation.object == ObjectId::POPULATION {
            return into.touch(ObjectId::POPULATION, Mode::Read);
        }
        let Some(target) = event.operation.object.as_thread() else { return };
        let (life, handle) = (ObjectId::thread(target), ObjectId::handle(target));
        match event.operation.code {
            CREATE => {
                into.touch(life, Mode::Write);
                into.touch(handle, Mode::Write);
            }
            START | LOOK => into.touch(life, Mode::Read),
            EXIT => {
                into.touch(life, Mode::Write);
                if event.operation.detail == COUNTED {
                    into.touch(ObjectId::POPULATION, Mode::Add);
                }
            }
            TRYJOIN | TIMEDJOIN if event.failed() => {
                into.touch(life, Mode::Read);
                into.touch(handle, Mode::Read);
            }
            JOIN | TRYJOIN | TIMEDJOIN => {
                into.touch(life, Mode::Read);
                into.touch(handle, Mode::Write);
            }
            DETACH => into.touch(handle, Mode::Write),
            // Two requests commute. Whether the id is still valid decides about misuse.
            CANCEL => {
                into.touch(ObjectId::cancellation(target), Mode::Add);
                into.touch(handle, Mode::Read);
            }
            TESTCANCEL => into.touch(ObjectId::cancellation(target), Mode::Read),
            // It comes after all events of the other threads.
            LAST => into.touch_everything(),
            _ => {}
        }
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // Before the thread exists, a join fails at once. Afterwards it waits.
        waits(later)
            && earlier.operation.code == CREATE
            && earlier.operation.object.as_thread() == later.operation.object.as_thread()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, JOIN | TRYJOIN | TIMEDJOIN | DETACH)
    }

    fn foresee_bare(&self, world: &World, _: ThreadId, operation: &Operation, flags: EventFlags) -> (EventFlags, u64) {
        let Some(target) = operation.object.as_thread().map(|target| world.thread(target)) else { return (flags, 0) };
        let refused = target.phase == Phase::Absent || target.detached || target.joined;
        let fails = operation.code == JOIN && refused;
        (if fails { flags.union(EventFlags::FAILED) } else { flags }, 0)
    }

    fn enabled_by(&self, earlier: &Event, later: &Event) -> bool {
        match later.operation.code {
            START => earlier.operation.code == CREATE,
            JOIN | TIMEDJOIN if waits(later) => earlier.operation.code == EXIT && !later.failed(),
            LAST => true,
            _ => super::stirs(earlier, later),
        }
    }

    fn deadline(&self, operation: &Operation) -> Option<u64> {
        (operation.code == TIMEDJOIN && !operation.is_impatient()).then_some(operation.argument)
    }
}

/// Whether a join of `target` would have to wait now. Joining a thread that never existed or cannot be joined fails at
/// once.
fn must_wait(world: &World, target: ThreadId) -> bool {
    let target = world.thread(target);
    target.phase == Phase::Alive && !target.detached && !target.joined
}

/// Whether `event` was disabled while the thread that it joins was running.
fn waits(event: &Event) -> bool {
    match event.operation.code {
        JOIN => true,
        TIMEDJOIN => !event.operation.is_impatient(),
        _ => false,
    }
}
