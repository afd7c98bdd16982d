//! The program's heap: deterministic, at fixed addresses, one arena for each thread.
//!
//! An address that `malloc` gives depends only on what the calling thread allocated and freed before. So it is the
//! same in every equivalent execution, and objects can be named by their addresses. For that, a block that one
//! thread frees for another is never used again in that execution: when it came back would depend on the schedule.
//! The price is memory in long producer-consumer loops, and the memory limit speaks up before it hurts.
//!
//! What is allocated before `main`, outside executions, or by the runtime's own doings (thread control blocks) comes
//! from the system arena. Without Heddle, the program's threads are real and all use that one, under a lock.
//!
//! For whoever takes memory back: [`arenas`] gives the parts of memory that the heap uses. All beyond an arena's
//! extent is zero and must be zero again after a restoration ([`erase`]); extents are inside the arenas and come
//! back with them.
//!
//! Which bytes of it the program may touch is in [`valid`]. Between two blocks there is room that is nobody's, more behind
//! a larger block ([`class::with_margin`]), so that who runs over an end is caught there. Who is caught, and what is said of
//! it, is the business of [`crate::detect::memcheck`].

mod arena;
mod block;
mod class;
mod family;
mod lock;
mod operators;
mod valid;

use block::{HEADER, Header};
use heddle_model::fault::FaultKind;
use heddle_model::primitive::memory;
use heddle_model::{Capacity, Outcome};

pub use arena::Place;
pub use block::State;
pub use lock::survive_fork;
pub use operators::{decide, reset as forget_operators, set_up as set_up_operators};
pub use valid::{allows, in_range};

use crate::detect::{memcheck, race};
use crate::schedule::{self, spin_loop};
use crate::sys;

/// Bytes that may be carved from all arenas together.
static mut LIMIT: usize = usize::MAX;
/// How often [`enter_system`] was called, less [`leave_system`].
static mut SYSTEM_DEPTH: usize = 0;

/// Bytes of freed blocks that an arena keeps back. Without Heddle, and before `main`, none.
static mut QUARANTINE: usize = 0;

/// Sets the bytes that the program may use in one execution, those from before `main` included, and the bytes of freed
/// blocks that each thread's heap keeps back.
pub fn set_limits(bytes: usize, quarantine: usize) {
    // SAFETY: set before the first execution.
    unsafe {
        LIMIT = bytes;
        QUARANTINE = quarantine;
    }
}

/// What is allocated from now on belongs to no thread of the program's. Nests.
pub fn enter_system() {
    // SAFETY: one kernel thread.
    unsafe { SYSTEM_DEPTH += 1 }
}

/// See [`enter_system`].
pub fn leave_system() {
    // SAFETY: one kernel thread.
    unsafe { SYSTEM_DEPTH -= 1 }
}

/// The parts of memory in use: where each begins, and how many bytes of it were ever used. All beyond is zero.
pub fn arenas() -> impl Iterator<Item = (usize, usize)> {
    arena::all().map(|number| (arena::base(number), arena::existing(number).map_or(0, |found| found.extent)))
}

/// The map of what may be touched that belongs to `length` bytes of an arena from its base: where it is, and its length.
pub fn map_of(base: usize, length: usize) -> (usize, usize) {
    (valid::entry(base), length.div_ceil(valid::UNIT))
}

/// Makes a part of an arena, or of its map, zero again: from the extent of the saved image to the extent that the
/// execution reached.
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

/// The program freed or resized what it must not, at `address`. Outside executions what it asked for is not done.
#[cold]
fn misuse(kind: FaultKind, address: usize, resizes: bool, pc: u64) {
    if schedule::active() {
        memcheck::bad_free(address, resizes, kind, pc);
    }
}

/// The arena of who allocates now. No arena at all for a thread beyond the last that has one.
#[inline]
fn current_arena() -> usize {
    // SAFETY: reads statics.
    if !schedule::active() || unsafe { SYSTEM_DEPTH } != 0 {
        return arena::SYSTEM;
    }
    let thread = schedule::current().index();
    if thread < arena::SYSTEM { thread } else { arena::ARENAS }
}

/// The live block at `address`, which is not null.
#[inline]
fn find<'a>(address: usize, resizes: bool, pc: u64) -> Option<&'a mut Header> {
    let inside = arena::containing(address).and_then(arena::existing).is_some_and(|arena| {
        let offset = address - core::ptr::from_ref(arena) as usize;
        offset >= size_of::<arena::Arena>() + block::HEADER && offset < arena.extent.max(1)
    });
    // SAFETY: everything between an arena's header and its extent is mapped.
    let header = if inside && address.is_multiple_of(class::GRAIN) { unsafe { Header::of(address) } } else { None };
    match header {
        Some(header) if header.is_live() => Some(header),
        Some(_) => {
            misuse(FaultKind::DoubleFree, address, resizes, pc);
            None
        }
        None => {
            // The map says that a block begins here, but there is no record of it: somebody wrote over that.
            let begins = inside && valid::is_open(address) && !valid::is_open(address - block::HEADER);
            let damaged = begins && address.is_multiple_of(class::GRAIN);
            let kind = if damaged { FaultKind::Damaged } else { FaultKind::InvalidFree };
            misuse(kind, address, resizes, pc);
            None
        }
    }
}

/// Whether `address` is in memory that the heap has mapped.
#[inline]
pub fn was_used(address: usize) -> bool {
    valid::in_range(address) && arena::is_mapped(address, 1)
}

/// The parts of the arena that `address` is in.
pub fn places_around(address: usize) -> impl Iterator<Item = Place> {
    arena::containing(address).into_iter().flat_map(arena::places)
}

/// The blocks that threads of the program have got in this execution, freed ones too.
pub fn blocks_of_threads() -> impl Iterator<Item = Place> {
    arena::all().filter(|&number| number != arena::SYSTEM).flat_map(arena::places).filter(is_block)
}

/// The other blocks.
pub fn blocks_of_system() -> impl Iterator<Item = Place> {
    arena::places(arena::SYSTEM).filter(is_block)
}

fn is_block(place: &Place) -> bool {
    place.state != State::Gap
}

/// The live block that `address`, in the heap's range, is in.
pub fn block_containing(address: usize) -> Option<usize> {
    let arena = arena::containing(address).and_then(arena::existing)?;
    let offset = address - core::ptr::from_ref(arena) as usize;
    if offset < size_of::<arena::Arena>() + block::HEADER || offset >= arena.extent {
        return None;
    }
    let mut start = address & !(valid::UNIT - 1);
    if address == start && header(address).is_some_and(|header| header.is_live()) {
        // Also where not a byte was asked for.
        return Some(address);
    }
    if !valid::is_open(start) {
        return None;
    }
    while valid::is_open(start - valid::UNIT) {
        start -= valid::UNIT;
    }
    header(start).filter(|header| header.is_live()).map(|_| start)
}

/// The header of `block`, which lies in an arena in use.
fn header<'a>(block: usize) -> Option<&'a mut Header> {
    // SAFETY: everything between an arena's header and its extent is mapped.
    unsafe { Header::of(block) }
}

/// The bytes that were asked for of a live block.
pub fn size_of_block(block: usize) -> usize {
    if block == 0 { 0 } else { header(block).map_or(0, |header| header.word) }
}

/// Marks a live block. False if it was marked before.
pub fn mark(block: usize) -> bool {
    header(block).is_some_and(|header| header.mark())
}

/// Whether a block was marked.
pub fn is_marked(block: usize) -> bool {
    header(block).is_some_and(|header| header.is_marked())
}

/// A block, and whether it is known to be all zero. `align` is a power of two.
fn allocate(size: usize, align: usize, pc: u64) -> Option<(usize, bool)> {
    spin_loop::changed();
    let (pc, family) = operators::asked(pc);
    if size > isize::MAX as usize - align {
        return None;
    }
    let roomy = class::with_margin(size);
    if roomy.saturating_add(align) > class::LARGEST {
        return refuse(size, pc);
    }
    let number = current_arena();
    if number >= arena::ARENAS {
        schedule::stop(Outcome::Capacity(Capacity::Heaps), pc, b"");
    }
    let class = class::of(roomy);
    let Ok(arena) = arena::get(number) else { return refuse(size, pc) };
    if let Some(address) = arena.reuse(class, align, size) {
        got(address, size, family, pc);
        return Some((address, false));
    }
    let cost = arena.cost(class, align);
    let Ok(system) = arena::get(arena::SYSTEM) else { return refuse(size, pc) };
    // SAFETY: reads a static.
    if system.carved.saturating_add(cost) > unsafe { LIMIT } {
        return refuse(size, pc);
    }
    system.carved += cost;
    match arena::get(number).and_then(|arena| arena.carve(class, align, size)) {
        Ok(address) => {
            got(address, size, family, pc);
            Some((address, true))
        }
        Err(arena::Refusal::Exhausted) => refuse(size, pc),
    }
}

/// A block was allocated, by a function of this family if that is known.
#[inline]
fn got(address: usize, size: usize, family: Option<u8>, pc: u64) {
    if let Some(header) = header(address) {
        header.set_family(family);
    }
    memcheck::allocated(address, size, pc);
}

/// There is no memory for this. In an execution that is the end of it: a program that goes on with its own handling
/// of a full memory would be searched in a state that the limit made up.
#[cold]
fn refuse(size: usize, pc: u64) -> Option<(usize, bool)> {
    if schedule::active() {
        schedule::stop(Outcome::MemoryLimit { bytes: size as u64 }, pc, b"");
    }
    None
}

/// `malloc` for a function of ours that the program called at `pc`.
pub fn allocate_for(size: usize, pc: u64) -> *mut u8 {
    family::plain_or_null(size, class::GRAIN, false, pc)
}

/// Where a block has places whose order matters, freeing it is an operation like a write: others may come before it. What the
/// block is must be looked at after it, since they may have freed it themselves.
#[cold]
fn announce(address: usize, pc: u64) {
    /// No more than an operation can say that it touches.
    const STEP: usize = 1 << 20;
    // SAFETY: reads a static.
    if !schedule::active() || unsafe { SYSTEM_DEPTH } != 0 {
        return;
    }
    let in_heap = arena::containing(address).and_then(arena::existing).is_some() && valid::is_open(address);
    let end = address + if in_heap { size_of_block(address) } else { 0 };
    for from in (address..end).step_by(STEP) {
        let size = STEP.min(end - from);
        if race::places::within(from, size) {
            schedule::visible(memory::access(memory::WRITE, from as u64, size), pc, |_| {});
        }
    }
}

/// Gives a block back. Only its owner will get it again.
fn release(address: usize, pc: u64) {
    spin_loop::changed();
    if race::places::any() {
        announce(address, pc);
    }
    let Some(header) = find(address, false, pc) else { return };
    let pc = operators::released(header, address, false, pc);
    if schedule::active() {
        memcheck::freed(address, header.word, pc);
        // Who frees a block that others still use races with them. The C++ library counts the users of its own (exceptions and what they say),
        // by atomics that nobody sees: it frees what nobody uses.
        if !operators::in_library(pc) {
            race::freed(address, header.word, pc);
        }
    }
    valid::close(address, header.word);
    let number = current_arena();
    if header.owner as usize == number {
        if let Ok(arena) = arena::get(number) {
            // SAFETY: reads a static.
            arena.keep(header, address, unsafe { QUARANTINE });
        }
    } else {
        header.set(State::Free, 0);
    }
}

/// A live block gets another size that its class has room for.
fn resize_in_place(address: usize, size: usize, pc: u64) {
    let Some(header) = find(address, true, pc) else { return };
    valid::close(address, header.word);
    valid::open(address, size);
    header.word = size;
    memcheck::allocated(address, size, pc);
}
