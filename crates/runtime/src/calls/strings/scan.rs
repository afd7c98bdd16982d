//! Searches. They read up to what they find.

use super::element::{Element, length, reads, reads_string};

unsafe extern "C" {
    fn memmem(haystack: *const u8, size: usize, needle: *const u8, needle_size: usize) -> *mut u8;
    fn strstr(haystack: *const u8, needle: *const u8) -> *mut u8;
    fn strcasestr(haystack: *const u8, needle: *const u8) -> *mut u8;
    fn wcsstr(haystack: *const i32, needle: *const i32) -> *mut i32;
}

/// The first of `count` elements that is `wanted`.
unsafe fn find<T: Element>(start: *const T, wanted: T, count: usize, pc: u64) -> Option<usize> {
    // SAFETY: the program's contract.
    let found = (0..count).find(|&i| unsafe { *start.add(i) } == wanted);
    reads(start, found.map_or(count, |i| i + 1), pc);
    found
}

/// The first element of the string that is `wanted` or its zero.
unsafe fn find_or_end<T: Element>(string: *const T, wanted: T, pc: u64) -> usize {
    // SAFETY: the string ends.
    unsafe {
        let stops = |i: &usize| matches!(*string.add(*i), c if c == wanted || c == T::ZERO);
        let at = (0..usize::MAX).find(stops).unwrap_or(0);
        reads(string, at + 1, pc);
        at
    }
}

/// How many elements from the start are in `set`, or are not.
unsafe fn span<T: Element>(string: *const T, set: *const T, inside: bool, pc: u64) -> usize {
    // SAFETY: the strings end.
    unsafe {
        let members = reads_string(set, pc);
        let stops = |i: &usize| {
            let c = *string.add(*i);
            c == T::ZERO || (0..members).any(|m| *set.add(m) == c) != inside
        };
        let at = (0..usize::MAX).find(stops).unwrap_or(0);
        reads(string, at + 1, pc);
        at
    }
}

unsafe fn at_or_null<T>(start: *const T, found: Option<usize>) -> *mut T {
    // SAFETY: what was found is in the string.
    found.map_or(core::ptr::null_mut(), |i| unsafe { start.add(i).cast_mut() })
}

/// Announces a search for a string in another that came to `found`.
unsafe fn searched<T: Element>(haystack: *const T, needle: *const T, found: *mut T, pc: u64) -> *mut T {
    // SAFETY: the strings end.
    unsafe {
        let size = reads_string(needle, pc);
        if found.is_null() {
            reads_string(haystack, pc);
        } else {
            reads(haystack, found.cast_const().offset_from(haystack) as usize + size, pc);
        }
        found
    }
}

macro_rules! both {
    ($($type:ty, $argument:ty: $length:ident $some:ident $memory:ident $first:ident $last:ident $span:ident $until:ident
       $any:ident $search:ident = $original:ident;)*) => { with_caller! { $(
        fn $length(string: *const $type; pc in "rsi") -> usize {
            reads_string(string, pc)
        }
        fn $some(string: *const $type, limit: usize; pc in "rdx") -> usize {
            let count = length(string, limit);
            reads(string, limit.min(count.saturating_add(1)), pc);
            count
        }
        fn $memory(start: *const $type, wanted: $argument, count: usize; pc in "rcx") -> *mut $type {
            at_or_null(start, find(start, wanted as $type, count, pc))
        }
        fn $first(string: *const $type, wanted: $argument; pc in "rdx") -> *mut $type {
            let at = find_or_end(string, wanted as $type, pc);
            at_or_null(string, (*string.add(at) == wanted as $type).then_some(at))
        }
        fn $last(string: *const $type, wanted: $argument; pc in "rdx") -> *mut $type {
            let count = reads_string(string, pc);
            at_or_null(string, (0..=count).rev().find(|&i| *string.add(i) == wanted as $type))
        }
        fn $span(string: *const $type, set: *const $type; pc in "rdx") -> usize {
            span(string, set, true, pc)
        }
        fn $until(string: *const $type, set: *const $type; pc in "rdx") -> usize {
            span(string, set, false, pc)
        }
        fn $any(string: *const $type, set: *const $type; pc in "rdx") -> *mut $type {
            let at = span(string, set, false, pc);
            at_or_null(string, (*string.add(at) != 0).then_some(at))
        }
        fn $search(haystack: *const $type, needle: *const $type; pc in "rdx") -> *mut $type {
            let found = $original(haystack, needle);
            searched(haystack, needle, found, pc)
        }
    )* } };
}

both! {
    u8, i32: __wrap_strlen __wrap_strnlen __wrap_memchr __wrap_strchr __wrap_strrchr __wrap_strspn
        __wrap_strcspn __wrap_strpbrk __wrap_strstr = strstr;
    i32, i32: __wrap_wcslen __wrap_wcsnlen __wrap_wmemchr __wrap_wcschr __wrap_wcsrchr __wrap_wcsspn
        __wrap_wcscspn __wrap_wcspbrk __wrap_wcsstr = wcsstr;
}

with_caller! {
    fn __wrap_strchrnul(string: *const u8, wanted: i32; pc in "rdx") -> *mut u8 {
        let at = find_or_end(string, wanted as u8, pc);
        string.add(at).cast_mut()
    }
    fn __wrap_rawmemchr(start: *const u8, wanted: i32; pc in "rdx") -> *mut u8 {
        at_or_null(start, find(start, wanted as u8, usize::MAX, pc))
    }
    fn __wrap_memrchr(start: *const u8, wanted: i32, count: usize; pc in "rcx") -> *mut u8 {
        let found = (0..count).rev().find(|&i| *start.add(i) == wanted as u8);
        let from = found.unwrap_or(0);
        reads(start.add(from), count - from, pc);
        at_or_null(start, found)
    }
    fn __wrap_memmem(haystack: *const u8, size: usize, needle: *const u8, length: usize; pc in "r8") -> *mut u8 {
        reads(needle, length, pc);
        let found = memmem(haystack, size, needle, length);
        let touched = if found.is_null() { size } else { found.cast_const().offset_from(haystack) as usize + length };
        reads(haystack, touched, pc);
        found
    }
    fn __wrap_strcasestr(haystack: *const u8, needle: *const u8; pc in "rdx") -> *mut u8 {
        let found = strcasestr(haystack, needle);
        searched(haystack, needle, found, pc)
    }
}
