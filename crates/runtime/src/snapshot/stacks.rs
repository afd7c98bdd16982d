//! The stacks: saved and restored by the pages that were ever touched.
//!
//! A page of a stack that was not in use at the snapshot is zero in its image, since images are zero until something is
//! saved into them. So a thread finds the same bytes below its stack pointer in every execution, even where it reads
//! what it never wrote.

use super::{copy, different_pages, pages};
use crate::arch::Context;
use crate::memory::{MAIN_STACK_IMAGE, STACK_IMAGES, STACK_STRIDE};
use crate::{fiber, memory, sys};

/// A longer run than this is given back to the kernel instead of being copied.
const LARGE: usize = 1 << 20;

static mut MAIN: (usize, usize) = (0, 0);
static mut FIBERS: usize = 0;

/// Calls `each` with address, image and length of every run of pages that was ever touched.
fn each_run(mut each: impl FnMut(usize, usize, usize)) {
    // SAFETY: one kernel thread.
    let (main, fibers) = unsafe { (MAIN, FIBERS) };
    pages::touched(main.0, main.1, |low, high| each(low, MAIN_STACK_IMAGE + (low - main.0), high - low));
    if fibers > 0 {
        let range = fiber::stack_range(fibers);
        pages::touched(range.0, range.1, |low, high| each(low, STACK_IMAGES + (low - range.0), high - low));
    }
}

/// Saves all stacks. `main_stack` is where the main thread's may be.
pub fn save(main_stack: (usize, usize), main: &Context) {
    // Images from an earlier snapshot must be zero where nothing is saved now: mapping over them makes them so.
    memory::map(MAIN_STACK_IMAGE, main_stack.1 - main_stack.0);
    let fibers = fiber::donors();
    for index in 0..fibers {
        memory::map(STACK_IMAGES + index * STACK_STRIDE, STACK_STRIDE);
    }
    // SAFETY: one kernel thread.
    unsafe {
        MAIN = main_stack;
        FIBERS = fibers;
    }
    each_run(|low, image, length| {
        if low >= main_stack.0 && low < main_stack.1 {
            // Below the stack pointer lies what start-up has left there.
            let dead = main.stack().clamp(low, low + length) - low;
            // SAFETY: the main fiber is suspended and uses nothing below its stack pointer.
            unsafe { core::ptr::write_bytes(low as *mut u8, 0, dead) };
        }
        copy(image, low, length);
    });
}

/// Restores all stacks.
pub fn restore() {
    each_run(|low, image, length| {
        // Deep recursion: what was in use at the snapshot is at the top of the run.
        let excess = if length > LARGE { length - LARGE } else { 0 };
        if excess > 0 {
            // SAFETY: stacks are ours to restore; nothing runs on them.
            unsafe { sys::syscall3(sys::MADVISE, low, excess, sys::MADV_DONTNEED) };
        }
        copy(low + excess, image + excess, length - excess);
    });
}

/// How many pages differ from their images.
pub fn differing() -> u64 {
    let mut count = 0;
    each_run(|low, image, length| count += different_pages(low, image, length));
    count
}
