//! The functions of `<omp.h>` that programs call.

use heddle_model::primitive::mutex;

use super::{lock, member, on_lock, team, try_lock, wanted};
use crate::outside::clock;
use crate::outside::machine::PROCESSORS;
use crate::schedule::{active, caller, current, fiber};

interpose! {
    fn omp_get_thread_num() -> i32 {
        member().map_or(0, |member| member.number as i32)
    }
    fn omp_get_num_threads() -> i32 {
        team().map_or(1, |team| team.size as i32)
    }
    fn omp_get_max_threads() -> i32 {
        wanted() as i32
    }
    fn omp_set_num_threads(count: i32) {
        if active() && count > 0 {
            fiber::of(current()).openmp_threads.set(count as u32);
        }
    }
    fn omp_get_num_procs() -> i32 {
        PROCESSORS as i32
    }
    fn omp_in_parallel() -> i32 {
        i32::from(team().is_some_and(|team| team.size > 1))
    }
    fn omp_get_level() -> i32 {
        levels() as i32
    }
    fn omp_get_active_level() -> i32 {
        i32::from(team().is_some_and(|team| team.size > 1))
    }
    fn omp_get_team_size(level: i32) -> i32 {
        match level {
            0 => 1,
            level if level == levels() as i32 => team().map_or(1, |team| team.size as i32),
            _ => -1,
        }
    }
    fn omp_get_ancestor_thread_num(level: i32) -> i32 {
        match level {
            0 => 0,
            level if level == levels() as i32 => member().map_or(0, |member| member.number as i32),
            _ => -1,
        }
    }
    fn omp_get_dynamic() -> i32 {
        0
    }
    fn omp_set_dynamic(adjusts: i32) {}
    fn omp_get_wtime() -> f64 {
        clock::seconds()
    }
    fn omp_get_wtick() -> f64 {
        1e-9
    }
    fn omp_init_lock(word: *mut u32) {
        on_lock(mutex::INIT, word as u64, mutex::NORMAL, caller());
        *word = 0;
    }
    fn omp_destroy_lock(word: *mut u32) {
        on_lock(mutex::DESTROY, word as u64, mutex::NORMAL, caller());
    }
    fn omp_set_lock(word: *mut u32) {
        lock(word as u64, mutex::NORMAL, caller());
    }
    fn omp_unset_lock(word: *mut u32) {
        on_lock(mutex::UNLOCK, word as u64, mutex::NORMAL, caller());
    }
    fn omp_test_lock(word: *mut u32) -> i32 {
        i32::from(try_lock(word as u64, mutex::NORMAL, caller()))
    }
    fn omp_init_nest_lock(word: *mut u32) {
        on_lock(mutex::INIT, word as u64, mutex::RECURSIVE, caller());
        *word = 0;
    }
    fn omp_destroy_nest_lock(word: *mut u32) {
        on_lock(mutex::DESTROY, word as u64, mutex::RECURSIVE, caller());
    }
    // The word counts how often the owner has it: only the owner looks.
    fn omp_set_nest_lock(word: *mut u32) {
        lock(word as u64, mutex::RECURSIVE, caller());
        *word += 1;
    }
    fn omp_unset_nest_lock(word: *mut u32) {
        *word -= 1;
        on_lock(mutex::UNLOCK, word as u64, mutex::RECURSIVE, caller());
    }
    fn omp_test_nest_lock(word: *mut u32) -> i32 {
        if !try_lock(word as u64, mutex::RECURSIVE, caller()) {
            return 0;
        }
        *word += 1;
        *word as i32
    }
}

/// How many regions, one inside the other, the current thread is in.
fn levels() -> usize {
    let mut count = 0;
    let mut at = member();
    while let Some(inner) = at {
        count += 1;
        // SAFETY: outer regions live longer.
        at = unsafe { (inner.outer as *const super::Member).as_ref() };
    }
    count
}
