//! Data races: two accesses to one place, at least one of them a write, at least one of them not atomic, and nothing
//! that orders them.
//!
//! What orders is program order, and what synchronises ([`clocks`]): of the primitives every two events whose footprints
//! conflict, in the order in which they happened (a lock sees what was done before the unlock), of the atomics what their memory
//! orders and the fences around them say. That is the happens-before of C and C++ over a sequentially consistent execution.
//! Where it claims more order than the standards do (a `trylock` that fails has seen who holds the lock), a race may go unseen, but
//! none is made up.
//!
//! Plain accesses are no events and no places to switch, and need not be: if no execution of any order of the events
//! has a race, then no order of plain accesses can make a difference. The first race ends the execution, where that is all that
//! is wanted. Otherwise it is listed and the execution goes on; the search then makes its place visible ([`places`]) and
//! begins anew. Accesses to such places are events, which order nothing here: a race on them stays one.
//!
//! The accesses to each place are remembered in [`shadow`], by the time of the thread that made them; all that is
//! forgotten between two executions by counting them.

mod clocks;
mod objects;
pub mod places;
mod shadow;

use heddle_model::primitive::{atomic, file, memory as plain_memory, queue, section};
use heddle_model::race::{Access, Race};
use heddle_model::{Event, Outcome, ThreadId};

use crate::addresses::Reserve;
use crate::detect::memcheck;
use crate::{heap, schedule};

static mut ON: bool = false;
/// Executions go on after races.
static mut GOES_ON: bool = false;
/// The race that this execution is to end at. Reset for each execution.
static mut AIM: Option<Race> = None;
/// The call stack of the earlier access of that race, and how many words of it are known. Reset for each execution.
static mut EARLIER: ([u64; FRAMES], usize) = ([0; FRAMES], 0);
/// So many frames of it are kept.
const FRAMES: usize = 128;

/// Makes room for `threads` threads. Once; only if races are to be looked for.
pub fn set_up(reserve: &mut Reserve, threads: usize, goes_on: bool) {
    clocks::set_up(reserve, threads);
    shadow::set_up(reserve);
    places::set_up(reserve);
    // SAFETY: at start-up.
    unsafe {
        ON = true;
        GOES_ON = goes_on;
    }
}

/// Whether races are looked for.
#[inline(always)]
pub fn on() -> bool {
    // SAFETY: set once.
    unsafe { ON }
}

/// An execution begins, with room for `threads` threads, to end at the race `aim` if there is one. These places are visible.
pub fn reset(threads: usize, aim: Option<Race>, visible: &[u64]) {
    if on() {
        // SAFETY: one kernel thread.
        unsafe {
            AIM = aim;
            EARLIER.1 = 0;
        }
        places::set(visible, aim.is_some_and(|aim| !aim.is_anywhere()));
        clocks::reset(threads);
        shadow::reset();
    }
}

/// `thread` goes on.
#[inline]
pub fn switched(thread: ThreadId) {
    if on() {
        clocks::switched(thread);
    }
}

/// An event has been taken: it orders what comes after it.
#[inline]
pub fn event(event: &Event) {
    // A plain access orders nothing, visible or not, and no language says that a file does.
    if !on() || matches!(event.operation.code.family(), plain_memory::FAMILY | file::FAMILY) {
        return;
    }
    if event.operation.code.family() == section::FAMILY {
        return clocks::section(event);
    }
    if queue::may_queue(event) {
        match queue::without_queue(event) {
            Some(event) => clocks::event(&event),
            None => return,
        }
    } else {
        clocks::event(event);
    }
    let operation = &event.operation;
    if operation.code.family() == atomic::FAMILY && operation.code != atomic::FENCE {
        let write = operation.code != atomic::LOAD && !event.failed();
        watch(operation.object.0 as usize, operation.size as usize, event.pc);
        // In memory that is not there any more it is something else than a race, and about to be told.
        if memcheck::forbids(operation) {
            clocks::advance(event.thread);
            return;
        }
        access(operation.object.0 as usize, operation.size as usize, Access::new(write, true), event.pc, true);
    }
    if memcheck::needs_its_object(operation) && operation.code.family() != atomic::FAMILY {
        // Who frees, or overwrites, a lock in the heap must know that nobody uses it.
        let address = operation.object.0 as usize;
        if heap::in_range(address) && !memcheck::forbids(operation) {
            access(address, 1, Access::new(false, true), event.pc, true);
        }
    }
    // Not before: whoever learns of this event learns of the access that it is.
    clocks::advance(event.thread);
}

/// The running thread accesses memory: if that is the earlier access of the race that this execution is to end at, remembers
/// where it is.
#[cold]
fn watch(address: usize, size: usize, pc: u64) {
    // SAFETY: one kernel thread.
    unsafe {
        let Some(aim) = &AIM else { return };
        let (thread, time) = clocks::now();
        let place = aim.place as usize;
        if (thread, time, pc) == (aim.earlier_thread, aim.earlier_time, aim.earlier_pc)
            && address < place + 8
            && place < address + size
            && EARLIER.1 == 0
        {
            EARLIER.0[0] = pc;
            EARLIER.1 = 1 + crate::record::callstack::copy(thread, &mut EARLIER.0[1..]);
        }
    }
}

/// Calls `each` with the call stacks that belong to the race at `address` that ended the execution, as the wire format has them:
/// the earlier access; then, for a block of the heap, its allocation, and two words that are no stack, its address and its size.
pub fn stacks_of(address: usize, mut each: impl FnMut(&[u64])) {
    // SAFETY: one kernel thread.
    let (frames, count) = unsafe { &EARLIER };
    each(&frames[..*count]);
    if heap::in_range(address) {
        memcheck::block_at(address, each);
    }
}

/// A plain access by the running thread. Only in executions. `visible`: it is an event, which was just taken.
#[inline(always)]
pub fn plain(address: usize, size: usize, how: Access, pc: u64, visible: bool) {
    if on() {
        if visible {
            watch(address, size, pc);
        }
        access(address, size, how, pc, visible);
    }
}

/// The running thread frees a block. Only in executions.
pub fn freed(address: usize, size: usize, pc: u64) {
    if on() {
        watch(address, size, pc);
        access(address, size, Access::FREEING, pc, false);
    }
}

/// Remembers an access, and looks for races with it.
///
/// In the places of `again` the thread may have done the same before without a race, and race now: there others go in between.
#[inline(always)]
fn access(address: usize, size: usize, how: Access, pc: u64, again: bool) {
    let offset = address & 7;
    if offset + size <= 8 {
        // Nearly all of them.
        let bytes = (((1u32 << size) - 1) << offset) as u8;
        shadow::record(address >> 3, bytes, how, pc, again, |found| {
            report(address, size, how, pc, address >> 3, found)
        });
    } else {
        long_access(address, size, how, pc, again);
    }
}

#[inline(never)]
fn long_access(address: usize, size: usize, how: Access, pc: u64, again: bool) {
    let (mut at, end) = (address, address + size);
    while at < end {
        let offset = at & 7;
        let length = (8 - offset).min(end - at);
        let bytes = (((1u32 << length) - 1) << offset) as u8;
        shadow::record(at >> 3, bytes, how, pc, again, |found| report(address, size, how, pc, at >> 3, found));
        at += length;
    }
}

#[cold]
fn report(address: usize, size: usize, how: Access, pc: u64, granule: usize, earlier: &shadow::Found) {
    let race = Race {
        address: address as u64,
        size: size as u64,
        later: how,
        later_thread: schedule::current(),
        later_pc: pc,
        earlier: earlier.how,
        earlier_thread: earlier.thread,
        earlier_pc: earlier.pc,
        place: (granule as u64) << 3,
        earlier_time: earlier.time,
        events: schedule::events(),
    };
    // SAFETY: one kernel thread.
    let (goes_on, aim) = unsafe { (GOES_ON, &AIM) };
    if !goes_on || aim.as_ref().is_some_and(|aim| aim.is_again(&race)) {
        schedule::stop(Outcome::Race(race), pc, b"")
    }
    schedule::raced(&race);
}
