//! Plain writes of a thread since its last look, for loops that wait and store what they have seen:
//! `while (cache == 0) cache = atomic_load(&r);`
//!
//! A write that leaves what was there is no change ([`super::spin_loop`]). Whether it does is known only afterwards. So the first
//! writes after a look are noted with what was there before, and compared when the thread looks again or is suspended. Other threads cannot
//! have written there meanwhile: the memory of a race is visible, and a write to it is an operation.

use core::cell::Cell;

use crate::arch;

/// How many places are noted. A loop that writes more of them is not taken for one that waits.
const MOST: usize = 4;
/// The largest place that is noted, in bytes.
const WORD: usize = 8;

/// A place before the first write to it.
#[derive(Clone, Copy)]
struct Before {
    address: usize,
    size: usize,
    value: u64,
}

impl Before {
    const NOWHERE: Before = Before { address: 0, size: 0, value: 0 };
}

/// The places that the running thread has written since it looked. Reset for each execution, and when another thread runs.
pub struct Rewritten {
    /// Writes are noted: the thread has looked, and changed nothing since.
    open: Cell<bool>,
    count: Cell<usize>,
    places: [Cell<Before>; MOST],
}

impl Rewritten {
    /// Nothing is noted.
    pub const fn new() -> Rewritten {
        Rewritten { open: Cell::new(false), count: Cell::new(0), places: [const { Cell::new(Before::NOWHERE) }; MOST] }
    }

    /// Forgets what was written, and notes no more.
    pub fn reset(&self) {
        let Rewritten { open, count, places: _ } = self;
        open.set(false);
        count.set(0);
    }

    /// The thread has looked: its writes are noted from now on.
    #[inline]
    pub fn look(&self) {
        self.open.set(true);
        self.count.set(0);
    }

    /// The thread is about to write `size` bytes. True if that counts as a change at once.
    #[inline(always)]
    pub fn writes(&self, address: usize, size: usize) -> bool {
        !self.open.get() || !self.is_noted(address, size)
    }

    #[cold]
    #[inline(never)]
    fn is_noted(&self, address: usize, size: usize) -> bool {
        let count = self.count.get();
        if self.places[..count].iter().any(|place| (place.get().address, place.get().size) == (address, size)) {
            return true;
        }
        if count == MOST || size > WORD {
            self.reset();
            return false;
        }
        self.places[count].set(Before { address, size, value: value_at(address, size) });
        self.count.set(count + 1);
        true
    }

    /// Whether what was written differs from what was there. Notes no more until the thread has looked again.
    #[inline]
    pub fn take_changes(&self) -> bool {
        let count = self.count.get();
        self.reset();
        self.places[..count].iter().map(Cell::get).any(|place| value_at(place.address, place.size) != place.value)
    }
}

fn value_at(address: usize, size: usize) -> u64 {
    // SAFETY: what cannot be read is not read. Then the program crashes when it writes.
    unsafe { arch::heddle_peek(address, size) }
}
