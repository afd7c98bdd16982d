//! The end of an execution: the parts of its record beyond the events. These are the remaining threads with their next
//! operations, call stacks, allocation sites of objects, and memory errors.

use heddle_model::primitive::{self, yielding};
use heddle_model::round::Claim;
use heddle_model::wire;
use heddle_model::{ObjectId, Operation, Outcome, Pending, Phase, ThreadId, circle};

use super::state::{current, header, recording, schedule, world};
use crate::arch::{self, Context};
use crate::calls::custom;
use crate::detect::{memcheck, misuse, race};
use crate::outside::exit;
use crate::record::{callstack, debug, locals};

/// The largest number of recorded frames of a call stack: the innermost ones, and the two outermost.
const MOST_FRAMES: usize = 128;

/// Adds the call stack of `thread` to the record: the number of frames, then the return addresses from `pc` outwards.
#[cold]
pub fn record_stack(thread: ThreadId, pc: u64) {
    let record = schedule().record.get();
    let room = record.stack_room(header().layout.stack_words);
    if room.len() < 2 {
        return;
    }
    room[1] = pc;
    // An endless recursion must not use up the room for later events.
    let most = room.len().min(MOST_FRAMES + 2);
    let frames = callstack::copy(thread, &mut room[2..most]) + 1;
    if frames == MOST_FRAMES + 1
        && let Some(outermost) = callstack::outermost(thread)
    {
        // Reports name a thread after its start function, which is outermost.
        room[frames - 1..=frames].copy_from_slice(&outermost);
    }
    room[0] = frames as u64;
    record.count_stack(&room[..=frames]);
}

/// Adds a call stack that belongs to no event.
fn push_stack(frames: &[u64]) {
    let record = schedule().record.get();
    let room = record.stack_room(header().layout.stack_words);
    let count = frames.len().min(room.len().saturating_sub(1));
    if room.is_empty() {
        return;
    }
    room[0] = count as u64;
    room[1..=count].copy_from_slice(&frames[..count]);
    record.count_stack(&room[..=count]);
}

/// Adds the call stack of the allocation of the block that contains `object`.
fn push_site(object: u64) {
    const FRAMES: usize = 16;
    if !(wire::HEAPS..wire::STACKS).contains(&object) {
        return;
    }
    let stack = memcheck::allocation_around(object as usize);
    if stack.is_empty() {
        return;
    }
    let mut words = [0; FRAMES + 2];
    let frames = stack.len().min(FRAMES);
    words[..2].copy_from_slice(&[wire::SITE, object]);
    words[2..frames + 2].copy_from_slice(&stack[..frames]);
    push_stack(&words[..frames + 2]);
}

/// Completes the record of an execution whose last event is the end of the process.
#[cold]
pub fn finish_ended(pc: u64) -> ! {
    let end = schedule().record.get().last_event();
    let Some(ending) = primitive::process::ending(&end.operation) else { unreachable!() };
    finish(Outcome::Ended { ending, fault: None }, pc, b"")
}

/// Adds the threads that have not ended, with their next operations and call stacks. `pc` is the position of the
/// running thread if the outcome is a data race.
fn push_threads(outcome: &Outcome, pc: u64) {
    let record = schedule().record.get();
    for thread in world().ids() {
        let state = *world().thread(thread);
        // The thread that has just ended the process, or completed a livelock's round, has no next operation.
        let over = matches!(outcome, Outcome::Ended { .. } | Outcome::Cycle { claim: Claim::Suspected, .. })
            && thread == record.last_event().thread;
        if state.phase != Phase::Alive || over {
            continue;
        }
        let stopped = world().is_stopped(thread);
        let custom = state.pending.code.family() == primitive::custom::FAMILY;
        let pending = Pending {
            operation: if custom { custom::with_answers(state.pending) } else { state.pending },
            pc: state.pc,
            state: state.state,
            thread,
            enabled: world().enabled_without_limit(thread) as u8,
            asleep: state.asleep as u8,
            flags: world().foresee_flags(thread),
            stopped: stopped as u8,
            reserved: 0,
        };
        record.push_pending(pending, header().layout.threads);
        if recording() {
            // A racing thread is at its access, not at an operation.
            let racing = outcome.race().is_some() && thread == current();
            record_stack(thread, if racing { pc } else { state.pc });
        }
    }
}

/// Adds the further parts of a recorded execution: the call stacks of a fault or a race, the allocation sites of
/// objects, and the frames of local variables.
fn push_places(outcome: &Outcome) {
    if let Some(fault) = outcome.fault() {
        memcheck::stacks_of(fault, push_stack);
    }
    if let Some(race) = outcome.race() {
        race::stacks_of(race.address as usize, push_stack);
        push_site(race.address);
        locals::used(race.address);
    }
    locals::each(|[object, code, end]| push_stack(&[wire::LOCAL, object, code, end]));
    // Finding a block scans all blocks, and a report has no room for more objects.
    world().objects.iter().take(4096).for_each(|(object, _)| push_site(object.0));
    if !misuse::all_made_before().is_empty() {
        push_stack(misuse::all_made_before());
    }
}

/// Completes the record of the execution and returns to the controller. `message` is the text that belongs to the
/// outcome. A memory error is added here. This works on any stack, even that of a signal handler, because it never
/// returns.
#[cold]
pub fn finish(mut outcome: Outcome, pc: u64, message: &[u8]) -> ! {
    let record = schedule().record.get();
    schedule().active.set(false);
    if recording() {
        debug::end(world().events, current());
    }
    world().end_section();
    let forever = if outcome == Outcome::Hang { world().running_forever() } else { None };
    let runs = matches!(outcome, Outcome::Hang | Outcome::Capacity(_) | Outcome::Cycle { claim: Claim::Suspected, .. });
    if runs && forever.is_none() {
        // The thread has taken its last operation and is running. It waits for nothing.
        world().thread_mut(current()).pending = Operation::new(yielding::YIELD, ObjectId::NONE);
    }
    push_threads(&outcome, pc);
    record.set_message(message);
    if let Outcome::Ended { fault, .. } = &mut outcome {
        *fault = exit::describe(&record);
    }
    if recording() {
        push_places(&outcome);
    }
    let bounded = matches!(outcome, Outcome::StepLimit { .. } | Outcome::SwitchLimit { .. });
    // Where states are told apart, an execution ends where its last thread waits and others could go on.
    let waits = outcome == Outcome::Blocked && super::state::stops_at_states();
    let goes_on = bounded
        || waits
        || matches!(outcome, Outcome::Ended { .. } | Outcome::Hang | Outcome::Capacity(_) | Outcome::Visited);
    // Whoever is only stopped by a bound waits for nobody.
    world().limit_steps(0);
    let circle = goes_on && circle::exists(world());
    let result = &mut record.result().head;
    result.left = if outcome.is_ended() { world().left } else { 0 };
    result.pc = pc;
    result.thread = forever.unwrap_or(current());
    result.outcome = wire::WireOutcome::new(&outcome, circle);
    let mut nowhere = Context::EMPTY;
    // SAFETY: the controller is suspended in `run`.
    unsafe { arch::heddle_switch(&mut nowhere, schedule().controller.as_ptr()) };
    unreachable!()
}
