//! Named semaphores within the process: no file is created, found or left behind.
//!
//! The address of a named semaphore is computed from its name alone. It is therefore equal in every execution,
//! whichever thread opens it first. There is no memory at that address, because programs do not access the contents of
//! a `sem_t`.

use core::cell::Cell;
use core::ffi::{CStr, c_char, c_int};

use heddle_model::primitive::semaphore::{CLOSE, CREATE, EXCLUSIVE, NAME_SIZE, OPEN, UNLINK};
use heddle_model::{ObjectId, Operation};

use crate::addresses::NAMES;
use crate::lifetime;
use crate::schedule::{active, caller, unsupported, visible};

originals! {
    fn sem_open(name: *const c_char, flags: c_int, mode: u32, value: u32) -> *mut u8;
    fn sem_close(semaphore: *mut u8) -> c_int;
    fn sem_unlink(name: *const c_char) -> c_int;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

const O_CREAT: c_int = 0o100;
const O_EXCL: c_int = 0o200;
const EINVAL: c_int = 22;
const ENAMETOOLONG: c_int = 36;
const ENOENT: c_int = 2;
const LONGEST: usize = 251;
const SEM_VALUE_MAX: u32 = i32::MAX as u32;
/// How many different addresses names can have.
const HOMES: u64 = 1 << 30;

/// Hashes of the semaphore names in this process, to detect two names with one address. Names are equal in every
/// execution, so the table only grows.
pub struct Named([Cell<u64>; 64]);

impl Named {
    /// The state at the start of the process.
    pub const fn new() -> Named {
        Named([const { Cell::new(0) }; 64])
    }
}

interpose! {
    fn sem_open(name: *const c_char, flags: c_int, mode: u32, value: u32) -> *mut u8 {
        if !active() {
            return real::sem_open(name, flags, mode, value);
        }
        let pc = caller();
        let creates = flags & O_CREAT != 0;
        if creates && value > SEM_VALUE_MAX {
            fail(EINVAL);
            return core::ptr::null_mut();
        }
        let home = match home(name, pc) {
            Ok(home) => home,
            Err(error) => {
                fail(error);
                return core::ptr::null_mut();
            }
        };
        let exclusive = if flags & O_EXCL != 0 { EXCLUSIVE } else { 0 };
        let detail = if creates { CREATE | exclusive } else { 0 };
        let argument = if creates { u64::from(value) } else { 0 };
        let event = visible(Operation { detail, argument, ..Operation::new(OPEN, home) }, pc, |_| {});
        if event.failed() {
            fail(event.result as c_int);
            return core::ptr::null_mut();
        }
        event.result as *mut u8
    }

    fn sem_close(semaphore: *mut u8) -> c_int {
        if !active() {
            return real::sem_close(semaphore);
        }
        let pc = caller();
        let address = semaphore as u64;
        let last = NAMES as u64 + HOMES * NAME_SIZE;
        if !(NAMES as u64..last).contains(&address) {
            return fail(EINVAL);
        }
        let name = ObjectId(address & !(NAME_SIZE - 1));
        answer(visible(Operation::new(CLOSE, name).with_argument(address), pc, |_| {}).result)
    }

    fn sem_unlink(name: *const c_char) -> c_int {
        if !active() {
            return real::sem_unlink(name);
        }
        let pc = caller();
        match home(name, pc) {
            Ok(home) => answer(visible(Operation::new(UNLINK, home), pc, |_| {}).result),
            Err(EINVAL) => fail(ENOENT),
            Err(error) => fail(error),
        }
    }
}

fn fail(error: c_int) -> c_int {
    // SAFETY: libc gives the address of the calling thread's own variable.
    unsafe { *__errno_location() = error };
    -1
}

fn answer(error: u64) -> c_int {
    if error == 0 { 0 } else { fail(error as c_int) }
}

/// The object that stands for the semaphore called `name`.
unsafe fn home(name: *const c_char, pc: u64) -> Result<ObjectId, c_int> {
    // SAFETY: the program's string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    // Slashes at the beginning do not count; glibc allows none behind them.
    let start = name.iter().take_while(|&&letter| letter == b'/').count();
    let name = &name[start..];
    if name.is_empty() || name.contains(&b'/') {
        return Err(EINVAL);
    }
    if name.len() > LONGEST {
        return Err(ENAMETOOLONG);
    }
    // FNV-1a, and its bits spread.
    let number = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, &letter| (hash ^ u64::from(letter)).wrapping_mul(0x0000_0100_0000_01b3));
    let number = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let home = |number: u64| (number >> 33) % HOMES;
    for known in &lifetime::process().named_semaphores.0 {
        if known.get() == 0 {
            known.set(number);
        }
        if known.get() == number {
            return Ok(ObjectId(NAMES as u64 + home(number) * NAME_SIZE));
        }
        if home(known.get()) == home(number) {
            unsupported("two named semaphores whose names have the same hash", pc);
        }
    }
    unsupported("more than 64 named semaphores", pc)
}
