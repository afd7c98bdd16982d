//! What byte strings and wide strings have in common, and how accesses are announced.

use crate::calls::tsan::access::{copy, plain};

/// The element of a string: `char` or `wchar_t`.
pub trait Element: Copy + Eq {
    /// The element that ends a string.
    const ZERO: Self;
}

impl Element for u8 {
    const ZERO: u8 = 0;
}

impl Element for i32 {
    const ZERO: i32 = 0;
}

/// Announces that `count` elements at `address` will be read.
#[inline(always)]
pub fn reads<T>(address: *const T, count: usize, pc: u64) {
    if count != 0 {
        plain(address as usize, count * size_of::<T>(), false, pc);
    }
}

/// Announces that `count` elements at `address` will be written.
#[inline(always)]
pub fn writes<T>(address: *const T, count: usize, pc: u64) {
    if count != 0 {
        plain(address as usize, count * size_of::<T>(), true, pc);
    }
}

/// Announces that `count` elements will be copied.
#[inline(always)]
pub fn copies<T>(to: *const T, from: *const T, count: usize, pc: u64) {
    if count != 0 {
        copy(to as usize, from as usize, count * size_of::<T>(), pc);
    }
}

/// How many elements come before the zero, but at most `limit`.
///
/// # Safety
/// As many elements are readable.
#[inline]
pub unsafe fn length<T: Element>(string: *const T, limit: usize) -> usize {
    // SAFETY: stops where the string does.
    (0..limit).find(|&i| unsafe { *string.add(i) } == T::ZERO).unwrap_or(limit)
}

/// How many bytes come before the zero of a string.
///
/// # Safety
/// It ends.
pub unsafe fn length_of(string: *const u8) -> usize {
    // SAFETY: the caller's.
    unsafe { length(string, usize::MAX) }
}

/// Announces that the whole string will be read, its zero included. Returns its length.
///
/// # Safety
/// It ends.
#[inline]
pub unsafe fn reads_string<T: Element>(string: *const T, pc: u64) -> usize {
    // SAFETY: the caller's.
    let length = unsafe { length(string, usize::MAX) };
    reads(string, length + 1, pc);
    length
}

/// The index at which the two strings first differ or both end, but at most `limit`.
///
/// # Safety
/// As many elements are readable.
#[inline]
pub unsafe fn common<T: Element>(a: *const T, b: *const T, limit: usize, ends_at_zero: bool) -> usize {
    let stops = |i: &usize| {
        // SAFETY: stops at the first difference or at the end of both.
        let (a, b) = unsafe { (*a.add(*i), *b.add(*i)) };
        a != b || (ends_at_zero && a == T::ZERO)
    };
    (0..limit).find(stops).unwrap_or(limit)
}
