//! Futexes, as programs and libraries call them through `syscall`. The model defines their meaning; this module decodes
//! the arguments.
//!
//! Shared and private futexes are equal, because there is one process.

use heddle_model::primitive::futex::{self, ALL, AWAKEN, TIMED};
use heddle_model::{Event, EventFlags, ObjectId, Operation};

use crate::outside::clock::{self, Timespec};
use crate::schedule::timed::{self, Deadline};
use crate::schedule::{current, spin_loop, unsupported, visible};

const WAIT: usize = 0;
const WAKE: usize = 1;
const REQUEUE: usize = 3;
const COMPARE_REQUEUE: usize = 4;
const WAIT_BITSET: usize = 9;
const WAKE_BITSET: usize = 10;
const PRIVATE: usize = 128;
const CLOCK_REALTIME: usize = 256;

const EAGAIN: i64 = 11;
const EINVAL: i64 = 22;
const ETIMEDOUT: i64 = 110;

/// The operations that are not modelled, by their numbers.
const OTHERS: [(usize, &str); 8] = [
    (2, "FUTEX_FD"),
    (5, "FUTEX_WAKE_OP"),
    (6, "FUTEX_LOCK_PI"),
    (7, "FUTEX_UNLOCK_PI"),
    (8, "FUTEX_TRYLOCK_PI"),
    (11, "FUTEX_WAIT_REQUEUE_PI"),
    (12, "FUTEX_CMP_REQUEUE_PI"),
    (13, "FUTEX_LOCK_PI2"),
];

/// `syscall(SYS_futex, word, operation, value, timeout or second value, other, third value)`. Returns the kernel's
/// result: a number, or a negative error number.
pub unsafe fn call(arguments: [usize; 6], pc: u64) -> i64 {
    let [word, operation, value, second, other, third] = arguments;
    let everybody = u32::MAX;
    let command = operation & !(PRIVATE | CLOCK_REALTIME);
    if word % 4 != 0 {
        return -EINVAL;
    }
    let word = ObjectId(word as u64);
    match command {
        WAIT | WAIT_BITSET => {
            let wakers = if command == WAIT { everybody } else { third as u32 };
            if wakers == 0 {
                return -EINVAL;
            }
            // SAFETY: the program's time.
            match unsafe { deadline(operation, second as *const Timespec) } {
                Ok(deadline) => wait(word, value as u32, wakers, deadline, pc),
                Err(error) => -error,
            }
        }
        WAKE | WAKE_BITSET => {
            let wakers = if command == WAKE { everybody } else { third as u32 };
            if wakers == 0 {
                return -EINVAL;
            }
            // The kernel treats a number below one as one.
            let most = (value as i32).max(1) as u32;
            futex::woken(&visible(futex::wake(word, most, wakers), pc, |_| {})) as i64
        }
        REQUEUE | COMPARE_REQUEUE => {
            let most = |number: usize| u8::try_from(number as i32).unwrap_or(ALL).min(ALL);
            if (value as i32) < 0 || (second as i32) < 0 || other % 4 != 0 {
                return -EINVAL;
            }
            let compares = command == COMPARE_REQUEUE;
            let to = ObjectId(other as u64);
            let moves = (most(value), most(second));
            let expected = compares.then_some(third as u32);
            let event = visible(futex::requeue(word, to, moves, expected), pc, |event| found(word, event));
            if event.flags.contains(EventFlags::MISMATCH) {
                return -EAGAIN;
            }
            (futex::woken(&event) + if compares { futex::moved(&event) } else { 0 }) as i64
        }
        _ => {
            let name = OTHERS.iter().find(|(number, _)| *number == command).map_or("an unknown one", |(_, name)| name);
            unsupported(name, pc)
        }
    }
}

/// The deadline of a wait. The time is a duration, except in a wait with a bit set, where it is a point in time.
unsafe fn deadline(operation: usize, time: *const Timespec) -> Result<Option<Deadline>, i64> {
    if time.is_null() {
        return Ok(None);
    }
    let by_realtime = operation & CLOCK_REALTIME != 0;
    let clock = if by_realtime { clock::REALTIME } else { clock::MONOTONIC };
    // SAFETY: the program's time.
    let deadline = unsafe {
        if operation & !(PRIVATE | CLOCK_REALTIME) == WAIT {
            clock::deadline_after(time)
        } else {
            clock::deadline(clock, time)
        }
    };
    deadline.map(Some).ok_or(EINVAL)
}

fn wait(word: ObjectId, expected: u32, wakers: u32, deadline: Option<Deadline>, pc: u64) -> i64 {
    let changes = spin_loop::changes();
    let sleep = futex::wait(word, expected, wakers);
    let sleeps = visible(sleep, pc, |event| found(word, event));
    if sleeps.failed() {
        return -EAGAIN;
    }
    let awaken = Operation::new(AWAKEN, word);
    let event = match deadline {
        Some(deadline) => timed::visible(Operation { detail: TIMED, ..awaken }, deadline, pc),
        None => visible(awaken, pc, |_| {}),
    };
    if !event.failed() {
        return 0;
    }
    spin_loop::slept_in_vain(current(), sleep, changes);
    -ETIMEDOUT
}

/// Records in the event the value that was found instead of the expected one, so that the search knows what other
/// threads would find.
fn found(word: ObjectId, event: &mut Event) {
    if event.flags.contains(EventFlags::MISMATCH) {
        // SAFETY: a word of the program's, which the comparison has just read.
        event.result = unsafe { (word.0 as *const u32).read() } as u64;
    }
}
