//! A hash of 128 bits, by which two states of a program are compared.

/// A 128-bit hash under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digest(u64, u64);

impl Digest {
    /// Adds a word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.1 = (self.1.rotate_left(23) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    /// Adds words.
    pub fn add_all(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.add(word));
    }

    /// Adds the words of memory from `low` to `high`, both multiples of eight.
    ///
    /// # Safety
    /// The memory is readable.
    pub unsafe fn add_memory(&mut self, low: usize, high: usize) {
        for at in (low..high).step_by(8) {
            // SAFETY: the caller's. Somebody else may own it, so the compiler is to read it once.
            self.add(unsafe { core::ptr::with_exposed_provenance::<u64>(at).read_volatile() });
        }
    }

    /// All 128 bits.
    pub fn value(self) -> u128 {
        (self.1 as u128) << 64 | self.0 as u128
    }

    /// Adds a set of digests. Their order does not change the result.
    pub fn add_unordered(&mut self, digests: impl IntoIterator<Item = Digest>) {
        let sum = digests
            .into_iter()
            .fold(Digest::default(), |sum, one| Digest(sum.0.wrapping_add(one.0), sum.1.wrapping_add(one.1)));
        self.add(sum.0);
        self.add(sum.1);
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::cases;

    fn digest(words: &[u64]) -> Digest {
        let mut digest = Digest::default();
        digest.add_all(words.iter().copied());
        digest
    }

    proptest! {
        #![proptest_config(cases(512))]

        #[test]
        fn differs_where_the_words_do(words in prop::collection::vec(any::<u64>(), 1..20), at in any::<prop::sample::Index>(), bit in 0u32..64) {
            let mut other = words.clone();
            other[at.index(words.len())] ^= 1 << bit;
            prop_assert_ne!(digest(&words), digest(&other));
            // In both halves: one alone would be a hash of 64 bits.
            prop_assert_ne!(digest(&words).0, digest(&other).0);
            prop_assert_ne!(digest(&words).1, digest(&other).1);
            let reversed: Vec<u64> = words.iter().rev().copied().collect();
            prop_assert_eq!(digest(&words) == digest(&reversed), words == reversed);
        }

        #[test]
        fn memory_is_its_words(words in prop::collection::vec(any::<u64>(), 0..20)) {
            let mut of_memory = Digest::default();
            let low = words.as_ptr().expose_provenance();
            // SAFETY: the words are there.
            unsafe { of_memory.add_memory(low, low + words.len() * 8) };
            prop_assert_eq!(of_memory, digest(&words));
        }

        #[test]
        fn an_unordered_set_has_no_order(sets in prop::collection::vec(prop::collection::vec(any::<u64>(), 1..4), 2..8), turn in 1usize..7) {
            let all: Vec<Digest> = sets.iter().map(|set| digest(set)).collect();
            let mut turned = all.clone();
            turned.rotate_left(turn % all.len());
            let (mut one, mut two, mut fewer) = (Digest::default(), Digest::default(), Digest::default());
            one.add_unordered(all.iter().copied());
            two.add_unordered(turned);
            fewer.add_unordered(all[1..].iter().copied());
            prop_assert_eq!(one, two);
            prop_assert_ne!(one, fewer);
        }
    }
}
