//! What threads do with plain memory, told to the search: it compares what they touch with the locks that they hold.
//!
//! The instrumentation tells of memory. What a library keeps for itself it does not tell; that a step has changed something of this is seen by the
//! pages ([`changes_unseen`]).

use core::cell::Cell;

use heddle_model::PlainTouch;
use heddle_model::race::Access;

use crate::entry::start;
use crate::lifetime;
use crate::schedule;

/// What is told of the execution under way.
pub struct Touches {
    /// After how many events it begins. [`u32::MAX`]: never.
    from: Cell<u32>,
    /// What libraries kept for themselves at the last decision that counts, and the history then.
    hidden: Cell<(u128, u128)>,
}

impl Touches {
    /// The state at the start of the process.
    pub const fn new() -> Touches {
        Touches { from: Cell::new(u32::MAX), hidden: Cell::new((0, 0)) }
    }

    /// Resets the state at the start of an execution that is to tell of plain memory after so many events.
    pub fn reset(&self, from: u32) {
        self.from.set(from);
        self.hidden.set((0, 0));
    }
}

fn touches() -> &'static Touches {
    &lifetime::execution().touches
}

/// Whether this execution tells of plain memory.
#[inline(always)]
pub fn are_told() -> bool {
    touches().from.get() != u32::MAX
}

/// Takes note that the running thread is about to touch plain memory.
#[inline(always)]
pub fn note(address: usize, size: usize, how: Access) {
    if are_told() {
        tell(address, size, how);
    }
}

#[inline(never)]
fn tell(address: usize, size: usize, how: Access) {
    if size > PlainTouch::LARGEST as usize || address > usize::MAX - size {
        return push(0, 0, PlainTouch::EVERYTHING);
    }
    let writes = if how.writes() { PlainTouch::WRITES } else { 0 };
    let atomic = if how.is_atomic() { PlainTouch::ATOMIC } else { 0 };
    if size > 0 {
        push(address, size, writes | atomic);
    }
}

fn push(address: usize, size: usize, how: u32) {
    let events = schedule::events();
    if events >= touches().from.get() && schedule::active() {
        let touch = PlainTouch { first: address as u64, size: size as u32, events, how, reserved: 0 };
        schedule::told(touch);
    }
}

/// Takes note that what is told of this execution is not enough.
#[inline]
pub fn everything() {
    if are_told() {
        push(0, 0, PlainTouch::EVERYTHING);
    }
}

/// Takes note that the running thread calls a function which may do something with memory that is not told.
#[inline]
pub fn unseen() {
    if are_told() {
        push(0, 0, PlainTouch::UNSEEN);
    }
}

/// Whether the decision after so many events is the one before the last step that was given. What that step changes unseen is compared with it.
pub fn begins_at(events: usize) -> bool {
    are_told() && events as u32 + 1 == touches().from.get()
}

/// Takes note of what libraries keep for themselves, and of the history, at a decision. If they have changed since the last one, the step between
/// them has done something that was not told.
pub fn decision(hidden: u128, history: u128, is_first: bool) {
    let before = touches().hidden.replace((hidden, history));
    if are_told() && !is_first && before != (hidden, history) {
        push(0, 0, PlainTouch::UNSEEN);
    }
}

/// Whether a page belongs to a library: what happens there is not told.
pub fn is_hidden(page: usize) -> bool {
    /// How far the data of a program is from its code, at most: what one instruction can reach.
    const REACH: usize = 1 << 31;
    let (low, high) = start::program_text();
    !(low.saturating_sub(REACH)..high.saturating_add(REACH)).contains(&page)
}
