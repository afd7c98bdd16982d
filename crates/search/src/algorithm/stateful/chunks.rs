//! Long lists that grow without being copied.
//!
//! A vector that is full is copied to one of twice the size. With millions of states that takes three times the memory of what is in
//! it, and half of what is reserved then is free. Here the elements lie in pieces of [`PIECE`], and at most one piece is not full.

use std::ops::{Index, IndexMut};

/// The elements of a piece. A power of two.
const PIECE: usize = 1 << 14;

/// A list in pieces.
#[derive(Clone, Debug)]
pub(crate) struct Chunks<T> {
    pieces: Vec<Vec<T>>,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Chunks { pieces: Vec::new() }
    }
}

impl<T: Copy> Chunks<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds an element.
    pub fn push(&mut self, element: T) {
        if self.pieces.last().is_none_or(|last| last.len() == PIECE) {
            // The first piece grows: there are many small lists.
            let room = if self.pieces.is_empty() { 0 } else { PIECE };
            self.pieces.push(Vec::with_capacity(room));
        }
        if let Some(last) = self.pieces.last_mut() {
            last.push(element);
        }
    }

    /// Makes room for so many elements in a row, [`PIECE`] at most, each of them `filling`. Returns the index of the first. Elements before it that
    /// would be cut by the end of a piece are `filling`, too.
    pub fn reserve_row(&mut self, count: usize, filling: T) -> usize {
        assert!(count <= PIECE, "a row of {count}");
        let free = PIECE - self.len() % PIECE;
        if free < count {
            (0..free).for_each(|_| self.push(filling));
        }
        let first = self.len();
        (0..count).for_each(|_| self.push(filling));
        first
    }

    /// Whether elements from `first` to the one before `end` lie in one piece.
    pub fn is_row(first: usize, end: usize) -> bool {
        first == end || first / PIECE == (end - 1) / PIECE
    }

    /// So many elements in a row that was [reserved](Self::reserve_row).
    pub fn row(&self, first: usize, count: usize) -> &[T] {
        if count == 0 {
            return &[];
        }
        &self.pieces[first / PIECE][first % PIECE..][..count]
    }

    /// Like [`row`](Self::row), for changes.
    pub fn row_mut(&mut self, first: usize, count: usize) -> &mut [T] {
        if count == 0 {
            return &mut [];
        }
        &mut self.pieces[first / PIECE][first % PIECE..][..count]
    }

    /// The element with this index, if there is one.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.pieces.get_mut(at / PIECE)?.get_mut(at % PIECE)
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.pieces.iter().flatten()
    }

    /// How many bytes are reserved.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(|piece| piece.capacity() * size_of::<T>()).sum()
    }
}

impl<T: Copy> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut chunks = Chunks::default();
        elements.into_iter().for_each(|element| chunks.push(element));
        chunks
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.pieces[at / PIECE][at % PIECE]
    }
}

impl<T> IndexMut<usize> for Chunks<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.pieces[at / PIECE][at % PIECE]
    }
}

/// Lists of numbers, one for each state. Most are short, and grow by a few numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    heads: Chunks<Head>,
    room: Chunks<u32>,
    /// Rooms that are free, by their size in units.
    free: Vec<Vec<u32>>,
}

/// A list: where it is, and how many numbers it has.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    first: u32,
    count: u32,
}

/// Room is given out in multiples of so many numbers.
const UNIT: usize = 4;

/// The units that so many numbers take.
fn units(count: u32) -> usize {
    (count as usize).div_ceil(UNIT)
}

impl Lists {
    /// Adds an empty list.
    pub fn add(&mut self) {
        self.heads.push(Head::default());
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The numbers of a list.
    pub fn get(&self, list: u32) -> &[u32] {
        let Head { first, count } = self.heads[list as usize];
        self.room.row(first as usize, count as usize)
    }

    /// Keeps those numbers of a list for which `keeps` is true, and adds one.
    pub fn replace(&mut self, list: u32, keeps: impl Fn(u32) -> bool, added: u32) {
        let Head { first, count } = self.heads[list as usize];
        let row = self.room.row_mut(first as usize, count as usize);
        let mut kept = 0;
        for at in 0..row.len() {
            if keeps(row[at]) {
                row[kept] = row[at];
                kept += 1;
            }
        }
        let (had, needs) = (units(count), units(kept as u32 + 1));
        // A list that has become shorter stays where it is, as if it still had all its units.
        let first = if needs == had {
            first
        } else {
            let to = self.take(needs);
            for at in 0..kept {
                self.room[to as usize + at] = self.room[first as usize + at];
            }
            self.give_back(first, had);
            to
        };
        self.room[first as usize + kept] = added;
        self.heads[list as usize] = Head { first, count: kept as u32 + 1 };
    }

    fn take(&mut self, units: usize) -> u32 {
        let free = self.free.get_mut(units).and_then(Vec::pop);
        free.unwrap_or_else(|| self.room.reserve_row(units * UNIT, 0) as u32)
    }

    fn give_back(&mut self, first: u32, units: usize) {
        if units == 0 {
            return;
        }
        if self.free.len() <= units {
            self.free.resize(units + 1, Vec::new());
        }
        self.free[units].push(first);
    }

    /// How many bytes are reserved.
    pub fn bytes(&self) -> usize {
        let free: usize = self.free.iter().map(|free| free.capacity() * size_of::<u32>()).sum();
        self.heads.bytes() + self.room.bytes() + free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_not_cut() {
        let mut chunks: Chunks<u32> = (0..PIECE as u32 - 3).collect();
        assert_eq!((chunks.len(), chunks[100]), (PIECE - 3, 100));
        let first = chunks.reserve_row(3, 7);
        assert_eq!((first, chunks.row(first, 3)), (PIECE - 3, &[7; 3][..]));
        chunks.push(1);
        let first = chunks.reserve_row(PIECE, 9);
        assert_eq!((first, chunks.len()), (2 * PIECE, 3 * PIECE));
        chunks.row_mut(first, PIECE)[PIECE - 1] = 5;
        assert_eq!((chunks[3 * PIECE - 1], chunks.row(0, 0).len(), chunks.iter().count()), (5, 0, 3 * PIECE));
        assert_eq!(chunks.get_mut(3 * PIECE), None);
        assert!(chunks.bytes() <= 3 * PIECE * 4 + PIECE * 4);
    }

    #[test]
    fn lists_are_what_vectors_would_be() {
        let (mut lists, mut vectors) = (Lists::default(), Vec::new());
        let mut lot = 1u32;
        for _ in 0..5000 {
            lot = lot.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if vectors.is_empty() || lot >> 24 < 8 {
                lists.add();
                vectors.push(Vec::new());
            }
            let (list, number, modulus) = ((lot >> 8) as usize % vectors.len(), lot >> 20, 2 + lot % 30);
            let vector: &mut Vec<u32> = &mut vectors[list];
            vector.retain(|&known| known % modulus != 0);
            vector.push(number);
            lists.replace(list as u32, |known| known % modulus != 0, number);
        }
        assert_eq!(lists.len(), vectors.len());
        assert!(vectors.iter().enumerate().all(|(list, vector)| lists.get(list as u32) == vector));
    }
}
