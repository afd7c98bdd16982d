//! Loops that only wait: a thread that reads the same places again and again until they change.
//!
//! Left alone, such a thread could loop for ever in every execution. So the runtime recognises it when it comes
//! back to the same call in the same state: the same registers, the same frames on its stack, nothing written in
//! between, and at most two places looked at. From there it can only do the same again, until one of those places
//! is written to. Its operation becomes an await ([`Operation::is_await`]), which the model makes wait for exactly
//! that, unless it has happened already since the place was looked at. The current values of the places are not
//! considered: whether an operation is an await must not depend on what independent threads did meanwhile.
//!
//! A loop that counts its iterations is in another state each time, and is not recognised. Neither is one that
//! looks at a clock, allocates, prints, takes a lock, or has libc or the kernel remember something for it. Those
//! end at the bound on the number of steps.
//!
//! Only the part of the stack is compared that can have changed: from the stack pointer to the end of the frame of
//! the outermost function that has run in between, which is the one with the loop ([`callstack`]), and as far as
//! anything was written through a pointer. The rest belongs to functions that have not run. So neither the calls
//! between the loop and the look nor the sizes of frames make a difference.
//!
//! Awaits do not wait for plain writes. A thread that has read plain memory in its loop is resumed after any plain
//! write of another thread.

use core::cell::Cell;

use heddle_model::primitive::atomic::{LOAD, RMW};
use heddle_model::primitive::memory::READ;
use heddle_model::{Event, EventFlags, ObjectId, Operation, ThreadId};

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive, Lent};
use crate::record::callstack;
use crate::{arch, schedule};

/// How many looks there can be between two visits of one place.
const LOOKS: usize = heddle_model::MOST_LOOKS;
/// The largest part of a stack that is compared.
pub const LARGEST_WINDOW: usize = 64 << 10;
/// How many stack frames are compared. The load may sit up to `LEVELS - 1` calls below the loop.
const LEVELS: usize = 6;

/// The state of a thread at a look: its registers and its stack. For the innermost function, for the innermost two,
/// and so on, it has the end of the outermost frame and a digest of everything up to there. Zeros where that is not
/// known.
#[derive(Clone, Copy)]
struct State {
    /// The depth of the call stack.
    depth: usize,
    levels: [(usize, u64); LEVELS],
}

impl State {
    /// The state in which the program called the function that is running now, with a call stack of this depth.
    fn of_caller(depth: usize) -> State {
        let registers = schedule::registers();
        let mut at = registers[6] as usize;
        let most = at + LARGEST_WINDOW;
        let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let mut digest = registers.iter().fold(arch::float_control(), |state, &word| mix(state, word));
        let mut levels = [(0, 0); LEVELS];
        for (level, place) in levels.iter_mut().enumerate() {
            let Some(end) = callstack::frame_end(level).filter(|end| (at..=most).contains(end)) else { break };
            while at < end {
                // SAFETY: the live part of the current stack.
                digest = mix(digest, unsafe { *(at as *const u64) });
                at += 8;
            }
            *place = (end, digest);
        }
        State { depth, levels }
    }

    /// Whether `later` is the same state, given the lowest depth of the call stack in between and how far up the
    /// stack was written.
    fn is_again(&self, later: &State, lowest: usize, written: usize) -> bool {
        if self.depth != later.depth || lowest == 0 {
            return false;
        }
        let compared = self.levels.iter().zip(&later.levels).skip(self.depth - lowest);
        let mut enough = compared.skip_while(|((end, _), _)| *end != 0 && *end < written);
        enough.next().is_some_and(|(this, other)| this == other && this.0 != 0)
    }
}

/// One look: where, at what, and the state of the thread before it.
#[derive(Clone, Copy)]
struct Look {
    pc: u64,
    operation: Operation,
    state: State,
    /// The lowest depth of the call stack since.
    lowest: usize,
    /// How far up the thread has written its stack since.
    written: usize,
    /// [`Running::plain_reads`] up to here.
    plain_reads: u64,
}

/// What one thread has looked at since it last changed something. [`reset`] clears it when the thread begins.
#[derive(Clone, Copy)]
struct Looks {
    count: usize,
    looks: [Look; LOOKS],
    /// Its changes so far, while it does not run: see [`Running::changes`].
    changes: u64,
    /// Its changes up to the last look.
    noted: u64,
    /// Its reads of plain memory so far, while it does not run: see [`Running::plain_reads`].
    plain_reads: u64,
    /// It awaits, and has read plain memory in the last round of its loop.
    reads_plain: bool,
    /// [`Running::written`] while it does not run.
    written: usize,
}

/// What threads have looked at, and counters of the running one.
pub struct Running {
    /// One for each thread.
    threads: Lent<Exclusive<Looks>>,
    /// How many changes the running thread has made.
    changes: Cell<u64>,
    /// How often the running thread has read plain memory that is not on its stack.
    plain_reads: Cell<u64>,
    /// How far up the running thread has written its stack since it last looked.
    written: Cell<usize>,
}

impl Running {
    /// At start-up.
    pub const fn new() -> Running {
        Running { threads: Cell::new(&[]), changes: Cell::new(0), plain_reads: Cell::new(0), written: Cell::new(0) }
    }

    /// An execution begins, with the main thread.
    pub fn reset(&self) {
        let Running { threads: _, changes, plain_reads, written } = self;
        changes.set(0);
        plain_reads.set(0);
        written.set(0);
        self::reset(ThreadId::MAIN);
    }
}

#[inline(always)]
fn running() -> &'static Running {
    &lifetime::execution().spin_loops
}

/// Makes room for `threads` threads. Once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    running().threads.set(reserve.take(threads));
}

/// What `thread` has looked at, by the rule of [`Exclusive`].
fn of(thread: ThreadId) -> &'static mut Looks {
    running().threads.get()[thread.index()].borrow()
}

/// A thread begins.
pub fn reset(thread: ThreadId) {
    let looks = of(thread);
    looks.count = 0;
    looks.changes = 0;
    looks.noted = 0;
    looks.plain_reads = 0;
    looks.reads_plain = false;
    looks.written = 0;
}

/// The running thread changed something.
#[inline(always)]
pub fn changed() {
    let changes = &running().changes;
    changes.set(changes.get() + 1);
}

/// The running thread has read plain memory that is not on its stack.
#[inline(always)]
pub fn read_plain() {
    let reads = &running().plain_reads;
    reads.set(reads.get() + 1);
}

/// The running thread wrote to its stack, through a pointer, up to `end`.
#[inline(always)]
pub fn wrote_stack(end: usize) {
    let written = &running().written;
    written.set(written.get().max(end));
}

/// The scheduler switches from thread `from` to thread `to`.
#[inline]
pub fn switched(from: ThreadId, to: ThreadId) {
    let Running { threads: _, changes, plain_reads, written } = running();
    let new = of(to);
    let now = (changes.replace(new.changes), plain_reads.replace(new.plain_reads), written.replace(new.written));
    let old = of(from);
    (old.changes, old.plain_reads, old.written) = now;
}

/// The running thread is about to take `operation`, which may turn out to change nothing. Returns the operation as
/// an await if the thread can only repeat what it did before.
pub fn before(thread: ThreadId, operation: Operation, pc: u64) -> Operation {
    let looks = of(thread);
    let Some((depth, lowest)) = callstack::looked() else {
        looks.count = 0;
        return operation;
    };
    let state = State::of_caller(depth);
    let written = running().written.take();
    for look in &mut looks.looks[..looks.count] {
        look.lowest = look.lowest.min(lowest);
        look.written = look.written.max(written);
    }
    let changes = running().changes.get();
    if looks.noted != changes {
        looks.noted = changes;
        looks.count = 0;
    }
    let plain_reads = running().plain_reads.get();
    let seen = &looks.looks[..looks.count];
    let same = |l: &Look| {
        l.pc == pc && l.operation.object == operation.object && l.state.is_again(&state, l.lowest, l.written)
    };
    if let Some(first) = seen.iter().rposition(same)
        && let Some(also) = waits_for(&seen[first..], &operation)
    {
        let round = (looks.count - first) as u32;
        // Only what it has read in the loop: who has read before it came there does not wait for that to change.
        looks.reads_plain = plain_reads != seen[first].plain_reads;
        looks.count = 0;
        return operation.awaiting(round, also);
    }
    if looks.count == LOOKS {
        looks.count = 0;
    }
    looks.looks[looks.count] = Look { pc, operation, state, plain_reads, lowest: depth, written: 0 };
    looks.count += 1;
    operation
}

/// Whether the thread can await what one round of its loop looked at: at most two places, none larger than a word.
/// Returns the second place, if there is one.
fn waits_for(round: &[Look], operation: &Operation) -> Option<Option<(ObjectId, u16)>> {
    let mut second = None;
    for look in round {
        let Operation { object, size, .. } = look.operation;
        if size > 8 {
            return None;
        }
        if object != operation.object {
            // What is not in memory (a mutex of the model's) has no size.
            let place = (object, size.max(1));
            if second.is_some_and(|other| other != place) {
                return None;
            }
            second = Some(place);
        }
    }
    // Only a load has room for a second place.
    (second.is_none() || matches!(operation.code, LOAD | READ)).then_some(second)
}

/// The running thread has taken an operation that [`before`] was told of.
pub fn after(thread: ThreadId, event: &Event) {
    let unchanged = match event.operation.code {
        LOAD | READ => true,
        // Test-and-set of what was set already.
        RMW => event.flags.contains(EventFlags::UNCHANGED),
        _ => event.failed(),
    };
    if !unchanged {
        of(thread).count = 0;
    }
}

/// Whether `thread`, which awaits, reads plain memory in its loop.
pub fn has_read_plain(thread: ThreadId) -> bool {
    of(thread).reads_plain
}
