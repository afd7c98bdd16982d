//! The program's memory, as far as the model asks about it.

use crate::{Event, EventFlags, Operation};

/// Looks into the program's memory, for what the model cannot know.
pub trait Memory {
    /// Whether this compare-exchange, taken now, would find another value than it expects.
    fn compare_fails(&self, operation: &Operation) -> bool;

    /// Whether this operation of a [primitive of the program's own](crate::primitive::custom) is possible now, where that can be
    /// asked. Who only has the events of an execution has the answers in them.
    fn custom_enabled(&self, _: &Operation) -> Option<bool> {
        None
    }
}

/// For those who only ask about synchronisation.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Memory for NoMemory {
    fn compare_fails(&self, _: &Operation) -> bool {
        false
    }
}

/// For those who take events again that are over: it answers what was the answer then.
#[derive(Clone, Debug, Default)]
pub struct Recorded(core::cell::Cell<bool>);

impl Recorded {
    /// The next question is that of `event`.
    pub fn set(&self, event: &Event) {
        self.0.set(event.flags.contains(EventFlags::MISMATCH));
    }
}

impl Memory for Recorded {
    fn compare_fails(&self, _: &Operation) -> bool {
        self.0.get()
    }
}
