//! Unsigned bounds of bit vectors, from the bounds of their parts.

use super::{Node, Terms, mask};

impl Terms {
    /// Bounds of a node that is about to become a term. Never empty, and never too small.
    pub(super) fn bounds(&self, node: &Node, width: u8) -> (u128, u128) {
        let all = (0, mask(width));
        match node {
            Node::Constant(value) => (*value, *value),
            Node::Ite(_, a, b) => {
                let ((l, h), (m, i)) = (self.interval(*a), self.interval(*b));
                (l.min(m), h.max(i))
            }
            Node::Zext(a) => self.interval(*a),
            Node::Linear(parts, constant) => {
                // Only if nothing can wrap around.
                let (mut low, mut high) = (*constant, *constant);
                for (t, k) in parts {
                    let (l, h) = self.interval(*t);
                    let sum = h.checked_mul(*k).and_then(|p| p.checked_add(high)).filter(|s| *s <= mask(width));
                    let Some(sum) = sum else { return all };
                    high = sum;
                    low += l * k;
                }
                (low, high)
            }
            Node::Product(factors) => {
                let (mut low, mut high) = (1, 1u128);
                for t in factors {
                    let (l, h) = self.interval(*t);
                    let Some(p) = h.checked_mul(high).filter(|p| *p <= mask(width)) else { return all };
                    high = p;
                    low *= l;
                }
                (low, high)
            }
            Node::Udiv(a, b) => {
                let ((l, h), (m, i)) = (self.interval(*a), self.interval(*b));
                h.checked_div(m).map_or(all, |most| (l / i, most))
            }
            Node::Urem(a, b) => {
                let ((_, h), (m, i)) = (self.interval(*a), self.interval(*b));
                if m == 0 { (0, h) } else { (0, h.min(i - 1)) }
            }
            Node::BitAnd(a, b) => (0, self.interval(*a).1.min(self.interval(*b).1)),
            Node::BitOr(a, b) => {
                let ((l, h), (m, i)) = (self.interval(*a), self.interval(*b));
                (l.max(m), ones_up_to(h | i))
            }
            Node::BitXor(a, b) => (0, ones_up_to(self.interval(*a).1 | self.interval(*b).1)),
            Node::Lshr(a, _) => (0, self.interval(*a).1),
            Node::Extract(a, 0) if self.interval(*a).1 <= mask(width) => self.interval(*a),
            Node::Concat(a, b) => {
                let shift = self.width(*b);
                let ((l, h), (m, i)) = (self.interval(*a), self.interval(*b));
                (l << shift | m, h << shift | i)
            }
            _ => all,
        }
    }
}

/// The smallest number of the form 2^n - 1 that is not less.
fn ones_up_to(value: u128) -> u128 {
    if value == 0 { 0 } else { u128::MAX >> value.leading_zeros() }
}
