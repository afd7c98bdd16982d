//! Size classes: every block has the capacity of a class, so that a freed block serves any later request of its class.
//!
//! Up to 1 KiB in steps of 16 bytes, above that four steps for each doubling, up to the whole of an arena. No block
//! wastes more than a fifth of itself. Pages of a large block that the program never touches are never there.

/// Every address that `malloc` gives is a multiple of this.
pub const GRAIN: usize = 16;
/// How many classes there are.
pub const CLASSES: usize = SMALL + (LARGEST_LOG - SMALL_LOG) * 4;
/// The largest request that has a class.
pub const LARGEST: usize = 1 << LARGEST_LOG;

const SMALL_LOG: usize = 10;
const SMALL: usize = (1 << SMALL_LOG) / GRAIN;
const LARGEST_LOG: usize = 33;

/// The room that a block of `size` bytes gets: behind it there are at least sixteen bytes that are nobody's, besides the
/// header of the next block, and an eighth of the block if it is large.
#[inline]
pub fn with_margin(size: usize) -> usize {
    size.saturating_add((size / 8).clamp(GRAIN, LARGEST_MARGIN))
}

const LARGEST_MARGIN: usize = 1024;

/// The class that serves `size` bytes. `size` is at most [`LARGEST`].
#[inline]
pub fn of(size: usize) -> usize {
    if size <= 1 << SMALL_LOG {
        return (size.max(1) - 1) / GRAIN;
    }
    // `last` is the last byte's offset: its two bits below the leading one choose among the four steps.
    let last = size - 1;
    let log = usize::BITS as usize - 1 - last.leading_zeros() as usize;
    SMALL + (log - SMALL_LOG) * 4 + (last >> (log - 2) & 3)
}

/// The bytes that a block of `class` has.
#[inline]
pub fn capacity(class: usize) -> usize {
    if class < SMALL {
        return (class + 1) * GRAIN;
    }
    let (log, step) = (SMALL_LOG + (class - SMALL) / 4, (class - SMALL) % 4);
    (1 << log) + (step + 1) * (1 << (log - 2))
}
