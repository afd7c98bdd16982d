//! The start of an execution, and the ends of its threads, its process and the execution itself.

use core::sync::atomic::Ordering::Relaxed;

use heddle_model::follow::Decision;
use heddle_model::primitive::thread;
use heddle_model::wire::Outside;
use heddle_model::{Needless, ObjectId, Operation, Outcome, Phase, ThreadId, vain};

use super::fiber;
use super::finish::{finish, finish_ended};
use super::state::{current, follower, header, recording, schedule, wire, world};
use super::visible::{note, reschedule, take, visible};
use crate::addresses::{NAMES, NAMES_END};
use crate::arch::{self, Context};
use crate::detect::stacks;
use crate::lifetime;
use crate::outside::signals::delivery;
use crate::outside::{channel, children, exit};
use crate::record::debug;
use crate::state::snapshot::maps;

/// Runs plan `sequence` from the start of `main`, whose context is `main`. Runs on the controller's stack. Returns when
/// the execution is over and recorded, but not yet published.
pub fn run(sequence: u32, main: Context) {
    lifetime::execution().reset(wire(), sequence);
    fiber::reset_main(main);
    schedule().active.set(true);
    if recording() {
        debug::begin();
    }
    // SAFETY: the fiber is suspended.
    unsafe { arch::heddle_switch(schedule().controller.as_ptr(), fiber::context_of(ThreadId::MAIN)) };
}

/// Takes the start of the main thread. Called on the main fiber at the start of each execution.
pub fn started_main() {
    reschedule();
    started();
}

/// Takes the start of a thread. Called on a fiber that runs for the first time in this execution.
pub fn started() {
    note(take(current()));
}

/// The state of the thread that step `position` of the schedule asks for, if its next operation is a look that would be in vain.
/// Otherwise 0.
fn asked_in_vain(position: usize) -> u64 {
    let Some(step) = follower().step(position) else { return 0 };
    let known = step.thread.index() < world().extent();
    if known && world().looks_in_vain(step.thread) { world().thread(step.thread).state } else { 0 }
}

/// Ends the execution, because the follower of the plan has no next step.
#[cold]
pub(super) fn conclude(decision: Decision) -> ! {
    match decision {
        Decision::Blocked => finish(Outcome::Blocked, 0, b""),
        Decision::Assumed => finish(Outcome::Assumed, 0, b""),
        Decision::Hang(thread) => finish(Outcome::Hang, world().thread(thread).pc, b""),
        Decision::Diverged(step) if asked_in_vain(step) != 0 => {
            // The search could not foresee what this look finds. It will not try again.
            finish(Outcome::Learnt { place: vain::nothing(asked_in_vain(step)), also: 0 }, 0, b"")
        }
        Decision::Diverged(step) => finish(Outcome::Diverged { step: step as u32 }, 0, b""),
        Decision::StepLimit(thread) => finish(Outcome::StepLimit { thread }, 0, b""),
        Decision::SwitchLimit(thread) => finish(Outcome::SwitchLimit { thread }, 0, b""),
        Decision::Deadlock if delivery::waits_outside() => {
            let pc = world().thread(current()).pc;
            finish(
                Outcome::Unsupported,
                pc,
                b"waiting for a signal in a program that makes processes, which may send it",
            )
        }
        Decision::Deadlock if channel::waits_outside() => {
            let pc = world().thread(current()).pc;
            let stuck = header().outside.load(Relaxed) & Outside::StuckChild as u32 != 0;
            let what: &[u8] = if stuck {
                b"waiting for a child process that waits for ever for a lock, which another thread held at the `fork`"
            } else {
                b"waiting for a process that does nothing for a second"
            };
            finish(Outcome::Unsupported, pc, what)
        }
        Decision::Deadlock if children::has_ever_made_any() && waits_for_processes() => {
            let pc = world().thread(current()).pc;
            finish(Outcome::Unsupported, pc, b"waiting for a change of something that processes share")
        }
        // If all threads had ended, the process would have ended too. So the remaining threads are blocked.
        Decision::Deadlock | Decision::AllFinished | Decision::Run(_) => finish(stuck(), 0, b""),
    }
}

/// Whether a thread waits for something that lies in shared memory or has a name, so that another process may change it.
fn waits_for_processes() -> bool {
    let ids = world().ids().filter(|&thread| world().thread(thread).phase == Phase::Alive);
    ids.map(|thread| world().thread(thread).pending.object.0 as usize)
        .any(|address| (NAMES..NAMES_END).contains(&address) || maps::rights(address, address + 1).is_shared)
}

/// How an execution ends in which no thread can go on.
fn stuck() -> Outcome {
    match world().waits_needlessly(schedule().record.get().events_so_far()) {
        None => Outcome::Deadlock,
        Some(Needless::Polite) if !schedule().vain.get().tries() => Outcome::Learnt { place: vain::TRIED, also: 0 },
        Some(_) => Outcome::Blocked,
    }
}

/// Ends the current thread. Called on its fiber when its function and all destructors have returned.
pub fn ended() -> ! {
    let me = current();
    let exit = Operation { detail: delivery::detail_of_exit(), ..Operation::new(thread::EXIT, ObjectId::thread(me)) };
    // An atomic section ends with its thread.
    schedule().section.depth.set(0);
    if me != ThreadId::MAIN {
        stacks::thread_ends();
        visible(exit, 0, |_| {});
        reschedule();
        unreachable!()
    }
    // The process exits as if main had returned 0 when the last thread has ended. It is always the main thread that
    // does this, whichever was last, because the order of two ends must not decide who acts next.
    visible(exit.with_argument(1), 0, |_| {});
    visible(Operation::new(thread::LAST, ObjectId::thread(me)), 0, |_| {});
    exit::leaves_from(arch::stack_pointer());
    exit::exit_normally(0)
}

/// Ends the process: a visible operation, and the last one of this execution.
pub fn end_process(operation: Operation, pc: u64) -> ! {
    visible(operation, pc, |_| {});
    finish_ended(pc)
}

/// Ends the execution here, for a reason that is not an event of the program.
pub fn stop(outcome: Outcome, pc: u64, message: &[u8]) -> ! {
    finish(outcome, pc, message)
}

/// Ends the execution as unsupported, because the program called `name`, which Heddle does not control.
pub fn unsupported(name: &str, pc: u64) -> ! {
    finish(Outcome::Unsupported, pc, name.as_bytes())
}
