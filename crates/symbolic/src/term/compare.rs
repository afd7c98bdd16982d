//! Constructors of comparisons.

use super::{Node, Sort, TermId, Terms, mask, signed};

impl Terms {
    /// Equal values, of any one sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "different sorts are not compared");
        if a == b {
            return Self::TRUE;
        }
        if self.sort(a) == Sort::Bool {
            return self.iff(a, b);
        }
        let width = self.width(a);
        let form = self.difference(a, b);
        if form.parts().is_empty() {
            return self.bool(form.constant() == 0);
        }
        let even = form.parts().iter().all(|(_, k)| k & 1 == 0);
        if even && form.constant() & 1 == 1 {
            return Self::FALSE;
        }
        let form = self.make_monic(form, width);
        let (left, right) = self.sides(&form, width);
        let ((l, h), (m, i)) = (self.interval(left), self.interval(right));
        if h < m || i < l {
            return Self::FALSE;
        }
        if let Some(k) = self.as_constant(right) {
            if let Some(t) = self.at_leaves(left, &mut |terms, leaf| terms.bool(terms.as_constant(leaf) == Some(k))) {
                return t;
            }
            match *self.node(left) {
                Node::Zext(x) => {
                    let inner = self.constant(self.width(x), k);
                    return self.eq(x, inner);
                }
                Node::Sext(x) => {
                    let inner = self.width(x);
                    if signed(k & mask(inner), inner) as u128 & mask(width) != k {
                        return Self::FALSE;
                    }
                    let k = self.constant(inner, k);
                    return self.eq(x, k);
                }
                Node::Concat(x, y) => {
                    let low = self.width(y);
                    let (p, q) = (self.constant(self.width(x), k >> low), self.constant(low, k));
                    let (p, q) = (self.eq(x, p), self.eq(y, q));
                    return self.and(p, q);
                }
                _ => {}
            }
        }
        match (self.node(left).clone(), self.node(right).clone()) {
            (Node::Zext(x), Node::Zext(y)) | (Node::Sext(x), Node::Sext(y)) if self.width(x) == self.width(y) => {
                self.eq(x, y)
            }
            _ => self.intern(Node::Eq(left, right), Sort::Bool),
        }
    }

    /// Different values.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Less, unsigned.
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let ((l, h), (m, i)) = (self.interval(a), self.interval(b));
        if a == b || l >= i {
            return Self::FALSE;
        }
        if h < m {
            return Self::TRUE;
        }
        if let Some(k) = self.as_constant(b) {
            if let Some(t) = self.at_leaves(a, &mut |terms, leaf| terms.bool(terms.as_constant(leaf) < Some(k))) {
                return t;
            }
            if k == l + 1 {
                let least = self.constant(width, l);
                return self.eq(a, least);
            }
            if let Node::Zext(x) = *self.node(a) {
                let inner = self.constant(self.width(x), k);
                return self.ult(x, inner);
            }
        }
        if let Some(k) = self.as_constant(a) {
            if let Some(t) = self.at_leaves(b, &mut |terms, leaf| terms.bool(Some(k) < terms.as_constant(leaf))) {
                return t;
            }
            if k + 1 == i {
                let most = self.constant(width, i);
                return self.eq(b, most);
            }
            if k == m {
                return self.ne(a, b);
            }
            if let Node::Zext(x) = *self.node(b) {
                let inner = self.constant(self.width(x), k);
                return self.ult(inner, x);
            }
        }
        match (self.node(a), self.node(b)) {
            (Node::Zext(x), Node::Zext(y)) if self.width(*x) == self.width(*y) => {
                let (x, y) = (*x, *y);
                self.ult(x, y)
            }
            _ => self.intern(Node::Ult(a, b), Sort::Bool),
        }
    }

    /// Not greater, unsigned.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Bounds as signed numbers.
    fn signed_interval(&self, t: TermId) -> (i128, i128) {
        let width = self.width(t);
        if let Node::Sext(x) = self.node(t) {
            return self.signed_interval(*x);
        }
        let (l, h) = self.interval(t);
        if l >> (width - 1) == h >> (width - 1) {
            (signed(l, width), signed(h, width))
        } else {
            (signed(1 << (width - 1), width), signed(mask(width) >> 1, width))
        }
    }

    /// Less, signed.
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let ((l, h), (m, i)) = (self.signed_interval(a), self.signed_interval(b));
        if a == b || l >= i {
            return Self::FALSE;
        }
        if h < m {
            return Self::TRUE;
        }
        if (l >= 0 && m >= 0) || (h < 0 && i < 0) {
            return self.ult(a, b);
        }
        let value = |terms: &Terms, t: TermId| terms.as_constant(t).map(|k| signed(k, width));
        if let Some(k) = value(self, b) {
            if let Some(t) = self.at_leaves(a, &mut |terms, leaf| terms.bool(value(terms, leaf) < Some(k))) {
                return t;
            }
            if let Node::Sext(x) = *self.node(a) {
                // The number fits, or the intervals would have decided.
                let inner = self.constant(self.width(x), k as u128);
                return self.slt(x, inner);
            }
        }
        if let Some(k) = value(self, a) {
            if let Some(t) = self.at_leaves(b, &mut |terms, leaf| terms.bool(Some(k) < value(terms, leaf))) {
                return t;
            }
            if let Node::Sext(x) = *self.node(b) {
                let inner = self.constant(self.width(x), k as u128);
                return self.slt(inner, x);
            }
        }
        match (self.node(a), self.node(b)) {
            (Node::Sext(x), Node::Sext(y)) if self.width(*x) == self.width(*y) => {
                let (x, y) = (*x, *y);
                self.slt(x, y)
            }
            _ => self.intern(Node::Slt(a, b), Sort::Bool),
        }
    }

    /// Not greater, signed.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let greater = self.slt(b, a);
        self.not(greater)
    }
}
