//! Where blocks were allocated and freed: written down in executions that are recorded, and only there.

use heddle_model::ThreadId;
use heddle_model::fault::Fault;

use crate::addresses::Reserve;
use crate::record::callstack;
use crate::schedule;

/// One allocation or one free.
#[derive(Clone, Copy)]
struct Note {
    block: usize,
    size: usize,
    thread: ThreadId,
    frees: bool,
    frames: u16,
    /// Where its frames begin.
    stack: usize,
}

/// Notes of one execution. What is beyond is not noted: then a report says less.
const NOTES: usize = 1 << 20;
const WORDS: usize = 1 << 23;
/// The most frames of a call stack.
const FRAMES: usize = 32;

static mut TAKEN: &mut [Note] = &mut [];
static mut COUNT: usize = 0;
static mut STACKS: &mut [u64] = &mut [];
static mut USED: usize = 0;

/// Makes room. Once. It costs nothing until it is used.
pub fn set_up(reserve: &mut Reserve) {
    // SAFETY: at start-up.
    unsafe {
        TAKEN = reserve.take(NOTES);
        STACKS = reserve.take(WORDS);
    }
}

/// An execution begins.
pub fn reset() {
    // SAFETY: one kernel thread.
    unsafe {
        COUNT = 0;
        USED = 0;
    }
}

/// The running thread has got a block.
#[inline]
pub fn allocated(block: usize, size: usize, pc: u64) {
    if schedule::active() && schedule::recording() {
        take(block, size, false, pc);
    }
}

/// The running thread has freed one.
#[inline]
pub fn freed(block: usize, size: usize, pc: u64) {
    if schedule::recording() {
        take(block, size, true, pc);
    }
}

#[cold]
fn take(block: usize, size: usize, frees: bool, pc: u64) {
    // SAFETY: one kernel thread.
    unsafe {
        if COUNT == NOTES || USED + FRAMES > WORDS {
            return;
        }
        let thread = schedule::current();
        STACKS[USED] = pc;
        let frames = 1 + callstack::copy(thread, &mut STACKS[USED + 1..USED + FRAMES]);
        TAKEN[COUNT] = Note { block, size, thread, frees, frames: frames as u16, stack: USED };
        COUNT += 1;
        USED += frames;
    }
}

/// The last note of this kind about `block`.
fn last(block: usize, frees: bool) -> Option<&'static Note> {
    // SAFETY: one kernel thread.
    let taken = unsafe { &TAKEN[..COUNT] };
    taken.iter().rev().find(|note| note.block == block && note.frees == frees && block != 0)
}

fn frames(note: Option<&Note>) -> &'static [u64] {
    // SAFETY: one kernel thread; a note's frames were written.
    note.map_or(&[], |note| unsafe { &STACKS[note.stack..note.stack + note.frames as usize] })
}

/// Where the block that has `address` in it was allocated last.
pub fn allocation_around(address: usize) -> &'static [u64] {
    // SAFETY: one kernel thread.
    let taken = unsafe { &TAKEN[..COUNT] };
    let around = |note: &&Note| !note.frees && (note.block..note.block + note.size).contains(&address);
    frames(taken.iter().rev().find(around))
}

/// Where `block` was allocated last.
pub fn allocation_of(block: usize) -> &'static [u64] {
    frames(last(block, false))
}

/// Where `block` was freed last.
pub fn end_of(block: usize) -> &'static [u64] {
    frames(last(block, true))
}

/// `fault` with what the notes know of its block.
pub fn complete(fault: Fault) -> Fault {
    let block = fault.block as usize;
    let (begin, end) = (last(block, false), last(block, true));
    Fault {
        allocated_by: begin.map(|note| note.thread),
        freed_by: end.map(|note| note.thread),
        block_size: begin.map_or(fault.block_size, |note| note.size as u64),
        ..fault
    }
}
