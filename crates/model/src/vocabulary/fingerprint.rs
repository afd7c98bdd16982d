//! Fingerprints of states, and the digest that computes them.

use core::fmt;

/// The identity of a state: 128 bits that depend on everything in it.
///
/// Equal states have equal fingerprints. Among `n` different states, two have equal fingerprints with a probability of
/// about `n² / 2^129`: 10^-21 for a thousand million states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// No state: there is nothing to decide there ([`crate::immediate`]).
    pub const NONE: Fingerprint = Fingerprint(0);
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A digest of a sequence of words: two lanes of 64 bits, each mixed by a multiplication of full width.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    low: u64,
    high: u64,
}

impl Default for Digest {
    fn default() -> Self {
        Digest { low: 0x243f_6a88_85a3_08d3, high: 0x1319_8a2e_0370_7344 }
    }
}

/// Multiplies with full width and folds both halves into one.
#[inline]
const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

impl Digest {
    /// Adds one word. The order of words matters.
    #[inline]
    pub fn add(&mut self, word: u64) {
        // The lanes see each other's last value, so one that was folded to zero does not stay there.
        let (low, high) = (self.low, self.high);
        self.low = fold(low ^ word, 0x9e37_79b9_7f4a_7c15).wrapping_add(high.rotate_left(23));
        self.high = fold(high ^ word.rotate_left(32), 0xc2b2_ae3d_27d4_eb4f).wrapping_add(low.rotate_left(41));
    }

    /// The digest of `words`.
    pub fn of(words: &[u64]) -> Fingerprint {
        let mut digest = Digest::default();
        words.iter().for_each(|&word| digest.add(word));
        digest.finish()
    }

    /// The fingerprint of all words so far. Sums of fingerprints of different things are fingerprints, too: every bit
    /// depends on every word.
    pub fn finish(mut self) -> Fingerprint {
        self.add(0x4528_21e6_38d0_1377);
        self.add(0xbe54_66cf_34e9_0c6c);
        Fingerprint((self.high as u128) << 64 | self.low as u128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_order_and_number_matter() {
        let digests = [
            Digest::of(&[]),
            Digest::of(&[0]),
            Digest::of(&[0, 0]),
            Digest::of(&[1]),
            Digest::of(&[1, 2]),
            Digest::of(&[2, 1]),
            Digest::of(&[u64::MAX]),
        ];
        for (at, one) in digests.iter().enumerate() {
            assert!(digests[at + 1..].iter().all(|other| one != other), "{at}");
        }
    }

    /// A changed bit of any word changes about half of the bits of the fingerprint.
    #[test]
    fn every_bit_counts() {
        for place in 0..4 {
            for bit in 0..64 {
                let mut words = [7, 0, u64::MAX, 12345];
                let before = Digest::of(&words).0;
                words[place] ^= 1 << bit;
                let changed = (before ^ Digest::of(&words).0).count_ones();
                assert!((30..98).contains(&changed), "word {place}, bit {bit}: {changed} bits");
            }
        }
    }
}
