//! Pseudo-random numbers. A seed gives equal numbers on every machine.

/// A pseudo-random number generator (xorshift64*). Samples must be repeatable, so a change here changes the meaning of
/// every seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lots(u64);

impl Lots {
    pub fn new(seed: u64) -> Lots {
        // An odd multiple of an odd constant: never zero, which would be xorshift's fixed point.
        Lots((seed << 1 | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number from the whole range.
    pub fn any(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The high bits of a product are the better ones.
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(32)
    }

    /// A number below `bound`. `None` if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> Option<u64> {
        let drawn = self.any();
        // Nearly all operations can be taken in one way, and a division takes as long as all the rest of this.
        if bound == 1 { Some(0) } else { drawn.checked_rem(bound) }
    }
}
