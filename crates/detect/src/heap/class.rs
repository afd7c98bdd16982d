//! Size classes: every block has the capacity of a class, so that a freed block serves any later request of its class.
//!
//! Classes go up to 1 KiB in steps of 16 bytes, above that in four steps for each doubling, up to 8 GiB. A block wastes at most a fifth
//! of its size. Pages of a large block that the program never touches take no memory.

/// Every address that `malloc` returns is a multiple of this.
pub const GRAIN: usize = 16;
/// How many classes there are.
pub const CLASSES: usize = SMALL + (LARGEST_LOG - SMALL_LOG) * 4;
/// The largest request that has a class.
pub const LARGEST: usize = 1 << LARGEST_LOG;

const SMALL_LOG: usize = 10;
const SMALL: usize = (1 << SMALL_LOG) / GRAIN;
const LARGEST_LOG: usize = 33;
const LARGEST_MARGIN: usize = 1024;

/// `size` plus the unused bytes behind the block, which detect accesses past its end: at least sixteen, and an eighth of the size of a
/// large block, at most 1 KiB. The header of the next block is not counted.
#[inline]
pub fn with_margin(size: usize) -> usize {
    size.saturating_add((size / 8).clamp(GRAIN, LARGEST_MARGIN))
}

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

/// The bytes that a block of `class` can hold.
#[inline]
pub fn capacity(class: usize) -> usize {
    if class < SMALL {
        return (class + 1) * GRAIN;
    }
    let (log, step) = (SMALL_LOG + (class - SMALL) / 4, (class - SMALL) % 4);
    (1 << log) + (step + 1) * (1 << (log - 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::cases;

    #[test]
    fn capacities_grow_and_are_their_own_class() {
        for class in 0..CLASSES {
            assert_eq!(of(capacity(class)), class);
            assert_eq!(capacity(class) % GRAIN, 0);
            if class > 0 {
                assert!(capacity(class - 1) < capacity(class));
                assert_eq!(of(capacity(class - 1) + 1), class);
            }
        }
        assert_eq!(capacity(CLASSES - 1), LARGEST);
    }

    proptest! {
        #![proptest_config(cases(1024))]

        #[test]
        fn a_class_serves_its_size_and_wastes_little(log in 0u32..33, below in any::<u64>()) {
            let size = 1 + (below % (1 << log)) as usize + (1usize << log) / 2;
            prop_assume!(size <= LARGEST);
            let room = capacity(of(size));
            prop_assert!(room >= size);
            prop_assert!(room - size < GRAIN || (room - size) * 5 <= room);
        }

        #[test]
        fn behind_a_block_there_is_a_margin(size in 0usize..1 << 40) {
            let margin = with_margin(size) - size;
            prop_assert!((GRAIN..=LARGEST_MARGIN).contains(&margin));
            prop_assert!(margin >= (size / 8).min(LARGEST_MARGIN));
        }
    }
}
