//! What gcc calls for OpenMP: the functions of libgomp.

use core::cell::Cell;

use heddle_model::primitive::mutex;

use super::{
    Member, Task, Work, begin_share, lock, member, next_piece, on_lock, region, take_piece, team, wait_for_all,
};
use crate::lifetime::OneThread;
use crate::schedule::caller;

/// A function that gcc has made of a region.
type Body = unsafe extern "C" fn(usize);

/// Stands for the critical section without a name.
#[unsafe(no_mangle)]
static openmp_critical: OneThread<Cell<u32>> = OneThread::new(Cell::new(0));

/// Stands for the lock of atomic constructs that the processor has no instruction for.
#[unsafe(no_mangle)]
static openmp_atomic: OneThread<Cell<u32>> = OneThread::new(Cell::new(0));

/// A parallel region that calls `body` with `data`.
unsafe fn parallel(body: Body, data: usize, threads: u32, first: Option<Work>, pc: u64) {
    // SAFETY: gcc's function, with what it expects.
    region(threads, first, Task::NONE, body as usize, data.max(1), pc, &mut |_| unsafe { body(data) });
}

fn upwards(start: i64, end: i64, step: i64, chunk: i64) -> Work {
    Work { start: start as u64, end: end as u64, step: step as u64, chunk: chunk as u64, up: step > 0 }
}

/// Begins a loop, and takes the first piece of it. Outside of regions all is one piece.
unsafe fn start(work: Work, from: *mut u64, to: *mut u64, pc: u64) -> bool {
    match member() {
        Some(member) => {
            begin_share(member, work);
            // SAFETY: the caller's.
            unsafe { piece(member, from, to, pc) }
        }
        None => {
            // SAFETY: the caller's places.
            unsafe { (*from, *to) = (work.start, work.end) };
            work.start != work.end
        }
    }
}

unsafe fn piece(member: &Member, from: *mut u64, to: *mut u64, pc: u64) -> bool {
    let Some((first, past)) = next_piece(member, pc) else { return false };
    // SAFETY: the caller's places.
    unsafe { (*from, *to) = (first, past) };
    true
}

unsafe fn next(from: *mut u64, to: *mut u64, pc: u64) -> bool {
    // SAFETY: the caller's.
    member().is_some_and(|member| unsafe { piece(member, from, to, pc) })
}

/// Loops whose threads take pieces as they come. How large pieces are is the library's affair where the schedule is `guided` or `runtime`.
macro_rules! loops {
    ($($start:ident $next:ident $parallel:ident;)*) => {
        interpose! { $(
            fn $start(start_at: i64, end: i64, step: i64, chunk: i64, from: *mut u64, to: *mut u64) -> bool {
                start(upwards(start_at, end, step, chunk), from, to, caller())
            }
            fn $next(from: *mut u64, to: *mut u64) -> bool {
                next(from, to, caller())
            }
            fn $parallel(body: Body, data: usize, threads: u32, start_at: i64, end: i64, step: i64, chunk: i64, flags: u32) {
                parallel(body, data, threads, Some(upwards(start_at, end, step, chunk)), caller());
            }
        )* }
    };
}

loops! {
    GOMP_loop_dynamic_start GOMP_loop_dynamic_next GOMP_parallel_loop_dynamic;
    GOMP_loop_guided_start GOMP_loop_guided_next GOMP_parallel_loop_guided;
    GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_dynamic_next GOMP_parallel_loop_nonmonotonic_dynamic;
    GOMP_loop_nonmonotonic_guided_start GOMP_loop_nonmonotonic_guided_next GOMP_parallel_loop_nonmonotonic_guided;
}

/// Loops with `schedule(runtime)`: these functions are told no size of pieces.
macro_rules! loops_at_run_time {
    ($($start:ident $next:ident $parallel:ident;)*) => {
        interpose! { $(
            fn $start(start_at: i64, end: i64, step: i64, from: *mut u64, to: *mut u64) -> bool {
                start(upwards(start_at, end, step, 1), from, to, caller())
            }
            fn $next(from: *mut u64, to: *mut u64) -> bool {
                next(from, to, caller())
            }
            fn $parallel(body: Body, data: usize, threads: u32, start_at: i64, end: i64, step: i64, flags: u32) {
                parallel(body, data, threads, Some(upwards(start_at, end, step, 1)), caller());
            }
        )* }
    };
}

loops_at_run_time! {
    GOMP_loop_runtime_start GOMP_loop_runtime_next GOMP_parallel_loop_runtime;
    GOMP_loop_nonmonotonic_runtime_start GOMP_loop_nonmonotonic_runtime_next GOMP_parallel_loop_nonmonotonic_runtime;
    GOMP_loop_maybe_nonmonotonic_runtime_start GOMP_loop_maybe_nonmonotonic_runtime_next
        GOMP_parallel_loop_maybe_nonmonotonic_runtime;
}

/// Loops over numbers that do not fit a `long`.
macro_rules! large_loops {
    ($($start:ident $next:ident;)*) => {
        interpose! { $(
            fn $start(up: bool, start_at: u64, end: u64, step: u64, chunk: u64, from: *mut u64, to: *mut u64) -> bool {
                start(Work { start: start_at, end, step, chunk, up }, from, to, caller())
            }
            fn $next(from: *mut u64, to: *mut u64) -> bool {
                next(from, to, caller())
            }
        )* }
    };
}

large_loops! {
    GOMP_loop_ull_dynamic_start GOMP_loop_ull_dynamic_next;
    GOMP_loop_ull_guided_start GOMP_loop_ull_guided_next;
    GOMP_loop_ull_nonmonotonic_dynamic_start GOMP_loop_ull_nonmonotonic_dynamic_next;
    GOMP_loop_ull_nonmonotonic_guided_start GOMP_loop_ull_nonmonotonic_guided_next;
}

fn sections(count: u32) -> Work {
    Work { start: 1, end: u64::from(count) + 1, step: 1, chunk: 1, up: true }
}

/// The number of the next section, from 1. 0 if there is none left.
fn next_section(pc: u64) -> u32 {
    member().and_then(|member| next_piece(member, pc)).map_or(0, |(number, _)| number as u32)
}

interpose! {
    fn GOMP_parallel(body: Body, data: usize, threads: u32, flags: u32) {
        parallel(body, data, threads, None, caller());
    }
    fn GOMP_barrier() {
        wait_for_all(caller());
    }
    fn GOMP_critical_start() {
        lock(openmp_critical.as_ptr() as u64, mutex::NORMAL, caller());
    }
    fn GOMP_critical_end() {
        on_lock(mutex::UNLOCK, openmp_critical.as_ptr() as u64, mutex::NORMAL, caller());
    }
    fn GOMP_critical_name_start(name: u64) {
        lock(name, mutex::NORMAL, caller());
    }
    fn GOMP_critical_name_end(name: u64) {
        on_lock(mutex::UNLOCK, name, mutex::NORMAL, caller());
    }
    fn GOMP_atomic_start() {
        lock(openmp_atomic.as_ptr() as u64, mutex::NORMAL, caller());
    }
    fn GOMP_atomic_end() {
        on_lock(mutex::UNLOCK, openmp_atomic.as_ptr() as u64, mutex::NORMAL, caller());
    }
    fn GOMP_loop_end() {
        wait_for_all(caller());
    }
    fn GOMP_loop_end_nowait() {}
    fn GOMP_sections_start(count: u32) -> u32 {
        let pc = caller();
        match member() {
            Some(member) => {
                begin_share(member, sections(count));
                next_section(pc)
            }
            // Outside of regions there is no member to count for: a region of one thread is made by nobody.
            None => crate::schedule::unsupported("sections of OpenMP outside of a parallel region", pc),
        }
    }
    fn GOMP_sections_next() -> u32 {
        next_section(caller())
    }
    fn GOMP_sections_end() {
        wait_for_all(caller());
    }
    fn GOMP_sections_end_nowait() {}
    fn GOMP_parallel_sections(body: Body, data: usize, threads: u32, count: u32, flags: u32) {
        parallel(body, data, threads, Some(sections(count)), caller());
    }
    fn GOMP_single_start() -> bool {
        let pc = caller();
        member().is_none_or(|member| {
            begin_share(member, Work::default());
            take_piece(member, pc) == 0
        })
    }
    fn GOMP_single_copy_start() -> usize {
        let pc = caller();
        let Some((member, team)) = member().zip(team()) else { return 0 };
        begin_share(member, Work::default());
        if take_piece(member, pc) == 0 {
            return 0;
        }
        wait_for_all(pc);
        team.copied.get()
    }
    fn GOMP_single_copy_end(data: usize) {
        if let Some(team) = team() {
            team.copied.set(data);
        }
        wait_for_all(caller());
    }
}
