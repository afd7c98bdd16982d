//! Threads: create, join, detach, exit. C11's functions (see `c11`) use these.

use core::ffi::{c_int, c_void};

use heddle_model::primitive::thread::{CREATE, DETACH, JOIN, TIMEDJOIN, TRYJOIN};
use heddle_model::wire::Note;
use heddle_model::{Capacity, Event, ObjectId, Operation, Outcome, ThreadId};

use super::{cancel, unwinder};
use crate::calls::openmp;
use crate::entry::{real, start};
use crate::lifetime;
use crate::outside::clock::{self, Timespec};
use crate::outside::files::descriptors;
use crate::outside::virtual_time;
use crate::record::callstack;
use crate::schedule::{self, active, caller, current, fiber, spin_loop, timed, visible, visible_look};

const ESRCH: c_int = 3;
const EINVAL: c_int = 22;
const EDEADLK: c_int = 35;
const DETACHED: c_int = 1;

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const c_void, state: *mut c_int) -> c_int;
    fn pthread_attr_getstacksize(attributes: *const c_void, size: *mut usize) -> c_int;
    fn pthread_attr_setdetachstate(attributes: *mut c_void, state: c_int) -> c_int;
    fn pthread_attr_setguardsize(attributes: *mut c_void, size: usize) -> c_int;
    fn pthread_attr_init(attributes: *mut c_void) -> c_int;
    fn pthread_attr_setstack(attributes: *mut c_void, low: *mut c_void, size: usize) -> c_int;
}

interpose! {
    fn pthread_create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: usize) -> c_int {
        create(handle, attributes, routine, argument, caller())
    }

    fn pthread_join(handle: usize, value: *mut usize) -> c_int {
        if active() { join(handle, value, caller()) } else { real::pthread_join(handle, value.cast()) }
    }

    fn pthread_tryjoin_np(handle: usize, value: *mut usize) -> c_int {
        if !active() {
            return real::pthread_tryjoin_np(handle, value.cast());
        }
        let pc = caller();
        let Some(target) = fiber::thread_at(handle) else { return ESRCH };
        let event = visible_look(Operation::new(TRYJOIN, ObjectId::thread(target)), pc, |_| {});
        joined(target, value, &event)
    }

    fn pthread_timedjoin_np(handle: usize, value: *mut usize, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_timedjoin_np(handle, value.cast(), deadline);
        }
        join_until(handle, value, clock::REALTIME, deadline, caller())
    }

    fn pthread_clockjoin_np(handle: usize, value: *mut usize, clock: c_int, deadline: *const Timespec) -> c_int {
        if !active() {
            return real::pthread_clockjoin_np(handle, value.cast(), clock, deadline);
        }
        join_until(handle, value, clock, deadline, caller())
    }

    fn pthread_detach(handle: usize) -> c_int {
        if active() { detach(handle, caller()) } else { real::pthread_detach(handle) }
    }

    fn pthread_exit(value: usize) -> ! {
        exit(value, caller())
    }

    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int {
        // glibc asks the kernel whether the thread lives, but the kernel threads of the donors have ended.
        match active().then(|| fiber::thread_at(handle)).flatten() {
            Some(thread) => {
                let (low, size) = fiber::stack_of(thread);
                pthread_attr_init(attributes);
                pthread_attr_setdetachstate(attributes, fiber::of(thread).detached.get() as c_int);
                pthread_attr_setguardsize(attributes, crate::addresses::PAGE);
                pthread_attr_setstack(attributes, low as *mut c_void, size)
            }
            None => real::pthread_getattr_np(handle, attributes),
        }
    }
}

/// Creates a thread. Returns an error number.
pub unsafe fn create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: usize, pc: u64) -> c_int {
    if !active() {
        if let Some(wire) = start::wire() {
            wire.trouble(b"unsupported: `pthread_create` before main");
        }
        // SAFETY: the program's arguments.
        return unsafe { real::pthread_create(handle, attributes, routine, argument as *mut c_void) };
    }
    if lifetime::process().unseen_makers.creates(pc, routine, argument) {
        schedule::goes_outside(Note::Threads);
    }
    descriptors::threads_share();
    // SAFETY: the caller's.
    unsafe { create_as(handle, attributes, routine, argument, 0, pc) }
}

/// Creates a thread of a parallel region of OpenMP, which `member` describes. Call this in an execution.
pub unsafe fn create_member(handle: *mut usize, routine: usize, argument: usize, member: usize, pc: u64) {
    // SAFETY: the caller's.
    unsafe { create_as(handle, core::ptr::null(), routine, argument, member, pc) };
}

unsafe fn create_as(
    handle: *mut usize,
    attributes: *const c_void,
    routine: usize,
    argument: usize,
    member: usize,
    pc: u64,
) -> c_int {
    let Some(wire) = start::wire() else { return ESRCH };
    let Some(child) = wire.name_thread(current(), schedule::children_of_current()) else {
        schedule::stop(Outcome::Capacity(Capacity::Threads), pc, b"")
    };
    if child.index() > fiber::donors() {
        schedule::stop(Outcome::NeedsThreads { count: child.0.into() }, pc, b"");
    }
    let mut detached = 0;
    let mut stack_size = wire.header().settings.stack_size as usize;
    if !attributes.is_null() {
        // SAFETY: the program's attributes.
        unsafe {
            pthread_attr_getdetachstate(attributes, &mut detached);
            pthread_attr_getstacksize(attributes, &mut stack_size);
        }
    }
    if !fiber::create(child, routine, argument, stack_size) {
        schedule::stop(Outcome::NeedsThreads { count: 0 }, pc, b"");
    }
    openmp::inherit(child, current(), member);
    callstack::reset(child);
    spin_loop::reset(child);
    // SAFETY: the program's place for it.
    unsafe { *handle = fiber::of(child).context.get().thread_pointer() };
    let create = Operation::new(CREATE, ObjectId::thread(child)).with_argument((detached == DETACHED) as u64);
    fiber::of(child).detached.set(detached == DETACHED);
    fiber::of(child).creator.set(current());
    fiber::of(current()).unjoined.update(|count| count + 1);
    visible(create, pc, |_| virtual_time::catch_up(child, current()));
    0
}

/// Waits for the end of a thread, in an execution.
pub unsafe fn join(handle: usize, value: *mut usize, pc: u64) -> c_int {
    let Some(target) = fiber::thread_at(handle) else { return ESRCH };
    if target == current() {
        return EDEADLK;
    }
    cancel::point(pc);
    let event = visible(cancel::at(Operation::new(JOIN, ObjectId::thread(target))), pc, |_| {});
    cancel::obey(&event, pc);
    // SAFETY: the program's place for it.
    unsafe { joined(target, value, &event) }
}

/// Waits for the end of a thread until the deadline, in an execution.
unsafe fn join_until(handle: usize, value: *mut usize, clock: c_int, deadline: *const Timespec, pc: u64) -> c_int {
    if deadline.is_null() {
        // SAFETY: the program's place for it.
        return unsafe { join(handle, value, pc) };
    }
    let Some(target) = fiber::thread_at(handle) else { return ESRCH };
    if target == current() {
        return EDEADLK;
    }
    // SAFETY: the program's time.
    let Some(deadline) = (unsafe { clock::deadline(clock, deadline) }) else { return EINVAL };
    cancel::point(pc);
    let operation = cancel::at(Operation::new(TIMEDJOIN, ObjectId::thread(target)));
    let event = timed::visible(operation, deadline, pc);
    cancel::obey(&event, pc);
    // SAFETY: the program's place for it.
    unsafe { joined(target, value, &event) }
}

/// The result of an attempt to join `target`: an error number, and the thread's value.
unsafe fn joined(target: ThreadId, value: *mut usize, event: &Event) -> c_int {
    if event.result == 0 {
        virtual_time::catch_up(current(), target);
        let (me, it) = (fiber::of(current()), fiber::of(target));
        // By another than its creator it counts for ever: nobody knows who has heard of that.
        let one = (it.creator.get() == current()) as u32;
        me.unjoined.update(|count| count - one + it.unjoined.get());
        if !value.is_null() {
            // SAFETY: the program's place for it.
            unsafe { *value = fiber::of(target).value.get() };
        }
    }
    event.result as c_int
}

/// Detaches a thread, in an execution.
pub fn detach(handle: usize, pc: u64) -> c_int {
    let Some(target) = fiber::thread_at(handle) else { return ESRCH };
    let event = visible(Operation::new(DETACH, ObjectId::thread(target)), pc, |_| {});
    if event.result == 0 {
        fiber::of(target).detached.set(true);
    }
    event.result as c_int
}

/// Ends the current thread with this value.
pub unsafe fn exit(value: usize, pc: u64) -> ! {
    if active() {
        if !unwinder::is_ready_for_exit() {
            if let Some(wire) = start::wire() {
                wire.note(Note::Unwinder);
            }
            schedule::stop(Outcome::NeedsThreads { count: 0 }, pc, b"");
        }
        let fiber = fiber::of(current());
        fiber.value.set(value);
        fiber.begin_exit();
    }
    // This unwinds the stack with cleanup handlers and destructors, and ends in the destructor of the runtime's key.
    // SAFETY: as the program asked.
    unsafe { real::pthread_exit(value as *mut c_void) }
}
