//! The layout of the address space. The program's own image lies below `0x1000_0000_0000` (not position independent), at
//! `0x5555_5555_4000` or near `0x7fff_ffff_f000`, since addresses are not randomised; the rest is ours to divide.
//!
//! | from | what | belongs to |
//! |---|---|---|
//! | `0x1000_0000_0000` | heaps, 16 GiB for each thread (`heap`) | the program |
//! | `0x5000_0000_0000` | stacks of threads, 1 GiB of addresses for each, the main thread's first ([`crate::schedule::fiber`]) | the program |
//! | `0x5a00_0000_0000` | nothing: named semaphores have addresses here (`pthread::named`) | the program |
//! | `0x5b00_0000_0000` | nothing: files have addresses here ([`crate::outside::files::ordered`]) | the program |
//! | `0x6000_0000_0000` | the memory shared with the driver ([`crate::entry::wire`]), somewhere | us |
//! | `0x6200_0000_0000` | shadow call stacks | us |
//! | `0x6300_0000_0000` | states of threads and objects, the controller's stack | us |
//! | `0x6400_0000_0000` | images of the program's data, heaps and stacks ([`crate::state::snapshot`]) | us |
//! | `0x6b00_0000_0000` | which thread accessed what ([`crate::detect::race`]) | us |
//! | `0x6c00_0000_0000` | which bytes of the heaps may be touched ([`crate::heap`]) | us |

use heddle_model::wire;

use crate::sys;

/// Bytes in a page.
pub const PAGE: usize = 4096;

/// Where the heaps of threads begin.
pub const HEAPS: usize = wire::HEAPS as usize;
/// Where the stacks of threads begin.
pub const STACKS: usize = wire::STACKS as usize;
/// The distance from one thread's stack to the next.
pub const STACK_STRIDE: usize = wire::STACK_STRIDE as usize;
/// Where the addresses of named semaphores begin. Nothing is mapped there.
pub const NAMES: usize = 0x5a00_0000_0000;
/// One past the last address of a named semaphore.
pub const NAMES_END: usize = 0x5b00_0000_0000;
/// Where the runtime keeps the states of threads and objects, the controller's stack, and other small things.
pub const STATES: usize = 0x6300_0000_0000;
/// One past the last address of any thread's stack.
pub const STACKS_END: usize = STACKS + (1 << 42);
/// Where the images of globals and stacks begin.
pub const IMAGES: usize = 0x6400_0000_0000;
/// One past the last image of globals and stacks.
pub const IMAGES_END: usize = 0x6a00_0000_0000;
/// Where the images of heaps begin.
pub const HEAP_IMAGES: usize = IMAGES_END;
/// The cells of the race detector's shadow memory.
pub const SHADOW: usize = 0x6b00_0000_0000;
/// One past the last address that is ours and not the program's.
pub const PRIVATE_END: usize = 0x7000_0000_0000;
/// The first address that is ours and not the program's.
pub const PRIVATE: usize = wire::ADDRESS;

/// Maps zeroed memory at a fixed address. It costs nothing until it is touched.
pub fn map(address: usize, length: usize) {
    // SAFETY: the callers divide the ranges above among them, so nothing is mapped over.
    let result = unsafe {
        sys::syscall6(
            sys::MMAP,
            address,
            length.next_multiple_of(PAGE),
            sys::PROT_READ | sys::PROT_WRITE,
            sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_FIXED | sys::MAP_NORESERVE,
            usize::MAX,
            0,
        )
    };
    if result < 0 {
        sys::die(b"heddle: the program's address space has no room left (mmap failed)\n");
    }
}

/// Memory of the runtime that is given out once and kept for the life of the process.
pub struct Reserve {
    next: usize,
}

impl Reserve {
    /// The reserve that begins at `address`.
    pub const fn new(address: usize) -> Reserve {
        Reserve { next: address }
    }

    /// Gives out `count` zeroed values with static lifetime. Their type must allow all bytes to be zero.
    pub fn take<T>(&mut self, count: usize) -> &'static mut [T] {
        let at = self.next;
        map(at, count * size_of::<T>());
        self.next += (count * size_of::<T>()).next_multiple_of(PAGE) + PAGE;
        // SAFETY: freshly mapped, page aligned, zeroed, handed out once; callers ask for types that may be zero.
        unsafe { core::slice::from_raw_parts_mut(at as *mut T, count) }
    }
}

// SAFETY: what is taken is zeroed, and handed out once.
unsafe impl heddle_detect::Lender<'static> for Reserve {
    fn lend<T: heddle_detect::Zero>(&mut self, count: usize) -> &'static mut [T] {
        self.take(count)
    }
}
