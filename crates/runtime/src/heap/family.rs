//! `malloc` and its relatives, with glibc's meaning.
//!
//! `operator new` and `delete` are left to the C++ library: they call these ([`super::operators`]).

use heddle_detect::heap::class::GRAIN;

use super::ground::ProgramHeap;
use super::{allocate, find, heap, lock, operators, release, resize_in_place};
use crate::calls::buffers::has_written;
use crate::schedule::caller;

const ENOMEM: i32 = 12;
const EINVAL: i32 = 22;
const PAGE: usize = 4096;

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

fn set_errno(error: i32) {
    // SAFETY: libc gives the address of the calling thread's own variable.
    unsafe { *__errno_location() = error }
}

/// A block; or null, with `errno` set.
pub fn plain_or_null(size: usize, align: usize, zero: bool, pc: u64) -> *mut u8 {
    match lock::alone(|| allocate(size, align, pc)) {
        Some((address, is_zero)) => {
            if zero && !is_zero {
                // SAFETY: the block was just allocated with this size.
                unsafe { core::ptr::write_bytes(address as *mut u8, 0, size) };
            }
            address as *mut u8
        }
        None => {
            set_errno(ENOMEM);
            core::ptr::null_mut()
        }
    }
}

fn resize(old: *mut u8, size: usize, pc: u64) -> *mut u8 {
    if old.is_null() {
        return plain_or_null(size, GRAIN, false, pc);
    }
    operators::resized(old as usize, pc);
    if size == 0 {
        lock::alone(|| release(old as usize, pc));
        return core::ptr::null_mut();
    }
    let found = lock::alone(|| find(old as usize, true, pc).map(|header| (header.word, header.class as usize)));
    let Some((old_size, class)) = found else {
        set_errno(ENOMEM);
        return core::ptr::null_mut();
    };
    if ProgramHeap::fits(class, size) {
        lock::alone(|| resize_in_place(old as usize, size, pc));
        return old;
    }
    let new = plain_or_null(size, GRAIN, false, pc);
    if !new.is_null() {
        // SAFETY: both blocks are live and have at least this many bytes; a new block overlaps no live one.
        unsafe { core::ptr::copy_nonoverlapping(old, new, old_size.min(size)) };
        lock::alone(|| release(old as usize, pc));
    }
    new
}

/// An aligned block. As in glibc, an alignment that is no power of two is rounded up to one.
fn aligned(align: usize, size: usize, pc: u64) -> *mut u8 {
    match align.checked_next_power_of_two() {
        Some(align) => plain_or_null(size, align.max(GRAIN), false, pc),
        None => {
            set_errno(EINVAL);
            core::ptr::null_mut()
        }
    }
}

/// The result of `mallinfo` or `mallinfo2`. Only the bytes in use and in all are filled in: the rest is about glibc's own heap.
#[repr(C)]
pub struct Info<T>([T; 10]);

fn carved() -> usize {
    heap().carved()
}

interpose! {
    fn malloc(size: usize) -> *mut u8 {
        plain_or_null(size, GRAIN, false, caller())
    }
    fn calloc(count: usize, size: usize) -> *mut u8 {
        let pc = caller();
        // A product that does not fit is more than there can be.
        plain_or_null(count.saturating_mul(size), GRAIN, true, pc)
    }
    fn realloc(old: *mut u8, size: usize) -> *mut u8 {
        resize(old, size, caller())
    }
    fn reallocarray(old: *mut u8, count: usize, size: usize) -> *mut u8 {
        let pc = caller();
        match count.checked_mul(size) {
            Some(bytes) => resize(old, bytes, pc),
            None => {
                set_errno(ENOMEM);
                core::ptr::null_mut()
            }
        }
    }
    fn free(address: *mut u8) {
        let pc = caller();
        if !address.is_null() {
            lock::alone(|| release(address as usize, pc));
        }
    }
    fn cfree(address: *mut u8) {
        let pc = caller();
        if !address.is_null() {
            lock::alone(|| release(address as usize, pc));
        }
    }
    fn memalign(align: usize, size: usize) -> *mut u8 {
        aligned(align, size, caller())
    }
    fn aligned_alloc(align: usize, size: usize) -> *mut u8 {
        aligned(align, size, caller())
    }
    fn posix_memalign(into: *mut *mut u8, align: usize, size: usize) -> i32 {
        let pc = caller();
        if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
            return EINVAL;
        }
        // Unlike the others it leaves errno alone.
        match lock::alone(|| allocate(size, align.max(GRAIN), pc)) {
            Some((address, _)) => {
                *into = address as *mut u8;
                has_written(into.cast(), size_of::<usize>() as isize, pc);
                0
            }
            None => ENOMEM,
        }
    }
    fn valloc(size: usize) -> *mut u8 {
        aligned(PAGE, size, caller())
    }
    fn pvalloc(size: usize) -> *mut u8 {
        let pc = caller();
        match size.checked_next_multiple_of(PAGE) {
            Some(size) => aligned(PAGE, size, pc),
            None => {
                set_errno(ENOMEM);
                core::ptr::null_mut()
            }
        }
    }
    fn malloc_usable_size(address: *mut u8) -> usize {
        let pc = caller();
        if address.is_null() {
            return 0;
        }
        // What was asked for, not the capacity: a program must not be led to write where a later check says that it
        // may not.
        lock::alone(|| find(address as usize, true, pc).map_or(0, |header| header.word))
    }
    fn malloc_trim(pad: usize) -> i32 {
        0
    }
    fn mallopt(parameter: i32, value: i32) -> i32 {
        1
    }
    fn malloc_stats() {}
    fn mallinfo() -> Info<i32> {
        let bytes = carved() as i32;
        Info([bytes, 0, 0, 0, 0, 0, 0, bytes, 0, 0])
    }
    fn mallinfo2() -> Info<usize> {
        let bytes = carved();
        Info([bytes, 0, 0, 0, 0, 0, 0, bytes, 0, 0])
    }
}
