//! Data races: two accesses to one place, at least one of them a write, at least one of them not atomic, and nothing
//! that orders them.
//!
//! What orders is the happens-before of the model: program order, and every two events whose footprints conflict, in the
//! order in which they happened ([`clocks`]). Under sequential consistency that is what synchronises: a lock sees
//! what was done before the unlock, a load what was done before the store. Where it claims more order than the C
//! standard does (every atomic counts as sequentially consistent, whatever order it asks for), a race may go unseen, but
//! none is made up.
//!
//! Plain accesses are no events and no places to switch, and need not be: if no execution of any order of the events
//! has a race, then no order of plain accesses can make a difference. So the first race ends the execution: what comes
//! after it would need an order of its own.
//!
//! The accesses to each place are remembered in [`shadow`], by the time of the thread that made them; all that is
//! forgotten between two executions by counting them.

mod clocks;
mod shadow;

use heddle_model::primitive::atomic;
use heddle_model::race::{Access, Race};
use heddle_model::{Event, Outcome, ThreadId};

use crate::memory::Reserve;
use crate::{engine, heap, memcheck};

static mut ON: bool = false;

/// Makes room for `threads` threads. Once; only if races are to be looked for.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    clocks::set_up(reserve, threads);
    shadow::set_up(reserve);
    // SAFETY: at start-up.
    unsafe { ON = true };
}

/// Whether races are looked for.
#[inline(always)]
fn on() -> bool {
    // SAFETY: set once.
    unsafe { ON }
}

/// An execution begins, with room for `threads` threads.
pub fn reset(threads: usize) {
    if on() {
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
    if !on() {
        return;
    }
    clocks::event(event);
    let operation = &event.operation;
    if operation.code.family() == atomic::FAMILY && operation.code != atomic::FENCE {
        let write = operation.code != atomic::LOAD && !event.failed();
        // In memory that is not there any more it is something else than a race, and about to be told.
        if memcheck::forbids(operation) {
            clocks::advance(event.thread);
            return;
        }
        access(operation.object.0 as usize, operation.size as usize, Access::new(write, true), event.pc);
    }
    if memcheck::needs_its_object(operation) && operation.code.family() != atomic::FAMILY {
        // Who frees, or overwrites, a lock in the heap must know that nobody uses it.
        let address = operation.object.0 as usize;
        if heap::in_range(address) && !memcheck::forbids(operation) {
            access(address, 1, Access::new(false, true), event.pc);
        }
    }
    // Not before: whoever learns of this event learns of the access that it is.
    clocks::advance(event.thread);
}

/// A plain access by the running thread. Only in executions.
#[inline(always)]
pub fn plain(address: usize, size: usize, write: bool, pc: u64) {
    if on() {
        access(address, size, Access::new(write, false), pc);
    }
}

/// The running thread frees a block. Only in executions.
pub fn freed(address: usize, size: usize, pc: u64) {
    if on() {
        access(address, size, Access::FREEING, pc);
    }
}

#[inline]
fn access(address: usize, size: usize, how: Access, pc: u64) {
    let (mut at, end) = (address, address + size);
    while at < end {
        let offset = at & 7;
        let length = (8 - offset).min(end - at);
        let bytes = (((1u32 << length) - 1) << offset) as u8;
        if let Some(found) = shadow::record(at >> 3, bytes, how, pc) {
            report(address, size, how, pc, &found);
        }
        at += length;
    }
}

#[cold]
fn report(address: usize, size: usize, how: Access, pc: u64, earlier: &shadow::Found) -> ! {
    let race = Race {
        address: address as u64,
        size: size as u64,
        later: how,
        later_thread: engine::current(),
        later_pc: pc,
        earlier: earlier.how,
        earlier_thread: earlier.thread,
        earlier_pc: earlier.pc,
    };
    engine::stop(Outcome::Race, address as u64, pc, &race.to_text())
}
