//! Constructors of booleans, and the choice.

use super::{Node, Sort, TermId, Terms};

/// A conjunction with more members is kept as a conjunction of conjunctions, so that a long chain of guards costs linear space.
const MEMBERS: usize = 16;

impl Terms {
    /// The negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.node(a) {
            Node::Bool(value) => self.bool(!*value),
            Node::Not(inner) => *inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Whether one is the negation of the other.
    pub fn complementary(&self, a: TermId, b: TermId) -> bool {
        matches!(self.node(a), Node::Not(inner) if *inner == b)
            || matches!(self.node(b), Node::Not(inner) if *inner == a)
            || (a == Self::TRUE && b == Self::FALSE)
            || (a == Self::FALSE && b == Self::TRUE)
    }

    /// Both.
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.and_all(&[a, b])
    }

    /// All of them; `true` if there are none.
    pub fn and_all(&mut self, all: &[TermId]) -> TermId {
        let mut set: Vec<TermId> = Vec::new();
        for &a in all {
            match self.node(a) {
                Node::And(members) if members.len() < MEMBERS => set.extend_from_slice(members),
                Node::Bool(true) => {}
                Node::Bool(false) => return Self::FALSE,
                _ => set.push(a),
            }
        }
        set.sort_unstable();
        set.dedup();
        for &a in &set {
            match self.node(a) {
                Node::Not(inner) => {
                    if set.binary_search(inner).is_ok() {
                        return Self::FALSE;
                    }
                    // a & !(a & b) is a & !b only if it gets smaller; a & b & !(a & b) is false.
                    if let Node::And(members) = self.node(*inner)
                        && members.iter().all(|m| set.binary_search(m).is_ok())
                    {
                        return Self::FALSE;
                    }
                }
                Node::And(members) => {
                    let known = |m: &TermId| matches!(self.node(*m), Node::Not(i) if set.binary_search(i).is_ok());
                    if members.iter().any(known) {
                        return Self::FALSE;
                    }
                }
                _ => {}
            }
        }
        match set.len() {
            0 => Self::TRUE,
            1 => set[0],
            _ => self.intern(Node::And(set.into()), Sort::Bool),
        }
    }

    /// One or both. What the two have in common is taken out where the rest is complementary, so guards of two branches become the
    /// guard before the branch.
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || a == Self::TRUE || b == Self::FALSE {
            return a;
        }
        if b == Self::TRUE || a == Self::FALSE {
            return b;
        }
        let parts = |t: TermId| match self.node(t) {
            Node::And(all) => all.to_vec(),
            _ => vec![t],
        };
        let (left, right) = (parts(a), parts(b));
        let only_left: Vec<TermId> = left.iter().copied().filter(|m| !right.contains(m)).collect();
        let only_right: Vec<TermId> = right.iter().copied().filter(|m| !left.contains(m)).collect();
        // a | (a & b) = a
        if only_left.is_empty() {
            return a;
        }
        if only_right.is_empty() {
            return b;
        }
        if let ([x], [y]) = (&only_left[..], &only_right[..])
            && self.complementary(*x, *y)
        {
            let common: Vec<TermId> = left.into_iter().filter(|m| m != x).collect();
            return self.and_all(&common);
        }
        let (x, y) = (self.not(a), self.not(b));
        let neither = self.and(x, y);
        self.not(neither)
    }

    /// At least one; `false` if there are none.
    pub fn or_all(&mut self, all: &[TermId]) -> TermId {
        match all {
            [] => Self::FALSE,
            [a] => *a,
            [a, b] => self.or(*a, *b),
            _ => {
                let none: Vec<TermId> = all.iter().map(|a| self.not(*a)).collect();
                let none = self.and_all(&none);
                self.not(none)
            }
        }
    }

    /// The second, if the first.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let a = self.not(a);
        self.or(a, b)
    }

    /// Equal truth values.
    pub fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let other = self.not(b);
        self.ite(a, b, other)
    }

    /// Different truth values.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.iff(a, b);
        self.not(same)
    }

    /// `a` if `c`, else `b`. Booleans or bit vectors of one width.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "a choice between different sorts");
        if a == b || c == Self::TRUE {
            return a;
        }
        if c == Self::FALSE {
            return b;
        }
        let (c, a, b) = match *self.node(c) {
            Node::Not(inner) => (inner, b, a),
            _ => (c, a, b),
        };
        // The same question asked again below.
        let a = match *self.node(a) {
            Node::Ite(d, x, _) if d == c => x,
            _ => a,
        };
        let b = match *self.node(b) {
            Node::Ite(d, _, y) if d == c => y,
            _ => b,
        };
        if a == b {
            return a;
        }
        if self.sort(a) != Sort::Bool {
            return self.intern(Node::Ite(c, a, b), self.sort(a));
        }
        if a == Self::TRUE || a == c {
            return self.or(c, b);
        }
        if b == Self::FALSE || b == c {
            return self.and(c, a);
        }
        if a == Self::FALSE || self.complementary(a, c) {
            let other = self.not(c);
            return self.and(other, b);
        }
        if b == Self::TRUE || self.complementary(b, c) {
            let other = self.not(c);
            return self.or(other, a);
        }
        if self.complementary(a, b) {
            // Equivalence: the smaller id asks, and neither is negated.
            let (a, flip) = match *self.node(a) {
                Node::Not(inner) => (inner, true),
                _ => (a, false),
            };
            let (c, a) = if c <= a { (c, a) } else { (a, c) };
            let other = self.not(a);
            let same = self.intern(Node::Ite(c, a, other), Sort::Bool);
            return if flip { self.not(same) } else { same };
        }
        self.intern(Node::Ite(c, a, b), Sort::Bool)
    }

    /// A boolean as a bit vector of width 1.
    pub fn bit(&mut self, c: TermId) -> TermId {
        let (one, zero) = (self.constant(1, 1), self.constant(1, 0));
        self.ite(c, one, zero)
    }

    /// Whether a bit vector is not zero.
    pub fn nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        let is_zero = self.eq(a, zero);
        self.not(is_zero)
    }
}
