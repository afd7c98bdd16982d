//! Calls that read the time or let it pass. Time is virtual in an execution: see [`crate::outside::virtual_time`].
//!
//! Sleeping is a visible operation, and the schedule decides which threads run before it. No program may rely on
//! sleeping for the order of its events.
//!
//! Outside executions, libc answers all these calls.

use heddle_model::primitive::process_state::{How, State};
use heddle_model::primitive::yielding::{SLEEP, YIELD};
use heddle_model::{ObjectId, Operation};

use crate::calls::pthread::cancel;
use crate::outside::channel;
use crate::outside::signals::mask;
use crate::outside::virtual_time;
use crate::schedule::timed::Deadline;
use crate::schedule::{self, active, caller, fiber, is_alone, spin_loop};
use crate::state::livelock;

const SECOND: u64 = 1_000_000_000;
/// The real time at which executions begin: 2023-11-14 22:13:20 UTC.
pub const EPOCH: u64 = 1_700_000_000 * SECOND;
/// The uptime of the machine at the start of executions.
pub const UPTIME: u64 = 1_000 * SECOND;

const EINVAL: i32 = 22;
/// The number of the real-time clock. Threads can wait by this clock and by [`MONOTONIC`].
pub const REALTIME: i32 = 0;
/// The number of the monotonic clock.
pub const MONOTONIC: i32 = 1;
const TIMER_ABSTIME: i32 = 1;
const TIME_UTC: i32 = 1;

/// A point in time, or a duration.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

impl Timespec {
    /// A duration of this many nanoseconds.
    pub const fn new(nanoseconds: u64) -> Timespec {
        Timespec { seconds: (nanoseconds / SECOND) as i64, nanoseconds: (nanoseconds % SECOND) as i64 }
    }

    /// Whether the time is zero.
    pub fn is_zero(self) -> bool {
        self.get() == Some(0)
    }

    /// The time in nanoseconds. None if it is negative or its nanoseconds are out of range.
    pub fn get(self) -> Option<u64> {
        let sound = self.seconds >= 0 && (0..SECOND as i64).contains(&self.nanoseconds);
        sound.then(|| (self.seconds as u64).saturating_mul(SECOND).saturating_add(self.nanoseconds as u64))
    }
}

/// How many looks of each thread are ordered with those of others. Programs that poll a clock look thousands of times, and no
/// search could go through the orders of all of them.
const ORDERED_LOOKS: u32 = 2;

/// The current thread's time. Reading it advances it.
///
/// Threads can tell who looked first: who looks later sees a later time. So a look is an operation that commutes with no other
/// look. That holds for the first [`ORDERED_LOOKS`] of each thread while there are others. Later ones follow the clock of their
/// own thread, which is as late as everything that the thread has learnt of.
fn look() -> u64 {
    let pc = caller();
    livelock::outside();
    let thread = schedule::current();
    let looks = &fiber::of(thread).looks_at_clocks;
    let mut now = 0;
    if is_alone() || looks.get() == ORDERED_LOOKS {
        now = virtual_time::look(thread);
    } else {
        looks.set(looks.get() + 1);
        let operation = State::Clock.operation(How::Change, 0);
        schedule::visible(operation, pc, |event| now = virtual_time::look_after(event.thread, operation.object));
    }
    spin_loop::read_clock(thread, now);
    now
}

/// Notes that the running thread is about to have `size` bytes at `into` filled in with a time.
fn fills_in<T>(into: *const T) {
    crate::calls::tsan::access::filled_in(into as usize, size_of::<T>());
}

/// The value of clock `id` at the virtual time `time`. `None` if there is no such clock.
fn reading(id: i32, time: u64) -> Option<u64> {
    match id {
        // Real time, coarse, alarm, TAI.
        0 | 5 | 8 | 11 => Some(EPOCH + time),
        // Monotonic, raw, coarse, boot time, boot time alarm.
        1 | 4 | 6 | 7 | 9 => Some(UPTIME + time),
        // Processor time of the process, of the thread, of others (negative numbers).
        2 | 3 => Some(time),
        _ if id < 0 => Some(time),
        _ => None,
    }
}

/// The deadline at `time` of clock `id`. None if a thread cannot wait by that clock, or the time is not valid.
pub unsafe fn deadline(id: i32, time: *const Timespec) -> Option<Deadline> {
    // SAFETY: the program's.
    let time = unsafe { *time };
    let begin = match id {
        REALTIME => EPOCH,
        MONOTONIC => UPTIME,
        _ => return None,
    };
    if !(0..SECOND as i64).contains(&time.nanoseconds) {
        return None;
    }
    // A time before the start of the execution has passed.
    Some(time.get().and_then(|time| time.checked_sub(begin)).map_or(Deadline::passed(), Deadline::at))
}

/// The virtual time at which clock `id` shows `time`: nanoseconds since the execution began.
pub fn since_beginning(id: i32, time: u64) -> u64 {
    time.saturating_sub(if id == REALTIME { EPOCH } else { UPTIME })
}

/// Whether the program can wait by clock `id`.
pub fn is_waitable(id: i32) -> bool {
    matches!(id, REALTIME | MONOTONIC)
}

/// The deadline that is `duration` from now. None if the duration is not valid.
pub unsafe fn deadline_after(duration: *const Timespec) -> Option<Deadline> {
    // SAFETY: the program's.
    unsafe { (*duration).get() }.map(Deadline::after)
}

/// Yields to other threads.
fn give_way(pc: u64) {
    schedule::visible(Operation::new(YIELD, ObjectId::NONE), pc, |_| ());
}

/// Sleeps: a visible operation, after which the thread's time has advanced.
pub fn sleep_for(nanoseconds: u64, pc: u64) {
    cancel::point(pc);
    let sleep = Operation::new(SLEEP, ObjectId::NONE).with_argument(nanoseconds);
    let event = schedule::visible(cancel::at(sleep), pc, |_| ());
    cancel::obey(&event, pc);
    virtual_time::pass(schedule::current(), nanoseconds);
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

fn fail(error: i32) -> i32 {
    // SAFETY: libc gives the address of the calling thread's own variable.
    unsafe { *__errno_location() = error };
    -1
}

originals! {
    fn clock_gettime(id: i32, into: *mut Timespec) -> i32;
    fn gettimeofday(into: *mut [i64; 2], zone: *mut [i32; 2]) -> i32;
    fn time(into: *mut i64) -> i64;
    fn clock() -> i64;
    fn times(into: *mut [i64; 4]) -> i64;
    fn timespec_get(into: *mut Timespec, base: i32) -> i32;
    fn ftime(into: *mut Timeb) -> i32;
    fn sleep(seconds: u32) -> u32;
    fn usleep(microseconds: u32) -> i32;
    fn nanosleep(duration: *const Timespec, rest: *mut Timespec) -> i32;
    fn clock_nanosleep(id: i32, flags: i32, duration: *const Timespec, rest: *mut Timespec) -> i32;
    fn thrd_sleep(duration: *const Timespec, rest: *mut Timespec) -> i32;
    fn sched_yield() -> i32;
    fn pthread_yield() -> i32;
    fn thrd_yield();
    fn select(count: i32, read: usize, write: usize, except: usize, timeout: *mut [i64; 2]) -> i32;
    fn pselect(count: i32, read: usize, write: usize, except: usize, timeout: *const Timespec, mask: *const u64) -> i32;
    fn poll(files: usize, count: u64, timeout: i32) -> i32;
    fn __poll_chk(files: usize, count: u64, timeout: i32, room: usize) -> i32;
    fn ppoll(files: usize, count: u64, timeout: *const Timespec, mask: *const u64) -> i32;
    fn __ppoll_chk(files: usize, count: u64, timeout: *const Timespec, mask: *const u64, room: usize) -> i32;
}

/// The structure that `ftime` fills in.
#[repr(C)]
pub struct Timeb {
    time: i64,
    milliseconds: u16,
    zone: i16,
    summer: i16,
}

interpose! {
    fn clock_gettime(id: i32, into: *mut Timespec) -> i32 {
        if !active() {
            return real::clock_gettime(id, into);
        }
        match reading(id, look()) {
            Some(now) => {
                fills_in(into);
                *into = Timespec::new(now);
                0
            }
            None => fail(EINVAL),
        }
    }
    fn gettimeofday(into: *mut [i64; 2], zone: *mut [i32; 2]) -> i32 {
        if !active() {
            return real::gettimeofday(into, zone);
        }
        let now = EPOCH + look();
        if !into.is_null() {
            fills_in(into);
            *into = [(now / SECOND) as i64, (now % SECOND / 1000) as i64];
        }
        if !zone.is_null() {
            *zone = [0, 0];
        }
        0
    }
    fn time(into: *mut i64) -> i64 {
        if !active() {
            return real::time(into);
        }
        let now = ((EPOCH + look()) / SECOND) as i64;
        if !into.is_null() {
            fills_in(into);
            *into = now;
        }
        now
    }
    fn clock() -> i64 {
        if active() { (look() / 1000) as i64 } else { real::clock() }
    }
    fn times(into: *mut [i64; 4]) -> i64 {
        if !active() {
            return real::times(into);
        }
        let ticks = (look() / (SECOND / 100)) as i64;
        if !into.is_null() {
            fills_in(into);
        *into = [ticks, 0, 0, 0];
        }
        (UPTIME / (SECOND / 100)) as i64 + ticks
    }
    fn timespec_get(into: *mut Timespec, base: i32) -> i32 {
        if !active() {
            return real::timespec_get(into, base);
        }
        if base != TIME_UTC {
            return 0;
        }
        fills_in(into);
        *into = Timespec::new(EPOCH + look());
        base
    }
    fn ftime(into: *mut Timeb) -> i32 {
        if !active() {
            return real::ftime(into);
        }
        let now = EPOCH + look();
        let milliseconds = (now % SECOND / 1_000_000) as u16;
        fills_in(into);
        *into = Timeb { time: (now / SECOND) as i64, milliseconds, zone: 0, summer: 0 };
        0
    }
    fn sleep(seconds: u32) -> u32 {
        let pc = caller();
        if !active() {
            return real::sleep(seconds);
        }
        sleep_for(u64::from(seconds) * SECOND, pc);
        0
    }
    fn usleep(microseconds: u32) -> i32 {
        let pc = caller();
        if !active() {
            return real::usleep(microseconds);
        }
        sleep_for(u64::from(microseconds) * 1000, pc);
        0
    }
    fn nanosleep(duration: *const Timespec, rest: *mut Timespec) -> i32 {
        let pc = caller();
        if !active() {
            return real::nanosleep(duration, rest);
        }
        match (*duration).get() {
            Some(duration) => {
                sleep_for(duration, pc);
                0
            }
            None => fail(EINVAL),
        }
    }
    fn clock_nanosleep(id: i32, flags: i32, duration: *const Timespec, rest: *mut Timespec) -> i32 {
        let pc = caller();
        if !active() {
            return real::clock_nanosleep(id, flags, duration, rest);
        }
        // Unlike the others it returns its error.
        let (Some(until), Some(now)) = ((*duration).get(), reading(id, virtual_time::now(schedule::current()))) else {
            return EINVAL;
        };
        sleep_for(if flags & TIMER_ABSTIME != 0 { until.saturating_sub(now) } else { until }, pc);
        0
    }
    fn thrd_sleep(duration: *const Timespec, rest: *mut Timespec) -> i32 {
        let pc = caller();
        if !active() {
            return real::thrd_sleep(duration, rest);
        }
        match (*duration).get() {
            Some(duration) => {
                sleep_for(duration, pc);
                0
            }
            None => -2,
        }
    }
    fn sched_yield() -> i32 {
        let pc = caller();
        if !active() {
            return real::sched_yield();
        }
        give_way(pc);
        0
    }
    fn pthread_yield() -> i32 {
        let pc = caller();
        if !active() {
            return real::pthread_yield();
        }
        give_way(pc);
        0
    }
    fn thrd_yield() {
        let pc = caller();
        if !active() {
            return real::thrd_yield();
        }
        give_way(pc);
    }
    fn select(count: i32, read: usize, write: usize, except: usize, timeout: *mut [i64; 2]) -> i32 {
        let pc = caller();
        if !active() {
            return real::select(count, read, write, except, timeout);
        }
        let wait = if timeout.is_null() {
            None
        } else {
            let [seconds, microseconds] = *timeout;
            Some(Timespec { seconds, nanoseconds: microseconds.saturating_mul(1000) })
        };
        let result = select_for(count, [read, write, except], wait, pc);
        if count == 0 && result == 0 && !timeout.is_null() {
            // The kernel says how much time is left.
            *timeout = [0, 0];
        }
        result
    }
    fn pselect(
        count: i32,
        read: usize,
        write: usize,
        except: usize,
        timeout: *const Timespec,
        mask: *const u64,
    ) -> i32 {
        let pc = caller();
        if !active() {
            return real::pselect(count, read, write, except, timeout, mask);
        }
        let wait = given(timeout);
        mask::during(mask, pc, || select_for(count, [read, write, except], wait, pc))
    }
    fn poll(files: usize, count: u64, timeout: i32) -> i32 {
        let pc = caller();
        if active() { poll_for(files, count, channel::milliseconds(timeout), pc) } else { real::poll(files, count, timeout) }
    }
    fn __poll_chk(files: usize, count: u64, timeout: i32, room: usize) -> i32 {
        let pc = caller();
        if active() && count <= room as u64 / POLLFD {
            return poll_for(files, count, channel::milliseconds(timeout), pc);
        }
        real::__poll_chk(files, count, timeout, room)
    }
    fn ppoll(files: usize, count: u64, timeout: *const Timespec, mask: *const u64) -> i32 {
        let pc = caller();
        if !active() {
            return real::ppoll(files, count, timeout, mask);
        }
        let wait = given(timeout);
        mask::during(mask, pc, || poll_for(files, count, wait, pc))
    }
    fn __ppoll_chk(files: usize, count: u64, timeout: *const Timespec, mask: *const u64, room: usize) -> i32 {
        let pc = caller();
        if !active() || count > room as u64 / POLLFD {
            return real::__ppoll_chk(files, count, timeout, mask, room);
        }
        let wait = given(timeout);
        mask::during(mask, pc, || poll_for(files, count, wait, pc))
    }
}

/// The size of `struct pollfd` in bytes.
const POLLFD: u64 = 8;

/// The time at `time`, if the program gives one.
unsafe fn given(time: *const Timespec) -> Option<Timespec> {
    // SAFETY: the program's own time, or none.
    unsafe { time.as_ref().copied() }
}

/// `select`. Without descriptors it is an old way to sleep.
unsafe fn select_for(count: i32, sets: [usize; 3], timeout: Option<Timespec>, pc: u64) -> i32 {
    match timeout.map(Timespec::get) {
        Some(None) => fail(EINVAL),
        Some(Some(duration)) if count == 0 => {
            sleep_for(duration, pc);
            0
        }
        // SAFETY: the program's own sets.
        _ => unsafe { channel::poll::select(count, sets, timeout, pc) },
    }
}

/// `poll`. Without descriptors it is an old way to sleep.
unsafe fn poll_for(files: usize, count: u64, timeout: Option<Timespec>, pc: u64) -> i32 {
    match timeout.map(Timespec::get) {
        Some(None) => fail(EINVAL),
        Some(Some(duration)) if count == 0 => {
            sleep_for(duration, pc);
            0
        }
        // SAFETY: the program's own descriptors.
        _ => unsafe { channel::poll::poll(files, count, timeout, pc) },
    }
}

/// A call that waits for descriptors or for a time, which the program makes by its number. Returns `None` if it is another call.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn by_number(number: i64, &[a, b, c, d, e, f]: &[usize; 6]) -> Option<isize> {
    // SAFETY: the caller's. These functions are not entered from the program, so the place is that of the call by number. The last
    // argument of `pselect6` is the address of a pair: the mask's address and its size.
    let result = unsafe {
        match number {
            7 => poll::body(a, b as u64, c as i32),
            23 => select::body(a as i32, b, c, d, e as *mut [i64; 2]),
            35 => nanosleep::body(a as *const Timespec, b as *mut Timespec),
            230 => match clock_nanosleep::body(a as i32, b as i32, c as *const Timespec, d as *mut Timespec) {
                0 => 0,
                error => fail(error),
            },
            270 => {
                let mask = if f == 0 { core::ptr::null() } else { *(f as *const *const u64) };
                pselect::body(a as i32, b, c, d, e as *const Timespec, mask)
            }
            271 => ppoll::body(a, b as u64, c as *const Timespec, d as *const u64),
            _ => return None,
        }
    };
    Some(result as isize)
}

/// The time in seconds, by the clock that is never set.
pub fn seconds() -> f64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: a place of our own. Not entered from the program, so the place is that of the function which is.
    unsafe { clock_gettime::body(MONOTONIC, &mut now) };
    now.seconds as f64 + now.nanoseconds as f64 * 1e-9
}
