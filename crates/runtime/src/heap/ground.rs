//! The addresses of the program's heap, and the mapping of its memory.

use heddle_detect::heap::{Ground, Heap};
use heddle_model::wire;

use crate::sys;

/// How many arenas there can be: one for each thread, and the last for the system.
pub const ARENAS: usize = 4096;
/// The arena of everything that is allocated outside executions, or for no thread of the program's.
pub const SYSTEM: usize = ARENAS - 1;

const BASE: usize = wire::HEAPS as usize;
const STRIDE: usize = wire::HEAP_STRIDE as usize;
/// Where the map of the bytes that may be touched is: 4 TiB of addresses, mapped as the arenas are.
const VALIDITY: usize = 0x6c00_0000_0000;

/// The heap of the program.
pub type ProgramHeap = Heap<Fixed, ARENAS>;

/// The addresses that the heap has in every process.
pub struct Fixed;

// SAFETY: nothing else of ours, and nothing of the program's, is mapped at these addresses.
unsafe impl Ground for Fixed {
    const STRIDE: usize = STRIDE;

    #[inline(always)]
    fn base(&self) -> usize {
        BASE
    }

    #[inline(always)]
    fn validity(&self) -> usize {
        VALIDITY
    }

    /// Maps memory that costs nothing until it is touched. In small pages: a forked child copies what it changes.
    fn map(&mut self, address: usize, length: usize) -> bool {
        let (protection, kind) = (
            sys::PROT_READ | sys::PROT_WRITE,
            sys::MAP_PRIVATE | sys::MAP_ANONYMOUS | sys::MAP_FIXED | sys::MAP_NORESERVE,
        );
        // SAFETY: the range is reserved for the heap and nothing of it was mapped before.
        unsafe {
            let result = sys::syscall6(sys::MMAP, address, length, protection, kind, usize::MAX, 0);
            // Only advice: kernels without huge pages refuse it.
            sys::syscall3(sys::MADVISE, address, length, sys::MADV_NOHUGEPAGE);
            result == address as isize
        }
    }
}

/// Whether `address` is in the heap's range of addresses.
#[inline(always)]
pub const fn in_range(address: usize) -> bool {
    address.wrapping_sub(BASE) < ARENAS * STRIDE
}
