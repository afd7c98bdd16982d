//! Loops that only look: a thread that waits by reading the same places again and again.
//!
//! Left alone, such a thread could go round for ever in every execution. So the runtime recognises it when it comes
//! back to the same call in the same state: the same registers, the same frames on its stack, nothing written in between, and
//! at most two places looked at. From there it can only do the same again, until one of those places is written to. Its
//! operation becomes an await ([`Operation::is_await`]), which the model makes wait for exactly that, unless it has
//! happened already since the place was looked at. What the places hold now is not asked: whether an operation is an await
//! must not depend on what independent threads did meanwhile.
//!
//! A loop that counts how often it has looked is in another state each time, and is not taken for one; neither is one
//! that looks at a clock, allocates, prints, or takes a lock. Those end at the bound on the number of steps.
//!
//! The stack is compared from the stack pointer up to the caller's frame pointer, at least [`WINDOW`] bytes: what lies
//! beyond belongs to functions that do not run and whose variables can only be written through pointers, which is
//! instrumented and counted. Unordered plain accesses are no business of awaits: a thread that has read plain memory in
//! its loop is let go again after any plain write of another thread.

use heddle_model::primitive::atomic::{LOAD, RMW};
use heddle_model::primitive::memory::READ;
use heddle_model::{Event, EventFlags, ObjectId, Operation, ThreadId};

use crate::engine;
use crate::memory::Reserve;

/// How many looks there can be between two visits of one place.
const LOOKS: usize = heddle_model::MOST_LOOKS;
/// The least part of the stack that is compared.
const WINDOW: usize = 1024;
/// The largest.
const LARGEST_WINDOW: usize = 64 << 10;

/// One look: where, at what, and the state of the thread before it.
#[derive(Clone, Copy)]
struct Look {
    pc: u64,
    operation: Operation,
    state: u64,
    /// Of the thread up to here: see [`PLAIN_READS`].
    plain_reads: u64,
}

/// What one thread has looked at since it last changed something. Reset for each execution.
#[derive(Clone, Copy)]
struct Looks {
    count: usize,
    looks: [Look; LOOKS],
    /// Its changes so far, while it does not run: see [`CHANGES`].
    changes: u64,
    /// Its changes up to the last look.
    noted: u64,
    /// Its reads of plain memory so far, while it does not run: see [`PLAIN_READS`].
    plain_reads: u64,
    /// It awaits, and has read plain memory in the last round of its loop.
    reads_plain: bool,
}

static mut THREADS: &mut [Looks] = &mut [];
/// How many changes the running thread has made.
static mut CHANGES: u64 = 0;
/// How often the running thread has read plain memory that is not on its stack.
static mut PLAIN_READS: u64 = 0;

/// Makes room for `threads` threads. Once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    // SAFETY: at start-up.
    unsafe { THREADS = reserve.take(threads) };
}

fn of(thread: ThreadId) -> &'static mut Looks {
    // SAFETY: one kernel thread.
    unsafe { &mut THREADS[thread.index()] }
}

/// A thread begins.
pub fn reset(thread: ThreadId) {
    let looks = of(thread);
    looks.count = 0;
    looks.changes = 0;
    looks.noted = 0;
    looks.plain_reads = 0;
    looks.reads_plain = false;
}

/// The running thread changed something.
#[inline(always)]
pub fn changed() {
    // SAFETY: one kernel thread.
    unsafe { CHANGES += 1 };
}

/// The running thread has read plain memory that is not on its stack.
#[inline(always)]
pub fn read_plain() {
    // SAFETY: one kernel thread.
    unsafe { PLAIN_READS += 1 };
}

/// `from` stops running, `to` goes on.
#[inline]
pub fn switched(from: ThreadId, to: ThreadId) {
    // SAFETY: one kernel thread.
    unsafe {
        let (old, new) = (of(from), of(to));
        old.changes = CHANGES;
        old.plain_reads = PLAIN_READS;
        CHANGES = new.changes;
        PLAIN_READS = new.plain_reads;
    }
}

/// The running thread is about to take `operation`, which may turn out to change nothing. Returns it as an await if the
/// thread can only go on as it did before.
pub fn before(thread: ThreadId, operation: Operation, pc: u64) -> Operation {
    let state = engine::state_of_caller(WINDOW, LARGEST_WINDOW);
    let looks = of(thread);
    // SAFETY: one kernel thread.
    unsafe {
        if looks.noted != CHANGES {
            looks.noted = CHANGES;
            looks.count = 0;
        }
    }
    let seen = &looks.looks[..looks.count];
    let same = |l: &Look| l.pc == pc && l.operation.object == operation.object && l.state == state;
    if let Some(first) = seen.iter().rposition(same)
        && let Some(also) = waits_for(&seen[first..], &operation)
    {
        let round = (looks.count - first) as u32;
        // Only what it has read in the loop: who has read before it came there does not wait for that to change.
        // SAFETY: one kernel thread.
        looks.reads_plain = unsafe { PLAIN_READS } != seen[first].plain_reads;
        looks.count = 0;
        return operation.awaiting(round, also);
    }
    if looks.count == LOOKS {
        looks.count = 0;
    }
    // SAFETY: one kernel thread.
    let plain_reads = unsafe { PLAIN_READS };
    looks.looks[looks.count] = Look { pc, operation, state, plain_reads };
    looks.count += 1;
    operation
}

/// Whether one round of a loop can be waited for: there are at most two places, none of them too large to be seen at once. The
/// second one, if any.
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
