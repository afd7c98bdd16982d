//! Values of terms for given values of the unknowns.

use rustc_hash::FxHashMap;

use super::divide::{sdiv, srem, udiv, urem};
use super::{Node, TermId, Terms, VarId, mask, signed};

/// A value: a number, or 0 and 1 for `false` and `true`.
pub type Value = u128;

/// Values of unknowns. Those that are not listed are 0.
#[derive(Clone, Default, Debug)]
pub struct Assignment {
    values: FxHashMap<VarId, Value>,
}

impl Assignment {
    /// All unknowns are 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives an unknown a value.
    pub fn set(&mut self, v: VarId, value: Value) {
        self.values.insert(v, value);
    }

    /// The value of an unknown.
    pub fn get(&self, v: VarId) -> Value {
        self.values.get(&v).copied().unwrap_or(0)
    }
}

impl Terms {
    /// The value of one term.
    pub fn eval(&self, t: TermId, assignment: &Assignment) -> Value {
        self.eval_all(&[t], assignment)[&t]
    }

    /// The values of all terms that `roots` are made of.
    pub fn eval_all(&self, roots: &[TermId], assignment: &Assignment) -> FxHashMap<TermId, Value> {
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for t in self.cone(roots) {
            let value = self.value(t, assignment, &|child| values[&child]);
            values.insert(t, value);
        }
        values
    }

    /// The value of a term whose subterms have the values `of`.
    fn value(&self, t: TermId, assignment: &Assignment, of: &dyn Fn(TermId) -> Value) -> Value {
        let width = self.width(t);
        let full = mask(width);
        let shift = |by: Value| u32::try_from(by).ok().filter(|n| *n < u32::from(width));
        match self.node(t) {
            Node::Bool(value) => Value::from(*value),
            Node::Constant(k) => *k,
            Node::Variable(v) => assignment.get(*v) & if width == 0 { 1 } else { full },
            Node::Not(a) => 1 - of(*a),
            Node::And(all) => all.iter().map(|a| of(*a)).min().unwrap_or(1),
            Node::Ite(c, a, b) => of(if of(*c) == 1 { *a } else { *b }),
            Node::Linear(parts, k) => {
                parts.iter().fold(*k, |sum, (a, c)| sum.wrapping_add(of(*a).wrapping_mul(*c))) & full
            }
            Node::Product(all) => all.iter().fold(1u128, |p, a| p.wrapping_mul(of(*a))) & full,
            Node::Udiv(a, b) => udiv(of(*a), of(*b)) & full,
            Node::Urem(a, b) => urem(of(*a), of(*b)) & full,
            Node::Sdiv(a, b) => sdiv(of(*a), of(*b), width) & full,
            Node::Srem(a, b) => srem(of(*a), of(*b), width) & full,
            Node::BitAnd(a, b) => of(*a) & of(*b),
            Node::BitOr(a, b) => of(*a) | of(*b),
            Node::BitXor(a, b) => of(*a) ^ of(*b),
            Node::Shl(a, b) => shift(of(*b)).map_or(0, |n| of(*a) << n & full),
            Node::Lshr(a, b) => shift(of(*b)).map_or(0, |n| of(*a) >> n),
            Node::Ashr(a, b) => {
                let n = shift(of(*b)).unwrap_or(u32::from(width) - 1);
                (signed(of(*a), width) >> n) as u128 & full
            }
            Node::Extract(a, low) => of(*a) >> low & full,
            Node::Concat(a, b) => of(*a) << self.width(*b) | of(*b),
            Node::Zext(a) => of(*a),
            Node::Sext(a) => signed(of(*a), self.width(*a)) as u128 & full,
            Node::Eq(a, b) => Value::from(of(*a) == of(*b)),
            Node::Ult(a, b) => Value::from(of(*a) < of(*b)),
            Node::Slt(a, b) => {
                let width = self.width(*a);
                Value::from(signed(of(*a), width) < signed(of(*b), width))
            }
        }
    }
}
