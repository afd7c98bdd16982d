//! Temporary files with generated names. The names are equal in every execution.
//!
//! libc generates the names from the clock, in a way that cannot be interposed. Here they are made of the random
//! numbers of the calling thread ([`crate::outside::random`]).

use core::ffi::{c_char, c_int};

use super::ordered::changes_names;
use crate::outside::random;
use crate::schedule::{active, caller};

originals! {
    fn open64(name: *const c_char, flags: c_int, mode: usize) -> c_int;
    fn mkdir(name: *const c_char, mode: u32) -> c_int;
    fn mkstemp(name: *mut c_char) -> c_int;
    fn mkstemp64(name: *mut c_char) -> c_int;
    fn mkostemp(name: *mut c_char, flags: c_int) -> c_int;
    fn mkostemp64(name: *mut c_char, flags: c_int) -> c_int;
    fn mkstemps(name: *mut c_char, suffix: c_int) -> c_int;
    fn mkstemps64(name: *mut c_char, suffix: c_int) -> c_int;
    fn mkostemps(name: *mut c_char, suffix: c_int, flags: c_int) -> c_int;
    fn mkostemps64(name: *mut c_char, suffix: c_int, flags: c_int) -> c_int;
    fn mkdtemp(name: *mut c_char) -> *mut c_char;
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

const EINVAL: c_int = 22;
const EEXIST: c_int = 17;
/// `O_RDWR | O_CREAT | O_EXCL`.
const NEW: c_int = 0o2 | 0o100 | 0o200;
/// The lowest two bits: how a file is opened.
const ACCESS: c_int = 0o3;

/// Defines functions that make a file from a template.
macro_rules! make_files {
    ($(fn $name:ident(template $(, $arg:ident)*) -> $suffix:expr, $flags:expr;)*) => {
        interpose! {
            $(fn $name(template: *mut c_char $(, $arg: c_int)*) -> c_int {
                if !active() {
                    return real::$name(template $(, $arg)*);
                }
                changes_names(caller());
                make(template, $suffix, |name| real::open64(name, $flags & !ACCESS | NEW, 0o600))
            })*
        }
    };
}

make_files! {
    fn mkstemp(template) -> 0, 0;
    fn mkstemp64(template) -> 0, 0;
    fn mkostemp(template, flags) -> 0, flags;
    fn mkostemp64(template, flags) -> 0, flags;
    fn mkstemps(template, suffix) -> suffix, 0;
    fn mkstemps64(template, suffix) -> suffix, 0;
    fn mkostemps(template, suffix, flags) -> suffix, flags;
    fn mkostemps64(template, suffix, flags) -> suffix, flags;
}

interpose! {
    fn mkdtemp(template: *mut c_char) -> *mut c_char {
        if !active() {
            return real::mkdtemp(template);
        }
        changes_names(caller());
        let made = make(template, 0, |name| real::mkdir(name, 0o700));
        if made < 0 { core::ptr::null_mut() } else { template }
    }
}

/// Replaces the six `X` before the last `suffix` bytes of `template` by letters, until `attempt` does not fail
/// because the name is taken.
///
/// # Safety
/// `template` ends in a zero byte.
unsafe fn make(template: *mut c_char, suffix: c_int, attempt: impl Fn(*const c_char) -> c_int) -> c_int {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const HOLES: usize = 6;
    /// How often libc tries.
    const ATTEMPTS: u32 = 62 * 62 * 62;
    // SAFETY: the caller's string, which is written to between its ends.
    unsafe {
        let length = core::ffi::CStr::from_ptr(template).count_bytes();
        let start = usize::try_from(suffix).ok().and_then(|suffix| length.checked_sub(suffix + HOLES));
        let holes = start.map(|start| core::slice::from_raw_parts_mut(template.add(start).cast::<u8>(), HOLES));
        let Some(holes) = holes.filter(|holes| **holes == *b"XXXXXX") else {
            *__errno_location() = EINVAL;
            return -1;
        };
        for _ in 0..ATTEMPTS {
            let mut number = random::draw();
            for hole in &mut *holes {
                *hole = LETTERS[(number % LETTERS.len() as u64) as usize];
                number /= LETTERS.len() as u64;
            }
            let made = attempt(template);
            if made >= 0 || *__errno_location() != EEXIST {
                return made;
            }
        }
    }
    -1
}
