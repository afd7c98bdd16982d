//! Threads: created, started, ended, joined, detached.
//!
//! State: [`crate::ThreadState`]. A thread's life and the right to join it are two objects, so that detaching a
//! thread commutes with whatever it does, its end included.

use super::Primitive;
use crate::world::Effect;
use crate::{Event, EventFlags, Footprint, Memory, Misuse, Mode, ObjectId, OpCode, Operation, Phase, ThreadId, World};

/// This family's number.
pub const FAMILY: u8 = 1;
/// `object` (a thread) is made; detached if `argument` is 1.
pub const CREATE: OpCode = OpCode::new(FAMILY, 1);
/// The first operation of every thread: it begins to run. What it does before its next operation is part of this.
pub const START: OpCode = OpCode::new(FAMILY, 2);
/// The last operation of a thread. With `argument` 1 it lingers: [`LAST`] will follow. `detail` may be [`COUNTED`].
pub const EXIT: OpCode = OpCode::new(FAMILY, 3);
/// Waits for the end of `object`.
pub const JOIN: OpCode = OpCode::new(FAMILY, 4);
/// Gives up the right to join `object`.
pub const DETACH: OpCode = OpCode::new(FAMILY, 5);
/// Of a thread that lingers: waits for the end of all others. What it does then (exit handlers, the end of the process)
/// comes after everything.
pub const LAST: OpCode = OpCode::new(FAMILY, 6);
/// Joins `object` if it has ended. The result is 0 or an error number.
pub const TRYJOIN: OpCode = OpCode::new(FAMILY, 7);

/// Waits for the end of `object` and joins it, or times out. `detail` says whether it is [impatient](Operation::is_impatient),
/// `argument` is the deadline. The result is 0 or an error number.
pub const TIMEDJOIN: OpCode = OpCode::new(FAMILY, 16);

/// Asks `object` to end. It does at its next [cancellation point](super::cancellation).
pub const CANCEL: OpCode = OpCode::new(FAMILY, 8);
/// Whether somebody has asked the thread itself to end: the result is 1 then. It will, before it does anything else.
pub const TESTCANCEL: OpCode = OpCode::new(FAMILY, 9);
/// Whether `object` runs: the result is 1 then. For who sends it a signal. With the object [`ObjectId::POPULATION`]: which threads
/// run, for who sends one to the process; whoever runs the program knows.
pub const LOOK: OpCode = OpCode::new(FAMILY, 10);

/// Of an [`EXIT`]: somebody may ask which threads run.
pub const COUNTED: u32 = 1;

/// Still running.
pub const EBUSY: u64 = 16;
/// No such thread.
pub const ESRCH: u64 = 3;
/// Not a thread that can be joined.
pub const EINVAL: u64 = 22;

/// The meaning of this family.
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
            // A section does not outlive its thread.
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
        // Only of these the footprint depends on it.
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
            // Twice is as good as once, and of an id that is not valid any more it is misuse.
            CANCEL => {
                into.touch(ObjectId::cancellation(target), Mode::Add);
                into.touch(handle, Mode::Read);
            }
            TESTCANCEL => into.touch(ObjectId::cancellation(target), Mode::Read),
            // After all that the others have done.
            LAST => into.touch_everything(),
            _ => {}
        }
    }

    fn disabled_by(&self, earlier: &Event, later: &Event) -> bool {
        // Before its thread exists, a join fails at once; from then on it waits.
        waits(later)
            && earlier.operation.code == CREATE
            && earlier.operation.object.as_thread() == later.operation.object.as_thread()
    }

    fn depends_on_state(&self, code: OpCode) -> bool {
        matches!(code, JOIN | TRYJOIN | TIMEDJOIN | DETACH)
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

/// Whether who joins `target` now has to wait. A join of a thread that never existed, or that cannot be joined, fails at once.
fn must_wait(world: &World, target: ThreadId) -> bool {
    let target = world.thread(target);
    target.phase == Phase::Alive && !target.detached && !target.joined
}

/// Whether `event` could not have been taken while the thread it joins ran.
fn waits(event: &Event) -> bool {
    match event.operation.code {
        JOIN => true,
        TIMEDJOIN => !event.operation.is_impatient(),
        _ => false,
    }
}
