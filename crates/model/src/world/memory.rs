//! The program's memory, as far as the model reads it.

use crate::{Event, EventFlags, Operation};

/// Read access to the program's memory, for answers that the model's own state does not contain.
pub trait Memory {
    /// Whether this compare-exchange would fail now because the memory holds another value.
    fn compare_fails(&self, operation: &Operation) -> bool;

    /// Whether this look, of a thread in `state`, would be in vain now: see [`crate::vain`].
    fn is_vain(&self, _state: u64, _look: &Operation) -> bool {
        false
    }

    /// Whether a number that is no address is among the visible places: see [`crate::vain`] and [`crate::immediate`].
    fn knows(&self, _number: u64) -> bool {
        false
    }

    /// Whether this operation of a [custom primitive](crate::primitive::custom) is enabled now. `None` if the program
    /// cannot be asked, for example when recorded events are replayed through the model.
    fn custom_enabled(&self, _: &Operation) -> Option<bool> {
        None
    }
}

/// Memory for callers that use synchronisation operations only.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn compare_fails(&self, _: &Operation) -> bool {
        false
    }
}

/// Memory for callers that replay recorded events. Each answer is taken from the event.
#[derive(Clone, Debug, Default)]
pub struct Recorded(core::cell::Cell<bool>);

impl Recorded {
    /// Makes `event` the source of the next answers.
    pub fn set(&self, event: &Event) {
        self.set_fails(event.flags.contains(EventFlags::MISMATCH));
    }

    /// Makes the next comparisons fail, or succeed.
    pub fn set_fails(&self, fails: bool) {
        self.0.set(fails);
    }
}

impl Memory for Recorded {
    fn compare_fails(&self, _: &Operation) -> bool {
        self.0.get()
    }
}
