//! Time, which is virtual in an execution: it passes when a thread sleeps, and a little whenever one looks at a clock.
//!
//! Each thread has a clock of its own, which depends only on what that thread did: threads that do not communicate
//! must not be able to tell in which order they ran, else two executions that are equivalent would differ. A new
//! thread's clock starts at its creator's, and who joins a thread catches up with it ([`catch_up`]).
//!
//! Sleeping is a visible operation, and lets every other thread go first or not, as the schedule says: no program may
//! rely on sleep for its order of events.
//!
//! Outside executions all of this is libc's.

use heddle_model::primitive::yielding::{SLEEP, YIELD};
use heddle_model::{ObjectId, Operation, ThreadId};

use crate::engine::{self, active, caller};
use crate::pthread::cancel;
use crate::spin;

const SECOND: u64 = 1_000_000_000;
/// When executions begin: 2023-11-14 22:13:20 UTC.
const EPOCH: u64 = 1_700_000_000 * SECOND;
/// How long the machine has been up when executions begin.
const UPTIME: u64 = 1_000 * SECOND;
/// What a look at the clock takes: loops that wait for a moment end.
const TICK: u64 = 100_000;

const EINVAL: i32 = 22;
const TIMER_ABSTIME: i32 = 1;
const TIME_UTC: i32 = 1;

/// For each thread, the nanoseconds since the execution began. Reset for each execution.
static mut CLOCKS: [u64; 1 << 16] = [0; 1 << 16];
/// One past the highest thread whose clock may not be 0.
static mut EXTENT: usize = 0;

/// A point in time, or a duration.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

impl Timespec {
    const fn new(nanoseconds: u64) -> Timespec {
        Timespec { seconds: (nanoseconds / SECOND) as i64, nanoseconds: (nanoseconds % SECOND) as i64 }
    }

    /// In nanoseconds, if it makes sense.
    fn get(self) -> Option<u64> {
        let sound = self.seconds >= 0 && (0..SECOND as i64).contains(&self.nanoseconds);
        sound.then(|| (self.seconds as u64).saturating_mul(SECOND).saturating_add(self.nanoseconds as u64))
    }
}

/// All clocks back to the beginning. To be called before each execution.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        CLOCKS[..EXTENT].fill(0);
        EXTENT = 0;
    }
}

fn clock_of<'a>(thread: ThreadId) -> &'a mut u64 {
    // SAFETY: one kernel thread; every thread id is in range.
    unsafe {
        EXTENT = EXTENT.max(thread.index() + 1);
        &mut CLOCKS[thread.index()]
    }
}

/// Something happened in `earlier` before what `later` does now: its creation, or its end.
pub fn catch_up(later: ThreadId, earlier: ThreadId) {
    let other = *clock_of(earlier);
    let own = clock_of(later);
    *own = other.max(*own);
}

/// The current thread's time, which passes by looking at it.
fn look() -> u64 {
    spin::changed();
    let clock = clock_of(engine::current());
    *clock += TICK;
    *clock
}

/// What clock `id` shows at `time`, if there is such a clock.
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

/// Lets others go first.
fn give_way(pc: u64) {
    engine::visible(Operation::new(YIELD, ObjectId::NONE), pc, |_| ());
}

/// Sleeps: a visible operation, after which it is later.
pub fn sleep_for(nanoseconds: u64, pc: u64) {
    cancel::point(pc);
    let sleep = Operation::new(SLEEP, ObjectId::NONE).with_argument(nanoseconds);
    let event = engine::visible(cancel::at(sleep), pc, |_| ());
    cancel::obey(&event, pc);
    let clock = clock_of(engine::current());
    *clock = clock.saturating_add(nanoseconds);
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
    fn poll(files: usize, count: u64, timeout: i32) -> i32;
}

/// What `ftime` fills in.
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
        *into = Timespec::new(EPOCH + look());
        base
    }
    fn ftime(into: *mut Timeb) -> i32 {
        if !active() {
            return real::ftime(into);
        }
        let now = EPOCH + look();
        let milliseconds = (now % SECOND / 1_000_000) as u16;
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
        let (Some(until), Some(now)) = ((*duration).get(), reading(id, *clock_of(engine::current()))) else {
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
    // Without files to wait for, the following two are old ways to sleep.
    fn select(count: i32, read: usize, write: usize, except: usize, timeout: *mut [i64; 2]) -> i32 {
        let pc = caller();
        if active() && count == 0 && !timeout.is_null() {
            let [seconds, microseconds] = *timeout;
            let duration = Timespec { seconds, nanoseconds: microseconds.saturating_mul(1000) };
            return match duration.get() {
                Some(duration) => {
                    sleep_for(duration, pc);
                    *timeout = [0, 0];
                    0
                }
                None => fail(EINVAL),
            };
        }
        real::select(count, read, write, except, timeout)
    }
    fn poll(files: usize, count: u64, timeout: i32) -> i32 {
        let pc = caller();
        if active() && count == 0 && timeout >= 0 {
            sleep_for(timeout as u64 * 1_000_000, pc);
            return 0;
        }
        real::poll(files, count, timeout)
    }
}
