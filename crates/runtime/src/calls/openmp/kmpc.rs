//! What clang calls for OpenMP: the functions of libomp. The first argument describes the place in the source, and the second, where there
//! is one, is the number of the thread; neither is needed.

use heddle_model::primitive::mutex;

use super::{
    Member, Task, Work, begin_share, lock, member, next_piece, on_lock, region, take_piece, team, wait_for_all,
};
use crate::schedule::{active, caller, current, fiber, unsupported};

/// The most variables that a region shares.
pub const ARGUMENTS: usize = 12;

/// A function that clang has made of a region: the number of the thread, twice, and the shared variables. It takes as many arguments as it
/// needs.
type Body = unsafe extern "C" fn(
    *const u32,
    *const u32,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
);

/// Runs a region's function as the member `member`.
fn run(member: &Member) {
    let Task { function, arguments: [a, b, c, d, e, f, g, h, i, j, k, l] } = member.task;
    let number = member.number;
    // SAFETY: clang's function, with what it expects, and perhaps more.
    unsafe {
        let body = core::mem::transmute::<usize, Body>(function);
        body(&number, &number, a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

/// What a thread of a region runs.
unsafe extern "C" fn openmp_thread(member: *const Member) -> usize {
    // SAFETY: the member lives until the region is over.
    run(unsafe { &*member });
    0
}

fn fork(function: usize, count: usize, arguments: [usize; ARGUMENTS], threads: u32, pc: u64) {
    if count > ARGUMENTS {
        unsupported("a parallel region of OpenMP with more than 12 shared variables", pc);
    }
    let task = Task { function, arguments };
    region(threads, None, task, openmp_thread as *const () as usize, 0, pc, &mut run);
}

/// The number of threads that `num_threads` of the next region asks for. 0 if it does not ask.
fn take_asked() -> u32 {
    if active() { fiber::of(current()).openmp_asked.replace(0) } else { 0 }
}

interpose! {
    fn __kmpc_fork_call(
        place: usize, count: i32, function: usize,
        a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize, h: usize, i: usize, j: usize, k: usize, l: usize,
    ) {
        fork(function, count as usize, [a, b, c, d, e, f, g, h, i, j, k, l], take_asked(), caller());
    }
    fn __kmpc_push_num_threads(place: usize, number: i32, count: i32) {
        if active() && count > 0 {
            fiber::of(current()).openmp_asked.set(count as u32);
        }
    }
    fn __kmpc_global_thread_num(place: usize) -> i32 {
        member().map_or(0, |member| member.number as i32)
    }
    fn __kmpc_ok_to_fork(place: usize) -> i32 {
        1
    }
    // The compiler calls the region's function itself, with one thread.
    fn __kmpc_serialized_parallel(place: usize, number: i32) {
        unsupported("a parallel region of OpenMP with an `if` clause", caller());
    }
    fn __kmpc_barrier(place: usize, number: i32) {
        wait_for_all(caller());
    }
    fn __kmpc_critical(place: usize, number: i32, name: u64) {
        lock(name, mutex::NORMAL, caller());
    }
    fn __kmpc_critical_with_hint(place: usize, number: i32, name: u64, hint: u32) {
        lock(name, mutex::NORMAL, caller());
    }
    fn __kmpc_end_critical(place: usize, number: i32, name: u64) {
        on_lock(mutex::UNLOCK, name, mutex::NORMAL, caller());
    }
    fn __kmpc_master(place: usize, number: i32) -> i32 {
        i32::from(member().is_none_or(|member| member.number == 0))
    }
    fn __kmpc_end_master(place: usize, number: i32) {}
    fn __kmpc_masked(place: usize, number: i32, filter: i32) -> i32 {
        i32::from(member().map_or(0, |member| member.number as i32) == filter)
    }
    fn __kmpc_end_masked(place: usize, number: i32) {}
    fn __kmpc_single(place: usize, number: i32) -> i32 {
        let pc = caller();
        i32::from(member().is_none_or(|member| {
            begin_share(member, Work::default());
            take_piece(member, pc) == 0
        }))
    }
    fn __kmpc_end_single(place: usize, number: i32) {}
    // Each thread adds its part while it has the lock: the answer 1 says so.
    fn __kmpc_reduce(place: usize, number: i32, count: i32, size: usize, data: usize, combine: usize, name: u64) -> i32 {
        lock(name, mutex::NORMAL, caller());
        1
    }
    fn __kmpc_end_reduce(place: usize, number: i32, name: u64) {
        let pc = caller();
        on_lock(mutex::UNLOCK, name, mutex::NORMAL, pc);
        wait_for_all(pc);
    }
    fn __kmpc_reduce_nowait(place: usize, number: i32, count: i32, size: usize, data: usize, combine: usize, name: u64) -> i32 {
        lock(name, mutex::NORMAL, caller());
        1
    }
    fn __kmpc_end_reduce_nowait(place: usize, number: i32, name: u64) {
        on_lock(mutex::UNLOCK, name, mutex::NORMAL, caller());
    }
    fn __kmpc_for_static_init_4(
        place: usize, number: i32, schedule: i32, last: *mut i32, low: *mut i32, high: *mut i32, stride: *mut i32, step: i32, chunk: i32,
    ) {
        let bounds = divide(schedule, i64::from(*low), i64::from(*high), i64::from(step), i64::from(chunk), caller());
        (*low, *high, *stride) = (bounds.low as i32, bounds.high as i32, bounds.stride as i32);
        if !last.is_null() {
            *last = i32::from(bounds.is_last);
        }
    }
    fn __kmpc_for_static_init_4u(
        place: usize, number: i32, schedule: i32, last: *mut i32, low: *mut u32, high: *mut u32, stride: *mut i32, step: i32, chunk: i32,
    ) {
        let bounds = divide(schedule, i64::from(*low), i64::from(*high), i64::from(step), i64::from(chunk), caller());
        (*low, *high, *stride) = (bounds.low as u32, bounds.high as u32, bounds.stride as i32);
        if !last.is_null() {
            *last = i32::from(bounds.is_last);
        }
    }
    fn __kmpc_for_static_init_8(
        place: usize, number: i32, schedule: i32, last: *mut i32, low: *mut i64, high: *mut i64, stride: *mut i64, step: i64, chunk: i64,
    ) {
        let bounds = divide(schedule, *low, *high, step, chunk, caller());
        (*low, *high, *stride) = (bounds.low, bounds.high, bounds.stride);
        if !last.is_null() {
            *last = i32::from(bounds.is_last);
        }
    }
    fn __kmpc_for_static_fini(place: usize, number: i32) {}
    fn __kmpc_dispatch_init_4(place: usize, number: i32, schedule: i32, low: i32, high: i32, step: i32, chunk: i32) {
        begin_loop(i64::from(low), i64::from(high), i64::from(step), i64::from(chunk));
    }
    fn __kmpc_dispatch_next_4(place: usize, number: i32, last: *mut i32, low: *mut i32, high: *mut i32, stride: *mut i32) -> i32 {
        let Some(bounds) = take(caller()) else { return 0 };
        (*low, *high, *stride) = (bounds.low as i32, bounds.high as i32, bounds.stride as i32);
        if !last.is_null() {
            *last = i32::from(bounds.is_last);
        }
        1
    }
    fn __kmpc_dispatch_init_8(place: usize, number: i32, schedule: i32, low: i64, high: i64, step: i64, chunk: i64) {
        begin_loop(low, high, step, chunk);
    }
    fn __kmpc_dispatch_next_8(place: usize, number: i32, last: *mut i32, low: *mut i64, high: *mut i64, stride: *mut i64) -> i32 {
        let Some(bounds) = take(caller()) else { return 0 };
        (*low, *high, *stride) = (bounds.low, bounds.high, bounds.stride);
        if !last.is_null() {
            *last = i32::from(bounds.is_last);
        }
        1
    }
    fn __kmpc_dispatch_deinit(place: usize, number: i32) {}
    fn __kmpc_flush(place: usize) {}
}

/// A part of a loop: the first and the last number, how far it is to the thread's next part, and whether it is the last part of all.
struct Bounds {
    low: i64,
    high: i64,
    stride: i64,
    is_last: bool,
}

/// The part of a loop that the current thread runs, if threads do not take pieces as they come.
fn divide(schedule: i32, low: i64, high: i64, step: i64, chunk: i64, pc: u64) -> Bounds {
    const CHUNKS: i32 = 33;
    const STATIC: i32 = 34;
    let (number, size) = match member().zip(team()) {
        Some((member, team)) => (i64::from(member.number), i64::from(team.size)),
        None => (0, 1),
    };
    let steps = if step > 0 { (high - low) / step + 1 } else { (low - high) / -step + 1 };
    let is_empty = if step > 0 { high < low } else { high > low };
    if is_empty || step == 0 {
        return Bounds { low, high, stride: step, is_last: false };
    }
    match schedule & 0xffff {
        CHUNKS => {
            let chunk = chunk.max(1);
            let first = low + number * chunk * step;
            let last_owner = ((steps - 1) / chunk) % size;
            Bounds {
                low: first,
                high: first + (chunk - 1) * step,
                stride: size * chunk * step,
                is_last: last_owner == number,
            }
        }
        STATIC => {
            // The first threads get one more.
            let (each, more) = (steps / size, steps % size);
            let mine = each + i64::from(number < more);
            let before = number * each + number.min(more);
            let first = low + before * step;
            if mine == 0 {
                return Bounds { low: high + step, high, stride: step * steps, is_last: false };
            }
            Bounds {
                low: first,
                high: first + (mine - 1) * step,
                stride: step * steps,
                is_last: before + mine == steps,
            }
        }
        _ => unsupported("a schedule of an OpenMP loop", pc),
    }
}

fn begin_loop(low: i64, high: i64, step: i64, chunk: i64) {
    let work = Work {
        start: low as u64,
        end: (high + step.signum()) as u64,
        step: step as u64,
        chunk: chunk as u64,
        up: step > 0,
    };
    match member() {
        Some(member) => begin_share(member, work),
        None => unsupported("a loop of OpenMP outside of a parallel region", caller()),
    }
}

/// The next piece of the current loop.
fn take(pc: u64) -> Option<Bounds> {
    let member = member()?;
    let (first, past) = next_piece(member, pc)?;
    let Work { end, step, up, .. } = member.work.get();
    let last = if up { past.wrapping_sub(1) } else { past.wrapping_add(1) };
    Some(Bounds { low: first as i64, high: last as i64, stride: step as i64, is_last: past == end })
}
