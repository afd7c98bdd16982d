//! One vector clock, and rows of them.
//!
//! A vector clock has a word for each thread: the time of that thread up to which everything it did is known.

use crate::lend::Lender;

/// Makes `clock` know everything that `other` knows: the pointwise maximum.
#[inline]
pub fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// A vector clock for each thread of an execution.
pub(super) struct Rows<'m> {
    words: &'m mut [u32],
    /// Words of a clock in this execution. Invariant: `width * width <= words.len()`.
    width: usize,
}

impl<'m> Rows<'m> {
    /// Room for the clocks of up to `threads` threads.
    pub(super) fn new(lender: &mut impl Lender<'m>, threads: usize) -> Rows<'m> {
        Rows { words: lender.lend(threads * threads), width: 0 }
    }

    /// Sets the number of threads. The words keep what they hold, at other places than before.
    pub(super) fn set_width(&mut self, threads: usize) {
        assert!(threads * threads <= self.words.len(), "more threads than there is room for");
        self.width = threads;
    }

    /// Makes all clocks zero.
    pub(super) fn clear(&mut self) {
        let used = self.width * self.width;
        self.words[..used].fill(0);
    }

    /// How many threads there are in this execution.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The clock of `thread`.
    #[inline]
    pub(super) fn of(&mut self, thread: usize) -> &mut [u32] {
        &mut self.words[thread * self.width..(thread + 1) * self.width]
    }

    /// The time of `other` that `thread` knows of.
    pub(super) fn at(&self, thread: usize, other: usize) -> u32 {
        self.words[thread * self.width + other]
    }

    /// Makes `thread` know everything that any thread knows.
    pub(super) fn join_all(&mut self, thread: usize) {
        let (before, rest) = self.words.split_at_mut(thread * self.width);
        let (clock, after) = rest.split_at_mut(self.width);
        let end = self.width * (self.width - thread - 1);
        for other in before.chunks_exact(self.width).chain(after[..end].chunks_exact(self.width)) {
            join(clock, other);
        }
    }

    /// One word.
    ///
    /// # Safety
    /// `at` is below the square of the width.
    #[inline(always)]
    pub(super) unsafe fn word(&self, at: usize) -> u32 {
        debug_assert!(at < self.width * self.width);
        // SAFETY: the caller's, and the invariant of the width.
        unsafe { *self.words.get_unchecked(at) }
    }
}

/// A vector clock for each thread that may not be there yet. All of them are forgotten at once, by counting executions.
pub(super) struct OptionalRows<'m> {
    rows: Rows<'m>,
    /// The execution in which each thread's clock was written.
    written_in: &'m mut [u32],
    execution: u32,
}

impl<'m> OptionalRows<'m> {
    /// Room for the clocks of up to `threads` threads.
    pub(super) fn new(lender: &mut impl Lender<'m>, threads: usize) -> OptionalRows<'m> {
        OptionalRows { rows: Rows::new(lender, threads), written_in: lender.lend(threads), execution: 0 }
    }

    /// Forgets all clocks.
    pub(super) fn reset(&mut self, threads: usize) {
        self.rows.set_width(threads);
        self.execution = self.execution.wrapping_add(1);
        if self.execution == 0 {
            self.written_in.fill(0);
            self.execution = 1;
        }
    }

    /// The clock of `thread`, if it has one.
    pub(super) fn get(&mut self, thread: usize) -> Option<&mut [u32]> {
        (self.written_in[thread] == self.execution).then(|| self.rows.of(thread))
    }

    /// Whether `thread` has a clock, and that knows what `other` did at its time `time`.
    pub(super) fn knows(&self, thread: usize, other: usize, time: u32) -> bool {
        self.written_in[thread] == self.execution && time <= self.rows.at(thread, other)
    }

    /// The clock of `thread`; one that knows nothing if it has none yet.
    pub(super) fn get_or_zero(&mut self, thread: usize) -> &mut [u32] {
        let is_new = core::mem::replace(&mut self.written_in[thread], self.execution) != self.execution;
        let clock = self.rows.of(thread);
        if is_new {
            clock.fill(0);
        }
        clock
    }

    /// Makes `clock` the clock of `thread`.
    pub(super) fn set(&mut self, thread: usize, clock: &[u32]) {
        self.written_in[thread] = self.execution;
        self.rows.of(thread).copy_from_slice(clock);
    }

    /// Pretends that this many executions were run, for tests of the count's overflow.
    #[cfg(test)]
    pub(super) fn set_execution(&mut self, execution: u32) {
        self.execution = execution;
    }
}
