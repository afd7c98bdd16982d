//! Fingerprints of memory: 128 bits that depend on every byte and on the length.
//!
//! With AES instructions a page costs about as much as copying it. Without them the result is another one and takes longer.
//! A process uses one of both for all fingerprints that it compares.

use crate::digest::Digest;

/// Computes fingerprints of memory.
#[derive(Clone, Copy, Debug)]
pub struct Hasher {
    key: u64,
    has_aes: bool,
}

impl Hasher {
    /// A hasher whose fingerprints depend on `key`, with the instructions that this processor has.
    pub fn new(key: u64) -> Hasher {
        Hasher { key, has_aes: aes::is_there() }
    }

    /// A hasher that needs no special instructions.
    pub const fn portable(key: u64) -> Hasher {
        Hasher { key, has_aes: false }
    }

    /// The fingerprint of the `length` bytes at `address`.
    ///
    /// # Safety
    /// The memory is readable, and nobody writes to it meanwhile.
    #[inline]
    pub unsafe fn memory(&self, address: usize, length: usize) -> u128 {
        // SAFETY: the caller's; the processor has the instructions.
        unsafe {
            if self.has_aes {
                aes::hash::<false>(self.key, address, 0, length)
            } else {
                hash::<false>(self.key, address, 0, length)
            }
        }
    }

    /// The fingerprint of what differs between the `length` bytes at `address` and those at `image`. What both have in common does not count.
    ///
    /// # Safety
    /// The memory is readable, and nobody writes to it meanwhile.
    #[inline]
    pub unsafe fn difference(&self, address: usize, image: usize, length: usize) -> u128 {
        // SAFETY: the caller's; the processor has the instructions.
        unsafe {
            if self.has_aes {
                aes::hash::<true>(self.key, address, image, length)
            } else {
                hash::<true>(self.key, address, image, length)
            }
        }
    }
}

/// # Safety
/// As for [`Hasher::memory`].
#[cold]
unsafe fn hash<const DIFFERENCE: bool>(key: u64, address: usize, image: usize, length: usize) -> u128 {
    // SAFETY: the caller's.
    let word = |at: usize| unsafe { core::ptr::with_exposed_provenance::<u64>(at).read_unaligned() };
    // SAFETY: the caller's.
    let byte = |at: usize| unsafe { core::ptr::with_exposed_provenance::<u8>(at).read() };
    let mut digest = Digest::default();
    digest.add(key);
    digest.add(length as u64);
    for at in (0..length / 8 * 8).step_by(8) {
        digest.add(word(address + at) ^ if DIFFERENCE { word(image + at) } else { 0 });
    }
    let mut rest = 0;
    for at in length / 8 * 8..length {
        let byte = byte(address + at) ^ if DIFFERENCE { byte(image + at) } else { 0 };
        rest = rest << 8 | u64::from(byte);
    }
    // What the last words have changed must reach every bit.
    digest.add_all([rest, key, !key, length as u64]);
    digest.value()
}

#[cfg(target_arch = "x86_64")]
mod aes {
    use core::arch::x86_64::{
        __cpuid, __m128i, _mm_aesenc_si128, _mm_loadu_si128, _mm_set_epi64x, _mm_storeu_si128, _mm_xor_si128,
    };

    /// The bytes that one round of all lanes takes.
    const BLOCK: usize = 16 * LANES;
    /// Independent parts, so that the processor need not wait for one instruction to begin the next.
    const LANES: usize = 8;

    /// Whether this processor has AES instructions.
    pub fn is_there() -> bool {
        const AES: u32 = 1 << 25;
        #[allow(unused_unsafe)]
        // SAFETY: every processor of this architecture has `cpuid`.
        let features = unsafe { __cpuid(1) }.ecx;
        features & AES != 0
    }

    /// Two rounds of AES: after these, each bit depends on every bit of `state`.
    #[inline]
    #[target_feature(enable = "aes")]
    fn mix(state: __m128i, keys: [__m128i; 2]) -> __m128i {
        _mm_aesenc_si128(_mm_aesenc_si128(state, keys[0]), keys[1])
    }

    /// # Safety
    /// As for [`super::Hasher::memory`], on a processor with AES instructions.
    #[target_feature(enable = "aes")]
    pub unsafe fn hash<const DIFFERENCE: bool>(key: u64, address: usize, image: usize, length: usize) -> u128 {
        let keys = [
            _mm_set_epi64x(key as i64, 0x243f_6a88_85a3_08d3),
            _mm_set_epi64x(0x1319_8a2e_0370_7344, key.rotate_left(32) as i64),
        ];
        let mut lanes = [keys[0]; LANES];
        for (number, lane) in lanes.iter_mut().enumerate() {
            *lane = _mm_xor_si128(*lane, _mm_set_epi64x(number as i64, length as i64));
        }
        let take = |lanes: &mut [__m128i; LANES], from: *const u8, image: *const u8| {
            for (number, lane) in lanes.iter_mut().enumerate() {
                // SAFETY: a whole block can be read there.
                let mut words = unsafe { _mm_loadu_si128(from.add(16 * number).cast()) };
                if DIFFERENCE {
                    // SAFETY: likewise.
                    words = _mm_xor_si128(words, unsafe { _mm_loadu_si128(image.add(16 * number).cast()) });
                }
                *lane = mix(_mm_xor_si128(*lane, words), keys);
            }
        };
        let from = core::ptr::with_exposed_provenance::<u8>(address);
        let image = core::ptr::with_exposed_provenance::<u8>(image);
        let whole = length / BLOCK * BLOCK;
        for at in (0..whole).step_by(BLOCK) {
            // SAFETY: within the memory that the caller vouches for.
            unsafe { take(&mut lanes, from.add(at), if DIFFERENCE { image.add(at) } else { image }) };
        }
        if whole < length {
            let (mut last, mut last_image) = ([0u8; BLOCK], [0u8; BLOCK]);
            // SAFETY: as above; what is left is shorter than a block.
            unsafe {
                core::ptr::copy_nonoverlapping(from.add(whole), last.as_mut_ptr(), length - whole);
                if DIFFERENCE {
                    core::ptr::copy_nonoverlapping(image.add(whole), last_image.as_mut_ptr(), length - whole);
                }
            }
            take(&mut lanes, last.as_ptr(), last_image.as_ptr());
        }
        let mut sum = keys[1];
        for lane in lanes {
            sum = mix(_mm_xor_si128(sum, lane), keys);
        }
        let mut result = 0u128;
        // SAFETY: sixteen bytes.
        unsafe { _mm_storeu_si128((&raw mut result).cast(), mix(sum, keys)) };
        result
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod aes {
    pub fn is_there() -> bool {
        false
    }

    /// # Safety
    /// Never called.
    pub unsafe fn hash<const DIFFERENCE: bool>(_: u64, _: usize, _: usize, _: usize) -> u128 {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::testing::cases;

    fn both() -> [Hasher; 2] {
        [Hasher::new(7), Hasher::portable(7)]
    }

    fn of(hasher: Hasher, bytes: &[u8]) -> u128 {
        // SAFETY: the bytes are there.
        unsafe { hasher.memory(bytes.as_ptr().expose_provenance(), bytes.len()) }
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn every_bit_counts(bytes in prop::collection::vec(any::<u8>(), 1..600), at in any::<prop::sample::Index>(), bit in 0u32..8) {
            let mut other = bytes.clone();
            other[at.index(bytes.len())] ^= 1 << bit;
            for hasher in both() {
                let differing = (of(hasher, &bytes) ^ of(hasher, &other)).count_ones();
                prop_assert!((24..104).contains(&differing), "{differing} bits");
            }
        }

        #[test]
        fn equal_bytes_anywhere_are_equal(bytes in prop::collection::vec(any::<u8>(), 0..600), shift in 0usize..64) {
            let mut elsewhere = std::vec![0xaa; shift];
            elsewhere.extend(&bytes);
            for hasher in both() {
                prop_assert_eq!(of(hasher, &bytes), of(hasher, &elsewhere[shift..]));
            }
        }
    }

    #[test]
    fn only_what_differs_counts() {
        let images = [[3u8; 500], [200; 500]];
        for hasher in both() {
            // SAFETY: the bytes are there.
            let against = |bytes: &[u8], image: &[u8]| unsafe {
                hasher.difference(bytes.as_ptr().expose_provenance(), image.as_ptr().expose_provenance(), bytes.len())
            };
            for length in [0, 1, 7, 8, 128, 300, 500] {
                let same = images.map(|image| against(&image[..length], &image[..length]));
                assert_eq!(same[0], same[1]);
                assert_eq!(same[0], of(hasher, &std::vec![0; length]));
                for at in 0..length {
                    let mut bytes = images.map(|image| image[..length].to_vec());
                    bytes.iter_mut().for_each(|bytes| bytes[at] ^= 5);
                    let changed = [0, 1].map(|number| against(&bytes[number], &images[number][..length]));
                    assert_eq!(changed[0], changed[1]);
                    assert_ne!(changed[0], same[0]);
                }
            }
        }
    }

    /// Memory that is nearly all zero, as most of a program's is: the length and the place of a byte matter.
    #[test]
    fn sparse_memory_is_told_apart() {
        for hasher in both() {
            let mut seen = Vec::new();
            for length in 0..200 {
                seen.push(of(hasher, &std::vec![0; length]));
            }
            for place in 0..400 {
                for value in 1..4 {
                    let mut bytes = [0u8; 400];
                    bytes[place] = value;
                    seen.push(of(hasher, &bytes));
                }
            }
            // Two bytes in one lane, near each other.
            for other in 1..4 {
                for value in 1..=255 {
                    let mut bytes = [0u8; 400];
                    bytes[5] = value;
                    bytes[5 + 128 - 4 + other] = value;
                    seen.push(of(hasher, &bytes));
                }
            }
            let count = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count);
        }
    }

    #[test]
    fn the_key_matters() {
        assert_ne!(of(Hasher::new(1), b"text"), of(Hasher::new(2), b"text"));
        assert_ne!(of(Hasher::portable(1), b"text"), of(Hasher::portable(2), b"text"));
    }
}
