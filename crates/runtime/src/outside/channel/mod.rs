//! Pipes, sockets and event counters between the program's own threads.
//!
//! A write at one end enables a read at the other, so these calls are visible operations. The contents stay in the
//! kernel. All channels together are one [resource](crate::outside::resource). This is coarser than necessary: calls on
//! two different pipes would commute. The runtime asks the kernel whether a thread can continue and never waits in it.
//!
//! Pipes and sockets are outside the program's memory, so programs that use them run each execution in a process of its
//! own ([`Restart::Fork`](heddle_model::wire::Restart)). Calls on streams over them come through [`on_stream`], one at
//! a time. [`crate::outside::trap`] handles other system calls of libc on them.
//!
//! A thread may also wait for a process that the program has created, which is outside the model. That process gets
//! time, so that its speed makes no difference ([`with_patience`]). If a thread waits for it in vain, that is not
//! reported as a deadlock.

pub mod by_number;
pub mod epoll;
pub mod pipe;
pub mod poll;
pub mod socket;

use core::cell::Cell;

use heddle_model::Outcome;

use crate::entry::start;
use crate::lifetime;
use crate::outside::clock::Timespec;
use crate::outside::resource::{Resource, Word};
use crate::outside::signals::delivery;
use crate::outside::{children, timers, trap};
use crate::schedule::{self, unsupported};
use crate::sys;

#[unsafe(no_mangle)]
static pipes_and_sockets: Word = Word::new(Cell::new(0));

/// The state of pipes and sockets in this execution.
pub struct Channels {
    /// The order in which threads use them.
    resource: Resource,
    /// A call of libc's on a stream is under way, of which the model was told.
    in_stream: Cell<bool>,
    /// The kernel has sent SIGPIPE, and the program does not know yet.
    broken: Cell<bool>,
}

impl Channels {
    /// The state at the start of the process.
    pub const fn new() -> Channels {
        Channels { resource: Resource::new(&pipes_and_sockets), in_stream: Cell::new(false), broken: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
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

// Numbers of system calls.
const POLL: usize = 7;
const READV: usize = 19;
const WRITEV: usize = 20;
const SENDTO: usize = 44;
const SENDMSG: usize = 46;
const SENDMMSG: usize = 307;
const PWRITEV2: usize = 328;
const FCNTL: usize = 72;
const FSTAT: usize = 5;
const READLINK: usize = 89;

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// Whether a descriptor is a pipe, a socket or an event counter.
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
        // Files without a kind are recognised by their name.
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
    // The kernel does not accept leading zeros in the name.
    let digits = path[14..24].iter().position(|&digit| digit != b'0').unwrap_or(9);
    path.copy_within(14 + digits.., 14);
    let mut name = [0u8; 64];
    // SAFETY: a path that ends in zero, and room for the answer.
    let length = unsafe { sys::syscall3(READLINK, path.as_ptr() as usize, name.as_mut_ptr() as usize, name.len()) };
    length == wanted.len() as isize && name.starts_with(wanted)
}

/// The kernel's `result` in the form of libc: an error is stored in `errno`.
pub fn answer(result: isize) -> isize {
    if result < 0 {
        // SAFETY: libc gives the address of the calling thread's own variable.
        unsafe { *__errno_location() = -result as i32 };
        return -1;
    }
    result
}

/// Repeats `attempt` until it succeeds. Returns `None` when the time is over.
fn until(pc: u64, waits: Waits, attempt: &mut dyn FnMut() -> Option<isize>) -> Option<isize> {
    if start::restarts_by_snapshot() {
        schedule::stop(Outcome::NeedsFork, pc, b"a pipe or a socket");
    }
    channels().resource.until(pc, &|| waits.timeout(), &mut || {
        timers::run_out();
        attempt().or_else(|| with_patience(attempt))
    })
}

/// Determines whether the program can wait here and be cancelled. Call this once.
pub fn set_up() {
    channels().resource.set_up(&[b"pipe", b"pipe2", b"socketpair", b"socket", b"eventfd", b"timerfd_create"]);
}

/// Repeats `attempt` for up to a second while a process that the program has created is running, because the speed of
/// that process must not matter.
fn with_patience(attempt: &mut dyn FnMut() -> Option<isize>) -> Option<isize> {
    const NANOSLEEP: usize = 35;
    const MILLISECOND: [u64; 2] = [0, 1_000_000];
    for _ in 0..1000 {
        if !children::has_made_any() {
            return None;
        }
        // On a busy machine a millisecond takes several: this wait is ours, and no hang of the program.
        schedule::progressed();
        // SAFETY: a time that is there.
        unsafe { sys::syscall3(NANOSLEEP, MILLISECOND.as_ptr() as usize, 0, 0) };
        if let done @ Some(_) = attempt() {
            return done;
        }
    }
    None
}

/// Whether a thread waits for a process that the program has created.
pub fn waits_outside() -> bool {
    channels().resource.is_awaited() && children::has_made_any()
}

/// Repeats `attempt` until it succeeds. Returns the result in the form of libc.
pub fn until_done(pc: u64, attempt: &mut dyn FnMut() -> Option<isize>) -> isize {
    answer(until(pc, Waits::For(-1), attempt).unwrap_or(0))
}

/// A call of libc on a stream over `file`, as one step. If the call `reads`, it waits until there is something to read.
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

/// A call of libc on streams that the model knows of, or need not know of.
pub fn in_stream<T>(call: impl FnOnce() -> T) -> T {
    channels().in_stream.set(true);
    let result = call();
    channels().in_stream.set(false);
    result
}

/// A system call that libc makes for a stream. Returns `None` if it would have to wait, or if the model does not know
/// of it.
pub fn from_libc(number: usize, arguments: &[usize; 6]) -> Option<isize> {
    let told = channels().in_stream.get() || schedule::is_first();
    told.then(|| make_at_once(number, *arguments)).flatten()
}

/// Wakes the threads that wait for a channel, because one of them may have been cancelled.
pub fn stir(pc: u64) {
    // A program that restarts from snapshots has no channels.
    if !start::restarts_by_snapshot() {
        channels().resource.stir(pc);
    }
}

/// How long a call may wait.
#[derive(Clone, Copy)]
enum Waits {
    /// For ever, or until this timer runs out, if it is one.
    For(i32),
    /// At most this long, if that is given, or until any timer runs out.
    AtMost(Option<Timespec>),
}

impl Waits {
    /// The time after which to look again, and whether it is a timer that ends it.
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

/// A call that waits until the descriptor in its first argument is ready, unless it must not wait. A write continues
/// until everything is written, as in the kernel, because other threads empty the pipe meanwhile.
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
        match number {
            sys::WRITE | SENDTO => {}
            WRITEV | PWRITEV2 | SENDMSG if (result as usize) < size_of_all(number, arguments) => {
                unsupported("a write in several pieces that does not fit at once", pc)
            }
            _ => return result,
        }
        rest[1] += result as usize;
        rest[2] = rest[2].saturating_sub(result as usize);
        if rest[2] == 0 {
            return done as isize + result;
        }
    }
}

/// Makes the program's system call.
fn make(number: usize, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    // SAFETY: under the contract of that call.
    let call = || unsafe { sys::syscall6(number, a, b, c, d, e, f) };
    let writes = matches!(number, sys::WRITE | WRITEV | PWRITEV2 | SENDTO | SENDMSG | SENDMMSG);
    if writes { holding_back_sigpipe(call) } else { call() }
}

const SIGPIPE: i32 = 13;

/// A call on a pipe that may have no reader any more. The kernel would end the process with SIGPIPE at a place that is
/// not an event, so the signal is intercepted.
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

/// Sends SIGPIPE to the current thread if it was intercepted.
fn tell_of_broken(pc: u64) {
    if channels().broken.replace(false) {
        delivery::send_to_self(SIGPIPE, pc);
    }
}

/// Like [`make`], but never waits in the kernel, where no other thread could run. Returns `None` if it would have to
/// wait.
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

/// The number of bytes that `writev`, `pwritev2` or `sendmsg` has to write.
fn size_of_all(number: usize, arguments: [usize; 6]) -> usize {
    // SAFETY: the program's own vector, which the kernel has just read: pairs of an address and a length. In a message it stands
    // behind the name and its length.
    unsafe {
        let (vector, count) = match number {
            WRITEV | PWRITEV2 => (arguments[1] as *const [usize; 2], arguments[2]),
            _ => {
                let message = arguments[1] as *const usize;
                (*message.add(2) as *const [usize; 2], *message.add(3))
            }
        };
        (0..count).map(|at| (*vector.add(at))[1]).sum()
    }
}

/// A timeout in milliseconds; none if it is negative.
pub fn milliseconds(timeout: i32) -> Option<Timespec> {
    u64::try_from(timeout).ok().map(|timeout| Timespec::new(timeout * 1_000_000))
}
