//! Operations that can time out: turns a deadline of the program into an operation of the model.
//!
//! A timed operation is *impatient*: if it is scheduled while it would have to wait, it times out. Waiting longer is
//! the same as being scheduled later, so the set of all schedules covers every outcome. A thread that has timed out as
//! often as [`Latitude::timeouts`] allows is patient from then on: it waits like an operation without a timeout and
//! times out only when no thread is enabled. This makes loops that wait with a timeout finite. The timeouts that are
//! skipped this way are reported ([`Header::timeouts_left_out`]).
//!
//! If the deadline has passed when the operation begins, the operation is a mere attempt. The limit is not meant for
//! those, so they have a larger one.
//!
//! [`Latitude::timeouts`]: heddle_model::Latitude::timeouts
//! [`Header::timeouts_left_out`]: heddle_model::wire::Header::timeouts_left_out

use heddle_model::{Event, EventFlags, Operation};

use crate::outside::virtual_time;
use crate::schedule::{self, current};

/// The number of attempts with a passed deadline that a thread may make beyond its timeouts.
const ATTEMPTS: u32 = 16;

/// The deadline of a timed operation.
#[derive(Clone, Copy)]
pub struct Deadline {
    /// Nanoseconds since the execution began.
    at: u64,
    /// The deadline has passed already.
    passed: bool,
}

impl Deadline {
    /// The deadline at `at` nanoseconds of the current thread's time.
    pub fn at(at: u64) -> Deadline {
        Deadline { at, passed: at <= virtual_time::now(current()) }
    }

    /// The deadline `nanoseconds` from now.
    pub fn after(nanoseconds: u64) -> Deadline {
        Deadline::at(virtual_time::now(current()).saturating_add(nanoseconds))
    }

    /// A deadline that has passed.
    pub fn passed() -> Deadline {
        Deadline { at: 0, passed: true }
    }

    /// `operation` with this deadline.
    pub fn of(self, operation: Operation) -> Operation {
        let operation = operation.with_argument(self.at);
        let most = schedule::latitude().timeouts.saturating_add(if self.passed { ATTEMPTS } else { 0 });
        if schedule::timeouts_of_current() < most {
            operation.impatient()
        } else {
            schedule::leave_out_timeouts();
            operation
        }
    }

    /// Advances the thread's time if `event` timed out.
    pub fn observe(self, event: &Event) {
        if event.flags.contains(EventFlags::TIMED_OUT) {
            if event.flags.contains(EventFlags::QUIESCENT) {
                virtual_time::reach_for_all(self.at);
            }
            virtual_time::reach(current(), self.at);
        }
    }
}

/// Takes a visible operation that can time out.
pub fn visible(operation: Operation, deadline: Deadline, pc: u64) -> Event {
    let event = schedule::visible(deadline.of(operation), pc, |_| {});
    deadline.observe(&event);
    event
}
