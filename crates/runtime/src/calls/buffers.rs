//! Functions of libc that fill or read memory of the program: `fread`, `pwrite`, `snprintf` and the like.
//!
//! libc is not instrumented, so its accesses to the program's memory are reported here, at the place of the call: they
//! can race, and they can be out of bounds. `read`, `write` and their relatives, which may act on a pipe, are in
//! [`crate::outside::channel`] and report with [`will_read`] and [`has_written`]. The functions of `<string.h>` are in
//! [`crate::calls::strings`].
//!
//! Only calls from the program itself are reported, not those of other libraries. The memory that `printf` reads
//! through its arguments is not observed, nor are `scanf`, `getline` and `qsort`.

use core::cell::Cell;
use core::ffi::{c_char, c_int, c_void};

use crate::calls::strings::{length_of, reads, writes};
use crate::entry::{imports, start};
use crate::lifetime;
use crate::outside::files::ordered::{self, Use};
use crate::outside::files::streams;
use crate::schedule::{active, caller};
use crate::state::touches;

/// Whether accesses of libc to the program's memory are reported.
pub struct Telling {
    /// The program is instrumented. Otherwise only these accesses would be seen, and not what orders them.
    on: Cell<bool>,
}

impl Telling {
    /// The state at the start of the process.
    pub const fn new() -> Telling {
        Telling { on: Cell::new(false) }
    }
}

/// Determines whether the program is instrumented. Call this once, outside executions.
pub fn set_up() {
    lifetime::process().telling.on.set(imports::anybody_wants(b"__tsan_func_entry"));
}

/// Whether a call from `pc` is made by the program itself, in an execution.
#[inline]
fn is_own(pc: u64) -> bool {
    let (low, high) = start::program_text();
    active() && lifetime::process().telling.on.get() && (low..high).contains(&(pc as usize))
}

/// Reports that libc will read `size` bytes. Call this before libc, because its call may reveal the memory to other
/// threads.
#[inline]
pub fn will_read(from: *const c_void, size: usize, pc: u64) {
    if is_own(pc) {
        reads(from.cast::<u8>(), size, pc);
    }
}

/// Reports that libc has written `size` bytes. A negative size means none. Call this after libc, because only then is
/// the size known.
#[inline]
pub fn has_written(into: *const c_void, size: isize, pc: u64) {
    if size > 0 && is_own(pc) {
        writes(into.cast::<u8>(), size as usize, pc);
    }
}

/// A `va_list`. A copy of the bytes is a copy of the list.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Arguments([u64; 3]);

originals! {
    fn pread(file: c_int, into: *mut c_void, size: usize, at: i64) -> isize;
    fn pread64(file: c_int, into: *mut c_void, size: usize, at: i64) -> isize;
    fn pwrite(file: c_int, from: *const c_void, size: usize, at: i64) -> isize;
    fn pwrite64(file: c_int, from: *const c_void, size: usize, at: i64) -> isize;
    fn fread(into: *mut c_void, size: usize, count: usize, file: *mut c_void) -> usize;
    fn fwrite(from: *const c_void, size: usize, count: usize, file: *mut c_void) -> usize;
    fn fgets(into: *mut c_char, size: c_int, file: *mut c_void) -> *mut c_char;
    fn fputs(text: *const c_char, file: *mut c_void) -> c_int;
    fn puts(text: *const c_char) -> c_int;
    fn vsnprintf(into: *mut c_char, size: usize, format: *const c_char, arguments: *mut Arguments) -> c_int;
    fn vsprintf(into: *mut c_char, format: *const c_char, arguments: *mut Arguments) -> c_int;
}

interpose! {
    fn pread(file: c_int, into: *mut c_void, size: usize, at: i64) -> isize {
        let pc = caller();
        ordered::uses(file, Use::Look, pc);
        let read = real::pread(file, into, size, at);
        has_written(into, read, pc);
        read
    }
    fn pread64(file: c_int, into: *mut c_void, size: usize, at: i64) -> isize {
        let pc = caller();
        ordered::uses(file, Use::Look, pc);
        let read = real::pread64(file, into, size, at);
        has_written(into, read, pc);
        read
    }
    fn pwrite(file: c_int, from: *const c_void, size: usize, at: i64) -> isize {
        let pc = caller();
        will_read(from, size, pc);
        ordered::uses(file, Use::Change, pc);
        real::pwrite(file, from, size, at)
    }
    fn pwrite64(file: c_int, from: *const c_void, size: usize, at: i64) -> isize {
        let pc = caller();
        will_read(from, size, pc);
        ordered::uses(file, Use::Change, pc);
        real::pwrite64(file, from, size, at)
    }
    fn fread(into: *mut c_void, size: usize, count: usize, file: *mut c_void) -> usize {
        let pc = caller();
        let read = streams::on_stream(file, Use::Position, pc, || real::fread(into, size, count, file));
        has_written(into, read.saturating_mul(size) as isize, pc);
        read
    }
    fn fwrite(from: *const c_void, size: usize, count: usize, file: *mut c_void) -> usize {
        let pc = caller();
        will_read(from, size.saturating_mul(count), pc);
        streams::on_stream(file, Use::Change, pc, || real::fwrite(from, size, count, file))
    }
    fn fgets(into: *mut c_char, size: c_int, file: *mut c_void) -> *mut c_char {
        let pc = caller();
        let line = streams::on_stream(file, Use::Position, pc, || real::fgets(into, size, file));
        if !line.is_null() {
            has_written(into.cast(), length_of(line.cast::<u8>()) as isize + 1, pc);
        }
        line
    }
    fn fputs(text: *const c_char, file: *mut c_void) -> c_int {
        let pc = caller();
        will_read(text.cast(), length_of(text.cast::<u8>()) + 1, pc);
        streams::on_stream(file, Use::Change, pc, || real::fputs(text, file))
    }
    fn puts(text: *const c_char) -> c_int {
        let pc = caller();
        will_read(text.cast(), length_of(text.cast::<u8>()) + 1, pc);
        streams::uses_standard(1, Use::Change, pc);
        real::puts(text)
    }
    fn vsnprintf(into: *mut c_char, size: usize, format: *const c_char, arguments: *mut Arguments) -> c_int {
        print(into, size, format, arguments, caller())
    }
    fn vsprintf(into: *mut c_char, format: *const c_char, arguments: *mut Arguments) -> c_int {
        let pc = caller();
        if !is_own(pc) {
            return real::vsprintf(into, format, arguments);
        }
        print(into, usize::MAX, format, arguments, pc)
    }
}

/// `snprintf` and its relatives. The length is computed first, so that only the bytes that fit are reported as written.
unsafe fn print(into: *mut c_char, size: usize, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // What the arguments point to is not told.
    touches::unseen();
    // SAFETY: the program's contract.
    unsafe {
        if is_own(pc) && size > 0 {
            let mut copy = *arguments;
            let length = real::vsnprintf(core::ptr::null_mut(), 0, format, &mut copy);
            has_written(into.cast(), (length as isize + 1).min(size.min(isize::MAX as usize) as isize), pc);
        }
        if size == usize::MAX {
            real::vsprintf(into, format, arguments)
        } else {
            real::vsnprintf(into, size, format, arguments)
        }
    }
}

variadic! {
    snprintf => print_some, fixed 3;
    sprintf => print_all, fixed 2;
}

unsafe extern "C" fn print_some(
    into: *mut c_char,
    size: usize,
    format: *const c_char,
    arguments: *mut Arguments,
    pc: u64,
) -> c_int {
    // SAFETY: the program's contract.
    unsafe { print(into, size, format, arguments, pc) }
}

unsafe extern "C" fn print_all(into: *mut c_char, format: *const c_char, arguments: *mut Arguments, pc: u64) -> c_int {
    // SAFETY: the program's contract.
    unsafe { print(into, usize::MAX, format, arguments, pc) }
}
