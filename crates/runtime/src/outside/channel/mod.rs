//! Pipes, sockets and event counters between the program's own threads.
//!
//! What is written at one end makes the other go on, so these are operations like any other. Their contents stay in the kernel; threads
//! [take turns](crate::outside::resource) at them. The kernel is asked whether a thread can go on, and never made to wait.
//!
//! One word for all is coarser than it must be: calls on two different pipes would commute.
//!
//! Such things are outside the program's memory, so programs that use them run in processes of their own
//! ([`Restart::Fork`](heddle_model::wire::Restart)). Streams over them come through [`on_stream`], a call at
//! a time; what else libc does with them on the program's behalf, [`crate::outside::trap`] names.
//!
//! Who waits may also wait for a process that the program has made, which is outside the model. It is given time, so that it makes no difference whether it
//! is fast ([`with_patience`]); a thread that waits for it in vain is not called a deadlock.

use core::cell::Cell;
use core::ffi::c_void;

use heddle_model::Outcome;

use crate::calls::buffers;
use crate::entry::start;
use crate::lifetime;
use crate::outside::clock::Timespec;
use crate::outside::files;
use crate::outside::files::ordered::{self, Use};
use crate::outside::resource::{Resource, Word};
use crate::outside::signals::delivery;
use crate::outside::{exit, timers, trap};
use crate::schedule::{self, active, caller, unsupported};
use crate::sys;

#[unsafe(no_mangle)]
static pipes_and_sockets: Word = Word::new(Cell::new(0));

/// How this execution uses pipes and sockets.
pub struct Channels {
    /// The order in which threads use them.
    resource: Resource,
    /// A call of libc's on a stream is under way, of which the model was told.
    in_stream: Cell<bool>,
    /// The kernel has sent SIGPIPE, and the program does not know yet.
    broken: Cell<bool>,
}

impl Channels {
    /// At start-up.
    pub const fn new() -> Channels {
        Channels { resource: Resource::new(&pipes_and_sockets), in_stream: Cell::new(false), broken: Cell::new(false) }
    }

    /// An execution begins.
    pub fn reset(&self) {
        let Channels { resource, in_stream, broken } = self;
        resource.reset();
        in_stream.set(false);
        broken.set(false);
    }
}

fn channels() -> &'static Channels {
    &lifetime::execution().channels
}

const IN: i16 = 1;
const OUT: i16 = 4;
const NONBLOCK: isize = 0o4000;
const DONT_WAIT: i32 = 0x40;
const EINPROGRESS: isize = -115;

// Numbers of system calls.
const POLL: usize = 7;
const READV: usize = 19;
const WRITEV: usize = 20;
const SELECT: usize = 23;
const CONNECT: usize = 42;
const SENDTO: usize = 44;
const RECVFROM: usize = 45;
const SENDMSG: usize = 46;
const RECVMSG: usize = 47;
const SHUTDOWN: usize = 48;
const EPOLL_CTL: usize = 233;
const LISTEN: usize = 50;
const FCNTL: usize = 72;
const EPOLL_WAIT: usize = 232;
const ACCEPT4: usize = 288;
const FSTAT: usize = 5;
const READLINK: usize = 89;

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// Whether a descriptor is one of these.
pub fn is_one(file: i32) -> bool {
    const KIND: u32 = 0o170_000;
    const FIFO: u32 = 0o010_000;
    const SOCKET: u32 = 0o140_000;
    if trap::is_captured(file) {
        return false;
    }
    let mut status = [0u64; 18];
    // SAFETY: the kernel fills in a structure of 144 bytes.
    if unsafe { sys::syscall3(FSTAT, file as usize, status.as_mut_ptr() as usize, 0) } != 0 {
        return false;
    }
    match status[3] as u32 & KIND {
        FIFO | SOCKET => true,
        // What has no kind has a name.
        0 => has_name(file, b"anon_inode:[eventfd]"),
        _ => false,
    }
}

fn has_name(file: i32, wanted: &[u8]) -> bool {
    let mut path = *b"/proc/self/fd/0000000000\0";
    let (mut at, mut rest) = (path.len() - 1, file as u32);
    while at > 14 {
        at -= 1;
        path[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    // The kernel takes leading zeros for another name: they are left out.
    let digits = path[14..24].iter().position(|&digit| digit != b'0').unwrap_or(9);
    path.copy_within(14 + digits.., 14);
    let mut name = [0u8; 64];
    // SAFETY: a path that ends in zero, and room for the answer.
    let length = unsafe { sys::syscall3(READLINK, path.as_ptr() as usize, name.as_mut_ptr() as usize, name.len()) };
    length == wanted.len() as isize && name.starts_with(wanted)
}

/// The kernel's answer as libc gives it.
pub fn answer(result: isize) -> isize {
    if result < 0 {
        // SAFETY: libc gives the address of the calling thread's own variable.
        unsafe { *__errno_location() = -result as i32 };
        return -1;
    }
    result
}

/// Tries until something comes of it. None when the time is over.
fn until(pc: u64, waits: Waits, attempt: &mut dyn FnMut() -> Option<isize>) -> Option<isize> {
    if start::restarts_by_snapshot() {
        schedule::stop(Outcome::NeedsFork, 0, pc, b"a pipe or a socket");
    }
    channels().resource.until(pc, &|| waits.timeout(), &mut || {
        timers::run_out();
        attempt().or_else(|| with_patience(attempt))
    })
}

/// Finds out whether the program can wait for one of these and be asked to end. Once.
pub fn set_up() {
    channels().resource.set_up(&[b"pipe", b"pipe2", b"socketpair", b"socket", b"eventfd", b"timerfd_create"]);
}

/// What comes of it when others outside the model are given time: processes that the program has made. How fast they are is not to matter.
fn with_patience(attempt: &mut dyn FnMut() -> Option<isize>) -> Option<isize> {
    const NANOSLEEP: usize = 35;
    const MILLISECOND: [u64; 2] = [0, 1_000_000];
    for _ in 0..1000 {
        if !exit::has_made_any() {
            return None;
        }
        // SAFETY: a time that is there.
        unsafe { sys::syscall3(NANOSLEEP, MILLISECOND.as_ptr() as usize, 0, 0) };
        if let done @ Some(_) = attempt() {
            return done;
        }
    }
    None
}

/// Whether somebody waits for what a process that the program has made may do.
pub fn waits_outside() -> bool {
    channels().resource.is_awaited() && exit::has_made_any()
}

/// Tries until something comes of it, and answers as libc does.
pub fn until_done(pc: u64, attempt: &mut dyn FnMut() -> Option<isize>) -> isize {
    answer(until(pc, Waits::For(-1), attempt).unwrap_or(0))
}

/// A call of libc's on a stream over `file`, which reads or writes there: one step, when there is something to read.
pub fn on_stream<T>(file: i32, reads: bool, pc: u64, call: impl FnOnce() -> T) -> T {
    let (mut call, mut result) = (Some(call), None);
    until(pc, Waits::For(file), &mut || {
        if reads && !is_ready(file, IN) {
            return None;
        }
        result = call.take().map(in_stream);
        Some(0)
    });
    match result {
        Some(result) => result,
        None => unsupported("a stream that nobody can use", pc),
    }
}

/// A call of libc's on streams, of which the model knows, or need not know.
pub fn in_stream<T>(call: impl FnOnce() -> T) -> T {
    channels().in_stream.set(true);
    let result = call();
    channels().in_stream.set(false);
    result
}

/// What libc does on behalf of a stream. None if it would have to wait, or nobody was told of it.
pub fn from_libc(number: usize, arguments: &[usize; 6]) -> Option<isize> {
    let told = channels().in_stream.get() || ordered::is_alone();
    told.then(|| make_at_once(number, *arguments)).flatten()
}

/// A thread was asked to end.
pub fn stir(pc: u64) {
    // A program that is put back by snapshots has none of these.
    if !start::restarts_by_snapshot() {
        channels().resource.stir(pc);
    }
}

/// How long to wait.
#[derive(Clone, Copy)]
enum Waits {
    /// For ever; if this is a timer, until it runs out.
    For(i32),
    /// So long, if that is given; or until any timer runs out.
    AtMost(Option<Timespec>),
}

impl Waits {
    /// The time until something may have changed by itself, and whether it is a timer that does.
    fn timeout(self) -> (Option<Timespec>, bool) {
        let (given, timer) = match self {
            Waits::For(file) => (None, timers::next(Some(file))),
            Waits::AtMost(given) => (given, timers::next(None)),
        };
        let given_time = given.and_then(Timespec::get);
        match timer.filter(|&time| given_time.is_none_or(|given| time < given)) {
            Some(time) => (Some(Timespec::new(time)), true),
            None => (given, false),
        }
    }
}

fn is_ready(file: i32, events: i16) -> bool {
    let mut asked = [file as u32 as u64 | (events as u16 as u64) << 32];
    // SAFETY: one structure of eight bytes; does not wait.
    unsafe { sys::syscall3(POLL, asked.as_mut_ptr() as usize, 1, 0) != 0 }
}

fn is_patient(file: i32) -> bool {
    const GET_FLAGS: usize = 3;
    // SAFETY: only asks.
    unsafe { sys::syscall3(FCNTL, file as usize, GET_FLAGS, 0) & NONBLOCK == 0 }
}

/// A call that waits until `file` is ready for it, unless it is told not to. What writes goes on until all is written, as the
/// kernel would have it: others empty the pipe meanwhile.
fn call(pc: u64, number: usize, arguments: [usize; 6], events: i16, flags: i32) -> isize {
    let file = arguments[0] as i32;
    if flags & DONT_WAIT != 0 || !is_patient(file) {
        let result = until(pc, Waits::For(file), &mut || Some(make(number, arguments)));
        tell_of_broken(pc);
        return answer(result.unwrap_or(0));
    }
    let mut rest = arguments;
    loop {
        let result =
            until(pc, Waits::For(file), &mut || is_ready(file, events).then(|| make_at_once(number, rest)).flatten());
        let result = result.unwrap_or(0);
        let done = rest[1] - arguments[1];
        if result <= 0 || events != OUT {
            tell_of_broken(pc);
            return if done > 0 { done as isize } else { answer(result) };
        }
        if number == WRITEV || number == SENDMSG {
            if (result as usize) < size_of_all(number, arguments) {
                unsupported("a write in several pieces that does not fit at once", pc);
            }
            return result;
        }
        rest[1] += result as usize;
        rest[2] = rest[2].saturating_sub(result as usize);
        if rest[2] == 0 {
            return done as isize + result;
        }
    }
}

/// The program's own call, made for it.
fn make(number: usize, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    // SAFETY: under the contract of that call.
    let call = || unsafe { sys::syscall6(number, a, b, c, d, e, f) };
    if matches!(number, sys::WRITE | WRITEV | SENDTO | SENDMSG) { holding_back_sigpipe(call) } else { call() }
}

const SIGPIPE: i32 = 13;

/// A call that may find that nobody reads any more. The kernel would end the process then, at a place where no event says so: what it
/// sends is taken from it.
fn holding_back_sigpipe(call: impl Fn() -> isize) -> isize {
    const RT_SIGTIMEDWAIT: usize = 128;
    const BLOCK: usize = 0;
    const SET: usize = 2;
    const EPIPE: isize = 32;
    const BYTES: usize = 8;
    let only = 1u64 << (SIGPIPE - 1);
    let (mut before, at_once) = (0u64, [0u64; 2]);
    let set = &raw const only as usize;
    // SAFETY: plain system calls with words of our own. The program's masks are not the kernel's.
    unsafe {
        sys::syscall6(sys::RT_SIGPROCMASK, BLOCK, set, &raw mut before as usize, BYTES, 0, 0);
        let result = call();
        if result == -EPIPE {
            let sent = sys::syscall6(RT_SIGTIMEDWAIT, set, 0, at_once.as_ptr() as usize, BYTES, 0, 0);
            channels().broken.set(channels().broken.get() || sent == SIGPIPE as isize);
        }
        sys::syscall6(sys::RT_SIGPROCMASK, SET, &raw const before as usize, 0, BYTES, 0, 0);
        result
    }
}

/// The thread sends itself the signal that the kernel has sent it.
fn tell_of_broken(pc: u64) {
    if channels().broken.replace(false) {
        delivery::send_to_self(SIGPIPE, pc);
    }
}

/// The same, but in no case does it wait in the kernel, where nobody else could go on. None if it would have to.
fn make_at_once(number: usize, arguments: [usize; 6]) -> Option<isize> {
    const GET_FLAGS: usize = 3;
    const SET_FLAGS: usize = 4;
    const EAGAIN: isize = -11;
    let file = arguments[0];
    // SAFETY: the flags are put back before anybody can look at them.
    let result = unsafe {
        let flags = sys::syscall3(FCNTL, file, GET_FLAGS, 0);
        sys::syscall3(FCNTL, file, SET_FLAGS, (flags | NONBLOCK) as usize);
        let result = make(number, arguments);
        sys::syscall3(FCNTL, file, SET_FLAGS, flags as usize);
        result
    };
    (result != EAGAIN).then_some(result)
}

/// How much is to be written by `writev` or `sendmsg`.
fn size_of_all(number: usize, arguments: [usize; 6]) -> usize {
    // SAFETY: the program's own vector, which the kernel has just read: pairs of an address and a length. In a message it stands
    // behind the name and its length.
    unsafe {
        let (vector, count) = match number {
            WRITEV => (arguments[1] as *const [usize; 2], arguments[2]),
            _ => {
                let message = arguments[1] as *const usize;
                (*message.add(2) as *const [usize; 2], *message.add(3))
            }
        };
        (0..count).map(|at| (*vector.add(at))[1]).sum()
    }
}

/// Whether an address is on this machine: of another kind than the internet's, or a loopback one.
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

fn milliseconds(timeout: i32) -> Option<Timespec> {
    u64::try_from(timeout).ok().map(|timeout| Timespec::new(timeout * 1_000_000))
}

/// `poll`, for [`crate::outside::clock`], which knows it as a way to sleep.
pub unsafe fn poll(files: usize, count: u64, timeout: i32, pc: u64) -> i32 {
    let mut attempt = || {
        // SAFETY: the program's own call, without waiting.
        let ready = unsafe { sys::syscall3(POLL, files, count as usize, 0) };
        (ready != 0 || timeout == 0).then_some(ready)
    };
    answer(until(pc, Waits::AtMost(milliseconds(timeout)), &mut attempt).unwrap_or(0)) as i32
}

/// `select`, likewise.
pub unsafe fn select(count: i32, sets: [usize; 3], timeout: Option<Timespec>, pc: u64) -> i32 {
    const SET: usize = 16;
    let at_once = timeout.is_some_and(|time| time.is_zero());
    // SAFETY: the program's own sets. The kernel changes them even if nothing is ready.
    unsafe {
        let words = (count.max(0) as usize).div_ceil(64).min(SET);
        let wanted = sets.map(|set| {
            let mut whole = [0u64; SET];
            if set != 0 {
                (0..words).for_each(|i| whole[i] = (set as *const u64).add(i).read_unaligned());
            }
            whole
        });
        let mut attempt = || {
            for (set, wanted) in sets.iter().zip(&wanted).filter(|(set, _)| **set != 0) {
                (0..words).for_each(|i| (*set as *mut u64).add(i).write_unaligned(wanted[i]));
            }
            let now = [0i64; 2];
            let ready = sys::syscall6(SELECT, count as usize, sets[0], sets[1], sets[2], now.as_ptr() as usize, 0);
            (ready != 0 || at_once).then_some(ready)
        };
        answer(until(pc, Waits::AtMost(timeout.filter(|_| !at_once)), &mut attempt).unwrap_or(0)) as i32
    }
}

originals! {
    fn read(file: i32, into: *mut c_void, size: usize) -> isize;
    fn write(file: i32, from: *const c_void, size: usize) -> isize;
    fn readv(file: i32, vector: usize, count: i32) -> isize;
    fn writev(file: i32, vector: usize, count: i32) -> isize;
    fn close(file: i32) -> i32;
    fn recv(file: i32, into: *mut c_void, size: usize, flags: i32) -> isize;
    fn recvfrom(file: i32, into: *mut c_void, size: usize, flags: i32, from: usize, length: usize) -> isize;
    fn recvmsg(file: i32, message: usize, flags: i32) -> isize;
    fn send(file: i32, from: *const c_void, size: usize, flags: i32) -> isize;
    fn sendto(file: i32, from: *const c_void, size: usize, flags: i32, to: usize, length: u32) -> isize;
    fn sendmsg(file: i32, message: usize, flags: i32) -> isize;
    fn accept(file: i32, address: usize, length: usize) -> i32;
    fn accept4(file: i32, address: usize, length: usize, flags: i32) -> i32;
    fn connect(file: i32, address: *const u8, length: u32) -> i32;
    fn shutdown(file: i32, how: i32) -> i32;
    fn eventfd_read(file: i32, value: *mut u64) -> i32;
    fn eventfd_write(file: i32, value: u64) -> i32;
    fn epoll_wait(file: i32, events: usize, most: i32, timeout: i32) -> i32;
    fn epoll_ctl(file: i32, how: i32, watched: i32, event: usize) -> i32;
    fn listen(file: i32, most: i32) -> i32;
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
            // Who reads at the other end goes on, with nothing.
            let closed = call(pc, sys::CLOSE, [file as usize, 0, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
            timers::closed(file);
            return closed;
        }
        ordered::uses(file, Use::Position, pc);
        real::close(file)
    }
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
            if result == -1 && *__errno_location() == -EINPROGRESS as i32 && is_patient(file) {
                unsupported("a connection that does not come about at once", pc);
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
    // Who waits for others may have something to wait for now, and who connects somebody to connect to.
    fn epoll_ctl(file: i32, how: i32, watched: i32, event: usize) -> i32 {
        let pc = caller();
        if active() {
            let arguments = [file as usize, how as usize, watched as usize, event, 0, 0];
            return call(pc, EPOLL_CTL, arguments, 0, DONT_WAIT) as i32;
        }
        real::epoll_ctl(file, how, watched, event)
    }
    fn listen(file: i32, most: i32) -> i32 {
        let pc = caller();
        if active() {
            return call(pc, LISTEN, [file as usize, most as usize, 0, 0, 0, 0], 0, DONT_WAIT) as i32;
        }
        real::listen(file, most)
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
    fn epoll_wait(file: i32, events: usize, most: i32, timeout: i32) -> i32 {
        let pc = caller();
        if active() {
            let mut attempt = || {
                // Without waiting.
                let ready = sys::syscall6(EPOLL_WAIT, file as usize, events, most as usize, 0, 0, 0);
                (ready != 0 || timeout == 0).then_some(ready)
            };
            return answer(until(pc, Waits::AtMost(milliseconds(timeout)), &mut attempt).unwrap_or(0)) as i32;
        }
        real::epoll_wait(file, events, most, timeout)
    }
}
