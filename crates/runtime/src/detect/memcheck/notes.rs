//! Where blocks were allocated and freed ([`heddle_detect::notes`]). This is recorded only in recorded executions.

use heddle_detect::notes::Notes;

use crate::addresses::Reserve;
use crate::record::callstack;
use crate::schedule;

/// The most notes of one execution, and frames of all of them together.
const NOTES: usize = 1 << 20;
const WORDS: usize = 1 << 23;

/// The notes of this execution.
pub fn taken() -> &'static mut Notes<'static> {
    super::state().notes.borrow()
}

/// Reserves memory. Call this once. It costs nothing until it is used.
pub fn set_up(reserve: &mut Reserve) {
    *taken() = Notes::new(reserve, NOTES, WORDS);
}

/// Records that the running thread has allocated a block.
#[inline]
pub fn allocated(block: usize, size: usize, pc: u64) {
    if schedule::active() && schedule::recording() {
        take(block, size, false, pc);
    }
}

/// Records that the running thread has freed a block.
#[inline]
pub fn freed(block: usize, size: usize, pc: u64) {
    if schedule::recording() {
        take(block, size, true, pc);
    }
}

#[cold]
fn take(block: usize, size: usize, frees: bool, pc: u64) {
    let thread = schedule::current();
    taken().take((block, size), frees, (thread, pc), |frames| callstack::copy(thread, frames));
}
