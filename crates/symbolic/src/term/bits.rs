//! Constructors that move bits: bitwise operations, shifts, parts, concatenation, extension.

use super::{Node, Sort, TermId, Terms, mask, signed};

/// How deep choices between constants may be for an operation to go to the leaves.
const LEAVES: u32 = 8;

impl Terms {
    /// Whether a term is a choice, of choices, between constants.
    pub(super) fn chooses_constants(&self, t: TermId, depth: u32) -> bool {
        match self.node(t) {
            Node::Constant(_) => true,
            Node::Ite(_, a, b) => {
                depth > 0 && self.chooses_constants(*a, depth - 1) && self.chooses_constants(*b, depth - 1)
            }
            _ => false,
        }
    }

    /// Applies `f` to the leaves of a choice between constants; none if the term is something else.
    pub(super) fn at_leaves(&mut self, t: TermId, f: &mut dyn FnMut(&mut Terms, TermId) -> TermId) -> Option<TermId> {
        let applies = matches!(self.node(t), Node::Ite(..)) && self.chooses_constants(t, LEAVES);
        applies.then(|| self.leaves(t, f))
    }

    fn leaves(&mut self, t: TermId, f: &mut dyn FnMut(&mut Terms, TermId) -> TermId) -> TermId {
        if let Node::Ite(c, a, b) = *self.node(t) {
            let (x, y) = (self.leaves(a, f), self.leaves(b, f));
            self.ite(c, x, y)
        } else {
            f(self, t)
        }
    }

    fn sorted(a: TermId, b: TermId) -> (TermId, TermId) {
        if a <= b { (a, b) } else { (b, a) }
    }

    /// The constant of the two, and the other one.
    fn with_constant(&self, a: TermId, b: TermId) -> Option<(u128, TermId)> {
        self.as_constant(a).map(|k| (k, b)).or_else(|| self.as_constant(b).map(|k| (k, a)))
    }

    /// Bitwise and.
    pub fn bit_and(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if a == b {
            return a;
        }
        if let Some((k, x)) = self.with_constant(a, b) {
            if let Some(l) = self.as_constant(x) {
                return self.constant(width, k & l);
            }
            if k == 0 {
                return self.constant(width, 0);
            }
            if k == mask(width) {
                return x;
            }
            if k & (k + 1) == 0 {
                // A mask of low bits.
                let low = self.extract(x, k.count_ones() as u8 - 1, 0);
                return self.zext(low, width);
            }
            if let Node::BitAnd(c, y) = *self.node(x)
                && let Some((l, z)) = self.with_constant(c, y)
            {
                let both = self.constant(width, k & l);
                return self.bit_and(both, z);
            }
        }
        let (a, b) = Self::sorted(a, b);
        self.intern(Node::BitAnd(a, b), Sort::Bits(width))
    }

    /// Bitwise or.
    pub fn bit_or(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if a == b {
            return a;
        }
        if let Some((k, x)) = self.with_constant(a, b) {
            if let Some(l) = self.as_constant(x) {
                return self.constant(width, k | l);
            }
            if k == 0 {
                return x;
            }
            if k == mask(width) {
                return self.constant(width, k);
            }
        }
        let (a, b) = Self::sorted(a, b);
        self.intern(Node::BitOr(a, b), Sort::Bits(width))
    }

    /// Bitwise exclusive or.
    pub fn bit_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        if a == b {
            return self.constant(width, 0);
        }
        if let Some((k, x)) = self.with_constant(a, b) {
            if let Some(l) = self.as_constant(x) {
                return self.constant(width, k ^ l);
            }
            if k == 0 {
                return x;
            }
            if k == mask(width) {
                return self.bit_not(x);
            }
        }
        let (a, b) = Self::sorted(a, b);
        self.intern(Node::BitXor(a, b), Sort::Bits(width))
    }

    /// Shift to the left.
    pub fn shl(&mut self, a: TermId, by: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(by));
        match self.as_constant(by) {
            Some(n) if n >= u128::from(width) => self.constant(width, 0),
            Some(n) => self.scale(a, 1 << n),
            None if self.as_constant(a) == Some(0) => a,
            None => self.intern(Node::Shl(a, by), Sort::Bits(width)),
        }
    }

    /// Shift to the right; zeros come in.
    pub fn lshr(&mut self, a: TermId, by: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(by));
        match self.as_constant(by) {
            Some(n) if n >= u128::from(width) => self.constant(width, 0),
            Some(n) => {
                let high = self.extract(a, width - 1, n as u8);
                self.zext(high, width)
            }
            None if self.as_constant(a) == Some(0) => a,
            None => self.intern(Node::Lshr(a, by), Sort::Bits(width)),
        }
    }

    /// Shift to the right; the sign comes in.
    pub fn ashr(&mut self, a: TermId, by: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(by));
        match self.as_constant(by) {
            Some(n) => {
                let n = n.min(u128::from(width) - 1) as u8;
                let high = self.extract(a, width - 1, n);
                self.sext(high, width)
            }
            None if self.as_constant(a) == Some(0) => a,
            None => self.intern(Node::Ashr(a, by), Sort::Bits(width)),
        }
    }

    /// The bits from `high` down to `low`, both included.
    pub fn extract(&mut self, a: TermId, high: u8, low: u8) -> TermId {
        let width = self.width(a);
        assert!(low <= high && high < width, "bits {high}..{low} of {width}");
        let wanted = high - low + 1;
        if wanted == width {
            return a;
        }
        if let Node::Constant(k) = *self.node(a) {
            return self.constant(wanted, k >> low);
        }
        // It goes down into shared parts: remembered, or it would visit them once for each way to them.
        if let Some(t) = self.extracts.get(&(a, high, low)) {
            return *t;
        }
        let t = self.extract_part(a, high, low);
        self.extracts.insert((a, high, low), t);
        t
    }

    fn extract_part(&mut self, a: TermId, high: u8, low: u8) -> TermId {
        let wanted = high - low + 1;
        if let Some(t) = self.at_leaves(a, &mut |terms, leaf| terms.extract(leaf, high, low)) {
            return t;
        }
        match *self.node(a) {
            Node::Extract(x, from) => return self.extract(x, from + high, from + low),
            Node::Concat(x, y) => {
                let split = self.width(y);
                if high < split {
                    return self.extract(y, high, low);
                }
                if low >= split {
                    return self.extract(x, high - split, low - split);
                }
                let (x, y) = (self.extract(x, high - split, 0), self.extract(y, split - 1, low));
                return self.concat(x, y);
            }
            Node::Zext(x) => {
                let inner = self.width(x);
                if low >= inner {
                    return self.constant(wanted, 0);
                }
                let x = self.extract(x, high.min(inner - 1), low);
                return self.zext(x, wanted);
            }
            Node::Sext(x) => {
                let inner = self.width(x);
                let x = self.extract(x, high.min(inner - 1), low.min(inner - 1));
                return self.sext(x, wanted);
            }
            Node::BitAnd(x, y) => {
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                return self.bit_and(x, y);
            }
            Node::BitOr(x, y) => {
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                return self.bit_or(x, y);
            }
            Node::BitXor(x, y) => {
                let (x, y) = (self.extract(x, high, low), self.extract(y, high, low));
                return self.bit_xor(x, y);
            }
            _ => {}
        }
        if low == 0 {
            // Low bits of sums and products depend on low bits alone.
            if let Node::Linear(parts, constant) = self.node(a) {
                let (parts, constant) = (parts.clone(), *constant);
                let mut sum = self.constant(wanted, constant);
                for (t, k) in parts {
                    let t = self.extract(t, high, 0);
                    let t = self.scale(t, k);
                    sum = self.add(sum, t);
                }
                return sum;
            }
            if let Node::Product(factors) = self.node(a) {
                let factors = factors.clone();
                let mut product = self.constant(wanted, 1);
                for t in factors {
                    let t = self.extract(t, high, 0);
                    product = self.mul(product, t);
                }
                return product;
            }
        }
        self.intern(Node::Extract(a, low), Sort::Bits(wanted))
    }

    /// The low bits.
    pub fn trunc(&mut self, a: TermId, width: u8) -> TermId {
        self.extract(a, width - 1, 0)
    }

    /// Zeros in front, to this width.
    pub fn zext(&mut self, a: TermId, width: u8) -> TermId {
        let inner = self.width(a);
        assert!(inner <= width && width <= 128, "{inner} bits to {width}");
        if inner == width {
            return a;
        }
        if let Some(t) = self.at_leaves(a, &mut |terms, leaf| terms.zext(leaf, width)) {
            return t;
        }
        match *self.node(a) {
            Node::Constant(k) => self.constant(width, k),
            Node::Zext(x) => self.zext(x, width),
            _ => self.intern(Node::Zext(a), Sort::Bits(width)),
        }
    }

    /// Copies of the sign in front, to this width.
    pub fn sext(&mut self, a: TermId, width: u8) -> TermId {
        let inner = self.width(a);
        assert!(inner <= width && width <= 128, "{inner} bits to {width}");
        if inner == width {
            return a;
        }
        if let Some(t) = self.at_leaves(a, &mut |terms, leaf| terms.sext(leaf, width)) {
            return t;
        }
        match *self.node(a) {
            Node::Constant(k) => return self.constant(width, signed(k, inner) as u128),
            Node::Sext(x) => return self.sext(x, width),
            Node::Zext(x) => return self.zext(x, width),
            _ => {}
        }
        if self.interval(a).1 >> (inner - 1) == 0 {
            return self.zext(a, width);
        }
        self.intern(Node::Sext(a), Sort::Bits(width))
    }

    /// The bits of `a` above those of `b`.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let (high, low) = (self.width(a), self.width(b));
        let width = high + low;
        assert!(u16::from(high) + u16::from(low) <= 128, "more than 128 bits");
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(width, x << low | y);
        }
        if self.as_constant(a) == Some(0) {
            return self.zext(b, width);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Concat(x, y), _) => {
                let rest = self.concat(y, b);
                self.concat(x, rest)
            }
            (Node::Zext(x), _) => {
                let joined = self.concat(x, b);
                self.zext(joined, width)
            }
            // Neighbouring parts of one term.
            (Node::Extract(x, from), Node::Extract(y, start)) if x == y && from == start + low => {
                self.extract(x, start + width - 1, start)
            }
            (Node::Extract(x, from), Node::Concat(y, rest)) if matches!(*self.node(y), Node::Extract(z, start) if z == x && from == start + self.width(y)) =>
            {
                let Node::Extract(_, start) = *self.node(y) else { unreachable!() };
                let joined = self.extract(x, from + high - 1, start);
                self.concat(joined, rest)
            }
            _ => self.intern(Node::Concat(a, b), Sort::Bits(width)),
        }
    }
}
