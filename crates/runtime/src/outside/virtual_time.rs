//! Virtual time: what the clocks of the threads show.
//!
//! Each thread has a clock of its own, which depends only on what happened before in that thread: threads that do not
//! communicate must not be able to tell in which order they ran, else two executions that are equivalent would differ.
//! A new thread's clock starts at its creator's. Time passes by looking at it, by sleeping, and by timing out: then it is
//! at least the deadline.
//!
//! Who learns of something cannot live before it: every event that touches an object takes over the time of those that
//! changed it before, and, unless it only looks, leaves its own there ([`event`]; Lamport's clocks over the footprints of
//! the model). So time never goes backwards for anybody who could notice.
//!
//! When nobody can go on, time passes for everybody, up to the earliest deadline.

use heddle_model::{Event, Footprint, Mode, ThreadId};

/// What a look at the clock takes: loops that wait for a moment end.
const TICK: u64 = 100_000;

/// For each thread, the nanoseconds since the execution began. Reset for each execution.
static mut CLOCKS: [u64; 1 << 16] = [0; 1 << 16];
/// One past the highest thread whose clock may not be 0.
static mut EXTENT: usize = 0;
/// Where all clocks are at least. Reset for each execution.
static mut FLOOR: u64 = 0;
/// Some clock is not 0. Reset for each execution.
static mut PASSES: bool = false;

/// The time of one object.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    execution: u64,
    time: u64,
}

/// Room for objects; a power of two.
const ENTRIES: usize = 1 << 16;
/// How far to look for one.
const PROBES: usize = 16;
static mut OBJECTS: [Entry; ENTRIES] = [Entry { key: 0, execution: 0, time: 0 }; ENTRIES];
/// Counts executions: objects of another one are forgotten.
static mut EXECUTION: u64 = 0;

/// All clocks back to the beginning. To be called before each execution.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        CLOCKS[..EXTENT].fill(0);
        EXTENT = 0;
        FLOOR = 0;
        PASSES = false;
        EXECUTION += 1;
    }
}

fn clock_of<'a>(thread: ThreadId) -> &'a mut u64 {
    // SAFETY: one kernel thread; every thread id is in range.
    unsafe {
        EXTENT = EXTENT.max(thread.index() + 1);
        let clock = &mut CLOCKS[thread.index()];
        *clock = FLOOR.max(*clock);
        clock
    }
}

/// The time of `thread`, without passing.
pub fn now(thread: ThreadId) -> u64 {
    *clock_of(thread)
}

/// The time of `thread`, which passes by looking at it.
pub fn look(thread: ThreadId) -> u64 {
    pass(thread, TICK);
    now(thread)
}

/// Time passes for `thread`.
pub fn pass(thread: ThreadId, nanoseconds: u64) {
    let clock = clock_of(thread);
    *clock = clock.saturating_add(nanoseconds);
    // SAFETY: one kernel thread.
    unsafe { PASSES = true };
}

/// It is at least `time` for `thread`.
pub fn reach(thread: ThreadId, time: u64) {
    let clock = clock_of(thread);
    *clock = time.max(*clock);
    // SAFETY: one kernel thread.
    unsafe { PASSES = true };
}

/// It is at least `time` for everybody: nobody could go on before.
pub fn reach_for_all(time: u64) {
    // SAFETY: one kernel thread.
    unsafe {
        FLOOR = time.max(FLOOR);
        PASSES = true;
    }
}

/// Something happened in `earlier` before what `later` does now: its creation, or its end.
pub fn catch_up(later: ThreadId, earlier: ThreadId) {
    let other = now(earlier);
    let own = clock_of(later);
    *own = other.max(*own);
}

/// Whether any clock shows anything: until then there is nothing to hand on, and events cost nothing here.
#[inline(always)]
pub fn passes() -> bool {
    // SAFETY: one kernel thread.
    unsafe { PASSES }
}

/// An event has been taken: time is handed on through what it touched. Only while time [`passes`].
#[cold]
pub fn event(event: &Event) {
    let own = clock_of(event.thread);
    for access in Footprint::of(event).accesses() {
        let first = access.object.0 >> 3;
        for key in first..=(access.object.0 + access.size.max(1) as u64 - 1) >> 3 {
            let Some(time) = time_of(key) else { continue };
            if access.mode != Mode::Add {
                *own = (*own).max(*time);
            }
            if access.mode != Mode::Read {
                *time = (*time).max(*own);
            }
        }
    }
}

/// The time of an object. None if there is no room for it: then its time is lost, as if nobody had touched it.
fn time_of<'a>(key: u64) -> Option<&'a mut u64> {
    let home = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    (0..PROBES).find_map(|probe| {
        // SAFETY: one kernel thread; masked.
        let entry = unsafe { &mut OBJECTS[(home + probe) & (ENTRIES - 1)] };
        // SAFETY: one kernel thread.
        let execution = unsafe { EXECUTION };
        if entry.execution != execution {
            *entry = Entry { key, execution, time: 0 };
        }
        (entry.key == key).then_some(&mut entry.time)
    })
}
