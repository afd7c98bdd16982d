//! Sums and products. A sum is a linear form over terms that are no sums, modulo 2 to the power of the width.

use super::{Node, Sort, TermId, Terms, mask};

/// How many products two sums may be multiplied out to. Normal forms prove identities; each product costs a multiplier if they do not.
const PRODUCTS: usize = 4;

/// A sum under construction.
#[derive(Clone, Default)]
pub(super) struct Form {
    parts: Vec<(TermId, u128)>,
    constant: u128,
}

impl Form {
    /// The terms and their coefficients: sorted, none 0.
    pub(super) fn parts(&self) -> &[(TermId, u128)] {
        &self.parts
    }

    pub(super) fn constant(&self) -> u128 {
        self.constant
    }

    fn scale(&mut self, k: u128, width: u8) {
        self.constant = self.constant.wrapping_mul(k) & mask(width);
        for (_, c) in &mut self.parts {
            *c = c.wrapping_mul(k) & mask(width);
        }
        self.parts.retain(|(_, c)| *c != 0);
    }

    fn normalise(&mut self, width: u8) {
        self.parts.sort_unstable_by_key(|(t, _)| *t);
        let mut out: Vec<(TermId, u128)> = Vec::with_capacity(self.parts.len());
        for &(t, k) in &self.parts {
            match out.last_mut() {
                Some((last, c)) if *last == t => *c = c.wrapping_add(k) & mask(width),
                _ => out.push((t, k & mask(width))),
            }
        }
        out.retain(|(_, k)| *k != 0);
        self.parts = out;
        self.constant &= mask(width);
    }
}

impl Terms {
    /// A term as a sum.
    pub(super) fn form(&self, t: TermId) -> Form {
        match self.node(t) {
            Node::Constant(k) => Form { parts: Vec::new(), constant: *k },
            Node::Linear(parts, k) => Form { parts: parts.to_vec(), constant: *k },
            _ => Form { parts: vec![(t, 1)], constant: 0 },
        }
    }

    /// The term of a sum.
    pub(super) fn of_form(&mut self, form: &Form, width: u8) -> TermId {
        match form.parts[..] {
            [] => self.constant(width, form.constant),
            [(t, 1)] if form.constant == 0 => t,
            _ => self.intern(Node::Linear(form.parts.clone().into(), form.constant), Sort::Bits(width)),
        }
    }

    /// `a - b` as a sum.
    pub(super) fn difference(&self, a: TermId, b: TermId) -> Form {
        let width = self.width(a);
        let (mut x, mut y) = (self.form(a), self.form(b));
        y.scale(mask(width), width);
        x.constant = x.constant.wrapping_add(y.constant);
        x.parts.append(&mut y.parts);
        x.normalise(width);
        x
    }

    /// A sum divided by its leading coefficient, if that is odd: then it is zero for the same values.
    pub(super) fn make_monic(&self, mut form: Form, width: u8) -> Form {
        // The last term is the youngest: mostly the value that a load brings, which is what one wants to be alone.
        if let Some((_, k)) = form.parts.iter().rev().find(|(_, k)| k & 1 == 1) {
            form.scale(inverse(*k), width);
        }
        form
    }

    /// The two sides of the equation `form = 0`, without negative coefficients.
    pub(super) fn sides(&mut self, form: &Form, width: u8) -> (TermId, TermId) {
        let negative = |k: u128| k >> (width - 1) & 1 == 1 && k != 1 << (width - 1);
        let mut left = Form { parts: form.parts.iter().copied().filter(|(_, k)| !negative(*k)).collect(), constant: 0 };
        let mut right = Form { parts: form.parts.iter().copied().filter(|(_, k)| negative(*k)).collect(), constant: 0 };
        right.scale(mask(width), width);
        right.constant = form.constant.wrapping_neg() & mask(width);
        if left.parts.is_empty() {
            std::mem::swap(&mut left, &mut right);
            // A constant alone is on the right.
            right.constant = left.constant.wrapping_neg() & mask(width);
            left.constant = 0;
        }
        (self.of_form(&left, width), self.of_form(&right, width))
    }

    /// The sum.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let (mut x, mut y) = (self.form(a), self.form(b));
        x.constant = x.constant.wrapping_add(y.constant);
        x.parts.append(&mut y.parts);
        x.normalise(width);
        self.of_form(&x, width)
    }

    /// The difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let form = self.difference(a, b);
        self.of_form(&form, width)
    }

    /// The two's complement.
    pub fn neg(&mut self, a: TermId) -> TermId {
        self.scale(a, u128::MAX)
    }

    /// All bits inverted: `-a - 1`.
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let mut form = self.form(a);
        form.scale(mask(width), width);
        form.constant = form.constant.wrapping_sub(1) & mask(width);
        self.of_form(&form, width)
    }

    /// A term times a number.
    pub fn scale(&mut self, a: TermId, k: u128) -> TermId {
        let width = self.width(a);
        let mut form = self.form(a);
        form.scale(k & mask(width), width);
        self.of_form(&form, width)
    }

    /// The product.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let (x, y) = (self.form(a), self.form(b));
        if x.parts.is_empty() {
            return self.scale(b, x.constant);
        }
        if y.parts.is_empty() {
            return self.scale(a, y.constant);
        }
        if x.parts.len() * y.parts.len() > PRODUCTS {
            // As they are. A sum as a factor is not multiplied out later either: the form of a product depends on its factors alone.
            return self.product(a, b, width);
        }
        let mut sum = Form { parts: Vec::new(), constant: x.constant.wrapping_mul(y.constant) };
        for &(s, k) in &x.parts {
            sum.parts.push((s, k.wrapping_mul(y.constant)));
            for &(t, l) in &y.parts {
                let p = self.product(s, t, width);
                sum.parts.push((p, k.wrapping_mul(l)));
            }
        }
        sum.parts.extend(y.parts.iter().map(|&(t, l)| (t, l.wrapping_mul(x.constant))));
        sum.normalise(width);
        self.of_form(&sum, width)
    }

    fn product(&mut self, a: TermId, b: TermId, width: u8) -> TermId {
        let factors = |t: TermId| match self.node(t) {
            Node::Product(all) => all.to_vec(),
            _ => vec![t],
        };
        let mut all = factors(a);
        all.append(&mut factors(b));
        all.sort_unstable();
        self.intern(Node::Product(all.into()), Sort::Bits(width))
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration.
fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    for _ in 0..7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}
