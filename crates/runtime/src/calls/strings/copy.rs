//! Strings that are copied, joined, duplicated, and cut up.

use super::element::{Element, length, reads, reads_string, writes};
use crate::heap;

/// Copies `count` elements and a zero. By the contract of the functions, the strings do not overlap.
unsafe fn put<T: Element>(to: *mut T, from: *const T, count: usize, pc: u64) {
    writes(to, count + 1, pc);
    // SAFETY: the program's contract.
    unsafe {
        core::ptr::copy(from, to, count);
        *to.add(count) = T::ZERO;
    }
}

/// `strcpy`. Returns the address of the zero.
unsafe fn copy<T: Element>(to: *mut T, from: *const T, pc: u64) -> *mut T {
    // SAFETY: the program's contract.
    unsafe {
        let count = reads_string(from, pc);
        put(to, from, count, pc);
        to.add(count)
    }
}

/// `strncpy`: writes exactly `size` elements, padded with zeros. Returns the address of the first zero, or the end.
unsafe fn copy_padded<T: Element>(to: *mut T, from: *const T, size: usize, pc: u64) -> *mut T {
    // SAFETY: the program's contract.
    unsafe {
        let count = length(from, size);
        reads(from, size.min(count + 1), pc);
        writes(to, size, pc);
        core::ptr::copy(from, to, count);
        (count..size).for_each(|i| *to.add(i) = T::ZERO);
        to.add(count)
    }
}

/// `strcat` and `strncat`.
unsafe fn append<T: Element>(to: *mut T, from: *const T, limit: usize, pc: u64) -> *mut T {
    // SAFETY: the program's contract.
    unsafe {
        let end = to.add(reads_string(to, pc));
        let count = length(from, limit);
        reads(from, limit.min(count.saturating_add(1)), pc);
        put(end, from, count, pc);
        to
    }
}

/// `strdup` and `strndup`. No other thread knows the copy yet.
unsafe fn duplicate<T: Element>(from: *const T, limit: usize, pc: u64) -> *mut T {
    // SAFETY: the program's contract; the new block has room.
    unsafe {
        let count = length(from, limit);
        reads(from, limit.min(count.saturating_add(1)), pc);
        let to = heap::allocate_for((count + 1) * size_of::<T>(), pc).cast::<T>();
        if !to.is_null() {
            put(to, from, count, pc);
        }
        to
    }
}

/// The next field of `*rest`, which ends at one of `delimiters`. `skip`: empty fields are left out (`strtok_r`).
unsafe fn cut<T: Element>(start: *mut T, rest: *mut *mut T, delimiters: *const T, skip: bool, pc: u64) -> *mut T {
    // SAFETY: the program's contract.
    unsafe {
        let count = reads_string(delimiters, pc);
        let delimits = |c: T| (0..count).any(|i| *delimiters.add(i) == c);
        let mut at = start;
        while skip && *at != T::ZERO && delimits(*at) {
            at = at.add(1);
        }
        let mut end = at;
        while *end != T::ZERO && !delimits(*end) {
            end = end.add(1);
        }
        reads(start, end.offset_from(start) as usize + 1, pc);
        writes(rest, 1, pc);
        if *end == T::ZERO {
            *rest = if skip { end } else { core::ptr::null_mut() };
            return if skip && at == end { core::ptr::null_mut() } else { at };
        }
        writes(end, 1, pc);
        *end = T::ZERO;
        *rest = end.add(1);
        at
    }
}

macro_rules! both {
    ($($type:ty: $copy:ident $to_end:ident $padded:ident $padded_to_end:ident $append:ident $append_some:ident
       $duplicate:ident $cut:ident;)*) => { with_caller! { $(
        fn $copy(to: *mut $type, from: *const $type; pc in "rdx") -> *mut $type {
            copy(to, from, pc);
            to
        }
        fn $to_end(to: *mut $type, from: *const $type; pc in "rdx") -> *mut $type {
            copy(to, from, pc)
        }
        fn $padded(to: *mut $type, from: *const $type, size: usize; pc in "rcx") -> *mut $type {
            copy_padded(to, from, size, pc);
            to
        }
        fn $padded_to_end(to: *mut $type, from: *const $type, size: usize; pc in "rcx") -> *mut $type {
            copy_padded(to, from, size, pc)
        }
        fn $append(to: *mut $type, from: *const $type; pc in "rdx") -> *mut $type {
            append(to, from, usize::MAX, pc)
        }
        fn $append_some(to: *mut $type, from: *const $type, limit: usize; pc in "rcx") -> *mut $type {
            append(to, from, limit, pc)
        }
        fn $duplicate(from: *const $type; pc in "rsi") -> *mut $type {
            duplicate(from, usize::MAX, pc)
        }
        fn $cut(string: *mut $type, delimiters: *const $type, rest: *mut *mut $type; pc in "rcx") -> *mut $type {
            if string.is_null() {
                reads(rest, 1, pc);
            }
            let string = if string.is_null() { *rest } else { string };
            if string.is_null() { string } else { cut(string, rest, delimiters, true, pc) }
        }
    )* } };
}

both! {
    u8: __wrap_strcpy __wrap_stpcpy __wrap_strncpy __wrap_stpncpy __wrap_strcat __wrap_strncat
        __wrap_strdup __wrap_strtok_r;
    i32: __wrap_wcscpy __wrap_wcpcpy __wrap_wcsncpy __wrap_wcpncpy __wrap_wcscat __wrap_wcsncat
        __wrap_wcsdup __wrap_wcstok;
}

with_caller! {
    fn __wrap_strndup(from: *const u8, limit: usize; pc in "rdx") -> *mut u8 {
        duplicate(from, limit, pc)
    }
    fn __wrap_strsep(rest: *mut *mut u8, delimiters: *const u8; pc in "rdx") -> *mut u8 {
        reads(rest, 1, pc);
        let string = *rest;
        if string.is_null() { string } else { cut(string, rest, delimiters, false, pc) }
    }
}
