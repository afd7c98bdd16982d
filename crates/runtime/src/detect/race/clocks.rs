//! Vector clocks: what each thread knows of the others.
//!
//! A thread's own time goes on with each of its events. An event that touches an object takes over what the object
//! knows, and, unless it only looks, leaves there what its thread knows ([`objects`]).
//!
//! Atomics do so only as far as their memory orders say (C++20, [intro.races] and [atomics.fences]). What an atomic
//! location knows is what an acquiring read of the value that is there now synchronises with:
//!
//! * a store puts there what its thread knows if it releases, else what the thread knew at its last releasing fence: the release
//!   sequence of the value before ends, whoever stores;
//! * a read-modify-write adds that to what is there: it goes on with the release sequence, whatever its order;
//! * a read takes it over if it acquires; else it is set aside, and the thread's next acquiring fence takes it over.
//!
//! A futex's wake-up adds to what the word knows, as a releasing read-modify-write would: the kernel orders memory there.
//!
//! Sequentially consistent operations are acquiring and releasing ones here: their order among themselves is that of the
//! execution, and synchronises nothing else. Where values of several sizes lie over one another, which the standard does not have, a
//! value knows what all its bytes know.

use heddle_model::primitive::{atomic, futex, section};
use heddle_model::{Event, EventFlags, Footprint, Mode, ThreadId};

use super::objects::{self, granules, join};
use crate::addresses::Reserve;

/// The key of the order of sections; no address and no name of a thread.
const SECTIONS: u64 = u64::MAX;

static mut THREADS: &mut [u32] = &mut [];
/// What each thread has read without acquiring it; valid in the execution that [`ASIDE_IN`] names.
static mut ASIDE: &mut [u32] = &mut [];
static mut ASIDE_IN: &mut [u32] = &mut [];
/// What each thread knew at its last releasing fence; valid in the execution that [`FENCED_IN`] names.
static mut FENCED: &mut [u32] = &mut [];
static mut FENCED_IN: &mut [u32] = &mut [];
/// Words of a clock in this execution.
static mut WIDTH: usize = 0;
static mut GENERATION: u32 = 0;
/// The running thread, and where its clock begins.
static mut CURRENT: usize = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    objects::set_up(reserve);
    // SAFETY: at start-up.
    unsafe {
        THREADS = reserve.take(threads * threads);
        ASIDE = reserve.take(threads * threads);
        ASIDE_IN = reserve.take(threads);
        FENCED = reserve.take(threads * threads);
        FENCED_IN = reserve.take(threads);
    }
}

/// An execution begins, with at most `threads` threads.
pub fn reset(threads: usize) {
    objects::reset(threads);
    // SAFETY: one kernel thread.
    unsafe {
        let old = WIDTH;
        THREADS[..old * old].fill(0);
        WIDTH = threads;
        THREADS[..threads * threads].fill(0);
        for thread in 0..threads {
            THREADS[thread * threads + thread] = 1;
        }
        CURRENT = 0;
        GENERATION = GENERATION.wrapping_add(1);
        if GENERATION == 0 {
            ASIDE_IN.fill(0);
            FENCED_IN.fill(0);
            GENERATION = 1;
        }
    }
}

/// `thread` runs from now on.
#[inline]
pub fn switched(thread: ThreadId) {
    // SAFETY: one kernel thread.
    unsafe { CURRENT = thread.index() };
}

/// The running thread and its own time.
#[inline(always)]
pub fn now() -> (ThreadId, u32) {
    // SAFETY: one kernel thread; ids are below the width.
    unsafe { (ThreadId(CURRENT as u16), *THREADS.get_unchecked(CURRENT * WIDTH + CURRENT)) }
}

/// Whether the running thread knows of what `thread` did at its time `time`.
#[inline(always)]
pub fn knows(thread: ThreadId, time: u32) -> bool {
    // SAFETY: as above.
    unsafe { time <= *THREADS.get_unchecked(CURRENT * WIDTH + thread.index()) }
}

fn clock_of(thread: usize) -> &'static mut [u32] {
    // SAFETY: one kernel thread; callers use one clock of a thread at a time.
    unsafe { &mut THREADS[thread * WIDTH..(thread + 1) * WIDTH] }
}

/// What `thread` has read without acquiring it.
fn aside(thread: usize) -> &'static mut [u32] {
    // SAFETY: one kernel thread; callers use one at a time.
    unsafe {
        let clock = &mut ASIDE[thread * WIDTH..(thread + 1) * WIDTH];
        if ASIDE_IN[thread] != GENERATION {
            ASIDE_IN[thread] = GENERATION;
            clock.fill(0);
        }
        clock
    }
}

/// What `thread` knew at its last releasing fence, if it had one.
fn fenced(thread: usize) -> Option<&'static mut [u32]> {
    // SAFETY: one kernel thread; callers use one at a time.
    unsafe { (FENCED_IN[thread] == GENERATION).then(|| &mut FENCED[thread * WIDTH..(thread + 1) * WIDTH]) }
}

/// An event has been taken: its thread learns what the objects know, and they what it knows.
pub fn event(event: &Event) {
    if event.operation.code.family() == atomic::FAMILY {
        return atomic(event);
    }
    let thread = event.thread.index();
    let mut footprint = Footprint::new();
    footprint.add_alone(event);
    let clock = clock_of(thread);
    // That nobody could go on is no message from anybody.
    if footprint.is_everything() && !event.flags.contains(EventFlags::QUIESCENT) {
        // After everybody: the end of the process, or of the wait for all others' ends.
        // SAFETY: one kernel thread.
        let width = unsafe { WIDTH };
        for other in (0..width).filter(|&other| other != thread) {
            join(clock, clock_of(other));
        }
    }
    if event.operation.code == futex::WAKE {
        // libstdc++ stores the word that it wakes others for by code of its own, which is not seen; that it wakes them is.
        granules(event.operation.object.0, 4, |granule, bytes| join(objects::own(granule, bytes), clock));
    }
    for access in footprint.accesses() {
        let mut meet = |granule, bytes| match access.mode {
            Mode::Read => objects::learn(granule, bytes, clock),
            Mode::Add => join(objects::own(granule, bytes), clock),
            Mode::Write => objects::exchange(granule, bytes, clock),
        };
        if access.object.as_thread().is_some() {
            // Names of threads follow each other. As bytes they would share granules, which their addresses cannot be.
            meet(access.object.0, 1);
        } else {
            granules(access.object.0, access.size as u64, meet);
        }
    }
}

/// An atomic, or a fence: see above. What a loop waits for besides the place that it reads here, it reads by another event.
fn atomic(event: &Event) {
    let thread = event.thread.index();
    let (operation, order) = (&event.operation, atomic::order(event));
    let clock = clock_of(thread);
    if operation.code == atomic::FENCE {
        if order.acquires() {
            join(clock, aside(thread));
        }
        if order.releases() {
            // SAFETY: one kernel thread.
            unsafe {
                FENCED_IN[thread] = GENERATION;
                FENCED[thread * WIDTH..(thread + 1) * WIDTH].copy_from_slice(clock);
            }
        }
        return;
    }
    let (start, size) = (operation.object.0, operation.size.max(1) as u64);
    if operation.code != atomic::STORE {
        let into = if order.acquires() { &mut *clock } else { aside(thread) };
        granules(start, size, |granule, bytes| objects::learn(granule, bytes, into));
    }
    if operation.code == atomic::LOAD || event.failed() {
        return;
    }
    let published = if order.releases() { Some(clock) } else { fenced(thread) };
    granules(start, size, |granule, bytes| {
        let known = objects::own(granule, bytes);
        if operation.code == atomic::STORE {
            known.fill(0);
        }
        if let Some(published) = &published {
            join(known, published);
        }
    });
}

/// A section begins or ends: sections are in an order, as if one lock were around all of them.
pub fn section(event: &Event) {
    let clock = clock_of(event.thread.index());
    let (granule, byte) = (SECTIONS >> 3, 1 << (SECTIONS & 7));
    if event.operation.code == section::BEGIN {
        objects::learn(granule, byte, clock);
    } else {
        join(objects::own(granule, byte), clock);
        advance(event.thread);
    }
}

/// What `thread` does from now on comes after its last event.
pub fn advance(thread: ThreadId) {
    clock_of(thread.index())[thread.index()] += 1;
}
