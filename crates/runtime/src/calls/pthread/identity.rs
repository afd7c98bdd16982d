//! Properties of a thread other than its life: its name, processors, priority and clock.
//!
//! Heddle schedules the threads. Requests about scheduling succeed and have no effect, except that they can be read back.

use core::ffi::c_int;

use heddle_model::ThreadId;
use heddle_model::primitive::process_state::{How, State};

use crate::calls::process_state::touches_part;
use crate::outside::{channel, ids, machine};
use crate::schedule::fiber::{self, NAME};
use crate::schedule::{active, caller, current};

originals! {
    fn pthread_setname_np(thread: usize, name: *const u8) -> c_int;
    fn pthread_getname_np(thread: usize, name: *mut u8, size: usize) -> c_int;
    fn pthread_getcpuclockid(thread: usize, clock: *mut c_int) -> c_int;
    fn pthread_setaffinity_np(thread: usize, size: usize, set: usize) -> c_int;
    fn pthread_getaffinity_np(thread: usize, size: usize, set: *mut u8) -> c_int;
    fn pthread_setschedparam(thread: usize, policy: c_int, parameters: *const c_int) -> c_int;
    fn pthread_getschedparam(thread: usize, policy: *mut c_int, parameters: *mut c_int) -> c_int;
    fn pthread_setschedprio(thread: usize, priority: c_int) -> c_int;
    fn sched_setaffinity(process: c_int, size: usize, set: usize) -> c_int;
    fn sched_getaffinity(process: c_int, size: usize, set: *mut u8) -> c_int;
    fn sched_setscheduler(process: c_int, policy: c_int, parameters: *const c_int) -> c_int;
    fn sched_getscheduler(process: c_int) -> c_int;
    fn sched_setparam(process: c_int, parameters: *const c_int) -> c_int;
    fn sched_getparam(process: c_int, parameters: *mut c_int) -> c_int;
}

const ESRCH: c_int = 3;
const EINVAL: c_int = 22;
const ERANGE: c_int = 34;
const CLOCK_THREAD_CPUTIME_ID: c_int = 3;

/// `prctl(PR_SET_NAME)`: sets the name of the current thread, truncated to what there is room for.
pub fn set_own_name(name: usize) -> isize {
    // SAFETY: the program's string, up to its end.
    unsafe {
        let name = name as *const u8;
        let length = (0..NAME - 1).find(|&i| *name.add(i) == 0).unwrap_or(NAME - 1);
        set_name(current(), core::slice::from_raw_parts(name, length));
    }
    0
}

/// `prctl(PR_GET_NAME)`: writes the name of the current thread to `into`.
pub fn own_name(into: usize) -> isize {
    // SAFETY: the program's room for it.
    unsafe { (into as *mut [u8; NAME]).write_unaligned(fiber::of(current()).name.get()) };
    0
}

/// Gives `thread` a name, which is shorter than [`NAME`] bytes.
fn set_name(thread: ThreadId, name: &[u8]) {
    let mut whole = [0; NAME];
    whole[..name.len()].copy_from_slice(name);
    fiber::of(thread).name.set(whole);
}

/// How a thread has asked to be scheduled. A new thread inherits it.
#[derive(Clone, Copy, Default)]
pub struct Scheduling {
    policy: c_int,
    priority: c_int,
    /// The processors that it may run on, a bit for each; 0 means all.
    processors: u8,
}

impl Scheduling {
    /// All numbers, to be compared. Priorities have two digits.
    pub fn word(self) -> u64 {
        self.policy as u32 as u64 | (self.priority as u16 as u64) << 32 | (self.processors as u64) << 48
    }

    /// The processors, a bit for each.
    fn processors(self) -> u8 {
        if self.processors == 0 { machine::ALL } else { self.processors }
    }
}

/// `thread` may run on the processors in the set of `size` bytes. The result is that of the system call `sched_setaffinity`.
unsafe fn sets_processors(thread: ThreadId, size: usize, set: usize) -> isize {
    // SAFETY: the program's set, of this size.
    let asked = if size == 0 { 0 } else { unsafe { *(set as *const u8) } };
    let processors = asked & machine::ALL;
    if processors == 0 {
        return -EINVAL as isize;
    }
    fiber::of(thread).scheduling.update(|before| Scheduling { processors, ..before });
    0
}

/// `sched_setaffinity` of the thread with this number, as a system call.
///
/// # Safety
/// The program's set, of this size.
pub unsafe fn set_processors(number: c_int, size: usize, set: usize) -> isize {
    // SAFETY: the caller's.
    numbered(number).map_or(-ESRCH as isize, |thread| unsafe { sets_processors(thread, size, set) })
}

/// The processors of the thread with this number, a bit for each. `None` if there is no such thread.
pub fn processors_of(number: c_int) -> Option<u8> {
    numbered(number).map(|thread| fiber::of(thread).scheduling.get().processors())
}

/// Takes in the model that it is looked at or changed how the thread with this number is scheduled.
pub fn touches_scheduling(number: c_int, how: How, pc: u64) {
    touches_processors(numbered(number), how, pc);
}

/// Takes in the model that the processors of a thread are looked at or changed.
fn touches_processors(thread: Option<ThreadId>, how: How, pc: u64) {
    if let Some(thread) = thread {
        touches_part(State::ThreadScheduling, how, thread.index() as u64, pc);
    }
}

/// Changes how `thread` has asked to be scheduled.
fn sets(thread: ThreadId, pc: u64, change: impl FnOnce(Scheduling) -> Scheduling) -> c_int {
    touches_part(State::ThreadScheduling, How::Change, thread.index() as u64, pc);
    fiber::of(thread).scheduling.update(change);
    0
}

/// How `thread` has asked to be scheduled.
fn asks(thread: ThreadId, pc: u64) -> Scheduling {
    touches_part(State::ThreadScheduling, How::Read, thread.index() as u64, pc);
    fiber::of(thread).scheduling.get()
}

/// The thread that the kernel knows by this number: 0 is the calling thread. `None` if there is no such thread.
fn numbered(number: c_int) -> Option<ThreadId> {
    if number == 0 { Some(current()) } else { ids::thread_with(number) }
}

interpose! {
    fn pthread_setname_np(thread: usize, name: *const u8) -> c_int {
        if !active() {
            return real::pthread_setname_np(thread, name);
        }
        let Some(length) = (0..NAME).find(|&i| *name.add(i) == 0) else { return ERANGE };
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        touches_part(State::ThreadName, How::Change, thread.index() as u64, pc);
        set_name(thread, core::slice::from_raw_parts(name, length));
        0
    }
    fn pthread_getname_np(thread: usize, name: *mut u8, size: usize) -> c_int {
        if !active() {
            return real::pthread_getname_np(thread, name, size);
        }
        if size < NAME {
            return ERANGE;
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        touches_part(State::ThreadName, How::Read, thread.index() as u64, pc);
        name.cast::<[u8; NAME]>().write_unaligned(fiber::of(thread).name.get());
        0
    }
    fn pthread_getcpuclockid(thread: usize, clock: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_getcpuclockid(thread, clock);
        }
        // A thread's own time is virtual, like all time. That of another thread has no number that could be read.
        if fiber::thread_at(thread) != Some(crate::schedule::current()) {
            crate::schedule::unsupported("pthread_getcpuclockid of another thread", crate::schedule::caller());
        }
        *clock = CLOCK_THREAD_CPUTIME_ID;
        0
    }
    fn pthread_setaffinity_np(thread: usize, size: usize, set: usize) -> c_int {
        if !active() {
            return real::pthread_setaffinity_np(thread, size, set);
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        touches_processors(Some(thread), How::Change, pc);
        -sets_processors(thread, size, set) as c_int
    }
    fn pthread_getaffinity_np(thread: usize, size: usize, set: *mut u8) -> c_int {
        if !active() {
            return real::pthread_getaffinity_np(thread, size, set);
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        machine::write_processors(asks(thread, pc).processors(), size, set);
        0
    }
    fn pthread_setschedparam(thread: usize, policy: c_int, parameters: *const c_int) -> c_int {
        if !active() {
            return real::pthread_setschedparam(thread, policy, parameters);
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        let priority = *parameters;
        sets(thread, pc, |before| Scheduling { policy, priority, ..before })
    }
    fn pthread_getschedparam(thread: usize, policy: *mut c_int, parameters: *mut c_int) -> c_int {
        if !active() {
            return real::pthread_getschedparam(thread, policy, parameters);
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        let scheduling = asks(thread, pc);
        *policy = scheduling.policy;
        *parameters = scheduling.priority;
        0
    }
    fn pthread_setschedprio(thread: usize, priority: c_int) -> c_int {
        if !active() {
            return real::pthread_setschedprio(thread, priority);
        }
        let pc = caller();
        let Some(thread) = fiber::thread_at(thread) else { return ESRCH };
        sets(thread, pc, |before| Scheduling { priority, ..before })
    }
    fn sched_setaffinity(process: c_int, size: usize, set: usize) -> c_int {
        if !active() {
            return real::sched_setaffinity(process, size, set);
        }
        touches_processors(numbered(process), How::Change, caller());
        channel::answer(set_processors(process, size, set)) as c_int
    }
    fn sched_getaffinity(process: c_int, size: usize, set: *mut u8) -> c_int {
        if !active() {
            return real::sched_getaffinity(process, size, set);
        }
        touches_processors(numbered(process), How::Read, caller());
        let Some(processors) = processors_of(process) else { return channel::answer(-ESRCH as isize) as c_int };
        machine::write_processors(processors, size, set);
        0
    }
    fn sched_setscheduler(process: c_int, policy: c_int, parameters: *const c_int) -> c_int {
        if !active() {
            return real::sched_setscheduler(process, policy, parameters);
        }
        let pc = caller();
        let priority = *parameters;
        numbered(process).map_or(0, |thread| sets(thread, pc, |before| Scheduling { policy, priority, ..before }))
    }
    fn sched_getscheduler(process: c_int) -> c_int {
        if !active() {
            return real::sched_getscheduler(process);
        }
        let pc = caller();
        numbered(process).map_or(0, |thread| asks(thread, pc).policy)
    }
    fn sched_setparam(process: c_int, parameters: *const c_int) -> c_int {
        if !active() {
            return real::sched_setparam(process, parameters);
        }
        let pc = caller();
        let priority = *parameters;
        numbered(process).map_or(0, |thread| sets(thread, pc, |before| Scheduling { priority, ..before }))
    }
    fn sched_getparam(process: c_int, parameters: *mut c_int) -> c_int {
        if !active() {
            return real::sched_getparam(process, parameters);
        }
        let pc = caller();
        *parameters = numbered(process).map_or(0, |thread| asks(thread, pc).priority);
        0
    }
}
