//! From terms to clauses.
//!
//! Each bit of a term is a literal. Gates are hashed by their inputs, so equal parts of different terms are built once. An equation
//! under a guard becomes two clauses for each bit, without a literal for the equation itself.

use rustc_hash::FxHashMap;

use super::{Backend, Lit};
use crate::term::{Assignment, Node, Sort, TermId, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// Quotient and remainder.
type Division = (Vec<Lit>, Vec<Lit>);

/// The literals of terms, in one backend.
pub struct Blaster {
    truth: Lit,
    /// Where the bits of a term begin in `bits`; by index of the term. 0 if it has none yet.
    places: Vec<u32>,
    bits: Vec<Lit>,
    gates: FxHashMap<Gate, Lit>,
    divisions: FxHashMap<(TermId, TermId, bool), Division>,
    /// Values that unknowns try first.
    phases: FxHashMap<TermId, bool>,
    /// Comparisons of bit vectors that have a literal and no gates, if data is left out.
    comparisons: Option<Vec<(TermId, Lit)>>,
}

impl Blaster {
    /// Without terms.
    pub fn new(backend: &mut dyn Backend) -> Self {
        let truth = backend.variable(true);
        backend.clause(&[truth]);
        Blaster {
            truth,
            places: Vec::new(),
            bits: vec![truth],
            gates: FxHashMap::default(),
            divisions: FxHashMap::default(),
            phases: FxHashMap::default(),
            comparisons: None,
        }
    }

    /// Leaves out data: a comparison of bit vectors is a literal that nothing is said about. To be said before anything is built.
    pub fn leave_out_data(&mut self) {
        self.comparisons = Some(Vec::new());
    }

    /// The comparisons that nothing is said about.
    pub fn comparisons(&self) -> &[(TermId, Lit)] {
        self.comparisons.as_deref().unwrap_or_default()
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// The value that a boolean unknown tries first; `false` if nothing is said. To be said before its literal is asked for.
    pub fn set_phase(&mut self, t: TermId, phase: bool) {
        self.phases.insert(t, phase);
    }

    /// The literal of a boolean.
    pub fn lit(&mut self, terms: &Terms, backend: &mut dyn Backend, t: TermId) -> Lit {
        debug_assert_eq!(terms.sort(t), Sort::Bool);
        let at = self.place(terms, backend, t);
        self.bits[at]
    }

    /// The literal of a boolean, if it was asked for before.
    pub fn known(&self, t: TermId) -> Option<Lit> {
        let place = self.places.get(t.index()).copied().filter(|p| *p != 0)?;
        Some(self.bits[place as usize])
    }

    /// The literals of a bit vector, the lowest bit first.
    pub fn bits(&mut self, terms: &Terms, backend: &mut dyn Backend, t: TermId) -> Vec<Lit> {
        let at = self.place(terms, backend, t);
        self.bits[at..at + usize::from(terms.width(t).max(1))].to_vec()
    }

    /// One of these must hold.
    pub fn clause(&mut self, terms: &Terms, backend: &mut dyn Backend, clause: &[TermId]) {
        let mut lits = Vec::with_capacity(clause.len());
        for t in clause {
            let l = self.lit(terms, backend, *t);
            if l == self.truth {
                return;
            }
            if l != !self.truth {
                lits.push(l);
            }
        }
        backend.clause(&lits);
    }

    /// If the guard, then equal bits.
    pub fn guarded_eq(&mut self, terms: &Terms, backend: &mut dyn Backend, guard: Lit, a: TermId, b: TermId) {
        let (x, y) = (self.bits(terms, backend, a), self.bits(terms, backend, b));
        for (x, y) in x.into_iter().zip(y) {
            if x == y {
                continue;
            }
            for (p, q) in [(x, !y), (!x, y)] {
                let lits: Vec<Lit> = [!guard, p, q].into_iter().filter(|l| *l != !self.truth).collect();
                if !lits.contains(&self.truth) {
                    backend.clause(&lits);
                }
            }
        }
    }

    /// The values of all unknowns that have bits, in the model that was found last.
    pub fn assignment(&self, terms: &Terms, backend: &dyn Backend) -> Assignment {
        let mut assignment = Assignment::new();
        for (index, &place) in self.places.iter().enumerate() {
            if place == 0 {
                continue;
            }
            let t = terms.at(index);
            if let Some(v) = terms.as_variable(t) {
                let width = usize::from(terms.width(t).max(1));
                let bits = &self.bits[place as usize..place as usize + width];
                let value = bits.iter().rev().fold(0, |value, l| value << 1 | u128::from(backend.value(*l)));
                assignment.set(v, value);
            }
        }
        assignment
    }

    fn place(&mut self, terms: &Terms, backend: &mut dyn Backend, t: TermId) -> usize {
        if self.places.len() < terms.len() {
            self.places.resize(terms.len(), 0);
        }
        if self.places[t.index()] == 0 {
            let mut todo = Vec::new();
            let mut stack = vec![t];
            while let Some(s) = stack.pop() {
                if self.places[s.index()] == 0 {
                    todo.push(s);
                    if !self.is_left_out(terms, s) {
                        terms.node(s).for_each_child(|child| stack.push(child));
                    }
                }
            }
            // Parts are older than what they are part of.
            todo.sort_unstable();
            todo.dedup();
            for s in todo {
                if self.is_left_out(terms, s) {
                    let l = backend.variable(false);
                    self.places[s.index()] = self.bits.len() as u32;
                    self.bits.push(l);
                    self.comparisons.get_or_insert_default().push((s, l));
                    continue;
                }
                let mut builder = Builder { blaster: self, backend };
                let bits = builder.build(terms, s);
                debug_assert_eq!(bits.len(), usize::from(terms.width(s).max(1)));
                self.places[s.index()] = self.bits.len() as u32;
                self.bits.extend_from_slice(&bits);
            }
        }
        self.places[t.index()] as usize
    }

    fn is_left_out(&self, terms: &Terms, t: TermId) -> bool {
        self.comparisons.is_some() && matches!(terms.node(t), Node::Eq(..) | Node::Ult(..) | Node::Slt(..))
    }

    fn of(&self, terms: &Terms, t: TermId) -> Vec<Lit> {
        let at = self.places[t.index()] as usize;
        self.bits[at..at + usize::from(terms.width(t).max(1))].to_vec()
    }
}

struct Builder<'a> {
    blaster: &'a mut Blaster,
    backend: &'a mut dyn Backend,
}

impl Builder<'_> {
    fn truth(&self) -> Lit {
        self.blaster.truth
    }

    fn constant(&self, value: bool) -> Lit {
        if value { self.truth() } else { !self.truth() }
    }

    fn is(&self, l: Lit) -> Option<bool> {
        if l == self.truth() {
            Some(true)
        } else if l == !self.truth() {
            Some(false)
        } else {
            None
        }
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(l) = self.blaster.gates.get(&gate) {
            return *l;
        }
        let g = self.backend.variable(false);
        let out = &mut *self.backend;
        match gate {
            Gate::And(a, b) => {
                out.clause(&[!g, a]);
                out.clause(&[!g, b]);
                out.clause(&[g, !a, !b]);
            }
            Gate::Xor(a, b) => {
                out.clause(&[!g, a, b]);
                out.clause(&[!g, !a, !b]);
                out.clause(&[g, !a, b]);
                out.clause(&[g, a, !b]);
            }
            Gate::Mux(c, a, b) => {
                out.clause(&[!c, !a, g]);
                out.clause(&[!c, a, !g]);
                out.clause(&[c, !b, g]);
                out.clause(&[c, b, !g]);
                out.clause(&[!a, !b, g]);
                out.clause(&[a, b, !g]);
            }
            Gate::Majority(a, b, c) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    out.clause(&[!x, !y, g]);
                    out.clause(&[x, y, !g]);
                }
            }
        }
        self.blaster.gates.insert(gate, g);
        g
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.is(a), self.is(b)) {
            (Some(false), _) | (_, Some(false)) => self.constant(false),
            (Some(true), _) => b,
            (_, Some(true)) => a,
            _ if a == b => a,
            _ if a == !b => self.constant(false),
            _ => self.gate(Gate::And(a.min(b), a.max(b))),
        }
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (self.is(a), self.is(b)) {
            (Some(true), _) => return !b,
            (Some(false), _) => return b,
            (_, Some(true)) => return !a,
            (_, Some(false)) => return a,
            _ if a == b => return self.constant(false),
            _ if a == !b => return self.constant(true),
            _ => {}
        }
        let flip = a.is_positive() != b.is_positive();
        let (a, b) = (Lit::new(a.variable()), Lit::new(b.variable()));
        let g = self.gate(Gate::Xor(a.min(b), a.max(b)));
        if flip { !g } else { g }
    }

    fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        match (self.is(c), self.is(a), self.is(b)) {
            (Some(true), ..) => a,
            (Some(false), ..) => b,
            _ if a == b => a,
            (_, Some(true), _) => self.or(c, b),
            (_, Some(false), _) => self.and(!c, b),
            (_, _, Some(true)) => self.or(!c, a),
            (_, _, Some(false)) => self.and(c, a),
            _ if a == !b => self.xor(!c, a),
            _ if c.is_positive() => self.gate(Gate::Mux(c, a, b)),
            _ => self.gate(Gate::Mux(!c, b, a)),
        }
    }

    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut all = [a, b, c];
        all.sort_unstable();
        let [a, b, c] = all;
        if let Some(known) = all.iter().position(|l| self.is(*l).is_some()) {
            let value = self.is(all[known]) == Some(true);
            let (x, y) = match known {
                0 => (b, c),
                1 => (a, c),
                _ => (a, b),
            };
            return if value { self.or(x, y) } else { self.and(x, y) };
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        self.gate(Gate::Majority(a, b, c))
    }

    /// The sum with a carry in.
    fn add(&mut self, x: &[Lit], y: &[Lit], carry: Lit) -> Vec<Lit> {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(x.len());
        for (i, (&a, &b)) in x.iter().zip(y).enumerate() {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            if i + 1 < x.len() {
                carry = self.majority(a, b, carry);
            }
        }
        sum
    }

    fn inverted(x: &[Lit]) -> Vec<Lit> {
        x.iter().map(|l| !*l).collect()
    }

    fn negated(&mut self, x: &[Lit]) -> Vec<Lit> {
        let zero = vec![self.constant(false); x.len()];
        let carry = self.constant(true);
        self.add(&Self::inverted(x), &zero, carry)
    }

    fn number(&self, value: u128, width: usize) -> Vec<Lit> {
        (0..width).map(|i| self.constant(value >> i & 1 == 1)).collect()
    }

    fn select(&mut self, c: Lit, x: &[Lit], y: &[Lit]) -> Vec<Lit> {
        x.iter().zip(y).map(|(a, b)| self.mux(c, *a, *b)).collect()
    }

    fn linear(&mut self, terms: &Terms, parts: &[(TermId, u128)], constant: u128, width: usize) -> Vec<Lit> {
        let full = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        let mut constant = constant;
        let mut sum: Option<Vec<Lit>> = None;
        for (t, k) in parts {
            let bits = self.blaster.of(terms, *t);
            let minus = k.wrapping_neg() & full;
            let negative = minus.count_ones() < k.count_ones();
            let mut digits = if negative { minus } else { *k };
            while digits != 0 {
                let shift = digits.trailing_zeros() as usize;
                digits &= digits - 1;
                let mut shifted = vec![self.constant(false); shift];
                shifted.extend_from_slice(&bits[..width - shift]);
                if negative {
                    shifted = Self::inverted(&shifted);
                    constant = constant.wrapping_add(1);
                }
                let zero = self.constant(false);
                sum = Some(match sum {
                    Some(sum) => self.add(&sum, &shifted, zero),
                    None => shifted,
                });
            }
        }
        let constant = self.number(constant & full, width);
        let zero = self.constant(false);
        match sum {
            Some(sum) => self.add(&sum, &constant, zero),
            None => constant,
        }
    }

    fn multiply(&mut self, x: &[Lit], y: &[Lit]) -> Vec<Lit> {
        let width = x.len();
        let zero = self.constant(false);
        let mut sum = vec![zero; width];
        for i in 0..width {
            if self.is(y[i]) == Some(false) {
                continue;
            }
            let row: Vec<Lit> = (0..width - i).map(|j| self.and(y[i], x[j])).collect();
            let upper = self.add(&sum[i..], &row, zero);
            sum.truncate(i);
            sum.extend(upper);
        }
        sum
    }

    /// Less, unsigned.
    fn less(&mut self, x: &[Lit], y: &[Lit]) -> Lit {
        let mut less = self.constant(false);
        for (a, b) in x.iter().zip(y) {
            less = self.majority(!*a, *b, less);
        }
        less
    }

    /// Quotient and remainder by restoring division. A divisor of zero gives all bits and the dividend, as it should.
    fn divide(&mut self, x: &[Lit], y: &[Lit]) -> Division {
        let width = x.len();
        let zero = self.constant(false);
        let mut divisor = y.to_vec();
        divisor.push(zero);
        let mut rest = vec![zero; width + 1];
        let mut quotient = vec![zero; width];
        for i in (0..width).rev() {
            rest.pop();
            rest.insert(0, x[i]);
            let fits = !self.less(&rest, &divisor);
            quotient[i] = fits;
            let one = self.constant(true);
            let reduced = self.add(&rest, &Self::inverted(&divisor), one);
            rest = self.select(fits, &reduced, &rest);
        }
        rest.truncate(width);
        (quotient, rest)
    }

    fn division(&mut self, terms: &Terms, a: TermId, b: TermId, signed: bool) -> Division {
        if let Some(known) = self.blaster.divisions.get(&(a, b, signed)) {
            return known.clone();
        }
        let (x, y) = (self.blaster.of(terms, a), self.blaster.of(terms, b));
        let result = if signed {
            let (sx, sy) = (x[x.len() - 1], y[y.len() - 1]);
            let (nx, ny) = (self.negated(&x), self.negated(&y));
            let (ax, ay) = (self.select(sx, &nx, &x), self.select(sy, &ny, &y));
            let (q, r) = self.divide(&ax, &ay);
            let differ = self.xor(sx, sy);
            let (nq, nr) = (self.negated(&q), self.negated(&r));
            (self.select(differ, &nq, &q), self.select(sx, &nr, &r))
        } else {
            self.divide(&x, &y)
        };
        self.blaster.divisions.insert((a, b, signed), result.clone());
        result
    }

    /// Shifts by the bits of `by`, towards the low end; `fill` comes in.
    fn shift_down(&mut self, x: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = x.len();
        let mut value = x.to_vec();
        let mut beyond = self.constant(false);
        for (i, &bit) in by.iter().enumerate() {
            if i < 32 && 1usize << i < width {
                let n = 1 << i;
                let moved: Vec<Lit> = (0..width).map(|j| if j + n < width { value[j + n] } else { fill }).collect();
                value = self.select(bit, &moved, &value);
            } else {
                beyond = self.or(beyond, bit);
            }
        }
        let filled = vec![fill; width];
        self.select(beyond, &filled, &value)
    }

    fn build(&mut self, terms: &Terms, t: TermId) -> Vec<Lit> {
        let width = usize::from(terms.width(t));
        match terms.node(t) {
            Node::Bool(value) => vec![self.constant(*value)],
            Node::Constant(k) => self.number(*k, width),
            Node::Variable(_) => {
                let phase = self.blaster.phases.get(&t).copied().unwrap_or(false);
                (0..width.max(1)).map(|_| self.backend.variable(phase)).collect()
            }
            Node::Not(a) => Self::inverted(&self.blaster.of(terms, *a)),
            Node::And(all) => {
                let mut out = self.constant(true);
                for a in all {
                    let l = self.blaster.of(terms, *a)[0];
                    out = self.and(out, l);
                }
                vec![out]
            }
            Node::Ite(c, a, b) => {
                let c = self.blaster.of(terms, *c)[0];
                let (x, y) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                self.select(c, &x, &y)
            }
            Node::Linear(parts, constant) => self.linear(terms, parts, *constant, width),
            Node::Product(factors) => {
                let mut product = self.blaster.of(terms, factors[0]);
                for factor in &factors[1..] {
                    let y = self.blaster.of(terms, *factor);
                    product = self.multiply(&product, &y);
                }
                product
            }
            Node::Udiv(a, b) => self.division(terms, *a, *b, false).0,
            Node::Urem(a, b) => self.division(terms, *a, *b, false).1,
            Node::Sdiv(a, b) => self.division(terms, *a, *b, true).0,
            Node::Srem(a, b) => self.division(terms, *a, *b, true).1,
            Node::BitAnd(a, b) => self.bitwise(terms, *a, *b, Self::and),
            Node::BitOr(a, b) => self.bitwise(terms, *a, *b, Self::or),
            Node::BitXor(a, b) => self.bitwise(terms, *a, *b, Self::xor),
            Node::Shl(a, b) => {
                let (mut x, by) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                x.reverse();
                let zero = self.constant(false);
                let mut out = self.shift_down(&x, &by, zero);
                out.reverse();
                out
            }
            Node::Lshr(a, b) => {
                let (x, by) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                let zero = self.constant(false);
                self.shift_down(&x, &by, zero)
            }
            Node::Ashr(a, b) => {
                let (x, by) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                let sign = x[x.len() - 1];
                self.shift_down(&x, &by, sign)
            }
            Node::Extract(a, low) => self.blaster.of(terms, *a)[usize::from(*low)..usize::from(*low) + width].to_vec(),
            Node::Concat(a, b) => {
                let mut out = self.blaster.of(terms, *b);
                out.extend(self.blaster.of(terms, *a));
                out
            }
            Node::Zext(a) => {
                let mut out = self.blaster.of(terms, *a);
                out.resize(width, self.constant(false));
                out
            }
            Node::Sext(a) => {
                let mut out = self.blaster.of(terms, *a);
                let sign = out[out.len() - 1];
                out.resize(width, sign);
                out
            }
            Node::Eq(a, b) => {
                let (x, y) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                let mut out = self.constant(true);
                for (p, q) in x.iter().zip(&y) {
                    let differ = self.xor(*p, *q);
                    out = self.and(out, !differ);
                }
                vec![out]
            }
            Node::Ult(a, b) => {
                let (x, y) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                vec![self.less(&x, &y)]
            }
            Node::Slt(a, b) => {
                let (mut x, mut y) = (self.blaster.of(terms, *a), self.blaster.of(terms, *b));
                let top = x.len() - 1;
                (x[top], y[top]) = (!x[top], !y[top]);
                vec![self.less(&x, &y)]
            }
        }
    }

    fn bitwise(&mut self, terms: &Terms, a: TermId, b: TermId, op: fn(&mut Self, Lit, Lit) -> Lit) -> Vec<Lit> {
        let (x, y) = (self.blaster.of(terms, a), self.blaster.of(terms, b));
        x.iter().zip(&y).map(|(p, q)| op(self, *p, *q)).collect()
    }
}
