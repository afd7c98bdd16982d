//! `poll` and `select`: wait for one of the descriptors in the call. [`crate::outside::clock`] defines the functions,
//! because without descriptors they are ways to sleep.

use super::{POLL, Waits, answer, until};
use crate::outside::clock::Timespec;
use crate::sys;

const SELECT: usize = 23;

/// `poll` of `count` descriptors, which are described at `files`. Without a `timeout` it waits for ever.
pub unsafe fn poll(files: usize, count: u64, timeout: Option<Timespec>, pc: u64) -> i32 {
    let at_once = timeout.is_some_and(Timespec::is_zero);
    let mut attempt = || {
        // SAFETY: the program's own call, without waiting.
        let ready = unsafe { sys::syscall3(POLL, files, count as usize, 0) };
        (ready != 0 || at_once).then_some(ready)
    };
    answer(until(pc, Waits::AtMost(timeout), &mut attempt).unwrap_or(0)) as i32
}

/// `select` of the descriptors below `count` in these sets: to read, to write, exceptional.
pub unsafe fn select(count: i32, sets: [usize; 3], timeout: Option<Timespec>, pc: u64) -> i32 {
    const SET: usize = 16;
    let at_once = timeout.is_some_and(|time| time.is_zero());
    // SAFETY: the program's own sets. The kernel changes them even if nothing is ready.
    unsafe {
        let words = (count.max(0) as usize).div_ceil(64).min(SET);
        let wanted = sets.map(|set| {
            let mut whole = [0u64; SET];
            if set != 0 {
                (0..words).for_each(|i| whole[i] = (set as *const u64).add(i).read_unaligned());
            }
            whole
        });
        let mut attempt = || {
            for (set, wanted) in sets.iter().zip(&wanted).filter(|(set, _)| **set != 0) {
                (0..words).for_each(|i| (*set as *mut u64).add(i).write_unaligned(wanted[i]));
            }
            let now = [0i64; 2];
            let ready = sys::syscall6(SELECT, count as usize, sets[0], sets[1], sets[2], now.as_ptr() as usize, 0);
            (ready != 0 || at_once).then_some(ready)
        };
        answer(until(pc, Waits::AtMost(timeout.filter(|_| !at_once)), &mut attempt).unwrap_or(0)) as i32
    }
}
