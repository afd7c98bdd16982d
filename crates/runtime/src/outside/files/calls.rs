//! Calls that name files or use descriptors, in the order in which threads make them ([`super::ordered`]). Calls
//! that may be about a pipe as well are in [`crate::outside::channel`], other calls that are handed memory in
//! [`crate::calls::buffers`].

use core::ffi::{c_char, c_int, c_void};

use super::ordered::{Use, by_handle, looks_at_names, on_file, opens, uses};
use crate::calls::buffers::Arguments;
use crate::schedule::{caller, is_alone};

const TRUNCATE: i32 = 0o1000;
const CREATE: i32 = 0o100;
/// What `creat` is short for. By its own system call, the truncation could not be told apart.
const CREATE_TO_WRITE: i32 = CREATE | TRUNCATE | 1;

originals! {
    fn open(name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn open64(name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn openat(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn openat64(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn close(file: c_int) -> c_int;
    fn stat(name: *const c_char, into: *mut c_void) -> c_int;
    fn stat64(name: *const c_char, into: *mut c_void) -> c_int;
    fn lstat(name: *const c_char, into: *mut c_void) -> c_int;
    fn lstat64(name: *const c_char, into: *mut c_void) -> c_int;
    fn fstat(file: c_int, into: *mut c_void) -> c_int;
    fn fstat64(file: c_int, into: *mut c_void) -> c_int;
    fn fstatat(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int;
    fn fstatat64(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int;
    fn truncate(name: *const c_char, size: i64) -> c_int;
    fn truncate64(name: *const c_char, size: i64) -> c_int;
    fn ftruncate(file: c_int, size: i64) -> c_int;
    fn ftruncate64(file: c_int, size: i64) -> c_int;
    fn flock(file: c_int, how: c_int) -> c_int;
    fn lseek(file: c_int, by: i64, from: c_int) -> i64;
    fn lseek64(file: c_int, by: i64, from: c_int) -> i64;
    fn vdprintf(file: c_int, format: *const c_char, arguments: *mut Arguments) -> c_int;
}

by_handle! {
    on_file: fn fstat(file: c_int, into: *mut c_void) -> c_int: Status of file;
    on_file: fn fstat64(file: c_int, into: *mut c_void) -> c_int: Status of file;
    on_file: fn ftruncate(file: c_int, size: i64) -> c_int: Change of file;
    on_file: fn ftruncate64(file: c_int, size: i64) -> c_int: Change of file;
    on_file: fn flock(file: c_int, how: c_int) -> c_int: Change of file;
    on_file: fn lseek(file: c_int, by: i64, from: c_int) -> i64: Position of file;
    on_file: fn lseek64(file: c_int, by: i64, from: c_int) -> i64: Position of file;
    on_file: fn vdprintf(file: c_int, format: *const c_char, arguments: *mut Arguments) -> c_int: Change of file;
}

interpose! {
    fn open(name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::open(name, flags, mode))
    }
    fn open64(name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::open64(name, flags, mode))
    }
    fn openat(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::openat(directory, name, flags, mode))
    }
    fn openat64(directory: c_int, name: *const c_char, flags: c_int, mode: usize) -> c_int {
        let pc = caller();
        opens(flags & CREATE != 0, flags & TRUNCATE != 0, pc, || real::openat64(directory, name, flags, mode))
    }
    fn creat(name: *const c_char, mode: usize) -> c_int {
        let pc = caller();
        opens(true, true, pc, || real::open(name, CREATE_TO_WRITE, mode))
    }
    fn creat64(name: *const c_char, mode: usize) -> c_int {
        let pc = caller();
        opens(true, true, pc, || real::open64(name, CREATE_TO_WRITE, mode))
    }
    fn stat(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0, caller())
    }
    fn stat64(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0, caller())
    }
    fn lstat(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0x100, caller())
    }
    fn lstat64(name: *const c_char, into: *mut c_void) -> c_int {
        look_at(-100, name, into, 0x100, caller())
    }
    fn fstatat(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int {
        look_at(directory, name, into, flags, caller())
    }
    fn fstatat64(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int) -> c_int {
        look_at(directory, name, into, flags, caller())
    }
    fn truncate(name: *const c_char, size: i64) -> c_int {
        truncate_named(name, size, caller())
    }
    fn truncate64(name: *const c_char, size: i64) -> c_int {
        truncate_named(name, size, caller())
    }
}

/// `stat` of a name, in two steps: the name is looked up, then the file behind it is looked at.
unsafe fn look_at(directory: c_int, name: *const c_char, into: *mut c_void, flags: c_int, pc: u64) -> c_int {
    const PATH_ONLY: c_int = 0o12_000_000;
    const NO_FOLLOW: c_int = 0o400_000;
    const SYMLINK_NOFOLLOW: c_int = 0x100;
    const EMPTY_PATH: c_int = 0x1000;
    // SAFETY: the program's own call.
    unsafe {
        if is_alone() || flags & EMPTY_PATH != 0 {
            return real::fstatat(directory, name, into, flags);
        }
        looks_at_names(pc);
        let follow = if flags & SYMLINK_NOFOLLOW != 0 { NO_FOLLOW } else { 0 };
        let file = real::openat(directory, name, PATH_ONLY | follow, 0);
        if file < 0 {
            return -1;
        }
        uses(file, Use::Status, pc);
        let result = real::fstat(file, into);
        real::close(file);
        result
    }
}

/// `truncate` is an `open` and an `ftruncate`: the name is looked at, then the contents change.
unsafe fn truncate_named(name: *const c_char, size: i64, pc: u64) -> c_int {
    const TO_WRITE: c_int = 0o2_000_001;
    // SAFETY: the program's own call.
    unsafe {
        if is_alone() {
            return real::truncate(name, size);
        }
        looks_at_names(pc);
        let file = real::open(name, TO_WRITE, 0);
        if file < 0 {
            return -1;
        }
        uses(file, Use::Change, pc);
        let result = real::ftruncate(file, size);
        real::close(file);
        result
    }
}

variadic! {
    dprintf => print_to_file, fixed 2;
}

unsafe extern "C" fn print_to_file(file: c_int, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    uses(file, Use::Change, pc);
    // SAFETY: the program's own call.
    unsafe { real::vdprintf(file, format, arguments) }
}
