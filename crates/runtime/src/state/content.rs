//! What states consist of, word for word, for executions that are [asked](heddle_model::Plan::contents) for it: everything that a
//! [fingerprint](super::fingerprint) is computed from is shown here, too.

use core::cell::Cell;

use heddle_model::content::PartKind;
use heddle_model::wire::CONTENTS;

use crate::entry::wire::Record;
use crate::lifetime;

/// How much an execution has written.
pub struct Contents {
    /// Where the words are written. 0 if they are not asked for.
    at: Cell<usize>,
    /// How many there are.
    used: Cell<usize>,
    /// How many there were before the state under way.
    before: Cell<usize>,
    /// Whether there was no room for a part of the state under way.
    full: Cell<bool>,
}

impl Contents {
    /// Nothing is asked for.
    pub const fn new() -> Contents {
        Contents { at: Cell::new(0), used: Cell::new(0), before: Cell::new(0), full: Cell::new(false) }
    }

    /// Begins an execution that writes to this address. 0: it writes nothing.
    pub fn reset(&self, at: usize) {
        self.at.set(at);
        self.used.set(0);
        self.before.set(0);
        self.full.set(false);
    }

    /// Makes room for a part with so many words. Returns where they are written.
    fn part(&self, kind: PartKind, key: u64, words: usize) -> Option<*mut u64> {
        let used = self.used.get();
        if self.full.get() || CONTENTS - used < words + 2 {
            self.full.set(true);
            return None;
        }
        self.used.set(used + 2 + words);
        let to = (self.at.get() as *mut u64).wrapping_add(used);
        // SAFETY: there is room, by the test above.
        unsafe {
            to.write(kind.head(words));
            to.add(1).write(key);
            Some(to.add(2))
        }
    }
}

#[inline(always)]
fn contents() -> Option<&'static Contents> {
    let contents = &lifetime::execution().contents;
    (contents.at.get() != 0).then_some(contents)
}

/// Begins the state with this number.
pub fn begin(number: u32) {
    if let Some(contents) = contents() {
        contents.before.set(contents.used.get());
        contents.full.set(false);
        contents.part(PartKind::State, number.into(), 0);
    }
}

/// Shows words that are part of the state under way.
#[inline]
pub fn words(kind: PartKind, key: u64, words: &[u64]) {
    if let Some(to) = contents().and_then(|contents| contents.part(kind, key, words.len())) {
        // SAFETY: there is room for as many.
        unsafe { core::ptr::copy_nonoverlapping(words.as_ptr(), to, words.len()) };
    }
}

/// Shows memory that is part of the state under way: its length, and its bytes.
///
/// # Safety
/// So much memory at `address` is readable, and nobody writes to it meanwhile.
#[inline]
pub unsafe fn memory(kind: PartKind, key: u64, address: usize, length: usize) {
    let Some(contents) = contents() else { return };
    let words = length.div_ceil(8);
    if let Some(to) = contents.part(kind, key, words + 1) {
        // SAFETY: there is room for as much; the caller's.
        unsafe {
            to.write(length as u64);
            to.add(words).write(0);
            core::ptr::copy_nonoverlapping(address as *const u8, to.add(1).cast(), length);
        }
    }
}

/// Shows what has changed in memory since its image was taken, where that is part of the state under way: all bits that differ.
///
/// # Safety
/// As for [`memory`], of both.
#[inline]
pub unsafe fn difference(kind: PartKind, address: usize, image: usize, words: usize) {
    let Some(contents) = contents() else { return };
    if let Some(to) = contents.part(kind, address as u64, words) {
        // SAFETY: as many words can be read of both.
        let word = |of: usize, at: usize| unsafe { (of as *const u64).add(at).read() };
        // SAFETY: there is room for as many.
        (0..words).for_each(|at| unsafe { to.add(at).write(word(address, at) ^ word(image, at)) });
    }
}

/// Ends the state under way. It has no content if there was no room for it.
pub fn end(record: Record, is_recorded: bool) {
    let Some(contents) = contents() else { return };
    if contents.full.get() || !is_recorded {
        contents.used.set(contents.before.get());
    }
    record.result().contents = contents.used.get() as u32;
}

/// Whether so much was written that the execution should end at the next state: what follows is run from there.
pub fn is_late() -> bool {
    contents().is_some_and(|contents| contents.used.get() > CONTENTS / 2)
}
