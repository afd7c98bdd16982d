//! What a thread has written to its stack lately, with what was there before, for loops that lock and unlock a mutex again and again.
//!
//! Other threads may read what a thread writes to its stack through a pointer. Whether an unlock publishes something new depends on what the
//! thread has written since it last unlocked the mutex, all in all: a `std::unique_lock` notes in each round that it owns its mutex, and
//! that it does not. So each place is compared with what was there before the first of these writes. That others have written there in between is
//! no change of this thread's, unless it writes there, too, and then what they wrote is what was there before.

use crate::arch;

/// How many writes are remembered.
const MOST: usize = 64;
/// The largest place that is compared, in bytes.
const WORD: usize = 8;

/// A place before a write to it.
#[derive(Clone, Copy)]
struct Entry {
    /// The number of the write. 0 for none.
    number: u64,
    address: usize,
    size: usize,
    value: u64,
}

impl Entry {
    const NOTHING: Entry = Entry { number: 0, address: 0, size: 0, value: 0 };

    fn overlaps(&self, other: &Entry) -> bool {
        self.address < other.address + other.size && other.address < self.address + self.size
    }
}

/// The last writes of a thread to its stack. All bytes zero is the empty log.
#[derive(Clone, Copy)]
pub struct StackLog {
    entries: [Entry; MOST],
}

impl StackLog {
    /// Forgets everything.
    pub fn reset(&mut self) {
        self.entries = [Entry::NOTHING; MOST];
    }

    /// The thread is about to write `size` bytes of its stack: its write with this number.
    pub fn writes(&mut self, number: u64, address: usize, size: usize) {
        let value = if size <= WORD { value_at(address, size) } else { 0 };
        self.entries[number as usize % MOST] = Entry { number, address, size, value };
    }

    /// Whether the writes after that with number `since`, up to the one with number `last`, have left the stack from address `from` on as it was.
    /// What lies below is not in use any more. False if that is not known.
    pub fn is_as_before(&self, since: u64, last: u64, from: usize) -> bool {
        if last.wrapping_sub(since) > MOST as u64 {
            return false;
        }
        let written = |number: u64| &self.entries[number as usize % MOST];
        (since + 1..=last).all(|number| {
            let entry = written(number);
            if entry.number != number || entry.size > WORD {
                return false;
            }
            if entry.address < from {
                return true;
            }
            // Only the first write to a place tells what was there.
            match (since + 1..number).map(written).find(|earlier| earlier.overlaps(entry)) {
                Some(earlier) => (earlier.address, earlier.size) == (entry.address, entry.size),
                None => value_at(entry.address, entry.size) == entry.value,
            }
        })
    }
}

fn value_at(address: usize, size: usize) -> u64 {
    // SAFETY: what cannot be read is not read. Then the program crashes when it writes.
    unsafe { arch::heddle_peek(address, size) }
}
