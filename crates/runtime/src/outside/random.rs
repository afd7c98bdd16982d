//! Random numbers from outside the program. They are equal in every execution.
//!
//! Each thread draws from its own sequence, so its numbers depend only on how many it has drawn. Generators with their
//! state in the program's memory (`rand`, `random`, `drand48`) need nothing here: their state is restored with the rest
//! of the memory.
//!
//! Two sources are not controlled: devices that are read as files, and the processor's own generator (`rdrand`), except
//! where `std::random_device` uses it.

// These are mangled names of C++.
#![allow(non_snake_case)]

use core::cell::Cell;

use heddle_model::ThreadId;

use crate::addresses::Reserve;
use crate::lifetime::{self, Lent};
use crate::schedule::{self, active, spin_loop};
use crate::state::livelock;

/// How far the sequences of random numbers have been drawn in this execution.
pub struct Drawn {
    /// For each thread, how many numbers it has drawn.
    counts: Lent<Cell<u64>>,
    /// One past the highest thread that has drawn.
    extent: Cell<usize>,
}

impl Drawn {
    /// The state at the start of the process.
    pub const fn new() -> Drawn {
        Drawn { counts: Cell::new(&[]), extent: Cell::new(0) }
    }

    /// All sequences start again from their beginning.
    pub fn reset(&self) {
        let Drawn { counts, extent } = self;
        counts.get()[..extent.replace(0)].iter().for_each(|count| count.set(0));
    }
}

/// Reserves memory for a sequence for each thread. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    lifetime::execution().random.counts.set(reserve.take(threads));
}

/// The next number of the current thread's sequence (SplitMix64: Steele, Lea, Flood 2014, seeded by the thread).
pub fn draw() -> u64 {
    spin_loop::changed();
    livelock::outside();
    let ThreadId(thread) = schedule::current();
    let Drawn { counts, extent } = &lifetime::execution().random;
    extent.set(extent.get().max(thread as usize + 1));
    let drawn = &counts.get()[thread as usize];
    drawn.set(drawn.get() + 1);
    let count = drawn.get();
    let seed = u64::from(thread) << 48;
    let mut z = seed.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

unsafe fn fill(into: *mut u8, size: usize) {
    for at in (0..size).step_by(8) {
        let bytes = draw().to_le_bytes();
        // SAFETY: the caller says that there are `size` bytes.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), into.add(at), (size - at).min(8)) };
    }
}

originals! {
    fn getrandom(into: *mut u8, size: usize, flags: u32) -> isize;
    fn getentropy(into: *mut u8, size: usize) -> i32;
    fn arc4random() -> u32;
    fn arc4random_buf(into: *mut u8, size: usize);
    fn arc4random_uniform(bound: u32) -> u32;
    // std::random_device: libstdc++'s, and LLVM's.
    fn _ZNSt13random_device9_M_getvalEv(device: *mut u8) -> u32;
    fn _ZNSt3__113random_deviceclEv(device: *mut u8) -> u32;
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

interpose! {
    fn getrandom(into: *mut u8, size: usize, flags: u32) -> isize {
        if !active() {
            return real::getrandom(into, size, flags);
        }
        fill(into, size);
        size as isize
    }
    fn getentropy(into: *mut u8, size: usize) -> i32 {
        const EIO: i32 = 5;
        if !active() {
            return real::getentropy(into, size);
        }
        if size > 256 {
            *__errno_location() = EIO;
            return -1;
        }
        fill(into, size);
        0
    }
    fn arc4random() -> u32 {
        if active() { draw() as u32 } else { real::arc4random() }
    }
    fn arc4random_buf(into: *mut u8, size: usize) {
        if active() { fill(into, size) } else { real::arc4random_buf(into, size) }
    }
    fn arc4random_uniform(bound: u32) -> u32 {
        if !active() {
            return real::arc4random_uniform(bound);
        }
        // The high half of the product: no modulo, as even as 64 bits can be.
        ((u128::from(draw()) * u128::from(bound)) >> 64) as u32
    }
    fn _ZNSt13random_device9_M_getvalEv(device: *mut u8) -> u32 {
        if active() { draw() as u32 } else { real::_ZNSt13random_device9_M_getvalEv(device) }
    }
    fn _ZNSt3__113random_deviceclEv(device: *mut u8) -> u32 {
        if active() { draw() as u32 } else { real::_ZNSt3__113random_deviceclEv(device) }
    }
}
