//! Blocks of memory: copying, filling, and the compilers' own names for these.

use super::element::{copies, reads, writes};

unsafe extern "C" {
    fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn memset(to: *mut u8, byte: i32, size: usize) -> *mut u8;
    fn wmemset(to: *mut i32, value: i32, count: usize) -> *mut i32;
}

macro_rules! copies {
    ($($name:ident: $type:ty, $original:ident, $past:literal;)*) => { with_caller! { $(
        fn $name(to: *mut $type, from: *const $type, count: usize; pc in "rcx") -> *mut $type {
            copies(to, from, count, pc);
            $original(to.cast(), from.cast(), count * size_of::<$type>());
            if $past { to.add(count) } else { to }
        }
    )* } };
}

// The names, the element, what does the work, and whether the result is the end or the beginning.
copies! {
    __tsan_memcpy: u8, memcpy, false;
    __tsan_memmove: u8, memmove, false;
    __wrap_memcpy: u8, memcpy, false;
    __wrap_memmove: u8, memmove, false;
    __wrap_mempcpy: u8, memcpy, true;
    __wrap_wmemcpy: i32, memcpy, false;
    __wrap_wmemmove: i32, memmove, false;
    __wrap_wmempcpy: i32, memcpy, true;
}

with_caller! {
    fn __tsan_memset(to: *mut u8, byte: i32, size: usize; pc in "rcx") -> *mut u8 {
        writes(to, size, pc);
        memset(to, byte, size)
    }
    fn __wrap_memset(to: *mut u8, byte: i32, size: usize; pc in "rcx") -> *mut u8 {
        writes(to, size, pc);
        memset(to, byte, size)
    }
    fn __wrap_wmemset(to: *mut i32, value: i32, count: usize; pc in "rcx") -> *mut i32 {
        writes(to, count, pc);
        wmemset(to, value, count)
    }
    fn __wrap_bzero(to: *mut u8, size: usize; pc in "rdx") {
        writes(to, size, pc);
        memset(to, 0, size);
    }
    fn __wrap_explicit_bzero(to: *mut u8, size: usize; pc in "rdx") {
        writes(to, size, pc);
        memset(to, 0, size);
    }
    fn __wrap_bcopy(from: *const u8, to: *mut u8, size: usize; pc in "rcx") {
        copies(to, from, size, pc);
        memmove(to, from, size);
    }
    fn __wrap_memccpy(to: *mut u8, from: *const u8, byte: i32, size: usize; pc in "r8") -> *mut u8 {
        let found = (0..size).find(|&i| *from.add(i) == byte as u8);
        let count = found.map_or(size, |i| i + 1);
        reads(from, count, pc);
        writes(to, count, pc);
        memcpy(to, from, count);
        if found.is_some() { to.add(count) } else { core::ptr::null_mut() }
    }
}
