//! Sockets between the program's own threads. A socket that leads to another machine is *unsupported*.

use core::ffi::c_void;

use heddle_model::wire::Note;

use super::{DONT_WAIT, IN, OUT, SENDMMSG, SENDMSG, SENDTO, call, is_one, is_patient};
use crate::calls::buffers;
use crate::outside::files;
use crate::schedule::{active, caller, goes_outside, unsupported};
use crate::sys;

const CONNECT: usize = 42;
const RECVFROM: usize = 45;
const RECVMSG: usize = 47;
const SHUTDOWN: usize = 48;
const LISTEN: usize = 50;
const ACCEPT4: usize = 288;
const RECVMMSG: usize = 299;
/// The size of `struct mmsghdr` in bytes.
const MESSAGE: usize = 64;
const EINPROGRESS: isize = -115;

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

originals! {
    fn recv(file: i32, into: *mut c_void, size: usize, flags: i32) -> isize;
    fn recvfrom(file: i32, into: *mut c_void, size: usize, flags: i32, from: usize, length: usize) -> isize;
    fn recvmsg(file: i32, message: usize, flags: i32) -> isize;
    fn send(file: i32, from: *const c_void, size: usize, flags: i32) -> isize;
    fn sendto(file: i32, from: *const c_void, size: usize, flags: i32, to: usize, length: u32) -> isize;
    fn sendmsg(file: i32, message: usize, flags: i32) -> isize;
    fn recvmmsg(file: i32, messages: usize, count: u32, flags: i32, timeout: usize) -> i32;
    fn sendmmsg(file: i32, messages: usize, count: u32, flags: i32) -> i32;
    fn accept(file: i32, address: usize, length: usize) -> i32;
    fn accept4(file: i32, address: usize, length: usize, flags: i32) -> i32;
    fn connect(file: i32, address: *const u8, length: u32) -> i32;
    fn shutdown(file: i32, how: i32) -> i32;
    fn listen(file: i32, most: i32) -> i32;
}

interpose! {
    fn recv(file: i32, into: *mut c_void, size: usize, flags: i32) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            let read = call(pc, RECVFROM, [file as usize, into as usize, size, flags as usize, 0, 0], IN, flags);
            buffers::has_written(into, read.min(size as isize), pc);
            return read;
        }
        let read = real::recv(file, into, size, flags);
        buffers::has_written(into, read.min(size as isize), pc);
        read
    }
    fn recvfrom(file: i32, into: *mut c_void, size: usize, flags: i32, from: usize, length: usize) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            let read = call(pc, RECVFROM, [file as usize, into as usize, size, flags as usize, from, length], IN, flags);
            buffers::has_written(into, read.min(size as isize), pc);
            return read;
        }
        let read = real::recvfrom(file, into, size, flags, from, length);
        buffers::has_written(into, read.min(size as isize), pc);
        read
    }
    fn recvmsg(file: i32, message: usize, flags: i32) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            return call(pc, RECVMSG, [file as usize, message, flags as usize, 0, 0, 0], IN, flags);
        }
        real::recvmsg(file, message, flags)
    }
    fn send(file: i32, from: *const c_void, size: usize, flags: i32) -> isize {
        let pc = caller();
        buffers::will_read(from, size, pc);
        if active() && is_one(file) {
            return call(pc, SENDTO, [file as usize, from as usize, size, flags as usize, 0, 0], OUT, flags);
        }
        real::send(file, from, size, flags)
    }
    fn sendto(file: i32, from: *const c_void, size: usize, flags: i32, to: usize, length: u32) -> isize {
        let pc = caller();
        buffers::will_read(from, size, pc);
        if active() && is_one(file) {
            if to != 0 && !is_near(to as *const u8) {
                unsupported("sending to another machine", pc);
            }
            let moved = files::address_of(to, length as usize);
            let (to, length) = moved.as_ref().map_or((to, length as usize), |to| (to.as_ptr() as usize, to.len()));
            return call(pc, SENDTO, [file as usize, from as usize, size, flags as usize, to, length], OUT, flags);
        }
        real::sendto(file, from, size, flags, to, length)
    }
    fn sendmsg(file: i32, message: usize, flags: i32) -> isize {
        let pc = caller();
        if active() && is_one(file) {
            return call(pc, SENDMSG, [file as usize, message, flags as usize, 0, 0, 0], OUT, flags);
        }
        real::sendmsg(file, message, flags)
    }
    fn recvmmsg(file: i32, messages: usize, count: u32, flags: i32, timeout: usize) -> i32 {
        let pc = caller();
        if !active() || !is_one(file) {
            return real::recvmmsg(file, messages, count, flags, timeout);
        }
        if timeout != 0 {
            unsupported("recvmmsg with a time-out", pc);
        }
        receive_all(file, messages, count as usize, flags, pc)
    }
    fn sendmmsg(file: i32, messages: usize, count: u32, flags: i32) -> i32 {
        let pc = caller();
        if active() && is_one(file) {
            let arguments = [file as usize, messages, count as usize, flags as usize, 0, 0];
            return call(pc, SENDMMSG, arguments, OUT, flags) as i32;
        }
        real::sendmmsg(file, messages, count, flags)
    }
    fn accept(file: i32, address: usize, length: usize) -> i32 {
        let pc = caller();
        if active() {
            return call(pc, ACCEPT4, [file as usize, address, length, 0, 0, 0], IN, 0) as i32;
        }
        real::accept(file, address, length)
    }
    fn accept4(file: i32, address: usize, length: usize, flags: i32) -> i32 {
        let pc = caller();
        if active() {
            return call(pc, ACCEPT4, [file as usize, address, length, flags as usize, 0, 0], IN, 0) as i32;
        }
        real::accept4(file, address, length, flags)
    }
    fn connect(file: i32, address: *const u8, length: u32) -> i32 {
        let pc = caller();
        if active() {
            if !is_near(address) {
                unsupported("a connection to another machine", pc);
            }
            let moved = files::address_of(address as usize, length as usize);
            let (to, length) = moved.as_ref().map_or((address as usize, length as usize), |to| (to.as_ptr() as usize, to.len()));
            let result = call(pc, CONNECT, [file as usize, to, length, 0, 0, 0], 0, DONT_WAIT);
            let under_way = result == -1 && *__errno_location() == -EINPROGRESS as i32;
            if under_way && is_patient(file) {
                unsupported("a connection that does not come about at once", pc);
            }
            if (result == 0 || under_way) && !is_own(to, length) {
                goes_outside(Note::Servers);
            }
            return result as i32;
        }
        real::connect(file, address, length)
    }
    fn shutdown(file: i32, how: i32) -> i32 {
        let pc = caller();
        if active() {
            return call(pc, SHUTDOWN, [file as usize, how as usize, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
        }
        real::shutdown(file, how)
    }
    // A thread that connects may be able to continue now.
    fn listen(file: i32, most: i32) -> i32 {
        let pc = caller();
        if active() {
            return call(pc, LISTEN, [file as usize, most as usize, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
        }
        real::listen(file, most)
    }
}

/// Receives `count` messages, which are described at `messages`. Waits until all are there, as the kernel does, unless it is asked not to.
fn receive_all(file: i32, messages: usize, count: usize, flags: i32, pc: u64) -> i32 {
    const WAIT_FOR_ONE: i32 = 0x10000;
    let mut received = 0;
    loop {
        let (next, rest) = (messages + received * MESSAGE, count - received);
        let result = call(pc, RECVMMSG, [file as usize, next, rest, flags as usize, 0, 0], IN, flags);
        if result <= 0 {
            return if received > 0 { received as i32 } else { result as i32 };
        }
        received += result as usize;
        if received >= count || flags & (WAIT_FOR_ONE | DONT_WAIT) != 0 || !is_patient(file) {
            return received as i32;
        }
    }
}

/// A call on a socket that the program makes by its number. Returns `None` if it is another call, or on something else.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn by_number(number: i64, &[a, b, c, d, e, f]: &[usize; 6]) -> Option<isize> {
    if !matches!(number, 42..=48 | 50 | 288 | 299 | 307) || !is_one(a as i32) {
        return None;
    }
    let file = a as i32;
    // SAFETY: the caller's. These functions are not entered from the program, so the place is that of the call by number.
    Some(unsafe {
        match number {
            42 => connect::body(file, b as *const u8, c as u32) as isize,
            43 => accept::body(file, b, c) as isize,
            44 => sendto::body(file, b as *const c_void, c, d as i32, e, f as u32),
            45 => recvfrom::body(file, b as *mut c_void, c, d as i32, e, f),
            46 => sendmsg::body(file, b, c as i32),
            47 => recvmsg::body(file, b, c as i32),
            48 => shutdown::body(file, b as i32) as isize,
            50 => listen::body(file, b as i32) as isize,
            288 => accept4::body(file, b, c, d as i32) as isize,
            299 => recvmmsg::body(file, b, c as u32, d as i32, e) as isize,
            _ => sendmmsg::body(file, b, c as u32, d as i32) as isize,
        }
    })
}

/// The largest address of a socket: the kernel's `struct sockaddr_storage`.
const LARGEST: usize = 128;
/// How many descriptors are looked through.
const DESCRIPTORS: usize = 1024;

/// Whether a socket of the program itself has this address, the one of an internet server by its port.
unsafe fn is_own(address: usize, length: usize) -> bool {
    const GETSOCKNAME: usize = 51;
    // SAFETY: the program's address, of that length.
    let wanted = unsafe { core::slice::from_raw_parts(address as *const u8, length.min(LARGEST)) };
    let port = |address: &[u8]| match address {
        [2 | 10, 0, high, low, ..] => Some([*high, *low]),
        _ => None,
    };
    // Disconnects, and pairs of sockets, have no name.
    if wanted.len() <= 2 || wanted[..2] == [0, 0] {
        return true;
    }
    (0..DESCRIPTORS).any(|file| {
        let (mut own, mut size) = ([0u8; LARGEST], LARGEST as u32);
        let room = (own.as_mut_ptr() as usize, &raw mut size as usize);
        // SAFETY: room of our own.
        if unsafe { sys::syscall3(GETSOCKNAME, file, room.0, room.1) } < 0 {
            return false;
        }
        let own = &own[..(size as usize).min(LARGEST)];
        match port(wanted) {
            Some(wanted) => port(own) == Some(wanted),
            // Names of files end where they end, whatever length is given.
            None => {
                let text = |address: &[u8]| {
                    address.split_at(3).1.iter().position(|&byte| byte == 0).map_or(address.len(), |at| at + 3)
                };
                own.len() > 2
                    && wanted.len() > 2
                    && own[..text(own).min(own.len())] == wanted[..text(wanted).min(wanted.len())]
            }
        }
    })
}

/// Whether an address is on this machine: not an internet address, or a loopback one.
unsafe fn is_near(address: *const u8) -> bool {
    const INET: u16 = 2;
    const INET6: u16 = 10;
    // SAFETY: the program's address, which the kernel would read too.
    unsafe {
        match address.cast::<u16>().read_unaligned() {
            INET => *address.add(4) == 127,
            INET6 => (8..23).all(|at| *address.add(at) == 0) && *address.add(23) == 1,
            _ => true,
        }
    }
}
