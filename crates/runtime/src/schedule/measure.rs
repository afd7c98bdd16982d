//! Measures the cost of a switch between fibers. `./x bench operations` calls this in a program that runs without the
//! driver.

use core::cell::Cell;

use crate::addresses::{self, STATES};
use crate::arch::{self, Context};
use crate::lifetime::OneThread;
use crate::sys;

/// The two contexts. They are statics of their own, because this code runs without the driver and without the other
/// state.
static HERE: OneThread<Cell<Context>> = OneThread::new(Cell::new(Context::EMPTY));
static THERE: OneThread<Cell<Context>> = OneThread::new(Cell::new(Context::EMPTY));

/// The address of the second stack, apart from everything that a controlled program maps.
const STACK: usize = STATES + (1 << 40);
const STACK_SIZE: usize = 64 << 10;

extern "C" fn partner() -> ! {
    loop {
        // SAFETY: the other side is suspended in `heddle_measure_switch`.
        unsafe { arch::heddle_switch(THERE.as_ptr(), HERE.as_ptr()) };
    }
}

fn nanoseconds() -> u64 {
    const CLOCK_MONOTONIC: usize = 1;
    let mut time = [0u64; 2];
    // SAFETY: writes to our own words.
    unsafe { sys::syscall3(sys::CLOCK_GETTIME, CLOCK_MONOTONIC, time.as_mut_ptr() as usize, 0) };
    time[0] * 1_000_000_000 + time[1]
}

/// Returns the duration of one switch in picoseconds, measured over `rounds` round trips between two fibers.
#[unsafe(no_mangle)]
pub extern "C" fn heddle_measure_switch(rounds: u64) -> u64 {
    addresses::map(STACK, STACK_SIZE);
    // SAFETY: one thread calls this, and nobody else uses the two contexts.
    unsafe {
        HERE.set(Context::of_caller());
        THERE.set(Context::fresh(STACK + STACK_SIZE, partner));
        let begin = nanoseconds();
        for _ in 0..rounds {
            arch::heddle_switch(HERE.as_ptr(), THERE.as_ptr());
        }
        (nanoseconds() - begin) * 1000 / (2 * rounds.max(1))
    }
}
