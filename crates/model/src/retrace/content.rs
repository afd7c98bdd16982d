//! What the events of an execution show of the program's memory.
//!
//! A world does not know the content of the program's memory. The next event that touches a place shows what was there
//! before it. There is no answer where places overlap without being equal, or where a store does not know what it
//! replaced.

use crate::primitive::{atomic, futex};
use crate::{Event, EventFlags, Footprint, Mode, Operation};

/// What the events show of a place in memory.
pub(super) enum Content {
    /// The place holds this value.
    Known(u64),
    /// No later event touches the place.
    Untouched,
    /// The events do not show it.
    Unknown,
}

/// The content of the place of `operation` before event `from`. The next event that touches the place shows it.
pub(super) fn content(events: &[Event], from: usize, operation: &Operation) -> Content {
    let Some(next) = events[from..].iter().find(|event| touches(event, operation)) else { return Content::Untouched };
    if same_place(&next.operation, operation)
        && let Some(value) = value_before(next)
    {
        return Content::Known(value);
    }
    // It does not say what was there before. The last one before it may say what it left.
    match events[..from].iter().rev().find(|event| touches(event, operation)) {
        Some(last) if same_place(&last.operation, operation) => match last.operation.code {
            atomic::LOAD => Content::Known(last.result),
            atomic::STORE => Content::Known(last.operation.argument),
            atomic::COMPARE_EXCHANGE if last.failed() => Content::Known(last.result),
            // It has only looked.
            code if code.family() == futex::FAMILY => value_before(last).map_or(Content::Unknown, Content::Known),
            _ => Content::Unknown,
        },
        _ => Content::Unknown,
    }
}

/// The comparison that `operation` makes with memory, as a compare-exchange.
pub(super) fn comparison(operation: &Operation) -> Option<Operation> {
    if operation.code == atomic::COMPARE_EXCHANGE { Some(*operation) } else { futex::comparison(operation) }
}

/// Whether `event` writes to the place of `operation`, an operation on an atomic, or shows what is there.
///
/// Loads show it, too. Between two writes the place need not stay as it is: the program may initialise it by a plain write, as a
/// variable of the next call that has the frame of the last one.
pub(super) fn touches(event: &Event, operation: &Operation) -> bool {
    let place = |mode| {
        let mut place = Footprint::new();
        place.touch_bytes(operation.object, operation.size.max(1) as u32, mode);
        place
    };
    let touched = Footprint::of(event);
    // What conflicts with everything touches no memory.
    !touched.is_everything()
        && place(Mode::Write).conflicts_with(&touched)
        && (place(Mode::Read).conflicts_with(&touched)
            || same_place(&event.operation, operation) && value_before(event).is_some())
}

/// The value at the place of `event` before it, if the event shows it.
fn value_before(event: &Event) -> Option<u64> {
    let reads = matches!(event.operation.code, atomic::LOAD | atomic::RMW | atomic::COMPARE_EXCHANGE);
    match futex::comparison(&event.operation) {
        Some(compared) if !event.flags.contains(EventFlags::MISMATCH) => Some(compared.argument),
        compared => {
            (reads || compared.is_some() || event.flags.contains(EventFlags::KNOWS_OLD)).then_some(event.result)
        }
    }
}

/// Whether `a` accesses or compares exactly the memory of `b`, an operation on an atomic.
fn same_place(a: &Operation, b: &Operation) -> bool {
    match futex::comparison(a) {
        Some(compared) => compared.object == b.object && compared.size == b.size,
        None => a.code.family() == atomic::FAMILY && a.object == b.object && a.size == b.size,
    }
}
