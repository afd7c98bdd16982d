//! How an execution begins, and how its threads, its process and itself end.

use heddle_model::follow::Decision;
use heddle_model::primitive::thread;
use heddle_model::{ObjectId, Operation, Outcome, ThreadId};

use super::fiber;
use super::finish::{finish, finish_ended};
use super::state::{current, recording, schedule, wire, world};
use super::visible::{note, reschedule, take, visible};
use crate::arch::{self, Context};
use crate::lifetime;
use crate::outside::signals::delivery;
use crate::outside::{channel, exit};
use crate::record::debug;

/// Runs plan `sequence` from the start of `main`, whose context is `main`. On the controller's stack. Returns when
/// the execution is over and written, but not yet published.
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

/// On the main fiber, at the beginning of each execution.
pub fn started_main() {
    reschedule();
    started();
}

/// On a fiber that runs for the first time in this execution.
pub fn started() {
    note(take(current()));
}

/// The follower of the plan has no next step: ends the execution.
#[cold]
pub(super) fn conclude(decision: Decision) -> ! {
    match decision {
        Decision::Blocked => finish(Outcome::Blocked, 0, b""),
        Decision::Assumed => finish(Outcome::Assumed, 0, b""),
        Decision::Diverged(step) => finish(Outcome::Diverged { step: step as u32 }, 0, b""),
        Decision::StepLimit(thread) => finish(Outcome::StepLimit { thread }, 0, b""),
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
            finish(Outcome::Unsupported, pc, b"waiting for a process that does nothing for a second")
        }
        // All cannot have ended: the process has then, too. So whoever is left waits.
        Decision::Deadlock | Decision::AllFinished | Decision::Run(_) => finish(Outcome::Deadlock, 0, b""),
    }
}

/// On the fiber of a thread that has run to its end, destructors and all.
pub fn ended() -> ! {
    let me = current();
    let exit = Operation { detail: delivery::detail_of_exit(), ..Operation::new(thread::EXIT, ObjectId::thread(me)) };
    // A section does not outlive its thread.
    schedule().section.depth.set(0);
    if me != ThreadId::MAIN {
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

/// The process ends: a visible operation like any other, and the last one of this execution.
pub fn end_process(operation: Operation, pc: u64) -> ! {
    visible(operation, pc, |_| {});
    finish_ended(pc)
}

/// Ends the execution here, for a reason that is no event of the program's.
pub fn stop(outcome: Outcome, pc: u64, message: &[u8]) -> ! {
    finish(outcome, pc, message)
}

/// The program called `name`, which Heddle does not control: ends the execution as unsupported.
pub fn unsupported(name: &str, pc: u64) -> ! {
    finish(Outcome::Unsupported, pc, name.as_bytes())
}
