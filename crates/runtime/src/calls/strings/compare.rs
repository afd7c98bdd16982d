//! Comparisons. They read up to the first difference.

use super::element::{Element, common, length, reads, reads_string, writes};

/// How the two compare, as the difference of the first elements that differ.
unsafe fn compare<T: Element + Ord>(a: *const T, b: *const T, limit: usize, ends_at_zero: bool, pc: u64) -> i32 {
    // SAFETY: the program's contract.
    unsafe {
        let at = common(a, b, limit, ends_at_zero);
        let count = limit.min(at.saturating_add(1));
        reads(a, count, pc);
        reads(b, count, pc);
        if at == limit { 0 } else { (*a.add(at)).cmp(&*b.add(at)) as i32 }
    }
}

unsafe extern "C" {
    fn tolower(c: i32) -> i32;
    fn strcoll(a: *const u8, b: *const u8) -> i32;
    fn strxfrm(to: *mut u8, from: *const u8, size: usize) -> usize;
}

unsafe fn compare_folded(a: *const u8, b: *const u8, limit: usize, pc: u64) -> i32 {
    // SAFETY: the program's contract; `tolower` only looks into a table of libc's.
    unsafe {
        let fold = |string: *const u8, i: usize| tolower(i32::from(*string.add(i)));
        let at = (0..limit).find(|&i| fold(a, i) != fold(b, i) || *a.add(i) == 0).unwrap_or(limit);
        let count = limit.min(at.saturating_add(1));
        reads(a, count, pc);
        reads(b, count, pc);
        if at == limit { 0 } else { fold(a, at) - fold(b, at) }
    }
}

macro_rules! both {
    ($($type:ty: $memory:ident $string:ident $some:ident;)*) => { with_caller! { $(
        fn $memory(a: *const $type, b: *const $type, count: usize; pc in "rcx") -> i32 {
            compare(a, b, count, false, pc)
        }
        fn $string(a: *const $type, b: *const $type; pc in "rdx") -> i32 {
            compare(a, b, usize::MAX, true, pc)
        }
        fn $some(a: *const $type, b: *const $type, limit: usize; pc in "rcx") -> i32 {
            compare(a, b, limit, true, pc)
        }
    )* } };
}

both! {
    u8: __wrap_memcmp __wrap_strcmp __wrap_strncmp;
    i32: __wrap_wmemcmp __wrap_wcscmp __wrap_wcsncmp;
}

with_caller! {
    fn __wrap_bcmp(a: *const u8, b: *const u8, count: usize; pc in "rcx") -> i32 {
        compare(a, b, count, false, pc)
    }
    fn __wrap_strcasecmp(a: *const u8, b: *const u8; pc in "rdx") -> i32 {
        compare_folded(a, b, usize::MAX, pc)
    }
    fn __wrap_strncasecmp(a: *const u8, b: *const u8, limit: usize; pc in "rcx") -> i32 {
        compare_folded(a, b, limit, pc)
    }
    fn __wrap_strcoll(a: *const u8, b: *const u8; pc in "rdx") -> i32 {
        reads_string(a, pc);
        reads_string(b, pc);
        strcoll(a, b)
    }
    fn __wrap_strxfrm(to: *mut u8, from: *const u8, size: usize; pc in "rcx") -> usize {
        reads_string(from, pc);
        // How much is written is known only afterwards.
        let needed = strxfrm(to, from, size);
        writes(to, if needed < size { length(to, size) + 1 } else { 0 }, pc);
        needed
    }
}
