//! Memory errors: accesses outside a heap block, uses after free, accesses to the stack of a thread that has ended or
//! to a frame that has returned, double and invalid frees, and accesses that the processor refuses.
//!
//! The heap knows for each byte whether it may be touched ([`crate::heap::allows`]). The stacks of threads are known by
//! their addresses ([`stacks`]). A correct access costs a few instructions ([`access`]). An incorrect one is explained ([`explain`])
//! and stored as a [`Fault`], and the next operation of its thread is the end of the process. That is an operation like
//! any other, so the search still explores what other threads do before it.
//!
//! Freeing is not a visible operation and need not be. If nothing orders it with another thread's access, the two are a
//! data race ([`crate::detect::race`]), whichever comes first. If something orders them, the search explores the orders
//! of that.
//!
//! Allocations and frees are recorded only in recorded executions ([`notes`]). Globals and the frames of the running
//! thread are not checked, because only the compiler knows their bounds.

mod explain;
mod leaks;
mod notes;

use core::cell::Cell;

use heddle_detect::notes::Notes;
use heddle_model::fault::{Doing, Fault, FaultKind};
use heddle_model::primitive::{atomic, barrier, condvar, memory, mutex, process, rwlock, semaphore, spin};
use heddle_model::race::Access;
use heddle_model::{Ending, ObjectId, Operation, Properties, Property, ThreadId};

use crate::addresses::{HEAPS, Reserve, STACK_STRIDE, STACKS, STACKS_END};
use crate::detect::{race, stacks};
use crate::heap;
use crate::lifetime::{self, Exclusive};
use crate::schedule;

pub use explain::crashed;
pub use leaks::look as look_for_leaks;
pub use notes::{allocated, freed};

/// The memory errors of an execution.
pub struct Memcheck {
    /// Whether memory errors are looked for. Set once.
    on: Cell<bool>,
    /// The fault of each thread whose next operation is the end of the process because of it. Valid in the execution with that number.
    faults: Exclusive<&'static mut [(u64, Fault)]>,
    /// The number of the execution.
    execution: Cell<u64>,
    notes: Exclusive<Notes<'static>>,
    leaks: leaks::Search,
}

impl Memcheck {
    /// Memory errors are not looked for.
    pub const fn new() -> Memcheck {
        Memcheck {
            on: Cell::new(false),
            faults: Exclusive::new(&mut []),
            execution: Cell::new(0),
            notes: Exclusive::new(Notes::empty()),
            leaks: leaks::Search::new(),
        }
    }

    /// Begins an execution.
    pub fn reset(&self) {
        self.execution.set(self.execution.get() + 1);
        self.notes.borrow().reset();
    }
}

#[inline(always)]
fn state() -> &'static Memcheck {
    &lifetime::execution().memory_errors
}

/// Reserves memory for `threads` threads. Call this once. `properties` say whether memory errors and leaks are looked
/// for.
pub fn set_up(reserve: &mut Reserve, threads: usize, properties: &Properties) {
    *state().faults.borrow() = reserve.take(threads);
    state().on.set(properties.look_for(Property::Memory));
    notes::set_up(reserve);
    if properties.look_for(Property::Leak) {
        leaks::set_up(reserve);
    }
}

#[inline(always)]
fn on() -> bool {
    state().on.get()
}

const REGION: u32 = 40;
const FIRST: usize = HEAPS >> REGION;
const FIRST_STACK: usize = STACKS >> REGION;
const LAST: usize = STACKS_END >> REGION;
/// The region in which the kernel puts the main thread's stack and libraries.
const KERNELS: usize = 0x7f;

/// Checks an access to plain memory that the running thread is about to make. Only in executions.
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
        race::too_late(address, size, Access::new(write, false), pc);
        commit(explain::heap(address, size, doing(write)), pc);
    }
}

/// Checks an access to memory that may be on another thread's stack.
#[inline(always)]
fn others_stack(address: usize, size: usize, write: bool, pc: u64) {
    if !stacks::is_checked(address, size) {
        check_stack(address, size, write, pc);
    }
}

#[inline(never)]
fn check_stack(address: usize, size: usize, write: bool, pc: u64) {
    let Some(owner) = stacks::owner(address) else { return };
    if on()
        && let Some(fault) = stacks::dead(owner, address)
    {
        race::suspect(owner, address, size, pc);
        commit(Fault { address: address as u64, size: size as u64, doing: doing(write), ..fault }, pc);
    }
    stacks::used(owner, address, size, pc);
}

/// Checks that the object of `operation`, which the running thread is about to announce, exists. If others may free it meanwhile, that
/// is asked only [after](self::after) the operation: what a thread announces must not depend on whether they have done so yet.
#[inline(always)]
pub fn before(operation: &Operation, pc: u64) {
    let address = operation.object.0 as usize;
    if heap::in_range(address) || stacks::may_be_others(address) {
        let is_plain = operation.code.family() == memory::FAMILY;
        let later = is_plain || is_checked_after(operation);
        if !(later && race::places::within(address, operation.bytes().max(1) as usize)) {
            check_object(operation, pc);
        }
    }
}

/// Checks the object of `operation` once more after the running thread has taken it: it may have died while the thread waited.
#[inline(always)]
pub fn after(operation: &Operation, pc: u64) {
    let address = operation.object.0 as usize;
    if (heap::in_range(address) || stacks::may_be_others(address)) && is_checked_after(operation) {
        check_object(operation, pc);
    }
}

fn is_checked_after(operation: &Operation) -> bool {
    needs_its_object(operation) || operation.code == barrier::ARRIVE
}

/// Whether the object of an operation must still exist when the operation is taken. Operations by which a thread leaves what it has waited
/// for are exempt: a condition variable may be destroyed once its waiters are woken, a barrier once all have arrived.
pub fn needs_its_object(operation: &Operation) -> bool {
    match operation.code.family() {
        atomic::FAMILY | mutex::FAMILY | rwlock::FAMILY | semaphore::FAMILY | spin::FAMILY => true,
        condvar::FAMILY => operation.code != condvar::REACQUIRE,
        _ => false,
    }
}

/// Whether the object of `operation` must not be touched: its block of the heap was freed, or the function returned or
/// the thread ended on whose stack it was.
#[inline]
pub fn forbids(operation: &Operation) -> bool {
    let address = operation.object.0 as usize;
    if heap::in_range(address) { is_outside(operation) } else { on_dead_stack(operation).is_some() }
}

/// Whether the object of `operation` is in the heap and not in a live block. Addresses that the heap never used do not
/// count: one may be the name of a named semaphore, and an access to memory there fails by itself.
fn is_outside(operation: &Operation) -> bool {
    let (address, size) = (operation.object.0 as usize, operation.bytes().max(1) as usize);
    on() && heap::was_used(address) && operation.code != process::END && !heap::allows(address, size)
}

/// The fault of `operation`, if its object is on a dead part of another thread's stack. To wake those who wait for a
/// word is no use of it: C++ allows a latch to go as soon as it has opened, and its library wakes afterwards.
fn on_dead_stack(operation: &Operation) -> Option<Fault> {
    let address = operation.object.0 as usize;
    if !on() || !stacks::may_be_others(address) || stacks::is_checked(address, 1) {
        return None;
    }
    let fault = is_checked_after(operation)
        .then(|| stacks::owner(address).and_then(|owner| stacks::dead(owner, address)))
        .flatten()?;
    let size = operation.bytes().max(1).into();
    Some(Fault { address: address as u64, size, doing: Doing::Operating, ..fault })
}

#[inline(never)]
fn check_object(operation: &Operation, pc: u64) {
    let address = operation.object.0 as usize;
    if !heap::in_range(address) {
        if let Some(fault) = on_dead_stack(operation) {
            if let Some(owner) = fault.other {
                race::suspect(owner, address, operation.bytes().max(1) as usize, pc);
            }
            commit(fault, pc);
        }
    } else if is_outside(operation) {
        race::too_late(address, operation.bytes().max(1) as usize, Access::new(true, true), pc);
        commit(explain::heap(address, operation.bytes().max(1) as usize, Doing::Operating), pc);
    }
}

/// Reports that the running thread frees or resizes something that it must not. Does nothing if memory errors are not looked for.
#[cold]
pub fn bad_free(address: usize, resizes: bool, kind: FaultKind, pc: u64) {
    if !on() {
        return;
    }
    let doing = if resizes { Doing::Resizing } else { Doing::Freeing };
    let near = if heap::in_range(address) { explain::heap(address, 0, doing) } else { Fault::default() };
    commit(Fault { kind, doing, address: address as u64, ..near }, pc)
}

/// Reports that the running thread frees or resizes a block by a function of another family than the one that allocated it; or, if
/// there is a `size`, that it names a wrong size. Does nothing if memory errors are not looked for.
#[cold]
pub fn mismatched(address: usize, resizes: bool, allocated: u8, freed: u8, size: Option<usize>, pc: u64) {
    if !on() {
        return;
    }
    let doing = if resizes { Doing::Resizing } else { Doing::Freeing };
    let block = explain::heap(address, size.unwrap_or(0), doing);
    commit(Fault { kind: FaultKind::Mismatch, families: allocated | freed << 4, ..block }, pc)
}

/// Ends the process because of a fault of the running thread.
#[cold]
fn commit(fault: Fault, pc: u64) -> ! {
    note(fault);
    // The entry points of plain accesses note registers only while there are visible places.
    if !race::places::any() {
        schedule::set_called_at(0);
    }
    let end = process::end(Ending::Memory);
    schedule::end_process(Operation { object: ObjectId(fault.address), ..end }, pc)
}

/// Keeps the fault of the running thread until the end of the process is taken.
pub fn note(fault: Fault) {
    let mut fault = notes::taken().complete(fault);
    // The heap forgets the size of a freed block. Past its end it is out of bounds, whether the block is still there or not.
    let end = fault.block + fault.block_size.max(1);
    if fault.kind == FaultKind::UseAfterFree && fault.block_size != 0 && fault.address >= end {
        fault.kind = FaultKind::OutOfBounds;
    }
    state().faults.borrow()[schedule::current().index()] = (state().execution.get(), fault);
}

/// The fault for which `thread` has ended the process.
pub fn fault_of(thread: ThreadId) -> Option<Fault> {
    let (execution, fault) = state().faults.borrow()[thread.index()];
    (execution == state().execution.get() && fault.is_some()).then_some(fault)
}

/// The block that contains `address`, its size, and the call stack of its allocation, if that is known. Only in executions that are
/// recorded.
pub fn allocation_around(address: usize) -> Option<(usize, usize, &'static [u64])> {
    notes::taken().allocation_around(address)
}

/// Calls `each` with the call stack of the allocation of the block that contains `address`, and then with the block's address and size. Does
/// nothing if there is no such block. Only in executions that are recorded.
pub fn block_at(address: usize, mut each: impl FnMut(&[u64])) {
    let found = explain::heap(address, 1, Doing::default());
    let (block, size) = (found.block, found.block_size);
    if block != 0 && (block..block + size.max(1)).contains(&(address as u64)) {
        each(notes::taken().allocation_of(block as usize));
        each(&[block, size]);
    }
}

/// Calls `each` with the call stacks that belong to `fault`, in the order that the wire format says. Only in executions
/// that are recorded.
pub fn stacks_of(fault: &Fault, mut each: impl FnMut(&[u64])) {
    if fault.kind == FaultKind::Leak {
        leaks::lost().for_each(|block| each(notes::taken().allocation_of(block)));
    } else {
        each(notes::taken().allocation_of(fault.block as usize));
        each(notes::taken().free_of(fault.block as usize));
    }
}
