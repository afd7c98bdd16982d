//! The contents of one object: cells of values at constant offsets, over zeros or over bytes that nobody has written.

use std::collections::BTreeMap;

use super::pointer::{Value, bits_of, merge_values};
use crate::term::{Sort, TermId, Terms};

/// What bytes are that no cell covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// Zero.
    Zero,
    /// Anything: each first read makes an unknown, and keeps it.
    Unwritten,
}

/// The contents of one object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    cells: BTreeMap<u64, (u32, Value)>,
    rest: Rest,
    /// Whether the object is there: a boolean.
    pub alive: TermId,
}

impl Contents {
    /// An object without cells.
    pub fn new(rest: Rest) -> Contents {
        Contents { cells: BTreeMap::new(), rest, alive: Terms::TRUE }
    }

    /// What bytes are that no cell covers.
    pub fn rest(&self) -> Rest {
        self.rest
    }

    /// The cells that overlap with so many bytes from `offset` on.
    fn overlapping(&self, offset: u64, size: u32) -> Vec<(u64, u32)> {
        let end = offset + u64::from(size);
        let mut found = Vec::new();
        for (&at, (length, _)) in self.cells.range(..end).rev() {
            // Cells are at most 16 bytes, so those further to the left end before.
            if at + 16 < offset {
                break;
            }
            if at + u64::from(*length) > offset {
                found.push((at, *length));
            }
        }
        found.reverse();
        found
    }

    /// The cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = (u64, u32, &Value)> {
        self.cells.iter().map(|(at, (size, value))| (*at, *size, value))
    }

    /// Reads so many bytes, at most 16. The second part of the result: whether some of them were never written; the unknown that
    /// stands for them is kept.
    pub fn read(&mut self, terms: &mut Terms, offset: u64, size: u32) -> (Value, bool) {
        if let Some((length, value)) = self.cells.get(&offset)
            && *length == size
        {
            return (value.clone(), false);
        }
        let cells = self.overlapping(offset, size);
        if cells.is_empty() {
            return match self.rest {
                Rest::Zero => (Value::Term(terms.constant((size * 8) as u8, 0)), false),
                Rest::Unwritten => {
                    let unknown = terms.variable(Sort::Bits((size * 8) as u8), "indeterminate");
                    self.cells.insert(offset, (size, Value::Term(unknown)));
                    (Value::Term(unknown), true)
                }
            };
        }
        let mut unwritten = false;
        let mut whole: Option<TermId> = None;
        for byte in offset..offset + u64::from(size) {
            let covered = cells.iter().find(|(at, length)| *at <= byte && byte < at + u64::from(*length));
            let term = match covered {
                Some((at, _)) => {
                    let value = self.cells[at].1.clone();
                    let bits = bits_of(terms, &value).unwrap_or_else(|| terms.constant(128, 0));
                    let low = ((byte - at) * 8) as u8;
                    terms.extract(bits, low + 7, low)
                }
                None if self.rest == Rest::Zero => terms.constant(8, 0),
                None => {
                    unwritten = true;
                    let unknown = terms.variable(Sort::Bits(8), "indeterminate");
                    self.cells.insert(byte, (1, Value::Term(unknown)));
                    unknown
                }
            };
            whole = Some(match whole {
                None => term,
                Some(lower) => terms.concat(term, lower),
            });
        }
        (Value::Term(whole.unwrap_or(Terms::FALSE)), unwritten)
    }

    /// Writes so many bytes, at most 16. `value` is a pointer or bits of exactly that many bytes.
    pub fn write(&mut self, terms: &mut Terms, offset: u64, size: u32, value: Value) {
        if self.cells.get(&offset).is_some_and(|(length, _)| *length == size) {
            self.cells.insert(offset, (size, value));
            return;
        }
        let end = offset + u64::from(size);
        for (at, length) in self.overlapping(offset, size) {
            let Some((_, old)) = self.cells.remove(&at) else { continue };
            let bits = bits_of(terms, &old).unwrap_or_else(|| terms.constant(128, 0));
            if at < offset {
                let kept = (offset - at) as u32;
                let low = terms.extract(bits, (kept * 8 - 1) as u8, 0);
                self.cells.insert(at, (kept, Value::Term(low)));
            }
            let cell_end = at + u64::from(length);
            if cell_end > end {
                let high = terms.extract(bits, (length * 8 - 1) as u8, ((end - at) * 8) as u8);
                self.cells.insert(end, ((cell_end - end) as u32, Value::Term(high)));
            }
        }
        self.cells.insert(offset, (size, value));
    }

    /// Forgets so many bytes: whoever reads them next gets what `rest` says.
    pub fn clear(&mut self, terms: &mut Terms, offset: u64, size: u64) {
        let mut at = offset;
        while at < offset + size {
            let step = (offset + size - at).min(16) as u32;
            if !self.overlapping(at, step).is_empty() {
                // A cell over exactly these bytes cuts its neighbours; then it goes too.
                let zero = terms.constant((step * 8) as u8, 0);
                self.write(terms, at, step, Value::Term(zero));
                self.cells.remove(&at);
            }
            at += u64::from(step);
        }
    }

    /// These contents where `condition` holds, and `other` where it does not.
    pub fn merge(&mut self, terms: &mut Terms, condition: TermId, other: &Contents) {
        self.alive = terms.ite(condition, self.alive, other.alive);
        let mut other = other.clone();
        let theirs: Vec<(u64, u32)> = other.cells.iter().map(|(at, (size, _))| (*at, *size)).collect();
        for (at, size) in theirs {
            let exact = self.cells.get(&at).is_some_and(|(length, _)| *length == size);
            if exact || self.overlapping(at, size).is_empty() {
                let (theirs, _) = other.read(terms, at, size);
                let (mine, _) = self.read(terms, at, size);
                let merged = merge_values(terms, condition, &mine, &theirs);
                self.write(terms, at, size, merged);
                continue;
            }
            // Cells that overlap and are not equal: byte by byte.
            for byte in at..at + u64::from(size) {
                let (theirs, _) = other.read(terms, byte, 1);
                let (mine, _) = self.read(terms, byte, 1);
                let merged = merge_values(terms, condition, &mine, &theirs);
                self.write(terms, byte, 1, merged);
            }
        }
        let mine: Vec<(u64, u32)> = self.cells.iter().map(|(at, (size, _))| (*at, *size)).collect();
        for (at, size) in mine {
            if other.cells.get(&at).is_some_and(|(length, _)| *length == size) {
                continue;
            }
            let (theirs, _) = other.read(terms, at, size);
            let (mine, _) = self.read(terms, at, size);
            let merged = merge_values(terms, condition, &mine, &theirs);
            self.write(terms, at, size, merged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both arms of a branch write anywhere; the merged contents are those of the arm that was taken.
    #[test]
    fn merged_cells_are_bytes() {
        let mut seed = 11u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..400 {
            let mut terms = Terms::new();
            let condition = terms.variable(Sort::Bool, "c");
            let mut sides = [Contents::new(Rest::Zero), Contents::new(Rest::Zero)];
            let mut bytes = [[0u8; 16]; 2];
            for _ in 0..1 + next(6) {
                let side = next(2) as usize;
                let size = [1u32, 2, 4, 8][next(4) as usize];
                let at = next(u64::from(16 - size) + 1);
                let value = (u128::from(next(1 << 30)) * 0x1_0001_0001) & ((1 << (size * 8)) - 1);
                let term = terms.constant((size * 8) as u8, value);
                sides[side].write(&mut terms, at, size, Value::Term(term));
                bytes[side][at as usize..][..size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
            }
            let [mut merged, other] = sides;
            merged.merge(&mut terms, condition, &other);
            for (side, bytes) in bytes.iter().enumerate() {
                let taken = terms.bool(side == 0);
                for (at, byte) in bytes.iter().enumerate() {
                    let (Value::Term(term), _) = merged.read(&mut terms, at as u64, 1) else { panic!("bits") };
                    let mut map = rustc_hash::FxHashMap::default();
                    map.insert(condition, taken);
                    let term = terms.substitute(term, &mut map);
                    assert_eq!(terms.as_constant(term), Some(u128::from(*byte)));
                }
            }
        }
    }

    /// Writes and reads of all sizes and offsets against an array of bytes.
    #[test]
    fn cells_are_bytes() {
        let mut terms = Terms::new();
        let mut contents = Contents::new(Rest::Zero);
        let mut bytes = [0u8; 24];
        let mut seed = 7u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..4000 {
            let size = [1u32, 2, 3, 4, 8][next(5) as usize];
            let at = next(u64::from(24 - size) + 1);
            if next(2) == 0 {
                let value = ((u128::from(next(1 << 31)) << 31) | u128::from(next(1 << 31))) & ((1 << (size * 8)) - 1);
                let term = terms.constant((size * 8) as u8, value);
                contents.write(&mut terms, at, size, Value::Term(term));
                bytes[at as usize..][..size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
            } else {
                let (value, unwritten) = contents.read(&mut terms, at, size);
                let Value::Term(term) = value else { panic!("bits") };
                let mut expected = [0u8; 16];
                expected[..size as usize].copy_from_slice(&bytes[at as usize..][..size as usize]);
                assert_eq!(terms.as_constant(term), Some(u128::from_le_bytes(expected)));
                assert!(!unwritten);
            }
        }
    }
}
