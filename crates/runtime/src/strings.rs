//! The memory and string functions of libc, as instrumented code calls them.

use crate::tsan::access::plain;

unsafe extern "C" {
    fn memcpy(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn memmove(to: *mut u8, from: *const u8, size: usize) -> *mut u8;
    fn memset(to: *mut u8, byte: i32, size: usize) -> *mut u8;
}

with_caller! {
    fn __tsan_memcpy(to: *mut u8, from: *const u8, size: usize; pc in "rcx") -> *mut u8 {
        plain(from as usize, size, false, pc);
        plain(to as usize, size, true, pc);
        memcpy(to, from, size)
    }
    fn __tsan_memmove(to: *mut u8, from: *const u8, size: usize; pc in "rcx") -> *mut u8 {
        plain(from as usize, size, false, pc);
        plain(to as usize, size, true, pc);
        memmove(to, from, size)
    }
    fn __tsan_memset(to: *mut u8, byte: i32, size: usize; pc in "rcx") -> *mut u8 {
        plain(to as usize, size, true, pc);
        memset(to, byte, size)
    }
}
