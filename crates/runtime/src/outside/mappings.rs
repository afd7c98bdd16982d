//! Mappings of memory that other threads may be using: `munmap`, `mprotect`, `madvise`, `mremap`, `mmap` at a fixed address.
//!
//! Such a call is to the accesses of other threads what `free` is ([`crate::detect::memcheck`]): if nothing orders it with an
//! access, the two are a data race, whichever comes first, and it is an operation where it touches visible places. An
//! access that comes after it crashes by itself. To allow accesses is no different from forbidding them: who comes too early
//! crashes.
//!
//! Other memory may get the addresses afterwards, since the kernel uses them again. When it does, what was done there before is
//! forgotten.

use core::ffi::c_int;

use heddle_model::primitive::memory;
use heddle_model::race::Access;

use crate::detect::race;
use crate::outside::files::descriptors;
use crate::schedule::{self, active, caller, is_alone};
use crate::state::snapshot::maps;

const PAGE: usize = 4096;
const MREMAP_FIXED: c_int = 2;

/// What becomes of accesses to a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Becomes {
    /// The memory goes, or other memory comes.
    Gone,
    /// The contents of the memory change.
    Other,
    /// Reading is allowed that was not, or the other way round.
    Readable,
    /// Writing is allowed that was not, or the other way round. Reading is allowed before and after.
    Writable,
}

/// Tells what is about to become of a range, before the call. The rest of the last page goes with it.
fn will(becomes: Becomes, address: usize, size: usize, pc: u64) {
    if let Some(size) = announced(address, size, pc) {
        record(becomes, address, size, pc);
    }
}

/// Lets others go on before something becomes of a range, if there are visible places in it. Returns the size in whole pages. `None`
/// if nobody can tell, or the call will fail.
fn announced(address: usize, size: usize, pc: u64) -> Option<usize> {
    let size = size.saturating_add(PAGE - 1) / PAGE * PAGE;
    if is_alone() || !address.is_multiple_of(PAGE) || address.checked_add(size).is_none() {
        return None;
    }
    if race::places::any() {
        announce(address, size, pc);
    }
    Some(size)
}

/// Tells the detector of races what becomes of a range.
fn record(becomes: Becomes, address: usize, size: usize, pc: u64) {
    let how = match becomes {
        Becomes::Gone => Access::FREEING,
        Becomes::Other | Becomes::Readable => Access::new(true, false),
        Becomes::Writable => Access::new(false, false),
    };
    race::range(address, size, how, pc, becomes == Becomes::Gone);
}

/// Takes an operation for each piece of the range that has visible places.
#[cold]
fn announce(address: usize, size: usize, pc: u64) {
    /// The most bytes that an operation can say that it touches.
    const STEP: usize = 1 << 20;
    race::places::each_piece(address, size, STEP, |from, size| {
        schedule::visible(memory::access(memory::WRITE, from as u64, size), pc, |_| {});
    });
}

originals! {
    fn mmap(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize;
    fn mmap64(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize;
    fn munmap(address: usize, size: usize) -> c_int;
    fn mprotect(address: usize, size: usize, protection: c_int) -> c_int;
    fn pkey_mprotect(address: usize, size: usize, protection: c_int, key: c_int) -> c_int;
    fn madvise(address: usize, size: usize, advice: c_int) -> c_int;
    fn mremap(address: usize, old: usize, new: usize, flags: c_int, wanted: usize) -> usize;
}

/// Tells what a new protection is about to change in a range, before the call.
fn protects(address: usize, size: usize, protection: c_int, pc: u64) {
    const READ: c_int = 1;
    const WRITE: c_int = 2;
    let Some(size) = announced(address, size, pc) else { return };
    // Not earlier: others may have changed it meanwhile.
    let before = maps::rights(address, address + size);
    if before.read.changes_to(protection & (READ | WRITE) != 0) {
        record(Becomes::Readable, address, size, pc);
    } else if before.write.changes_to(protection & WRITE != 0) {
        record(Becomes::Writable, address, size, pc);
    }
}

/// Takes note of where the kernel has put a new mapping: what was there before is gone, and nobody can have used the new one.
fn mapped(address: usize, size: usize) {
    const ERRORS: usize = usize::MAX - 4095;
    if address < ERRORS && active() {
        race::renewed(address, size.saturating_add(PAGE - 1) / PAGE * PAGE);
    }
}

/// Makes a mapping. One at a fixed address replaces what is there.
fn maps_at(
    (address, size): (usize, usize),
    (protection, flags, file): (c_int, c_int, c_int),
    pc: u64,
    call: impl FnOnce() -> usize,
) -> usize {
    const FIXED: c_int = 0x10;
    const SHARED: c_int = 1;
    const ANONYMOUS: c_int = 0x20;
    const WRITE: c_int = 2;
    if active() && flags & SHARED != 0 && flags & ANONYMOUS == 0 && file >= 0 {
        descriptors::mapped(file, protection & WRITE != 0);
    }
    if flags & FIXED != 0 {
        will(Becomes::Gone, address, size, pc);
        return call();
    }
    let at = call();
    mapped(at, size);
    at
}

/// What moving or resizing a mapping does: it stays where it is or goes, and nobody else may rely on either.
fn moves(address: usize, sizes: (usize, usize), fixed: Option<usize>, pc: u64, call: impl FnOnce() -> usize) -> usize {
    will(Becomes::Gone, address, sizes.0, pc);
    if let Some(wanted) = fixed {
        will(Becomes::Gone, wanted, sizes.1, pc);
    }
    let at = call();
    if at != address && fixed.is_none() {
        mapped(at, sizes.1);
    }
    at
}

interpose! {
    fn mmap(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize {
        maps_at((address, size), (protection, flags, file), caller(), || real::mmap(address, size, protection, flags, file, offset))
    }
    fn mmap64(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize {
        maps_at((address, size), (protection, flags, file), caller(), || real::mmap64(address, size, protection, flags, file, offset))
    }
    fn munmap(address: usize, size: usize) -> c_int {
        will(Becomes::Gone, address, size, caller());
        real::munmap(address, size)
    }
    fn mprotect(address: usize, size: usize, protection: c_int) -> c_int {
        protects(address, size, protection, caller());
        real::mprotect(address, size, protection)
    }
    fn pkey_mprotect(address: usize, size: usize, protection: c_int, key: c_int) -> c_int {
        protects(address, size, protection, caller());
        real::pkey_mprotect(address, size, protection, key)
    }
    fn madvise(address: usize, size: usize, advice: c_int) -> c_int {
        advised(address, size, advice, caller());
        real::madvise(address, size, advice)
    }
    fn mremap(address: usize, old: usize, new: usize, flags: c_int, wanted: usize) -> usize {
        let fixed = (flags & MREMAP_FIXED != 0).then_some(wanted);
        moves(address, (old, new), fixed, caller(), || real::mremap(address, old, new, flags, wanted))
    }
}

/// MADV_DONTNEED, MADV_FREE and MADV_REMOVE throw contents away. The others are only about speed.
fn advised(address: usize, size: usize, advice: c_int, pc: u64) {
    if matches!(advice, 4 | 8 | 9) {
        will(Becomes::Other, address, size, pc);
    }
}

/// A system call that the program makes by its number.
pub fn by_number(number: i64, arguments: &[usize; 6], pc: u64, call: impl FnOnce() -> usize) -> usize {
    let [address, size, third, flags, wanted, _] = *arguments;
    match number {
        9 => return maps_at((address, size), (third as c_int, flags as c_int, wanted as c_int), pc, call),
        10 | 329 => protects(address, size, third as c_int, pc),
        11 => will(Becomes::Gone, address, size, pc),
        25 => {
            let fixed = (flags as c_int & MREMAP_FIXED != 0).then_some(wanted);
            return moves(address, (size, third), fixed, pc, call);
        }
        28 => advised(address, size, third as c_int, pc),
        _ => {}
    }
    call()
}
