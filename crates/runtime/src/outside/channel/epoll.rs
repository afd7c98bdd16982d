//! `epoll`: waits for one of many descriptors in a list that the kernel keeps.

use super::{DONT_WAIT, Waits, answer, call, milliseconds, until};
use crate::outside::clock::Timespec;
use crate::outside::signals::mask;
use crate::schedule::{active, caller};
use crate::sys;

const EPOLL_WAIT: usize = 232;
const EPOLL_CTL: usize = 233;
const EINVAL: isize = 22;

originals! {
    fn epoll_ctl(file: i32, how: i32, watched: i32, event: usize) -> i32;
    fn epoll_wait(file: i32, events: usize, most: i32, timeout: i32) -> i32;
    fn epoll_pwait(file: i32, events: usize, most: i32, timeout: i32, mask: *const u64) -> i32;
    fn epoll_pwait2(file: i32, events: usize, most: i32, timeout: *const Timespec, mask: *const u64) -> i32;
}

interpose! {
    // A thread in `epoll_wait` may be able to continue now.
    fn epoll_ctl(file: i32, how: i32, watched: i32, event: usize) -> i32 {
        let pc = caller();
        if active() {
            let arguments = [file as usize, how as usize, watched as usize, event, 0, 0];
            return call(pc, EPOLL_CTL, arguments, 0, DONT_WAIT) as i32;
        }
        real::epoll_ctl(file, how, watched, event)
    }
    fn epoll_wait(file: i32, events: usize, most: i32, timeout: i32) -> i32 {
        let pc = caller();
        if active() {
            return wait(file, events, most, milliseconds(timeout), pc);
        }
        real::epoll_wait(file, events, most, timeout)
    }
    fn epoll_pwait(file: i32, events: usize, most: i32, timeout: i32, mask: *const u64) -> i32 {
        let pc = caller();
        if active() {
            return mask::during(mask, pc, || wait(file, events, most, milliseconds(timeout), pc));
        }
        real::epoll_pwait(file, events, most, timeout, mask)
    }
    fn epoll_pwait2(file: i32, events: usize, most: i32, timeout: *const Timespec, mask: *const u64) -> i32 {
        let pc = caller();
        if !active() {
            return real::epoll_pwait2(file, events, most, timeout, mask);
        }
        let timeout = if timeout.is_null() { None } else { Some(*timeout) };
        if timeout.is_some_and(|time| time.get().is_none()) {
            return answer(-EINVAL) as i32;
        }
        mask::during(mask, pc, || wait(file, events, most, timeout, pc))
    }
}

/// Waits for one of the descriptors in the list `file`.
fn wait(file: i32, events: usize, most: i32, timeout: Option<Timespec>, pc: u64) -> i32 {
    let at_once = timeout.is_some_and(Timespec::is_zero);
    let mut attempt = || {
        // SAFETY: the program's own call, without waiting.
        let ready = unsafe { sys::syscall6(EPOLL_WAIT, file as usize, events, most as usize, 0, 0, 0) };
        (ready != 0 || at_once).then_some(ready)
    };
    answer(until(pc, Waits::AtMost(timeout), &mut attempt).unwrap_or(0)) as i32
}

/// A call on a list of descriptors that the program makes by its number. Returns `None` if it is another call.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn by_number(number: i64, &[a, b, c, d, e, _]: &[usize; 6]) -> Option<isize> {
    let file = a as i32;
    // SAFETY: the caller's. These functions are not entered from the program, so the place is that of the call by number.
    let result = unsafe {
        match number {
            232 => epoll_wait::body(file, b, c as i32, d as i32),
            233 => epoll_ctl::body(file, b as i32, c as i32, d),
            281 => epoll_pwait::body(file, b, c as i32, d as i32, e as *const u64),
            441 => epoll_pwait2::body(file, b, c as i32, d as *const Timespec, e as *const u64),
            _ => return None,
        }
    };
    Some(result as isize)
}
