//! What the program sees of the machine: processors, caches, memory and kernel. They are the same everywhere, so that a
//! program does the same on every machine.
//!
//! There are two processors: enough for a program that starts a thread for each, or that spins only where another thread can
//! run meanwhile. All ways to ask give one answer, by a function of libc or by a system call, before `main` and after it.

use core::ffi::{c_int, c_long, c_void};

use heddle_model::primitive::process_state::{How, State};

use crate::calls::process_state;
use crate::calls::pthread::identity;
use crate::entry::start;
use crate::schedule::{active, caller};

/// How many processors there are.
pub const PROCESSORS: usize = 2;
/// All of them, a bit for each.
pub const ALL: u8 = (1 << PROCESSORS) - 1;
/// The size of the kernel's set of processors in bytes.
const SET: usize = 8;
const EINVAL: isize = 22;
const ESRCH: isize = 3;
const MEMORY: u64 = 8 << 30;
const PAGE: u64 = crate::addresses::PAGE as u64;

originals! {
    fn sysconf(name: c_int) -> c_long;
    fn get_nprocs() -> c_int;
    fn get_nprocs_conf() -> c_int;
    fn sched_getcpu() -> c_int;
    fn getcpu(processor: *mut u32, node: *mut u32) -> c_int;
    fn uname(into: *mut c_void) -> c_int;
    fn sysinfo(into: *mut c_void) -> c_int;
}

/// Whether the program is under control. Its constructors see the same machine as its `main`.
fn controlled() -> bool {
    start::wire().is_some()
}

interpose! {
    fn sysconf(name: c_int) -> c_long {
        match value(name) {
            Some(value) if controlled() => value,
            _ => {
                // _SC_ARG_MAX, _SC_CHILD_MAX, _SC_OPEN_MAX: what the limits say.
                if matches!(name, 0 | 1 | 4) {
                    process_state::touches(State::Limits, How::Read, caller());
                }
                real::sysconf(name)
            }
        }
    }
    fn get_nprocs() -> c_int {
        if controlled() { PROCESSORS as c_int } else { real::get_nprocs() }
    }
    fn get_nprocs_conf() -> c_int {
        if controlled() { PROCESSORS as c_int } else { real::get_nprocs_conf() }
    }
    fn sched_getcpu() -> c_int {
        if controlled() { 0 } else { real::sched_getcpu() }
    }
    fn getcpu(processor: *mut u32, node: *mut u32) -> c_int {
        if !controlled() {
            return real::getcpu(processor, node);
        }
        current_processor(processor as usize, node as usize) as c_int
    }
    fn uname(into: *mut c_void) -> c_int {
        if !controlled() {
            return real::uname(into);
        }
        kernel(into as usize) as c_int
    }
    fn sysinfo(into: *mut c_void) -> c_int {
        if !controlled() {
            return real::sysinfo(into);
        }
        memory(into as usize) as c_int
    }
}

/// What `sysconf` says of the machine.
fn value(name: c_int) -> Option<c_long> {
    Some(match name {
        // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES, _SC_AVPHYS_PAGES
        83 | 84 => PROCESSORS as c_long,
        85 => (MEMORY / PAGE) as c_long,
        86 => (MEMORY / 2 / PAGE) as c_long,
        // _SC_LEVEL1_ICACHE_SIZE and what follows: size, ways and line of each cache. There is no fourth.
        185 | 188 => 32 << 10,
        191 => 1 << 20,
        194 => 32 << 20,
        186 | 189 => 8,
        192 | 195 => 16,
        187 | 190 | 193 | 196 => 64,
        197..=199 => 0,
        _ => return None,
    })
}

/// Writes the set of processors that a thread may run on, in a set of `size` bytes.
///
/// # Safety
/// `set` is the program's set, of this size.
pub unsafe fn write_processors(processors: u8, size: usize, set: *mut u8) {
    // SAFETY: the caller's.
    unsafe {
        core::ptr::write_bytes(set, 0, size);
        if size > 0 {
            *set = processors;
        }
    }
}

/// The system calls that ask about the machine. The result, or none if `number` is another call.
pub fn answer(number: usize, arguments: &[usize; 6]) -> Option<isize> {
    Some(match number {
        63 => kernel(arguments[0]),
        99 => memory(arguments[0]),
        204 if arguments[1] < SET => -EINVAL,
        204 => {
            let number = arguments[0] as c_int;
            let processors = if active() { identity::processors_of(number) } else { Some(ALL) };
            let Some(processors) = processors else { return Some(-ESRCH) };
            // SAFETY: the program's set, of this size.
            unsafe { write_processors(processors, SET, arguments[2] as *mut u8) };
            SET as isize
        }
        203 if active() => {
            let [number, size, set, ..] = *arguments;
            // SAFETY: the program's set, of this size.
            unsafe { identity::set_processors(number as c_int, size, set) }
        }
        309 => current_processor(arguments[0], arguments[1]),
        _ => return None,
    })
}

/// `getcpu`: the first processor, of the first node.
fn current_processor(processor: usize, node: usize) -> isize {
    for place in [processor, node].into_iter().filter(|&place| place != 0) {
        // SAFETY: the program's room for it.
        unsafe { (place as *mut u32).write_unaligned(0) };
    }
    0
}

/// `uname`: six texts of 65 bytes.
fn kernel(into: usize) -> isize {
    const TEXTS: [&[u8]; 6] = [b"Linux", b"heddle", b"6.1.0", b"#1 SMP", b"x86_64", b"(none)"];
    let mut all = [[0u8; 65]; 6];
    for (text, words) in all.iter_mut().zip(TEXTS) {
        text[..words.len()].copy_from_slice(words);
    }
    // SAFETY: the program's room for it.
    unsafe { (into as *mut [[u8; 65]; 6]).write_unaligned(all) };
    0
}

/// `sysinfo`: up for a day, no load, memory half free, no swap.
fn memory(into: usize) -> isize {
    const DAY: u64 = 86_400;
    let mut all = [0u64; 14];
    (all[0], all[4], all[5]) = (DAY, MEMORY, MEMORY / 2);
    // The number of processes, and the unit of the sizes.
    (all[10], all[13]) = (2, 1);
    // SAFETY: the program's room for it.
    unsafe { (into as *mut [u64; 14]).write_unaligned(all) };
    0
}
