//! System calls about other processes: those that the program has made, itself by the numbers that only it knows, and strangers, of whom Heddle
//! is one. Strangers get no signals and no other settings.

use heddle_model::Ending;
use heddle_model::primitive::process;

use super::trap::Answer;
use crate::outside::signals::handlers::{Disposition, disposition};
use crate::outside::{ids, kernel_thread};
use crate::{schedule, sys};

/// Replaces the program's own ids, which only the program knows, where a call changes settings of a process. An error, if the call is about
/// a process that the program has not made.
pub fn aim_at_itself(number: usize, arguments: &mut [usize; 6]) -> Result<(), &'static str> {
    const ONE: usize = 0;
    // setpriority and ioprio_set: of one process, whose number is the second argument, or of many
    let of_many = match number {
        141 => arguments[0] != ONE,
        251 => arguments[0] != ONE + 1,
        _ => false,
    };
    let (at, name) = match number {
        141 | 251 if of_many => return Err("a priority of many processes (setpriority, ioprio_set)"),
        141 | 251 => (1, "a priority of another process (setpriority, ioprio_set)"),
        302 if arguments[2] != 0 => (0, "a limit of another process (prlimit)"),
        142 | 144 | 203 | 314 => {
            (0, "a setting of another process (sched_setparam, sched_setscheduler, sched_setaffinity)")
        }
        _ => return Ok(()),
    };
    let whom = arguments[at] as i32;
    if ids::thread_with(whom).is_some() && number == 302 {
        arguments[at] = 0;
    }
    let is_own = whom == 0 || whom == kernel_thread::real_id() || ids::thread_with(whom).is_some();
    if is_own || is_child(whom) { Ok(()) } else { Err(name) }
}

/// Whether `process` is one that the program has made, and that has not been waited for.
fn is_child(process: i32) -> bool {
    const WAITID: usize = 247;
    const BY_ID: usize = 1;
    /// Whether it has ended or not, at once, and without reaping it.
    const ANY: usize = 0x4 | 0x1 | 0x0100_0000;
    let mut info = [0u64; 16];
    // SAFETY: only asks, with room of our own.
    unsafe { sys::syscall6(WAITID, BY_ID, process as usize, info.as_mut_ptr() as usize, ANY, 0, 0) == 0 }
}

/// A signal that the program sends. If the program sends itself a signal that kills by default, the process ends as
/// after a crash.
pub(super) fn send_signal(number: usize, arguments: &[usize; 6]) -> Answer {
    const KILL: usize = 62;
    const TGKILL: usize = 234;
    let (to, signal) = (arguments[0] as i32, if number == TGKILL { arguments[2] } else { arguments[1] });
    const TKILL: usize = 200;
    let own = kernel_thread::real_id();
    // libc knows the real number, the program does not.
    let strange = match number {
        TGKILL => to != ids::PID && to != own,
        TKILL => ids::thread_with(to).is_none() && to != own,
        _ => false,
    };
    if strange {
        return Answer::Unsupported("a signal to a thread of another process");
    }
    if number == KILL && to != ids::PID {
        // The process group has others in it than the program: Heddle itself. And what the program takes for its parent is a number that
        // somebody else may have.
        return match to {
            1.. if is_child(to) => Answer::Outside("a signal to another process"),
            1.. => Answer::Unsupported("a signal to a process that the program has not made"),
            _ => Answer::Unsupported("kill of a group"),
        };
    }
    if signal == 0 {
        return Answer::Result(0);
    }
    if crate::outside::signals::mask::is_blocked(signal) {
        return Answer::Unsupported("a signal that is sent while it is blocked");
    }
    match disposition(signal) {
        Disposition::Ignored => Answer::Result(0),
        // The kernel would run it on our stack, which threads share.
        Disposition::Handled => Answer::Unsupported("a handler for a signal that is sent by a system call"),
        Disposition::Kills => {
            schedule::end_process(process::end(Ending::Crash { signal: signal as u8, overflow: false }), 0)
        }
    }
}
