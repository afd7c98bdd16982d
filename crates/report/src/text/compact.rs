//! One execution in one line: who did what, in order.

use crate::names::Names;
use crate::text::{printable, short};
use crate::{Recording, steps};

/// `recording` in one line: `0: create thread 1 | 1: lock a, unlock a | 0: join thread 1`.
pub fn compact(recording: &Recording) -> String {
    let names = Names::of(recording);
    let mut text = String::new();
    let mut before = None;
    for event in &recording.events {
        let operation = steps::operation(&event.operation);
        // That a thread begins is clear from what it does; how it all ended is told elsewhere.
        if operation == "begin" || event.operation.code == heddle_model::primitive::process::END {
            continue;
        }
        let parts = [operation, short(&steps::object(&event.operation, &names)), short(&steps::result(event, &names))];
        let words = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        match before == Some(event.thread) {
            true => text.push_str(", "),
            false if text.is_empty() => text.push_str(&format!("{}: ", event.thread)),
            false => text.push_str(&format!(" | {}: ", event.thread)),
        }
        before = Some(event.thread);
        text.push_str(&words);
    }
    printable(&text)
}
