//! Calls that wait for others, or that others may wait for, which the program makes by their numbers (`syscall(SYS_ppoll, ...)`): the
//! same as the functions of libc that make them.

use super::{epoll, pipe, socket};
use crate::outside::clock;
use crate::outside::signals::delivery;

/// Makes system call `number` if it is such a call. The result is in the form of libc: an error is stored in `errno`. Returns `None` if
/// it is another call.
///
/// # Safety
/// The program's own arguments.
pub unsafe fn made(number: i64, arguments: &[usize; 6]) -> Option<isize> {
    // SAFETY: the caller's.
    unsafe {
        None.or_else(|| pipe::by_number(number, arguments))
            .or_else(|| socket::by_number(number, arguments))
            .or_else(|| epoll::by_number(number, arguments))
            .or_else(|| clock::by_number(number, arguments))
            .or_else(|| delivery::by_number(number, arguments))
    }
}
