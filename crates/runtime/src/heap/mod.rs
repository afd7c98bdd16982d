//! The program's heap: deterministic, at fixed addresses, with one arena for each thread ([`heddle_detect::heap`]).
//!
//! An address that `malloc` returns depends only on what the calling thread allocated and freed before. Therefore a
//! block that one thread frees for another is never reused in that execution. The price is memory in long
//! producer-consumer loops, and the memory limit reports that.
//!
//! Blocks that are allocated before `main`, outside executions, or for the runtime's own purposes (thread control
//! blocks) come from the system arena. Without Heddle, the program's threads are real and all use that arena, under a
//! lock.
//!
//! For restoring memory, [`arenas`] returns the memory that the heap uses. All memory beyond an arena's extent is zero
//! and must be zero again after a restoration ([`erase`]). The extents are stored in the arenas and are restored with
//! them.
//!
//! [`crate::detect::memcheck`] reports invalid accesses.

mod family;
mod ground;
mod lock;
mod operators;

use core::cell::Cell;

use heddle_detect::heap::block::Header;
use heddle_detect::heap::class::GRAIN;
use heddle_detect::heap::{Allocated, BadAddress, UNIT};
use heddle_model::fault::FaultKind;
use heddle_model::primitive::memory;
use heddle_model::{Capacity, Outcome};

use self::ground::{ARENAS, Fixed, ProgramHeap, SYSTEM};

pub use self::ground::in_range;
pub use self::lock::survive_fork;
pub use self::operators::{Calls, decide, set_up as set_up_operators};
pub use heddle_detect::heap::Place;
pub use heddle_detect::heap::block::State;

use crate::calls::pthread::once_overwritten;
use crate::detect::{memcheck, race};
use crate::lifetime::{Exclusive, OneThread};
use crate::schedule::{self, spin_loop};
use crate::sys;

/// The heap, and what outlives executions besides it.
struct Whole {
    heap: Exclusive<ProgramHeap>,
    /// Bytes that may be carved from all arenas together.
    limit: Cell<usize>,
    /// Bytes of freed blocks that an arena keeps back. Without Heddle, and before `main`, none.
    quarantine: Cell<usize>,
    /// How often [`enter_system`] was called, less [`leave_system`].
    system_depth: Cell<usize>,
}

/// Not with the rest of the state, because outside executions the program's real threads use it: whoever has the [lock].
static WHOLE: OneThread<Whole> = OneThread::new(Whole {
    heap: Exclusive::new(ProgramHeap::new(Fixed)),
    limit: Cell::new(usize::MAX),
    quarantine: Cell::new(0),
    system_depth: Cell::new(0),
});

#[inline(always)]
fn heap() -> &'static mut ProgramHeap {
    WHOLE.heap.borrow()
}

/// Sets the bytes that the program may use in one execution, those from before `main` included, and the bytes of freed
/// blocks that each thread's heap keeps back. Before the first execution.
pub fn set_limits(bytes: usize, quarantine: usize) {
    WHOLE.limit.set(bytes);
    WHOLE.quarantine.set(quarantine);
}

/// Begins a part in which allocations belong to no thread of the program's. Nests.
pub fn enter_system() {
    WHOLE.system_depth.set(WHOLE.system_depth.get() + 1);
}

/// Ends what [`enter_system`] began.
pub fn leave_system() {
    WHOLE.system_depth.set(WHOLE.system_depth.get() - 1);
}

/// Whether a thread of the program's allocates and frees, in an execution.
#[inline(always)]
fn is_program() -> bool {
    schedule::active() && WHOLE.system_depth.get() == 0
}

/// The parts of memory in use: where each begins, and how many bytes of it were ever used. All beyond is zero.
pub fn arenas() -> impl Iterator<Item = (usize, usize)> {
    heap().arenas().map(|number| (heap().base_of(number), heap().extent(number)))
}

/// The part of the validity map that belongs to the first `length` bytes of the arena at `base`: its address and its length.
pub fn map_of(base: usize, length: usize) -> (usize, usize) {
    (heap().entry(base), length.div_ceil(UNIT))
}

/// Whether the program may touch the `size` bytes at `address`, which is in the heap's range.
#[inline(always)]
pub fn allows(address: usize, size: usize) -> bool {
    // SAFETY: the callers have looked whether it is in range.
    unsafe { heap().allows(address, size) }
}

/// Makes a part of an arena, or of its map, zero again. Restoring a snapshot calls it for what lies between the extent at the snapshot and the
/// extent that the execution reached.
pub fn erase(from: usize, to: usize) {
    const PAGE: usize = 4096;
    /// Below this, writing zeros is cheaper than giving pages back and getting them again.
    const LARGE: usize = 256 << 10;
    let (first, last) = (from.next_multiple_of(PAGE), to & !(PAGE - 1));
    // SAFETY: the caller says that this is heap that no execution uses.
    unsafe {
        if to.saturating_sub(from) < LARGE {
            core::ptr::write_bytes(from as *mut u8, 0, to.saturating_sub(from));
        } else {
            core::ptr::write_bytes(from as *mut u8, 0, first - from);
            sys::syscall3(sys::MADVISE, first, last - first, sys::MADV_DONTNEED);
            core::ptr::write_bytes(last as *mut u8, 0, to - last);
        }
    }
}

/// Reports that the program frees or resizes what it must not, at `address`. Outside executions nothing is reported, and nothing done.
#[cold]
fn misuse(kind: FaultKind, address: usize, resizes: bool, pc: u64) {
    if schedule::active() {
        memcheck::bad_free(address, resizes, kind, pc);
    }
}

/// The arena of the running thread; [`ARENAS`] for a thread beyond the last that has one.
#[inline]
fn current_arena() -> usize {
    if !is_program() {
        return SYSTEM;
    }
    let thread = schedule::current().index();
    if thread < SYSTEM { thread } else { ARENAS }
}

/// The live block at `address`, which is not null. Where there is none, that is reported.
#[inline]
fn find<'a>(address: usize, resizes: bool, pc: u64) -> Option<&'a mut Header> {
    match heap().find(address) {
        Ok(header) => Some(header),
        Err(bad) => {
            let kind = match bad {
                BadAddress::Free => FaultKind::DoubleFree,
                BadAddress::Damaged => FaultKind::Damaged,
                BadAddress::NoBlock => FaultKind::InvalidFree,
            };
            misuse(kind, address, resizes, pc);
            None
        }
    }
}

/// Whether `address` is in memory that the heap has mapped.
#[inline]
pub fn was_used(address: usize) -> bool {
    heap().was_used(address)
}

/// The block that an access to `address` is about: the one that contains it, or the nearest.
pub fn nearest(address: usize) -> Option<Place> {
    heap().nearest(address)
}

/// The blocks that threads of the program have got in this execution, freed ones too.
pub fn blocks_of_threads() -> impl Iterator<Item = Place> {
    let threads = heap().arenas().filter(|&number| number != SYSTEM);
    threads.flat_map(|number| heap().places(number)).filter(is_block)
}

/// The blocks that belong to no thread, freed ones too.
pub fn blocks_of_system() -> impl Iterator<Item = Place> {
    heap().places(SYSTEM).filter(is_block)
}

fn is_block(place: &Place) -> bool {
    place.state != State::Gap
}

/// The live block that `address` is in.
pub fn block_containing(address: usize) -> Option<usize> {
    heap().block_containing(address)
}

/// The bytes that were asked for of a live block.
pub fn size_of_block(block: usize) -> usize {
    heap().header(block).map_or(0, |header| header.word)
}

/// Marks a live block. False if it was marked before.
pub fn mark(block: usize) -> bool {
    heap().header(block).is_some_and(|header| header.mark())
}

/// Whether a block was marked.
pub fn is_marked(block: usize) -> bool {
    heap().header(block).is_some_and(|header| header.is_marked())
}

/// A block, and whether it is known to be all zero. `align` is a power of two.
fn allocate(size: usize, align: usize, pc: u64) -> Option<(usize, bool)> {
    spin_loop::changed();
    let (pc, family) = operators::asked(pc);
    if size > isize::MAX as usize - align {
        return None;
    }
    let number = current_arena();
    if number >= ARENAS {
        schedule::stop(Outcome::Capacity(Capacity::Heaps), pc, b"");
    }
    match heap().allocate(number, size, align, WHOLE.limit.get()) {
        Ok(Allocated { address, is_zero }) => {
            got(address, size, family, pc);
            Some((address, is_zero))
        }
        Err(_) => refuse(size, pc),
    }
}

/// Takes note that a block was allocated, by a function of this family if that is known.
#[inline]
fn got(address: usize, size: usize, family: Option<u8>, pc: u64) {
    if let Some(header) = heap().header(address) {
        header.set_family(family);
    }
    memcheck::allocated(address, size, pc);
}

/// Refuses an allocation for lack of memory. In an execution that ends it: a program that goes on with its own handling
/// of a failed allocation would be searched in a state that the limit made up.
#[cold]
fn refuse(size: usize, pc: u64) -> Option<(usize, bool)> {
    // No machine has so many addresses: every allocator refuses.
    const ADDRESSES: usize = 1 << 47;
    if schedule::active() && size < ADDRESSES {
        schedule::stop(Outcome::MemoryLimit { bytes: size as u64 }, pc, b"");
    }
    None
}

/// Allocates for a function of the runtime that the program called at `pc`, like `malloc`.
pub fn allocate_for(size: usize, pc: u64) -> *mut u8 {
    family::plain_or_null(size, GRAIN, false, pc)
}

/// Announces the free of a block that contains visible places: it is an operation like a write, and other threads may run before it. So the
/// block must be looked at only afterwards, since they may have freed it.
#[cold]
fn announce(address: usize, pc: u64) {
    /// The most bytes that an operation can say that it touches.
    const STEP: usize = 1 << 20;
    if !is_program() {
        return;
    }
    let in_heap = heap().is_open(address);
    let end = address + if in_heap { size_of_block(address) } else { 0 };
    for from in (address..end).step_by(STEP) {
        let size = STEP.min(end - from);
        if race::places::within(from, size) {
            schedule::visible(memory::access(memory::WRITE, from as u64, size), pc, |_| {});
        }
    }
}

/// Frees a block. It is reused by the arena that it came from only, and only if that arena's thread frees it.
fn release(address: usize, pc: u64) {
    spin_loop::changed();
    let given = operators::given_back(address);
    if race::places::any() {
        announce(address, pc);
    }
    if race::places::has_notes() && is_program() && heap().is_open(address) {
        once_overwritten(address, size_of_block(address), pc);
    }
    let Some(header) = find(address, false, pc) else { return };
    let pc = operators::released(header, address, false, given, pc);
    if schedule::active() {
        memcheck::freed(address, header.word, pc);
        // Who frees a block that others still use races with them. The C++ library counts the users of its own (exceptions and what they say),
        // by atomics that nobody sees: it frees what nobody uses.
        if !operators::in_library(pc) {
            race::freed(address, header.word, pc);
        }
    }
    heap().release(address, current_arena(), WHOLE.quarantine.get());
}

/// Gives a live block another size, for which its class has room.
fn resize_in_place(address: usize, size: usize, pc: u64) {
    if find(address, true, pc).is_some() {
        heap().resize(address, size);
        memcheck::allocated(address, size, pc);
    }
}
