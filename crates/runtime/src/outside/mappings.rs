//! Mappings of memory that other threads may be using: `munmap`, `mprotect`, `madvise`, `mremap`, `mmap` at a fixed address.
//!
//! Such a call is to the accesses of other threads what `free` is ([`crate::detect::memcheck`]): if nothing orders it with an
//! access, the two are a data race, whichever comes first, and it is an operation where it touches visible places. An
//! access that comes after it crashes by itself.
//!
//! Other memory may get the addresses afterwards, since the kernel uses them again. So what was accessed there is forgotten.

use core::ffi::c_int;

use heddle_model::primitive::memory;
use heddle_model::race::Access;

use crate::detect::race;
use crate::schedule::{self, caller, is_alone};

const PAGE: usize = 4096;

/// What becomes of accesses to a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Becomes {
    /// The memory goes, or other memory comes.
    Gone,
    /// The contents of the memory change.
    Other,
    /// The memory cannot be accessed.
    Forbidden,
    /// The memory can only be read.
    Constant,
}

/// Tells what is about to become of a range, before the call. The rest of the last page goes with it.
fn will(becomes: Becomes, address: usize, size: usize, pc: u64) {
    let size = size.saturating_add(PAGE - 1) / PAGE * PAGE;
    if is_alone() || !address.is_multiple_of(PAGE) || address.checked_add(size).is_none() {
        return;
    }
    if race::places::any() {
        announce(becomes, address, size, pc);
    }
    let how = match becomes {
        Becomes::Gone => Access::FREEING,
        Becomes::Other | Becomes::Forbidden => Access::new(true, false),
        // Reading is allowed before and after.
        Becomes::Constant => Access::new(false, false),
    };
    race::range(address, size, how, pc, becomes == Becomes::Gone);
}

/// Takes an operation for each piece of the range that has visible places.
#[cold]
fn announce(becomes: Becomes, address: usize, size: usize, pc: u64) {
    /// The most bytes that an operation can say that it touches.
    const STEP: usize = 1 << 20;
    let code = if becomes == Becomes::Constant { memory::READ } else { memory::WRITE };
    race::places::each_piece(address, size, STEP, |from, size| {
        schedule::visible(memory::access(code, from as u64, size), pc, |_| {});
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

/// What a protection leaves of a range.
fn protected(protection: c_int) -> Option<Becomes> {
    const READ: c_int = 1;
    const WRITE: c_int = 2;
    match protection & (READ | WRITE) {
        0 => Some(Becomes::Forbidden),
        READ => Some(Becomes::Constant),
        _ => None,
    }
}

/// What a mapping at a fixed address replaces.
fn replaces(address: usize, size: usize, flags: c_int, pc: u64) {
    const FIXED: c_int = 0x10;
    if flags & FIXED != 0 {
        will(Becomes::Gone, address, size, pc);
    }
}

interpose! {
    fn mmap(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize {
        replaces(address, size, flags, caller());
        real::mmap(address, size, protection, flags, file, offset)
    }
    fn mmap64(address: usize, size: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> usize {
        replaces(address, size, flags, caller());
        real::mmap64(address, size, protection, flags, file, offset)
    }
    fn munmap(address: usize, size: usize) -> c_int {
        will(Becomes::Gone, address, size, caller());
        real::munmap(address, size)
    }
    fn mprotect(address: usize, size: usize, protection: c_int) -> c_int {
        let pc = caller();
        if let Some(becomes) = protected(protection) {
            will(becomes, address, size, pc);
        }
        real::mprotect(address, size, protection)
    }
    fn pkey_mprotect(address: usize, size: usize, protection: c_int, key: c_int) -> c_int {
        let pc = caller();
        if let Some(becomes) = protected(protection) {
            will(becomes, address, size, pc);
        }
        real::pkey_mprotect(address, size, protection, key)
    }
    fn madvise(address: usize, size: usize, advice: c_int) -> c_int {
        advised(address, size, advice, caller());
        real::madvise(address, size, advice)
    }
    fn mremap(address: usize, old: usize, new: usize, flags: c_int, wanted: usize) -> usize {
        const FIXED: c_int = 2;
        let pc = caller();
        // It stays where it is or goes: nobody else may rely on either.
        will(Becomes::Gone, address, old, pc);
        if flags & FIXED != 0 {
            will(Becomes::Gone, wanted, new, pc);
        }
        real::mremap(address, old, new, flags, wanted)
    }
}

/// MADV_DONTNEED, MADV_FREE and MADV_REMOVE throw contents away. The others are only about speed.
fn advised(address: usize, size: usize, advice: c_int, pc: u64) {
    if matches!(advice, 4 | 8 | 9) {
        will(Becomes::Other, address, size, pc);
    }
}

/// A system call that the program makes by its number.
pub fn by_number(number: i64, arguments: &[usize; 6], pc: u64) {
    let [address, size, third, flags, wanted, _] = *arguments;
    match number {
        9 => replaces(address, size, flags as c_int, pc),
        10 | 329 => {
            if let Some(becomes) = protected(third as c_int) {
                will(becomes, address, size, pc);
            }
        }
        11 => will(Becomes::Gone, address, size, pc),
        25 => {
            will(Becomes::Gone, address, size, pc);
            if flags & 2 != 0 {
                will(Becomes::Gone, wanted, third, pc);
            }
        }
        28 => advised(address, size, third as c_int, pc),
        _ => {}
    }
}
