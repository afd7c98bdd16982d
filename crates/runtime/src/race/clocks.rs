//! Vector clocks: what each thread knows of the others.
//!
//! A thread's own time goes on with each of its events. An event that touches an object takes over what the object
//! knows, and, unless it only looks, leaves there what its thread knows. The objects are those of the model's footprints,
//! byte by byte: neighbours order nothing.

use heddle_model::primitive::section;
use heddle_model::{Event, EventFlags, Footprint, Mode, ObjectId, ThreadId};

use crate::memory::Reserve;

/// Where the clock of an object is.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    generation: u32,
    clock: u32,
}

/// Room for objects, in all executions' lifetimes; a power of two.
const ENTRIES: usize = 1 << 18;
/// The key of the order of sections; no address and no name of a thread.
const SECTIONS: u64 = u64::MAX;
/// Room for the words of all clocks of objects.
const WORDS: usize = 1 << 28;

static mut ENTRIES_OF: &mut [Entry] = &mut [];
static mut OBJECTS: &mut [u32] = &mut [];
static mut THREADS: &mut [u32] = &mut [];
/// Words of a clock in this execution.
static mut WIDTH: usize = 0;
static mut USED: usize = 0;
static mut GENERATION: u32 = 0;
/// The running thread, and where its clock begins.
static mut CURRENT: usize = 0;

/// Makes room. Once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    // SAFETY: at start-up.
    unsafe {
        ENTRIES_OF = reserve.take(ENTRIES);
        OBJECTS = reserve.take(WORDS);
        THREADS = reserve.take(threads * threads);
    }
}

/// An execution begins, with at most `threads` threads.
pub fn reset(threads: usize) {
    // SAFETY: one kernel thread.
    unsafe {
        let old = WIDTH;
        THREADS[..old * old].fill(0);
        WIDTH = threads;
        THREADS[..threads * threads].fill(0);
        for thread in 0..threads {
            THREADS[thread * threads + thread] = 1;
        }
        USED = 0;
        CURRENT = 0;
        GENERATION = GENERATION.wrapping_add(1);
        if GENERATION == 0 {
            ENTRIES_OF.fill(Entry { key: 0, generation: 0, clock: 0 });
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

/// The clock of the granule or name `key`. None if there is no more room: then the order that it would give is lost, and
/// so may be a race; the caller takes everything for ordered.
fn object(key: u64) -> &'static mut [u32] {
    // SAFETY: one kernel thread.
    unsafe {
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (ENTRIES - 1);
        while ENTRIES_OF[at].generation == GENERATION && ENTRIES_OF[at].key != key {
            at = (at + 1) & (ENTRIES - 1);
        }
        if ENTRIES_OF[at].generation != GENERATION {
            if USED >= ENTRIES / 4 * 3 || (USED + 1) * WIDTH > WORDS {
                crate::engine::stop(heddle_model::Outcome::Capacity, 0, 0, b"atomic objects in one execution");
            }
            ENTRIES_OF[at] = Entry { key, generation: GENERATION, clock: USED as u32 };
            OBJECTS[USED * WIDTH..(USED + 1) * WIDTH].fill(0);
            USED += 1;
        }
        let start = ENTRIES_OF[at].clock as usize * WIDTH;
        &mut OBJECTS[start..start + WIDTH]
    }
}

#[inline]
fn join(into: &mut [u32], from: &[u32]) {
    for (mine, theirs) in into.iter_mut().zip(from) {
        *mine = (*mine).max(*theirs);
    }
}

/// The keys of an access: bytes of memory, or a name. Not more than a byte: two atomics that are neighbours order nothing.
fn keys(object: ObjectId, size: u32) -> core::ops::RangeInclusive<u64> {
    if object.as_thread().is_some() { object.0..=object.0 } else { object.0..=object.0 + size.max(1) as u64 - 1 }
}

/// An event has been taken: its thread learns what the objects know, and they what it knows.
pub fn event(event: &Event) {
    let thread = event.thread.index();
    let footprint = Footprint::alone(event);
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
    for access in footprint.accesses() {
        for key in keys(access.object, access.size) {
            let object = object(key);
            if access.mode != Mode::Add {
                join(clock, object);
            }
            if access.mode != Mode::Read {
                join(object, clock);
            }
        }
    }
}

/// A section begins or ends: sections are in an order, as if one lock were around all of them.
pub fn section(event: &Event) {
    let clock = clock_of(event.thread.index());
    let sections = object(SECTIONS);
    if event.operation.code == section::BEGIN {
        join(clock, sections);
    } else {
        join(sections, clock);
        advance(event.thread);
    }
}

/// What `thread` does from now on comes after its last event.
pub fn advance(thread: ThreadId) {
    clock_of(thread.index())[thread.index()] += 1;
}
