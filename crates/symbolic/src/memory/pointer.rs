//! Values of registers and memory cells: terms, pointers and aggregates.

use std::rc::Rc;

use super::{ObjId, Objects};
use crate::term::{Node, TermId, Terms};

/// One thing that a pointer can point to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// When it does. Exactly one of a pointer's guards holds.
    pub guard: TermId,
    /// The object; none for the null pointer and for numbers that are no address.
    pub base: Option<ObjId>,
    /// 64 bits: the offset in the object, or the number.
    pub offset: TermId,
}

/// A pointer. Its alternatives exclude each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointer {
    alternatives: Rc<[Alternative]>,
}

/// A value of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Bits, or a truth value if the type is of one bit.
    Term(TermId),
    /// An address: of a pointer type, or of an integer type of 64 bits.
    Pointer(Pointer),
    /// The parts of a struct or an array.
    Parts(Rc<[Value]>),
}

/// More alternatives than this to one object are put together.
const MANY: usize = 24;

impl Pointer {
    /// The address of a byte of an object.
    pub fn new(base: ObjId, offset: TermId) -> Pointer {
        Pointer { alternatives: Rc::new([Alternative { guard: Terms::TRUE, base: Some(base), offset }]) }
    }

    /// The null pointer.
    pub fn null(terms: &mut Terms) -> Pointer {
        let zero = terms.constant(64, 0);
        Pointer::number(zero)
    }

    /// A number that is no address.
    pub fn number(offset: TermId) -> Pointer {
        Pointer { alternatives: Rc::new([Alternative { guard: Terms::TRUE, base: None, offset }]) }
    }

    /// What it can point to.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// A pointer of these alternatives: those that cannot be are left out, equal ones put together.
    pub fn of(terms: &mut Terms, list: impl IntoIterator<Item = Alternative>) -> Pointer {
        let mut kept: Vec<Alternative> = Vec::new();
        for alternative in list {
            if alternative.guard == Terms::FALSE {
                continue;
            }
            match kept.iter_mut().find(|k| k.base == alternative.base && k.offset == alternative.offset) {
                Some(same) => same.guard = terms.or(same.guard, alternative.guard),
                None => kept.push(alternative),
            }
        }
        if kept.len() > MANY {
            let mut fewer: Vec<Alternative> = Vec::new();
            for alternative in kept {
                match fewer.iter_mut().find(|k| k.base == alternative.base) {
                    Some(same) => {
                        same.offset = terms.ite(alternative.guard, alternative.offset, same.offset);
                        same.guard = terms.or(same.guard, alternative.guard);
                    }
                    None => fewer.push(alternative),
                }
            }
            kept = fewer;
        }
        if let [only] = &mut kept[..] {
            // Exactly one guard holds.
            only.guard = Terms::TRUE;
        }
        if kept.is_empty() {
            return Pointer::null(terms);
        }
        Pointer { alternatives: kept.into() }
    }

    /// This pointer where `condition` holds, and `other` where it does not.
    pub fn merge(&self, terms: &mut Terms, condition: TermId, other: &Pointer) -> Pointer {
        if self == other {
            return self.clone();
        }
        let not = terms.not(condition);
        let mut list = Vec::new();
        for (side, pointer) in [(condition, self), (not, other)] {
            for alternative in pointer.alternatives() {
                list.push(Alternative { guard: terms.and(side, alternative.guard), ..*alternative });
            }
        }
        Pointer::of(terms, list)
    }

    /// The pointer moved by so many bytes.
    pub fn add(&self, terms: &mut Terms, bytes: TermId) -> Pointer {
        let moved: Vec<Alternative> = self
            .alternatives
            .iter()
            .map(|alternative| Alternative { offset: terms.add(alternative.offset, bytes), ..*alternative })
            .collect();
        Pointer { alternatives: moved.into() }
    }

    /// The address as a number.
    pub fn bits(&self, terms: &mut Terms) -> TermId {
        let mut result = None;
        for alternative in self.alternatives.iter().rev() {
            let base = terms.constant(64, u128::from(alternative.base.map_or(0, ObjId::address)));
            let address = terms.add(base, alternative.offset);
            result = Some(match result {
                None => address,
                Some(other) => terms.ite(alternative.guard, address, other),
            });
        }
        result.unwrap_or_else(|| terms.constant(64, 0))
    }

    /// The pointer that a number is: an object's address plus an offset, or a choice of such. None if it cannot be told.
    pub fn from_bits(terms: &mut Terms, objects: &Objects, bits: TermId) -> Option<Pointer> {
        Self::from_bits_deep(terms, objects, bits, 32)
    }

    fn from_bits_deep(terms: &mut Terms, objects: &Objects, bits: TermId, depth: u32) -> Option<Pointer> {
        let constant = match terms.node(bits) {
            Node::Constant(value) => *value as u64,
            Node::Linear(_, constant) => *constant as u64,
            Node::Ite(condition, a, b) if depth > 0 => {
                let (condition, a, b) = (*condition, *a, *b);
                let a = Self::from_bits_deep(terms, objects, a, depth - 1)?;
                let b = Self::from_bits_deep(terms, objects, b, depth - 1)?;
                return Some(a.merge(terms, condition, &b));
            }
            _ => return None,
        };
        match ObjId::near(constant).filter(|id| objects.get(*id).is_some()) {
            Some(id) => {
                let base = terms.constant(64, u128::from(id.address()));
                let offset = terms.sub(bits, base);
                Some(Pointer::new(id, offset))
            }
            None if terms.as_constant(bits).is_some() => Some(Pointer::number(bits)),
            None => None,
        }
    }
}

/// The bits of a value that is no aggregate; a truth value is one bit.
pub fn bits_of(terms: &mut Terms, value: &Value) -> Option<TermId> {
    match value {
        Value::Term(term) if terms.width(*term) == 0 => Some(terms.bit(*term)),
        Value::Term(term) => Some(*term),
        Value::Pointer(pointer) => Some(pointer.bits(terms)),
        Value::Parts(_) => None,
    }
}

/// `a` where `condition` holds, and `b` where it does not. Both have the same type.
pub fn merge_values(terms: &mut Terms, condition: TermId, a: &Value, b: &Value) -> Value {
    match (a, b) {
        _ if a == b => a.clone(),
        (Value::Term(a), Value::Term(b)) => Value::Term(terms.ite(condition, *a, *b)),
        (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(a.merge(terms, condition, b)),
        (Value::Parts(a), Value::Parts(b)) => {
            Value::Parts(a.iter().zip(b.iter()).map(|(a, b)| merge_values(terms, condition, a, b)).collect())
        }
        _ => {
            // A pointer and a number of its width: as numbers, which a later use turns into a pointer again.
            let bits = (bits_of(terms, a), bits_of(terms, b));
            match bits {
                (Some(a), Some(b)) => Value::Term(terms.ite(condition, a, b)),
                _ => a.clone(),
            }
        }
    }
}
