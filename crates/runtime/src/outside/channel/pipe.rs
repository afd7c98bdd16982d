//! Reading, writing and closing of pipes, event counters (`eventfd`) and other descriptors.

use core::ffi::c_void;

use super::{DONT_WAIT, IN, OUT, READV, WRITEV, call, is_one};
use crate::calls::buffers;
use crate::outside::files::ordered::{self, Use};
use crate::outside::timers;
use crate::schedule::{active, caller};
use crate::sys;

originals! {
    fn read(file: i32, into: *mut c_void, size: usize) -> isize;
    fn write(file: i32, from: *const c_void, size: usize) -> isize;
    fn readv(file: i32, vector: usize, count: i32) -> isize;
    fn writev(file: i32, vector: usize, count: i32) -> isize;
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
    fn close(file: i32) -> i32 {
        let pc = caller();
        if active() && is_one(file) {
            // A reader at the other end continues, without data.
            let closed = call(pc, sys::CLOSE, [file as usize, 0, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
            timers::closed(file);
            return closed;
        }
        ordered::uses(file, Use::Position, pc);
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
