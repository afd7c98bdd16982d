//! Visible operations: announce the operation, wait to be scheduled, take it, record the event.

use heddle_model::follow::Decision;
use heddle_model::primitive::atomic::FENCE;
use heddle_model::primitive::choice::ATTEMPT;
use heddle_model::primitive::process::END;
use heddle_model::primitive::{mutex, yielding};
use heddle_model::{Capacity, Event, EventFlags, Operation, Outcome, ThreadId, vain};

use super::execution::conclude;
use super::finish::{finish, finish_ended, record_stack};
use super::section::{in_section, unless_stuck};
use super::spin_loop::Prospect;
use super::state::{
    called_at, computes_states, current, follower, has_states, header, model, recording, schedule, set_called_at, wire,
    world,
};
use super::{fiber, spin_loop};
use crate::arch;
use crate::detect::{memcheck, misuse, race, stacks};
use crate::lifetime;
use crate::outside::virtual_time;
use crate::record::{callstack, debug, locals};
use crate::state::{calls, fingerprint, livelock, wiping};

/// Takes a visible operation. It waits until the current thread is scheduled and the operation is enabled, and takes
/// it. `perform` does what the model cannot do, such as a memory access, and sets the result and the flags of the
/// event. Returns the event. Call this only while [`active`](super::active).
#[inline(always)]
pub fn visible(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    // A yield changes nothing. An attempt changes something only in the operation that follows.
    if operation.code.family() != yielding::FAMILY && operation.code != FENCE && operation.code != ATTEMPT {
        spin_loop::changed();
    }
    unless_it_probes(pc);
    announce_and_take(operation, pc, perform)
}

/// Like [`visible`], for an operation that may turn out to change nothing: one that reads, or that tries.
#[inline(always)]
pub fn visible_look(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    if has_states() {
        // Waiting loops really go round: what a thread awaits depends on the past.
        return visible(operation, pc, perform);
    }
    let me = current();
    unless_it_probes(pc);
    let Prospect { operation, state, vain: in_vain } = spin_loop::before(me, operation, pc);
    if operation.is_await() {
        learn_that_threads_wait(pc);
    }
    if let Some((state, value)) = in_vain {
        learn(state, value, pc);
    }
    // Inside a section nobody else could write what it waits for.
    let state = if in_section() { 0 } else { state };
    let awaits = operation.is_await();
    let awaiting = &schedule().awaiting;
    awaiting.set(awaiting.get() + awaits as u32);
    let event = if awaits {
        await_and_take(operation, state, pc, perform)
    } else {
        memcheck::before(&operation, pc);
        world().announce(me, operation, pc);
        world().thread_mut(me).state = state;
        take_when_due(operation, pc, perform)
    };
    awaiting.set(awaiting.get() - awaits as u32);
    spin_loop::after(me, &event);
    event
}

/// Locks a mutex, or unlocks one, for a thread that may only look at what it protects. If it can only repeat what it did, it first waits
/// until somebody has changed something there.
#[inline]
pub fn visible_under_lock(operation: Operation, pc: u64) -> Event {
    if has_states() || in_section() || !mutex::can_poll(&operation) {
        return visible(operation, pc, |_| {});
    }
    let me = current();
    unless_it_probes(pc);
    if operation.code == mutex::UNLOCK {
        let quiet = if spin_loop::before_unlock(me, operation) { mutex::QUIET } else { 0 };
        let operation = Operation { detail: operation.detail | quiet, ..operation };
        let event = announce_and_take(operation, pc, |_| {});
        spin_loop::after(me, &event);
        return event;
    }
    if let Some(poll) = spin_loop::before_lock(me, operation, pc) {
        poll_first(poll, pc);
    }
    let event = announce_and_take(operation, pc, |_| {});
    spin_loop::locked(me, &event);
    event
}

/// Ends the execution if the running thread [probes](heddle_model::Attempts) and the search does not know that a thread does.
#[inline(always)]
fn unless_it_probes(pc: u64) {
    if wiping::is_on() && !has_states() && spin_loop::probes(current()) {
        rounds_go_round(pc);
    }
}

/// Ends the execution unless rounds that try mutexes really go round already: see [`vain::TRIED`].
#[cold]
pub fn rounds_go_round(pc: u64) {
    let known = schedule().vain.get();
    if known.wipes() && !known.tries() && !in_section() {
        finish(Outcome::Learnt { place: vain::TRIED, also: 0 }, pc, b"");
    }
}

/// Waits until another thread has changed something under the mutex that the running thread is about to lock.
#[cold]
fn poll_first(poll: Operation, pc: u64) {
    learn_that_threads_wait(pc);
    let awaiting = &schedule().awaiting;
    awaiting.set(awaiting.get() + 1);
    await_and_take(poll, 0, pc, |_| {});
    awaiting.set(awaiting.get() - 1);
}

/// Ends the execution if stacks are not wiped, so that they are from now on. The running thread has come back to a state that it was in. What this
/// library leaves on stacks may be all that makes the two equal, or others differ.
#[cold]
fn learn_that_threads_wait(pc: u64) {
    if !wiping::is_on() && !in_section() {
        finish(Outcome::Learnt { place: vain::WIPED, also: 0 }, pc, b"");
    }
}

/// Ends the execution, because the last look of the running thread, in `state`, has found `value` and was in vain: the search is to
/// know that. Returns if it does not want to.
#[cold]
fn learn(state: u64, value: u64, pc: u64) {
    let known = schedule().vain.get();
    if !in_section() && known.wants(state, value) {
        finish(Outcome::Learnt { place: vain::finding(state, value), also: vain::anything(state) }, pc, b"");
    }
}

/// Takes an await. Unlike other operations, an await also considers the writes since the thread read its places.
#[cold]
fn await_and_take(operation: Operation, state: u64, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    memcheck::before(&operation, pc);
    world().announce_look(current(), operation, pc, schedule().record.get().events_so_far());
    world().thread_mut(current()).state = state;
    take_when_due(operation, pc, perform)
}

#[inline(always)]
fn announce_and_take(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    memcheck::before(&operation, pc);
    world().announce(current(), operation, pc);
    take_when_due(operation, pc, perform)
}

#[inline(always)]
fn take_when_due(operation: Operation, pc: u64, perform: impl FnOnce(&mut Event)) -> Event {
    let me = current();
    if in_section() {
        unless_stuck(pc);
    }
    reschedule();
    let event = take(me);
    perform(event);
    note(event);
    memcheck::after(&operation, pc);
    if event.flags.contains(EventFlags::MISUSE) {
        misuse::taken(world().misuse, event);
    }
    *event
}

/// Lets the thread run whose turn it is. Returns when it is the current thread's turn.
#[inline]
pub(super) fn reschedule() {
    if computes_states()
        && let Some(outcome) = fingerprint::at_decision(follower(), world(), schedule().record.get())
    {
        finish(outcome, 0, b"");
    }
    let model = model();
    match model.follower.decide(&mut model.world) {
        Decision::Run(step) => {
            schedule().choice.set(step.choice());
            if step.thread != current() {
                switch_to(step.thread);
            }
        }
        other => conclude(other),
    }
}

#[inline]
fn switch_to(thread: ThreadId) {
    if world().thread(thread).pending.code == END {
        // The end of the process needs no stack. A thread that has crashed has no stack that could be resumed.
        note(take(thread));
        finish_ended(0);
    }
    let me = current();
    spin_loop::switched(me, thread);
    stacks::switched();
    race::switched(thread);
    schedule().current.set(thread);
    callstack::switch_to(thread);
    let (from, to) = (fiber::context_of(me), fiber::context_of(thread));
    fiber::of(me).called_at.set(called_at());
    // SAFETY: the other fiber is suspended in here, or has never run.
    unsafe {
        if recording() || wiping::is_on() {
            calls::switched(me, from, &*to);
        } else {
            arch::heddle_switch(from, to);
        }
    }
    // A call may have several operations.
    set_called_at(fiber::of(me).called_at.get());
}

/// Takes what `thread` has announced, as the next event: it is written to its place in the record.
#[inline]
pub(super) fn take(thread: ThreadId) -> &'static mut Event {
    let world = world();
    let index = world.events;
    if index >= header().layout.events {
        finish(Outcome::Capacity(Capacity::Events), world.thread(thread).pc, b"");
    }
    // SAFETY: there is room, as was just checked; nobody looks at an event before it is counted.
    let event = unsafe { &mut *schedule().record.get().event(index) };
    world.take_into(thread, schedule().choice.get(), event);
    event
}

/// Counts the event of the operation in the middle of which the running thread has crashed, if there is one: its access is what
/// crashed, in memory that another thread has unmapped or protected. It is an event like others: what it races with, and what it
/// would have come before, is to be known.
#[cold]
pub fn note_interrupted() {
    let record = schedule().record.get();
    let taken = world().events;
    if taken > record.events_counted() {
        // SAFETY: taken, so written. Whoever was about to complete it never goes on.
        let event = unsafe { &*record.event(taken - 1) };
        if event.thread == current() {
            note(event);
        }
    }
}

/// Tells the driver that the execution goes on: an event was taken, or the runtime itself waits for a time that ends.
pub fn progressed() {
    let progress = &lifetime::process().schedule.progress;
    progress.set(progress.get() + 1);
    wire().set_progress(progress.get());
}

/// Counts an event that is complete, and tells everybody of it.
#[inline]
pub(super) fn note(event: &Event) {
    let index = world().events - 1;
    schedule().record.get().count_event(index, event);
    if recording() {
        // Every event that is counted has a call stack, and what follows may end the execution.
        record_stack(event.thread, event.pc);
        locals::used(event.operation.object.0);
        debug::took(index + 1, event.thread);
    }
    race::event(event);
    if virtual_time::passes() {
        virtual_time::event(event);
    }
    if in_section() {
        // SAFETY: written when the section began.
        unsafe { schedule().section.summary.borrow().assume_init_mut() }.add(event);
    }
    progressed();
    if has_states() {
        calls::told(event);
    }
    if recording() && livelock::took(index, event, world()) {
        livelock::end(event);
    }
    if schedule().awaiting.get() > 0 {
        world().settle(schedule().record.get().events_so_far());
    }
    if follower().has_sleepers() {
        let model = model();
        model.follower.observe(&mut model.world, event);
    }
    if world().objects.is_full() {
        finish(Outcome::Capacity(Capacity::Objects), event.pc, b"");
    }
}
