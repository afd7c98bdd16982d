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
//! Not here: finding leaks, use after free and overflows. [`misuse`] only counts what `free` cannot make sense of.

mod arena;
mod block;
mod class;
mod family;
mod lock;

use block::{Header, State};
use heddle_model::Outcome;
pub use lock::survive_fork;

use crate::{engine, race, spin, sys};

/// Bytes that may be carved from all arenas together.
static mut LIMIT: usize = usize::MAX;
/// How often [`enter_system`] was called, less [`leave_system`].
static mut SYSTEM_DEPTH: usize = 0;

/// What the program did wrong with the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// Freed or reallocated an address that is not the start of a block.
    NotABlock,
    /// Freed or reallocated a block that was freed before.
    AlreadyFree,
}

/// Sets the bytes that the program may use in one execution, those from before `main` included.
pub fn set_limit(bytes: usize) {
    // SAFETY: set before the first execution.
    unsafe { LIMIT = bytes }
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

/// Makes a part of an arena zero again: from the extent of the saved image to the extent that the execution reached.
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

/// The program misused the heap at `address`. What it asked for is not done.
#[cold]
fn misuse(_kind: Misuse, _address: usize, _pc: u64) {
    if let Ok(system) = arena::get(arena::SYSTEM) {
        system.misused += 1;
    }
}

/// The arena of who allocates now. No arena at all for a thread beyond the last that has one.
#[inline]
fn current_arena() -> usize {
    // SAFETY: reads statics.
    if !engine::active() || unsafe { SYSTEM_DEPTH } != 0 {
        return arena::SYSTEM;
    }
    let thread = engine::current().index();
    if thread < arena::SYSTEM { thread } else { arena::ARENAS }
}

/// The live block at `address`, which is not null.
#[inline]
fn find<'a>(address: usize, pc: u64) -> Option<&'a mut Header> {
    let inside = arena::containing(address).and_then(arena::existing).is_some_and(|arena| {
        let offset = address - core::ptr::from_ref(arena) as usize;
        offset >= size_of::<arena::Arena>() + block::HEADER && offset < arena.extent.max(1)
    });
    // SAFETY: everything between an arena's header and its extent is mapped.
    let header = if inside && address.is_multiple_of(class::GRAIN) { unsafe { Header::of(address) } } else { None };
    match header {
        Some(header) if header.is_live() => Some(header),
        Some(_) => {
            misuse(Misuse::AlreadyFree, address, pc);
            None
        }
        None => {
            misuse(Misuse::NotABlock, address, pc);
            None
        }
    }
}

/// A block, and whether it is known to be all zero. `align` is a power of two.
fn allocate(size: usize, align: usize, pc: u64) -> Option<(usize, bool)> {
    spin::changed();
    if size > isize::MAX as usize - align {
        return None;
    }
    if size.saturating_add(align) > class::LARGEST {
        return refuse(size, pc);
    }
    let number = current_arena();
    if number >= arena::ARENAS {
        engine::stop(Outcome::Capacity, number as u64, pc, b"more threads than the heap has arenas");
    }
    let class = class::of(size);
    let Ok(arena) = arena::get(number) else { return refuse(size, pc) };
    if let Some(address) = arena.reuse(class, align, size) {
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
        Ok(address) => Some((address, true)),
        Err(arena::Refusal::Exhausted) => refuse(size, pc),
    }
}

/// There is no memory for this. In an execution that is the end of it: a program that goes on with its own handling
/// of a full memory would be searched in a state that the limit made up.
#[cold]
fn refuse(size: usize, pc: u64) -> Option<(usize, bool)> {
    if engine::active() {
        engine::stop(Outcome::MemoryLimit, size as u64, pc, b"the program asked for more memory than it may use");
    }
    None
}

/// `malloc` for a function of ours that the program called at `pc`.
pub fn allocate_for(size: usize, pc: u64) -> *mut u8 {
    family::plain_or_null(size, class::GRAIN, false, pc)
}

/// Gives a block back. Only its owner will get it again.
fn release(address: usize, pc: u64) {
    spin::changed();
    let Some(header) = find(address, pc) else { return };
    if engine::active() {
        // Who frees a block that others still use races with them.
        race::freed(address, header.word, pc);
    }
    let number = current_arena();
    if header.owner as usize == number {
        if let Ok(arena) = arena::get(number) {
            arena.keep(header, address);
        }
    } else {
        header.set(State::Free, 0);
    }
}
