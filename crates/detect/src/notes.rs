//! Where blocks of the heap were allocated and freed, with call stacks.

use heddle_model::ThreadId;
use heddle_model::fault::Fault;

use crate::lend::{Lender, Zero};

/// One allocation or one free.
#[derive(Clone, Copy)]
struct Note {
    block: usize,
    size: usize,
    thread: ThreadId,
    frees: bool,
    frames: u16,
    /// The index of its first frame.
    stack: usize,
}

// SAFETY: numbers, and a truth value of which zero is one.
unsafe impl Zero for Note {}

/// The most frames that are kept of a call stack.
pub const FRAMES: usize = 32;

/// The notes of an execution. What has no room is not noted: then a report says less.
pub struct Notes<'m> {
    taken: &'m mut [Note],
    count: usize,
    stacks: &'m mut [u64],
    used: usize,
}

impl<'m> Notes<'m> {
    /// No notes, and no room for any.
    pub const fn empty() -> Notes<'m> {
        Notes { taken: &mut [], count: 0, stacks: &mut [], used: 0 }
    }

    /// Room for `notes` notes, and for `words` frames of all of them together.
    pub fn new(lender: &mut impl Lender<'m>, notes: usize, words: usize) -> Notes<'m> {
        Notes { taken: lender.lend(notes), stacks: lender.lend(words), ..Notes::empty() }
    }

    /// Forgets all notes.
    pub fn reset(&mut self) {
        self.count = 0;
        self.used = 0;
    }

    /// Notes that `thread` has got or freed a block, at `pc`. `callers` writes the rest of the call stack, and returns how many frames that are.
    #[cold]
    pub fn take(
        &mut self,
        (block, size): (usize, usize),
        frees: bool,
        (thread, pc): (ThreadId, u64),
        callers: impl FnOnce(&mut [u64]) -> usize,
    ) {
        if self.count == self.taken.len() || self.used + FRAMES > self.stacks.len() {
            return;
        }
        let stack = &mut self.stacks[self.used..self.used + FRAMES];
        stack[0] = pc;
        let frames = 1 + callers(&mut stack[1..]);
        self.taken[self.count] = Note { block, size, thread, frees, frames: frames as u16, stack: self.used };
        self.count += 1;
        self.used += frames;
    }

    fn latest(&self, is_meant: impl Fn(&Note) -> bool) -> Option<&Note> {
        self.taken[..self.count].iter().rev().find(|note| is_meant(note))
    }

    fn latest_of(&self, block: usize, frees: bool) -> Option<&Note> {
        self.latest(|note| note.block == block && note.frees == frees && block != 0)
    }

    fn frames(&self, note: Option<&Note>) -> &[u64] {
        note.map_or(&[], |note| &self.stacks[note.stack..note.stack + note.frames as usize])
    }

    /// The latest allocation of a block that contains `address`: the block, its size, and the call stack.
    pub fn allocation_around(&self, address: usize) -> Option<(usize, usize, &[u64])> {
        let note = self.latest(|note| !note.frees && (note.block..note.block + note.size).contains(&address))?;
        Some((note.block, note.size, self.frames(Some(note))))
    }

    /// The call stack of the latest allocation of `block`.
    pub fn allocation_of(&self, block: usize) -> &[u64] {
        self.frames(self.latest_of(block, false))
    }

    /// The call stack of the latest free of `block`.
    pub fn free_of(&self, block: usize) -> &[u64] {
        self.frames(self.latest_of(block, true))
    }

    /// `fault`, with what the notes know of its block.
    pub fn complete(&self, fault: Fault) -> Fault {
        let block = fault.block as usize;
        let (begin, end) = (self.latest_of(block, false), self.latest_of(block, true));
        Fault {
            allocated_by: begin.map(|note| note.thread),
            freed_by: end.map(|note| note.thread),
            block_size: begin.map_or(fault.block_size, |note| note.size as u64),
            ..fault
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Owner;

    fn two_callers(frames: &mut [u64]) -> usize {
        frames[..2].copy_from_slice(&[70, 71]);
        2
    }

    #[test]
    fn the_latest_note_of_a_block_counts() {
        let owner = Owner::default();
        let mut notes = Notes::new(&mut &owner, 10, 1000);
        notes.take((100, 10), false, (ThreadId(1), 1), two_callers);
        notes.take((100, 10), true, (ThreadId(2), 2), |_| 0);
        notes.take((100, 20), false, (ThreadId(3), 3), |_| 0);
        assert_eq!(notes.allocation_of(100), [3]);
        assert_eq!(notes.allocation_around(119), Some((100, 20, &[3u64][..])));
        assert_eq!(notes.allocation_around(120), None);
        assert_eq!(notes.free_of(100), [2]);
        assert_eq!(notes.free_of(0), [0u64; 0]);
        let fault = notes.complete(Fault { block: 100, block_size: 7, ..Fault::default() });
        assert_eq!((fault.allocated_by, fault.freed_by, fault.block_size), (Some(ThreadId(3)), Some(ThreadId(2)), 20));
        let unknown = notes.complete(Fault { block: 50, block_size: 7, ..Fault::default() });
        assert_eq!((unknown.allocated_by, unknown.freed_by, unknown.block_size), (None, None, 7));
        notes.reset();
        assert_eq!(notes.allocation_of(100), [0u64; 0]);
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let owner = Owner::default();
        let mut notes = Notes::new(&mut &owner, 2, 1000);
        (1..4).for_each(|block| notes.take((block, 1), false, (ThreadId(0), block as u64), two_callers));
        assert_eq!(notes.allocation_of(2), [2, 70, 71]);
        assert_eq!(notes.allocation_of(3), [0u64; 0]);
        let mut short = Notes::new(&mut &owner, 10, FRAMES + 1);
        (1..4).for_each(|block| short.take((block, 1), false, (ThreadId(0), block as u64), |_| 0));
        assert_eq!(short.allocation_of(2), [2]);
        assert_eq!(short.allocation_of(3), [0u64; 0]);
    }
}
