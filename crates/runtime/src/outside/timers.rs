//! Timers that are read as files (`timerfd`).
//!
//! Each timer is an event counter of the kernel, which the program reads, polls and closes
//! ([`crate::outside::channel`]). When a timer expires in virtual time ([`crate::outside::virtual_time`]), the runtime
//! writes to the counter. A thread that waits for the timer waits at most until then, as with any other timeout: the
//! timer may expire while other threads are enabled, or when none is.
//!
//! Clocks other than the two by which a thread can wait are treated as the monotonic clock.

use core::cell::Cell;

use crate::entry::start;
use crate::lifetime;
use crate::outside::clock::{self, Timespec};
use crate::outside::{channel, virtual_time};
use crate::schedule::{self, active, caller, current};
use crate::sys;
use heddle_model::Outcome;

/// The largest number of timers at a time.
const MOST: usize = 64;

/// A timer.
#[derive(Clone, Copy)]
struct Timer {
    /// The timer's descriptor plus 1; 0 if there is no timer here.
    file: i32,
    clock: i32,
    /// When it runs out: nanoseconds since the execution began.
    at: Option<u64>,
    /// The period after that; 0 if it runs out only once.
    interval: u64,
}

/// An unused entry.
const NONE: Timer = Timer { file: 0, clock: 0, at: None, interval: 0 };

/// The timers of this execution.
pub struct Timers {
    list: [Cell<Timer>; MOST],
    /// This execution has made a timer.
    used: Cell<bool>,
}

impl Timers {
    /// The state at the start of the process.
    pub const fn new() -> Timers {
        Timers { list: [const { Cell::new(NONE) }; MOST], used: Cell::new(false) }
    }

    /// Resets the state at the start of an execution.
    pub fn reset(&self) {
        let Timers { list, used } = self;
        if used.replace(false) {
            list.iter().for_each(|timer| timer.set(NONE));
        }
    }
}

fn timers() -> &'static [Cell<Timer>; MOST] {
    &lifetime::execution().timers.list
}

fn find(file: i32) -> Option<&'static Cell<Timer>> {
    timers().iter().find(|timer| timer.get().file == file + 1)
}

/// Forgets the timer behind `file`, which is closed.
pub fn closed(file: i32) {
    if let Some(timer) = find(file) {
        timer.set(NONE);
    }
}

/// Writes to the counters of the timers that have expired for the current thread.
pub fn run_out() {
    let now = virtual_time::now(current());
    for cell in timers() {
        let timer = cell.get();
        let Some(at) = timer.at.filter(|&at| at <= now) else { continue };
        let more = (now - at).checked_div(timer.interval).unwrap_or(0);
        cell.set(Timer { at: (timer.interval != 0).then(|| at + (more + 1) * timer.interval), ..timer });
        let count = more + 1;
        // SAFETY: a descriptor that is open, and eight bytes.
        unsafe { sys::syscall3(sys::WRITE, (timer.file - 1) as usize, &raw const count as usize, 8) };
    }
}

/// The time until a timer expires for the current thread: the timer of `file`, or any timer if `file` is `None`.
pub fn next(file: Option<i32>) -> Option<u64> {
    let now = virtual_time::now(current());
    let wanted = timers()
        .iter()
        .map(Cell::get)
        .filter(|timer| timer.file != 0 && file.is_none_or(|file| timer.file == file + 1));
    wanted.filter_map(|timer| timer.at).min().map(|at| at.saturating_sub(now).max(1))
}

/// The period of a timer, and the time until it expires.
fn left(timer: &Timer) -> [Timespec; 2] {
    let now = virtual_time::now(current());
    [Timespec::new(timer.interval), Timespec::new(timer.at.map_or(0, |at| at.saturating_sub(now).max(1)))]
}

originals! {
    fn timerfd_create(clock: i32, flags: i32) -> i32;
    fn timerfd_settime(file: i32, flags: i32, new: *const [Timespec; 2], old: *mut [Timespec; 2]) -> i32;
    fn timerfd_gettime(file: i32, into: *mut [Timespec; 2]) -> i32;
}

interpose! {
    fn timerfd_create(clock: i32, flags: i32) -> i32 {
        const EVENTFD2: usize = 290;
        let pc = caller();
        if !active() {
            return real::timerfd_create(clock, flags);
        }
        if start::restarts_by_snapshot() {
            schedule::stop(Outcome::NeedsFork, pc, b"a timer");
        }
        let file = channel::answer(sys::syscall3(EVENTFD2, 0, flags as usize, 0)) as i32;
        if file >= 0 {
            lifetime::execution().timers.used.set(true);
            match timers().iter().find(|timer| timer.get().file == 0) {
                Some(timer) => timer.set(Timer { file: file + 1, clock, at: None, interval: 0 }),
                None => schedule::unsupported("more than 64 timers at once", pc),
            }
        }
        file
    }
    fn timerfd_settime(file: i32, flags: i32, new: *const [Timespec; 2], old: *mut [Timespec; 2]) -> i32 {
        let pc = caller();
        if !active() {
            return real::timerfd_settime(file, flags, new, old);
        }
        let [interval, value] = *new;
        channel::until_done(pc, &mut || Some(set(file, flags, interval, value, old))) as i32
    }
    fn timerfd_gettime(file: i32, into: *mut [Timespec; 2]) -> i32 {
        let pc = caller();
        if !active() {
            return real::timerfd_gettime(file, into);
        }
        channel::until_done(pc, &mut || {
            let Some(timer) = find(file) else { return Some(EINVAL) };
            *into = left(&timer.get());
            Some(0)
        }) as i32
    }
}

const EINVAL: isize = -22;

/// Sets a timer. What its counter holds is discarded.
unsafe fn set(file: i32, flags: i32, interval: Timespec, value: Timespec, old: *mut [Timespec; 2]) -> isize {
    const ABSOLUTE: i32 = 1;
    const FCNTL: usize = 72;
    const GET_FLAGS: usize = 3;
    const SET_FLAGS: usize = 4;
    const NONBLOCK: usize = 0o4000;
    let (Some(timer), Some(every), Some(first)) = (find(file), interval.get(), value.get()) else { return EINVAL };
    // SAFETY: the program's own structure, and a descriptor that is open: the counter is emptied without waiting.
    unsafe {
        if !old.is_null() {
            *old = left(&timer.get());
        }
        let mut count = 0u64;
        let before = sys::syscall3(FCNTL, file as usize, GET_FLAGS, 0) as usize;
        sys::syscall3(FCNTL, file as usize, SET_FLAGS, before | NONBLOCK);
        sys::syscall3(sys::READ, file as usize, &raw mut count as usize, 8);
        sys::syscall3(FCNTL, file as usize, SET_FLAGS, before);
    }
    let now = virtual_time::now(current());
    let at = match flags & ABSOLUTE {
        _ if first == 0 => None,
        0 => Some(now.saturating_add(first)),
        _ => Some(clock::since_beginning(timer.get().clock, first)),
    };
    timer.set(Timer { at, interval: every, ..timer.get() });
    0
}
