//! Constructors of quotients and remainders.

use super::{Node, Sort, TermId, Terms, signed};

/// The quotient of unsigned numbers; all bits for a division by zero.
pub(super) fn udiv(a: u128, b: u128) -> u128 {
    a.checked_div(b).unwrap_or(u128::MAX)
}

/// The remainder of unsigned numbers; the dividend for a division by zero.
pub(super) fn urem(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// The quotient of signed numbers, rounded towards zero; 1 or -1 for a division by zero, against the sign of the dividend.
pub(super) fn sdiv(a: u128, b: u128, width: u8) -> u128 {
    let (a, b) = (signed(a, width), signed(b, width));
    let magnitude = udiv(a.unsigned_abs(), b.unsigned_abs());
    if (a < 0) != (b < 0) { magnitude.wrapping_neg() } else { magnitude }
}

/// The remainder of signed numbers, with the sign of the dividend; the dividend for a division by zero.
pub(super) fn srem(a: u128, b: u128, width: u8) -> u128 {
    let (a, b) = (signed(a, width), signed(b, width));
    let magnitude = urem(a.unsigned_abs(), b.unsigned_abs());
    if a < 0 { magnitude.wrapping_neg() } else { magnitude }
}

impl Terms {
    /// The quotient of unsigned numbers.
    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let Some(d) = self.as_constant(b) {
            if let Some(n) = self.as_constant(a) {
                return self.constant(width, udiv(n, d));
            }
            if d.is_power_of_two() {
                let by = self.constant(width, u128::from(d.trailing_zeros()));
                return self.lshr(a, by);
            }
        }
        if self.interval(a).1 < self.interval(b).0 {
            return self.constant(width, 0);
        }
        self.intern(Node::Udiv(a, b), Sort::Bits(width))
    }

    /// The remainder of unsigned numbers.
    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let Some(d) = self.as_constant(b) {
            if let Some(n) = self.as_constant(a) {
                return self.constant(width, urem(n, d));
            }
            if d.is_power_of_two() {
                let low = self.constant(width, d - 1);
                return self.bit_and(a, low);
            }
        }
        if self.interval(a).1 < self.interval(b).0 {
            return a;
        }
        self.intern(Node::Urem(a, b), Sort::Bits(width))
    }

    /// Whether a term is never negative as a signed number.
    fn never_negative(&self, t: TermId) -> bool {
        self.interval(t).1 >> (self.width(t) - 1) == 0
    }

    /// The quotient of signed numbers.
    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let (Some(n), Some(d)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(width, sdiv(n, d, width));
        }
        if self.never_negative(a) && self.never_negative(b) {
            return self.udiv(a, b);
        }
        self.intern(Node::Sdiv(a, b), Sort::Bits(width))
    }

    /// The remainder of signed numbers.
    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if let (Some(n), Some(d)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(width, srem(n, d, width));
        }
        if self.never_negative(a) && self.never_negative(b) {
            return self.urem(a, b);
        }
        self.intern(Node::Srem(a, b), Sort::Bits(width))
    }
}
