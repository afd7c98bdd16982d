//! Threads: create, join, detach, exit.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use heddle_model::primitive::thread::{CREATE, DETACH, JOIN};
use heddle_model::{ObjectId, Operation, Outcome, ThreadId};

use super::unwinder;
use crate::engine::{self, active, caller, current, visible};
use crate::{callstack, clock, fiber, real, spin, start};

const ESRCH: c_int = 3;
const EDEADLK: c_int = 35;
const DETACHED: c_int = 1;

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const c_void, state: *mut c_int) -> c_int;
    fn pthread_attr_getstacksize(attributes: *const c_void, size: *mut usize) -> c_int;
    fn pthread_attr_init(attributes: *mut c_void) -> c_int;
    fn pthread_attr_setstack(attributes: *mut c_void, low: *mut c_void, size: usize) -> c_int;
}

interpose! {
    fn pthread_create(handle: *mut usize, attributes: *const c_void, routine: usize, argument: usize) -> c_int {
        if !active() {
            if let Some(wire) = start::wire() {
                wire.trouble(b"unsupported: pthread_create before main");
            }
            return real::pthread_create(handle, attributes, routine, argument as *mut c_void);
        }
        let pc = caller();
        let Some(wire) = start::wire() else { return ESRCH };
        let Some(child) = wire.name_thread(current(), engine::children_of_current()) else {
            engine::stop(Outcome::Capacity, 0, pc, b"threads")
        };
        if child.index() > fiber::donors() {
            engine::stop(Outcome::NeedsThreads, child.0 as u64, pc, b"");
        }
        let mut detached = 0;
        let mut stack_size = wire.header().stack_size as usize;
        if !attributes.is_null() {
            pthread_attr_getdetachstate(attributes, &mut detached);
            pthread_attr_getstacksize(attributes, &mut stack_size);
        }
        if !fiber::create(child, routine, argument, stack_size) {
            engine::stop(Outcome::NeedsThreads, 0, pc, b"");
        }
        callstack::reset(child);
        spin::reset(child);
        *handle = fiber::of(child).context.thread_pointer();
        let create = Operation::new(CREATE, ObjectId::thread(child)).with_argument((detached == DETACHED) as u64);
        visible(create, pc, |_| clock::catch_up(child, current()));
        0
    }

    fn pthread_join(handle: usize, value: *mut usize) -> c_int {
        if !active() {
            return real::pthread_join(handle, value.cast());
        }
        let Some(target) = fiber::thread_at(handle) else { return ESRCH };
        if target == current() {
            return EDEADLK;
        }
        let event = visible(Operation::new(JOIN, ObjectId::thread(target)), caller(), |_| {});
        if event.result == 0 {
            clock::catch_up(current(), target);
            if !value.is_null() {
                *value = fiber::of(target).value;
            }
        }
        event.result as c_int
    }

    fn pthread_detach(handle: usize) -> c_int {
        if !active() {
            return real::pthread_detach(handle);
        }
        let Some(target) = fiber::thread_at(handle) else { return ESRCH };
        visible(Operation::new(DETACH, ObjectId::thread(target)), caller(), |_| {}).result as c_int
    }

    fn pthread_exit(value: usize) -> ! {
        if active() {
            if !unwinder::is_ready_for_exit() {
                if let Some(wire) = start::wire() {
                    wire.header().unwinder.store(1, Relaxed);
                }
                engine::stop(Outcome::NeedsThreads, 0, caller(), b"");
            }
            fiber::of(current()).value = value;
        }
        // Unwinds the stack, running cleanup handlers and destructors, and ends in our own destructor.
        real::pthread_exit(value as *mut c_void)
    }

    fn pthread_getattr_np(handle: usize, attributes: *mut c_void) -> c_int {
        // glibc asks the kernel whether the thread lives, and by that measure none of ours does.
        match active().then(|| fiber::thread_at(handle)).flatten() {
            Some(thread) if thread != ThreadId::MAIN => {
                let (low, size) = fiber::stack_of(thread);
                pthread_attr_init(attributes);
                pthread_attr_setstack(attributes, low as *mut c_void, size)
            }
            _ => real::pthread_getattr_np(handle, attributes),
        }
    }
}
