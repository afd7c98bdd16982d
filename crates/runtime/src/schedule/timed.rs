//! Operations that can time out: from a deadline of the program's to an operation of the model's.
//!
//! A timed operation is *impatient*: taken while it would have to wait, it times out. To be taken later is to wait, so the
//! schedules contain every outcome. A thread that has timed out as often as [`Latitude::timeouts`] allows is patient from
//! there on: it waits like an operation without a time-out, and times out only when nobody can go on. Loops that wait with
//! a time-out end by that. What is left out this way is made known ([`Header::timeouts_left_out`]).
//!
//! A deadline that has passed when the operation begins makes it a mere attempt, which is not what the limit is about: those
//! have a larger one.
//!
//! [`Latitude::timeouts`]: heddle_model::Latitude::timeouts
//! [`Header::timeouts_left_out`]: heddle_model::wire::Header::timeouts_left_out

use heddle_model::{Event, EventFlags, Operation};

use crate::outside::virtual_time;
use crate::schedule::{self, current};

/// How many attempts that fail at once a thread may make beyond its time-outs.
const ATTEMPTS: u32 = 16;

/// When a timed operation times out.
#[derive(Clone, Copy)]
pub struct Deadline {
    /// Nanoseconds since the execution began.
    at: u64,
    /// The deadline has passed already.
    passed: bool,
}

impl Deadline {
    /// The deadline at this time of the current thread.
    pub fn at(at: u64) -> Deadline {
        Deadline { at, passed: at <= virtual_time::now(current()) }
    }

    /// The deadline that is this long from now.
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

    /// Advances the thread's time if the operation has timed out.
    pub fn observe(self, event: &Event) {
        if event.flags.contains(EventFlags::TIMED_OUT) {
            if event.flags.contains(EventFlags::QUIESCENT) {
                virtual_time::reach_for_all(self.at);
            }
            virtual_time::reach(current(), self.at);
        }
    }
}

/// A visible operation that can time out.
pub fn visible(operation: Operation, deadline: Deadline, pc: u64) -> Event {
    let event = schedule::visible(deadline.of(operation), pc, |_| {});
    deadline.observe(&event);
    event
}
