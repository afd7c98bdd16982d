//! Terms with other terms in the place of some of their parts.

use rustc_hash::FxHashMap;

use super::{Node, TermId, Terms};

impl Terms {
    /// `t` with `map` applied to its parts, and normalised anew. `map` is extended by what was computed, so that it can be used again for terms
    /// with common parts. What it maps to is not searched for further parts.
    pub fn substitute(&mut self, t: TermId, map: &mut FxHashMap<TermId, TermId>) -> TermId {
        if let Some(known) = map.get(&t) {
            return *known;
        }
        // Only what is not known yet, parts first.
        let mut todo = Vec::new();
        let mut stack = vec![t];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(s) = stack.pop() {
            if !map.contains_key(&s) && seen.insert(s) {
                todo.push(s);
                self.node(s).for_each_child(|child| stack.push(child));
            }
        }
        todo.sort_unstable();
        for s in todo {
            let new = self.rebuild(s, map);
            map.insert(s, new);
        }
        map[&t]
    }

    fn rebuild(&mut self, t: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        let node = self.node(t).clone();
        let mut changed = false;
        node.for_each_child(|child| changed |= map[&child] != child);
        if !changed {
            return t;
        }
        let of = |child: TermId| map[&child];
        let width = self.width(t);
        match node {
            Node::Bool(_) | Node::Constant(_) | Node::Variable(_) => t,
            Node::Not(a) => self.not(of(a)),
            Node::And(all) => {
                let all: Vec<TermId> = all.iter().map(|a| of(*a)).collect();
                self.and_all(&all)
            }
            Node::Ite(c, a, b) => self.ite(of(c), of(a), of(b)),
            Node::Linear(parts, k) => {
                let mut sum = self.constant(width, k);
                for (a, c) in parts {
                    let part = self.scale(of(a), c);
                    sum = self.add(sum, part);
                }
                sum
            }
            Node::Product(all) => {
                let mut product = self.constant(width, 1);
                for a in all {
                    product = self.mul(product, of(a));
                }
                product
            }
            Node::Udiv(a, b) => self.udiv(of(a), of(b)),
            Node::Urem(a, b) => self.urem(of(a), of(b)),
            Node::Sdiv(a, b) => self.sdiv(of(a), of(b)),
            Node::Srem(a, b) => self.srem(of(a), of(b)),
            Node::BitAnd(a, b) => self.bit_and(of(a), of(b)),
            Node::BitOr(a, b) => self.bit_or(of(a), of(b)),
            Node::BitXor(a, b) => self.bit_xor(of(a), of(b)),
            Node::Shl(a, b) => self.shl(of(a), of(b)),
            Node::Lshr(a, b) => self.lshr(of(a), of(b)),
            Node::Ashr(a, b) => self.ashr(of(a), of(b)),
            Node::Extract(a, low) => self.extract(of(a), low + width - 1, low),
            Node::Concat(a, b) => self.concat(of(a), of(b)),
            Node::Zext(a) => self.zext(of(a), width),
            Node::Sext(a) => self.sext(of(a), width),
            Node::Eq(a, b) => self.eq(of(a), of(b)),
            Node::Ult(a, b) => self.ult(of(a), of(b)),
            Node::Slt(a, b) => self.slt(of(a), of(b)),
        }
    }
}
