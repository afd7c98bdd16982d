//! The virtual time of the current execution: see [`heddle_detect::time`].

use heddle_detect::time::Time;
use heddle_model::{Event, ObjectId, ThreadId};

use crate::addresses::Reserve;
use crate::lifetime::{self, Exclusive};

/// Room for objects that hand time on; a power of two.
const OBJECTS: usize = 1 << 16;

/// The clocks of an execution.
pub struct Clocks(Exclusive<Time<'static>>);

impl Clocks {
    /// No clocks.
    pub const fn new() -> Clocks {
        Clocks(Exclusive::new(Time::empty()))
    }

    /// Sets all clocks back to the beginning.
    pub fn reset(&self) {
        self.0.borrow().reset();
    }
}

#[inline(always)]
fn time() -> &'static mut Time<'static> {
    lifetime::execution().clocks.0.borrow()
}

/// Reserves memory for `threads` threads. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    *time() = Time::new(reserve, threads, OBJECTS);
}

/// The time of `thread`. It does not pass.
pub fn now(thread: ThreadId) -> u64 {
    time().now(thread)
}

/// Reads the clock of `thread`, which takes time.
pub fn look(thread: ThreadId) -> u64 {
    time().look(thread)
}

/// Reads the clock of `thread`, which takes time, after all who have read it through `object` before.
pub fn look_after(thread: ThreadId, object: ObjectId) -> u64 {
    time().look_after(thread, object)
}

/// Lets time pass for `thread`.
pub fn pass(thread: ThreadId, nanoseconds: u64) {
    time().pass(thread, nanoseconds);
}

/// Makes it at least `moment` for `thread`.
pub fn reach(thread: ThreadId, moment: u64) {
    time().reach(thread, moment);
}

/// Advances the clocks of all threads to at least `moment`, because no thread is enabled before then.
pub fn reach_for_all(moment: u64) {
    time().reach_for_all(moment);
}

/// Makes it at least as late for `later` as for `earlier`.
pub fn catch_up(later: ThreadId, earlier: ThreadId) {
    time().catch_up(later, earlier);
}

/// Whether any clock shows anything: until then events need not be told.
#[inline(always)]
pub fn passes() -> bool {
    time().passes()
}

/// Hands time on through what an event touches.
pub fn event(event: &Event) {
    time().event(event);
}
