//! The table of known states in the shared file: one writer, the driver, and a reader in the process of the program.
//!
//! It is a hash table with open addressing whose entries are two words: the lower and the upper half of a fingerprint. An entry
//! is free as long as its lower half is zero. The writer fills the upper half first, so the reader never takes half an entry for a state.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::Fingerprint;

/// An entry: both halves of a fingerprint.
pub type Entry = [AtomicU64; 2];

/// How many entries the table of a shared file has. A power of two. What is never written takes no memory.
pub const ENTRIES: usize = 1 << 24;

/// How many of `entries` may be used.
const fn most(entries: usize) -> usize {
    entries / 4 * 3
}

/// The entries at which a state is looked for, in their order.
fn places(entries: usize, low: u64) -> impl Iterator<Item = usize> {
    (0..entries).map(move |step| (low as usize).wrapping_add(step) & (entries - 1))
}

/// Whether `table` has a state.
pub fn contains(table: &[Entry], state: Fingerprint) -> bool {
    let (low, high) = (state.0 as u64, (state.0 >> 64) as u64);
    for at in places(table.len(), low) {
        match table[at][0].load(Acquire) {
            0 => return false,
            found if found == low && table[at][1].load(Relaxed) == high => return true,
            _ => {}
        }
    }
    false
}

/// Adds a state to a table with `used` entries in use. Returns the index of its entry if it is new there. A state is left out if there is no
/// room: then executions do not end in it.
pub fn insert(table: &[Entry], used: usize, state: Fingerprint) -> Option<usize> {
    let (low, high) = (state.0 as u64, (state.0 >> 64) as u64);
    if low == 0 || used >= most(table.len()) {
        return None;
    }
    for at in places(table.len(), low) {
        match table[at][0].load(Relaxed) {
            0 => {
                table[at][1].store(high, Relaxed);
                table[at][0].store(low, Release);
                return Some(at);
            }
            found if found == low && table[at][1].load(Relaxed) == high => return None,
            _ => {}
        }
    }
    None
}

/// Makes an entry free. The table must be emptied as a whole: nothing is found behind a gap.
pub fn clear(entry: &Entry) {
    entry[0].store(0, Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found() {
        let table: Vec<Entry> = (0..64).map(|_| Entry::default()).collect();
        let state = |number: u64| Fingerprint((number as u128) << 64 | (number % 5 + 1) as u128);
        let mut taken = Vec::new();
        for number in 0..100 {
            assert!(!contains(&table, state(number)));
            taken.extend(insert(&table, taken.len(), state(number)));
            assert_eq!(contains(&table, state(number)), number < 48, "three quarters can be used");
        }
        assert_eq!(insert(&table, 0, state(3)), None, "it is there");
        assert_eq!(insert(&table, 0, Fingerprint(7 << 64)), None, "the lower half means that an entry is free");
        taken.iter().for_each(|&at| clear(&table[at]));
        assert!((0..100).all(|number| !contains(&table, state(number))));
    }
}
