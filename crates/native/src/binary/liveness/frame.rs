//! The bytes of a frame, cut into pieces, and sets of pieces.
//!
//! All accesses of a function begin and end at a limited number of offsets. These offsets cut the frame into pieces, each of which is
//! live or dead as a whole. So a frame of a megabyte costs no more than a small one.

use super::accesses::Bytes;

/// The offsets at which a frame is cut, relative to its end, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    cuts: Vec<i64>,
}

/// The numbers of the pieces of a range: the first, and one past the last.
pub type Run = (usize, usize);

/// A set of pieces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceSet {
    words: Vec<u64>,
}

impl Pieces {
    /// The pieces between these offsets. What lies above the frame's end belongs to the caller and is left out.
    pub fn new(offsets: impl IntoIterator<Item = i64>) -> Pieces {
        let mut cuts: Vec<i64> = offsets.into_iter().map(|offset| offset.min(0)).chain([0]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        Pieces { cuts }
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The lowest offset.
    pub fn low(&self) -> i64 {
        self.cuts[0]
    }

    /// The pieces of a range of bytes. Both ends must be among the offsets, or above the frame's end.
    pub fn run(&self, (begin, end): Bytes) -> Run {
        let number = |offset: i64| self.cuts.partition_point(|&cut| cut < offset.min(0));
        (number(begin), number(end))
    }

    /// The bytes of the pieces between the offsets `low` and `high` that are not in `live`, joined where they touch.
    pub fn without(&self, live: &PieceSet, low: i64, high: i64) -> Vec<Bytes> {
        let mut ranges: Vec<Bytes> = Vec::new();
        let (first, past) = self.run((low, high));
        for number in (first..past).filter(|&number| !live.contains(number)) {
            let (begin, end) = (self.cuts[number], self.cuts[number + 1]);
            match ranges.last_mut() {
                Some(last) if last.1 == begin => last.1 = end,
                _ => ranges.push((begin, end)),
            }
        }
        ranges
    }

    /// The bytes of the piece with this number.
    pub fn bytes(&self, number: usize) -> Bytes {
        (self.cuts[number], self.cuts[number + 1])
    }

    /// A set without any piece.
    pub fn none(&self) -> PieceSet {
        PieceSet { words: vec![0; self.len().div_ceil(64)] }
    }
}

impl PieceSet {
    /// Whether the set has the piece with this number.
    pub fn contains(&self, number: usize) -> bool {
        self.words[number / 64] >> (number % 64) & 1 != 0
    }

    /// Adds all pieces of a run.
    pub fn add(&mut self, (first, past): Run) {
        (first..past).for_each(|number| self.words[number / 64] |= 1 << (number % 64));
    }

    /// Removes all pieces of a run.
    pub fn remove(&mut self, (first, past): Run) {
        (first..past).for_each(|number| self.words[number / 64] &= !(1 << (number % 64)));
    }

    /// Adds all pieces of another set. Whether there were new ones.
    pub fn merge(&mut self, other: &PieceSet) -> bool {
        let mut grown = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            grown |= other & !*word != 0;
            *word |= other;
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_pieces_and_back() {
        let pieces = Pieces::new([-40, -8, -16, -16, 24, -1_000_000]);
        assert_eq!((pieces.len(), pieces.low()), (4, -1_000_000));
        assert_eq!(pieces.run((-40, -8)), (1, 3));
        assert_eq!(pieces.run((-8, 24)), (3, 4));
        assert_eq!(pieces.run((8, 24)), (4, 4));
        let mut live = pieces.none();
        live.add(pieces.run((-16, -8)));
        assert_eq!(pieces.without(&live, -1_000_000, -8), [(-1_000_000, -16)]);
        assert_eq!(pieces.without(&live, -40, 0), [(-40, -16), (-8, 0)]);
        live.remove((2, 3));
        assert_eq!(pieces.without(&live, -40, 0), [(-40, 0)]);
        let mut other = pieces.none();
        other.add((0, 1));
        assert!(live.merge(&other) && !live.merge(&other) && live.contains(0) && !live.contains(1));
    }
}
