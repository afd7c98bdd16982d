//! Values of a program as terms over its inputs.
//!
//! A term is a node of a hash-consed graph: equal terms have equal ids, and a term is older than every term it occurs in. Sorts are booleans and
//! bit vectors of 1 to 128 bits; there are no arrays, memory is modelled elsewhere. Constructors normalise, so many questions are
//! answered by comparing ids:
//!
//! * sums are linear forms (`linear`), products of unknowns have sorted factors;
//! * an equation is moved to one side, divided by an odd leading coefficient, and split again;
//! * conjunctions are sets of terms, disjunctions their negations;
//! * every bit vector has an unsigned interval (`interval`) that contains all its values.
//!
//! Division by zero and shifts by the width or more have the values of SMT-LIB: `x / 0` has all bits set, `x % 0` is `x`, and shifted-out
//! bits are zero (or the sign). Whether the program may do that is the business of whoever makes the term.

mod bits;
mod compare;
mod divide;
mod eval;
mod interval;
mod linear;
mod logic;
mod print;
mod substitute;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

pub use eval::{Assignment, Value};

/// A term of one [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(u32);

impl TermId {
    /// Its place in the arena: 0, 1, 2, ...
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An unknown: an input of the program, or a value that a load brings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(u32);

impl VarId {
    /// Its place among the unknowns: 0, 1, 2, ...
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of value a term has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// So many bits, 1 to 128.
    Bits(u8),
}

/// How a term is made. Only normal forms occur; use the constructors of [`Terms`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true` or `false`.
    Bool(bool),
    /// A number, less than 2 to the power of its width.
    Constant(u128),
    /// An unknown.
    Variable(VarId),
    /// The negation of a boolean that is no constant and no negation.
    Not(TermId),
    /// A conjunction of at least two booleans, sorted.
    And(Box<[TermId]>),
    /// A choice by a boolean that is no constant and no negation.
    Ite(TermId, TermId, TermId),
    /// The sum of the terms times their coefficients, which are not 0, and of the constant. No term is a sum or a constant.
    Linear(Box<[(TermId, u128)]>, u128),
    /// The product of at least two sorted terms, none of them a constant or a product, and sums only if too many products would come of them.
    Product(Box<[TermId]>),
    /// The quotient of unsigned numbers.
    Udiv(TermId, TermId),
    /// The remainder of unsigned numbers.
    Urem(TermId, TermId),
    /// The quotient of signed numbers, rounded towards zero.
    Sdiv(TermId, TermId),
    /// The remainder of signed numbers, with the sign of the dividend.
    Srem(TermId, TermId),
    /// Bitwise and, the smaller id first.
    BitAnd(TermId, TermId),
    /// Bitwise or, the smaller id first.
    BitOr(TermId, TermId),
    /// Bitwise exclusive or, the smaller id first.
    BitXor(TermId, TermId),
    /// Shift to the left by an unsigned number.
    Shl(TermId, TermId),
    /// Shift to the right; zeros come in.
    Lshr(TermId, TermId),
    /// Shift to the right; the sign comes in.
    Ashr(TermId, TermId),
    /// The bits from the second number (low) on, as many as the term is wide.
    Extract(TermId, u8),
    /// The first has the high bits. The second is no concatenation's first part: chains lean to the right.
    Concat(TermId, TermId),
    /// Zeros in front.
    Zext(TermId),
    /// Copies of the sign in front.
    Sext(TermId),
    /// Equal bit vectors.
    Eq(TermId, TermId),
    /// Less, unsigned.
    Ult(TermId, TermId),
    /// Less, signed.
    Slt(TermId, TermId),
}

impl Node {
    /// Calls `f` for each direct subterm.
    pub fn for_each_child(&self, mut f: impl FnMut(TermId)) {
        match self {
            Node::Bool(_) | Node::Constant(_) | Node::Variable(_) => {}
            Node::Not(a) | Node::Extract(a, _) | Node::Zext(a) | Node::Sext(a) => f(*a),
            Node::And(all) | Node::Product(all) => all.iter().copied().for_each(f),
            Node::Linear(all, _) => all.iter().for_each(|(a, _)| f(*a)),
            Node::Ite(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Node::Udiv(a, b)
            | Node::Urem(a, b)
            | Node::Sdiv(a, b)
            | Node::Srem(a, b)
            | Node::BitAnd(a, b)
            | Node::BitOr(a, b)
            | Node::BitXor(a, b)
            | Node::Shl(a, b)
            | Node::Lshr(a, b)
            | Node::Ashr(a, b)
            | Node::Concat(a, b)
            | Node::Eq(a, b)
            | Node::Ult(a, b)
            | Node::Slt(a, b) => {
                f(*a);
                f(*b);
            }
        }
    }
}

/// What is known about each term: its node, its sort, and bounds of its value.
struct Entry {
    node: Node,
    sort: Sort,
    low: u128,
    high: u128,
}

/// All terms of a program.
pub struct Terms {
    entries: Vec<Entry>,
    /// Ids plus one by the hash of their nodes; 0 is free. A power of two in size, at most half full.
    table: Vec<u32>,
    variables: Vec<(TermId, String)>,
    /// What [`Terms::extract`] answered: the term, the highest and the lowest bit.
    extracts: FxHashMap<(TermId, u8, u8), TermId>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

/// All bits of a width.
pub(crate) fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A number of so many bits read as a signed one.
pub(crate) fn signed(value: u128, width: u8) -> i128 {
    let shift = 128 - u32::from(width);
    ((value << shift) as i128) >> shift
}

impl Terms {
    /// Only `false` and `true`.
    pub fn new() -> Self {
        let mut terms =
            Terms { entries: Vec::new(), table: vec![0; 1024], variables: Vec::new(), extracts: FxHashMap::default() };
        terms.intern(Node::Bool(false), Sort::Bool);
        terms.intern(Node::Bool(true), Sort::Bool);
        terms
    }

    /// `false`: the same in every arena.
    pub const FALSE: TermId = TermId(0);
    /// `true`: the same in every arena.
    pub const TRUE: TermId = TermId(1);

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Never: `false` and `true` are always there.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The term with this index.
    pub fn at(&self, index: usize) -> TermId {
        assert!(index < self.entries.len());
        TermId(index as u32)
    }

    /// How a term is made.
    pub fn node(&self, t: TermId) -> &Node {
        &self.entries[t.index()].node
    }

    /// The sort of a term.
    pub fn sort(&self, t: TermId) -> Sort {
        self.entries[t.index()].sort
    }

    /// The width of a bit vector; 0 for a boolean.
    pub fn width(&self, t: TermId) -> u8 {
        match self.sort(t) {
            Sort::Bool => 0,
            Sort::Bits(width) => width,
        }
    }

    /// Unsigned bounds of a bit vector, both included.
    pub fn interval(&self, t: TermId) -> (u128, u128) {
        (self.entries[t.index()].low, self.entries[t.index()].high)
    }

    /// `true` or `false`.
    pub fn bool(&self, value: bool) -> TermId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// A number; bits that do not fit are dropped.
    pub fn constant(&mut self, width: u8, value: u128) -> TermId {
        assert!((1..=128).contains(&width), "a bit vector has 1 to 128 bits, not {width}");
        self.intern(Node::Constant(value & mask(width)), Sort::Bits(width))
    }

    /// A new unknown. The name is for people.
    pub fn variable(&mut self, sort: Sort, name: impl Into<String>) -> TermId {
        if let Sort::Bits(width) = sort {
            assert!((1..=128).contains(&width), "a bit vector has 1 to 128 bits, not {width}");
        }
        let id = VarId(self.variables.len() as u32);
        let t = self.intern(Node::Variable(id), sort);
        self.variables.push((t, name.into()));
        t
    }

    /// How many unknowns there are.
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    /// The term of an unknown.
    pub fn variable_term(&self, v: VarId) -> TermId {
        self.variables[v.index()].0
    }

    /// The term of the unknown with this index.
    pub fn variable_at(&self, index: usize) -> TermId {
        self.variables[index].0
    }

    /// The name of an unknown.
    pub fn variable_name(&self, v: VarId) -> &str {
        &self.variables[v.index()].1
    }

    /// Which unknown a term is, if it is one.
    pub fn as_variable(&self, t: TermId) -> Option<VarId> {
        match self.node(t) {
            Node::Variable(v) => Some(*v),
            _ => None,
        }
    }

    /// The number that a term is, if it is one.
    pub fn as_constant(&self, t: TermId) -> Option<u128> {
        match self.node(t) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The truth value that a term is, if it is one.
    pub fn as_bool(&self, t: TermId) -> Option<bool> {
        match self.node(t) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The terms that `roots` are made of, the roots included, each once and after its subterms.
    pub fn cone(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut all = Vec::new();
        let mut stack = roots.to_vec();
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                all.push(t);
                self.node(t).for_each_child(|child| stack.push(child));
            }
        }
        // A term is older than those it occurs in.
        all.sort_unstable();
        all
    }

    fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        if self.entries.len() * 2 >= self.table.len() {
            self.grow();
        }
        let size = self.table.len() - 1;
        let mut at = hash(&node, sort) & size;
        while self.table[at] != 0 {
            let id = self.table[at] - 1;
            let entry = &self.entries[id as usize];
            if entry.node == node && entry.sort == sort {
                return TermId(id);
            }
            at = (at + 1) & size;
        }
        let (low, high) = match sort {
            Sort::Bool => (0, 1),
            Sort::Bits(width) => self.bounds(&node, width),
        };
        let id = u32::try_from(self.entries.len()).expect("fewer than four thousand million terms");
        self.table[at] = id + 1;
        self.entries.push(Entry { node, sort, low, high });
        TermId(id)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        self.table = vec![0; size];
        for (id, entry) in self.entries.iter().enumerate() {
            let mut at = hash(&entry.node, entry.sort) & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = id as u32 + 1;
        }
    }
}

fn hash(node: &Node, sort: Sort) -> usize {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    sort.hash(&mut hasher);
    // The upper bits of this hash are the good ones.
    (hasher.finish() >> 20) as usize
}
