//! Reading, writing and closing of pipes, event counters (`eventfd`) and other descriptors.

use core::ffi::c_void;

use super::{DONT_WAIT, IN, OUT, PWRITEV2, READV, WRITEV, call, is_one};
use crate::calls::buffers;
use crate::outside::files::ordered::{self, Use};
use crate::outside::timers;
use crate::schedule::{active, caller};
use crate::sys;

const PREADV2: usize = 327;

originals! {
    fn read(file: i32, into: *mut c_void, size: usize) -> isize;
    fn write(file: i32, from: *const c_void, size: usize) -> isize;
    fn readv(file: i32, vector: usize, count: i32) -> isize;
    fn writev(file: i32, vector: usize, count: i32) -> isize;
    fn preadv2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize;
    fn pwritev2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize;
    fn close(file: i32) -> i32;
    fn eventfd_read(file: i32, value: *mut u64) -> i32;
    fn eventfd_write(file: i32, value: u64) -> i32;
}

interpose! {
    fn read(file: i32, into: *mut c_void, size: usize) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            let read = call(pc, sys::READ, [file as usize, into as usize, size, 0, 0, 0], IN, 0);
            buffers::has_written(into, read.min(size as isize), pc);
            return read;
        }
        ordered::uses(file, Use::Position, pc);
        let read = real::read(file, into, size);
        buffers::has_written(into, read.min(size as isize), pc);
        read
    }
    fn write(file: i32, from: *const c_void, size: usize) -> isize {
        let pc = caller();
        buffers::will_read(from, size, pc);
        if active() && is_one(file) {
            return call(pc, sys::WRITE, [file as usize, from as usize, size, 0, 0, 0], OUT, 0);
        }
        ordered::uses(file, Use::Change, pc);
        real::write(file, from, size)
    }
    fn readv(file: i32, vector: usize, count: i32) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            return call(pc, READV, [file as usize, vector, count as usize, 0, 0, 0], IN, 0);
        }
        ordered::uses(file, Use::Position, pc);
        real::readv(file, vector, count)
    }
    fn writev(file: i32, vector: usize, count: i32) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            return call(pc, WRITEV, [file as usize, vector, count as usize, 0, 0, 0], OUT, 0);
        }
        ordered::uses(file, Use::Change, pc);
        real::writev(file, vector, count)
    }
    fn preadv2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize {
        read_at(file, vector, count, offset, flags, caller())
    }
    fn preadv64v2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize {
        read_at(file, vector, count, offset, flags, caller())
    }
    fn pwritev2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize {
        write_at(file, vector, count, offset, flags, caller())
    }
    fn pwritev64v2(file: i32, vector: usize, count: i32, offset: i64, flags: i32) -> isize {
        write_at(file, vector, count, offset, flags, caller())
    }
    fn close(file: i32) -> i32 {
        let pc = caller();
        if active() && is_one(file) {
            // A reader at the other end continues, without data.
            let closed = call(pc, sys::CLOSE, [file as usize, 0, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
            timers::closed(file);
            ordered::changes_numbers(pc);
            return closed;
        }
        ordered::closes(file, pc);
        real::close(file)
    }
    fn eventfd_read(file: i32, value: *mut u64) -> i32 {
        let pc = caller();
        if active() {
            let read = call(pc, sys::READ, [file as usize, value as usize, 8, 0, 0, 0], IN, 0);
            return if read == 8 { 0 } else { -1 };
        }
        real::eventfd_read(file, value)
    }
    fn eventfd_write(file: i32, value: u64) -> i32 {
        let pc = caller();
        if active() {
            let written = call(pc, sys::WRITE, [file as usize, &raw const value as usize, 8, 0, 0, 0], OUT, 0);
            return if written == 8 { 0 } else { -1 };
        }
        real::eventfd_write(file, value)
    }
}

/// `preadv2` and `preadv64v2`, which are one where offsets have 64 bits.
unsafe fn read_at(file: i32, vector: usize, count: i32, offset: i64, flags: i32, pc: u64) -> isize {
    if let Some(read) = vectored(PREADV2, file, [vector, count as usize, offset as usize], flags, pc) {
        return read;
    }
    ordered::uses(file, Use::Position, pc);
    // SAFETY: the program's own call.
    unsafe { real::preadv2(file, vector, count, offset, flags) }
}

/// `pwritev2` and `pwritev64v2`, which are one where offsets have 64 bits.
unsafe fn write_at(file: i32, vector: usize, count: i32, offset: i64, flags: i32, pc: u64) -> isize {
    if let Some(written) = vectored(PWRITEV2, file, [vector, count as usize, offset as usize], flags, pc) {
        return written;
    }
    ordered::uses(file, Use::Change, pc);
    // SAFETY: the program's own call.
    unsafe { real::pwritev2(file, vector, count, offset, flags) }
}

/// A vectored call by number with flags on a pipe, a socket or an event counter. Returns `None` for anything else.
fn vectored(number: usize, file: i32, [vector, count, offset]: [usize; 3], flags: i32, pc: u64) -> Option<isize> {
    let ready = if number == PREADV2 { IN } else { OUT };
    let arguments = [file as usize, vector, count, offset, 0, flags as usize];
    (active() && is_one(file)).then(|| call(pc, number, arguments, ready, no_wait(flags)))
}

/// The flag of sockets for the flag `RWF_NOWAIT` of vectors.
fn no_wait(flags: i32) -> i32 {
    const NO_WAIT: i32 = 8;
    if flags & NO_WAIT != 0 { DONT_WAIT } else { 0 }
}

/// A call on a pipe, a socket or an event counter that the program makes by its number. Returns `None` if it is another call, or on
/// something else.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn by_number(number: i64, &[a, b, c, d, _, f]: &[usize; 6]) -> Option<isize> {
    if !matches!(number, 0 | 1 | 3 | 19 | 20 | 327 | 328) || !is_one(a as i32) {
        return None;
    }
    let file = a as i32;
    // SAFETY: the caller's. These functions are not entered from the program, so the place is that of the call by number.
    Some(unsafe {
        match number {
            0 => read::body(file, b as *mut c_void, c),
            1 => write::body(file, b as *const c_void, c),
            3 => close::body(file) as isize,
            19 => readv::body(file, b, c as i32),
            20 => writev::body(file, b, c as i32),
            327 => preadv2::body(file, b, c as i32, d as i64, f as i32),
            _ => pwritev2::body(file, b, c as i32, d as i64, f as i32),
        }
    })
}
