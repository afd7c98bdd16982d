//! `epoll`: waiting for one of many descriptors that the kernel keeps a list of.

use super::{DONT_WAIT, Waits, answer, call, milliseconds, until};
use crate::schedule::{active, caller};
use crate::sys;

const EPOLL_WAIT: usize = 232;
const EPOLL_CTL: usize = 233;

originals! {
    fn epoll_ctl(file: i32, how: i32, watched: i32, event: usize) -> i32;
    fn epoll_wait(file: i32, events: usize, most: i32, timeout: i32) -> i32;
}

interpose! {
    // A thread in `epoll_wait` may have something to wait for now.
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
            let mut attempt = || {
                // Without waiting.
                let ready = sys::syscall6(EPOLL_WAIT, file as usize, events, most as usize, 0, 0, 0);
                (ready != 0 || timeout == 0).then_some(ready)
            };
            return answer(until(pc, Waits::AtMost(milliseconds(timeout)), &mut attempt).unwrap_or(0)) as i32;
        }
        real::epoll_wait(file, events, most, timeout)
    }
}
