//! Memory used against its rules: outside of a block of the heap, after it was freed, on the stack of a thread that has
//! ended or in a frame that has returned; blocks freed twice, or that are none; and what lies at an address that the
//! processor refused.
//!
//! What may be touched in the heap is known byte by byte ([`crate::heap::allows`]); the stacks of threads are known by
//! their addresses. An access that is in order costs a few instructions ([`access`]); an access that is not is looked
//! into ([`explain`]), noted as a [`Fault`], and its thread stands before the end of the process from then on. That is an
//! operation like any other, so what other threads would still have done is not hidden behind it.
//!
//! Freeing is no visible operation. It need not be: if nothing orders it with another thread's access it is a data race
//! ([`crate::detect::race`]), whichever comes first; and where something does, the search explores the orders of that.
//!
//! Where blocks were allocated and freed is written down only in executions that are recorded ([`notes`]). Not here:
//! globals and the frames of the running thread itself, whose bounds the compiler knows and we do not.

mod explain;
mod leaks;
mod notes;

use heddle_model::fault::{Doing, Fault, FaultKind};
use heddle_model::primitive::{atomic, condvar, mutex, process, rwlock, semaphore, spin};
use heddle_model::wire::{LEAKS, MEMORY};
use heddle_model::{Ending, ObjectId, Operation, Phase, ThreadId};

use crate::addresses::{HEAPS, Reserve, STACK_STRIDE, STACKS, STACKS_END};
use crate::entry::start;
use crate::heap;
use crate::schedule::{self, fiber};

pub use explain::crashed;
pub use leaks::look as look_for_leaks;
pub use notes::{allocated, freed};

static mut ON: bool = false;
/// What each thread did wrong, if it stands before the end for it; valid in the execution with that number.
static mut FAULTS: &mut [(u64, Fault)] = &mut [];
static mut EXECUTION: u64 = 0;

/// Makes room for `threads` threads. Once. `what`: the header's wishes.
pub fn set_up(reserve: &mut Reserve, threads: usize, what: u32) {
    // SAFETY: at start-up.
    unsafe {
        FAULTS = reserve.take(threads);
        ON = what & MEMORY != 0;
    }
    notes::set_up(reserve);
    if what & LEAKS != 0 {
        leaks::set_up(reserve);
    }
}

/// An execution begins.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe { EXECUTION += 1 };
    notes::reset();
}

#[inline(always)]
fn on() -> bool {
    // SAFETY: set once.
    unsafe { ON }
}

const REGION: u32 = 40;
const FIRST: usize = HEAPS >> REGION;
const FIRST_STACK: usize = STACKS >> REGION;
const LAST: usize = STACKS_END >> REGION;
/// The kernel's part of the addresses, where the main thread's stack is, and libraries.
const KERNELS: usize = 0x7f;

/// The running thread is about to access plain memory. Only in executions.
#[inline(always)]
pub fn access(address: usize, size: usize, write: bool, pc: u64) {
    let region = address >> REGION;
    if region.wrapping_sub(FIRST) < LAST - FIRST {
        if region < FIRST_STACK {
            if !heap::allows(address, size) {
                outside(address, size, write, pc);
            }
        } else if (address - STACKS) / STACK_STRIDE != schedule::current().index() {
            others_stack(address, size, write, pc);
        }
    } else if region == KERNELS && schedule::current() != ThreadId::MAIN {
        others_stack(address, size, write, pc);
    }
}

fn doing(write: bool) -> Doing {
    if write { Doing::Writing } else { Doing::Reading }
}

#[cold]
fn outside(address: usize, size: usize, write: bool, pc: u64) {
    if on() {
        commit(explain::heap(address, size, doing(write)), pc);
    }
}

/// An access to memory on another thread's stack, or above the heaps at least.
#[inline(never)]
fn others_stack(address: usize, size: usize, write: bool, pc: u64) {
    if on()
        && let Some(fault) = dead_stack(address)
    {
        commit(Fault { address: address as u64, size: size as u64, doing: doing(write), ..fault }, pc);
    }
}

/// Whether `address` is on another thread's stack where nothing lives any more.
fn dead_stack(address: usize) -> Option<Fault> {
    let (low, high) = start::main_stack();
    let (owner, low, high) = if (low..high).contains(&address) {
        (ThreadId::MAIN, low, high)
    } else {
        let owner = fiber::thread_at(address).filter(|&owner| owner != ThreadId::MAIN)?;
        let (low, size) = fiber::stack_of(owner);
        (owner, low, low + size)
    };
    if owner == schedule::current() || address < low {
        return None;
    }
    let kind = match schedule::phase(owner) {
        Phase::Finished => FaultKind::DeadStack,
        Phase::Alive => {
            // A thread that crashed is suspended on another stack: then its own is as it was.
            let live_from = fiber::of(owner).context.get().stack();
            if !(low..high).contains(&live_from) || address >= live_from {
                return None;
            }
            FaultKind::DeadFrame
        }
        Phase::Absent | Phase::Lingering => return None,
    };
    Some(Fault { kind, other: Some(owner), ..Fault::default() })
}

/// The running thread is about to announce `operation`: what it is done to must be there.
#[inline(always)]
pub fn before(operation: &Operation, pc: u64) {
    if heap::in_range(operation.object.0 as usize) {
        check_object(operation, pc);
    }
}

/// The running thread has just taken `operation`. What it is done to may have been freed while it waited.
#[inline(always)]
pub fn after(operation: &Operation, pc: u64) {
    if heap::in_range(operation.object.0 as usize) && needs_its_object(operation) {
        check_object(operation, pc);
    }
}

/// Whether an operation must find its object when it is taken. Not those by which a thread leaves what it has waited for:
/// a condition variable may be destroyed once its waiters are woken, a barrier once all have arrived.
pub fn needs_its_object(operation: &Operation) -> bool {
    match operation.code.family() {
        atomic::FAMILY | mutex::FAMILY | rwlock::FAMILY | semaphore::FAMILY | spin::FAMILY => true,
        condvar::FAMILY => operation.code != condvar::REACQUIRE,
        _ => false,
    }
}

/// Whether what `operation` is done to is in the heap and must not be touched. Where no heap ever was, there may be a name
/// that is no address (a named semaphore's is made from its letters), and an access to memory fails by itself.
#[inline]
pub fn forbids(operation: &Operation) -> bool {
    let (address, size) = (operation.object.0 as usize, operation.bytes().max(1) as usize);
    on() && heap::was_used(address) && operation.code != process::END && !heap::allows(address, size)
}

#[inline(never)]
fn check_object(operation: &Operation, pc: u64) {
    if forbids(operation) {
        let (address, size) = (operation.object.0 as usize, operation.bytes().max(1) as usize);
        commit(explain::heap(address, size, Doing::Operating), pc);
    }
}

/// The running thread frees or resizes something that it must not. Does nothing if nobody wants to know.
#[cold]
pub fn bad_free(address: usize, resizes: bool, kind: FaultKind, pc: u64) {
    if !on() {
        return;
    }
    let doing = if resizes { Doing::Resizing } else { Doing::Freeing };
    let near = if heap::in_range(address) { explain::heap(address, 0, doing) } else { Fault::default() };
    commit(Fault { kind, doing, address: address as u64, ..near }, pc)
}

/// The running thread frees or resizes a block by a function that does not belong to the one that it was allocated by; or, with a
/// `size`, by saying that it has another one. Does nothing if nobody wants to know.
#[cold]
pub fn mismatched(address: usize, resizes: bool, allocated: u8, freed: u8, size: Option<usize>, pc: u64) {
    if !on() {
        return;
    }
    let doing = if resizes { Doing::Resizing } else { Doing::Freeing };
    let block = explain::heap(address, size.unwrap_or(0), doing);
    commit(Fault { kind: FaultKind::Mismatch, families: allocated | freed << 4, ..block }, pc)
}

/// The running thread did this: it goes no further.
#[cold]
fn commit(fault: Fault, pc: u64) -> ! {
    note(fault);
    let end = process::end(Ending::Memory);
    schedule::end_process(Operation { object: ObjectId(fault.address), ..end }, pc)
}

/// Keeps what the running thread did until its end is taken.
pub fn note(fault: Fault) {
    // SAFETY: one kernel thread; ids are below the number of faults.
    unsafe { FAULTS[schedule::current().index()] = (EXECUTION, notes::complete(fault)) };
}

/// What `thread`, which ended the process, did.
pub fn fault_of(thread: ThreadId) -> Option<Fault> {
    // SAFETY: as above.
    let (execution, fault) = unsafe { FAULTS[thread.index()] };
    // SAFETY: reads a number.
    (execution == unsafe { EXECUTION } && fault.is_some()).then_some(fault)
}

/// Where the block that has `address` in it was allocated, as far as it is known. Only in executions that are recorded.
pub fn allocation_around(address: usize) -> &'static [u64] {
    notes::allocation_around(address)
}

/// Calls `each` with the call stack of the allocation of the block that `address` is in, and with the block's address and size;
/// with nothing where it is in none. Only in executions that are recorded.
pub fn block_at(address: usize, mut each: impl FnMut(&[u64])) {
    let found = explain::heap(address, 1, Doing::default());
    let (block, size) = (found.block, found.block_size);
    if block != 0 && (block..block + size.max(1)).contains(&(address as u64)) {
        each(notes::allocation_of(block as usize));
        each(&[block, size]);
    }
}

/// Calls `each` with the call stacks that belong to `fault`, in the order that the wire format says. Only in executions
/// that are recorded.
pub fn stacks_of(fault: &Fault, mut each: impl FnMut(&[u64])) {
    if fault.kind == FaultKind::Leak {
        leaks::lost().for_each(|block| each(notes::allocation_of(block)));
    } else {
        each(notes::allocation_of(fault.block as usize));
        each(notes::end_of(fault.block as usize));
    }
}
