//! One execution in one line: the operations of each thread, in order.

use heddle_model::primitive::{process, thread};

use crate::names::Names;
use crate::text::printable;
use crate::{Recording, steps, values, words};

/// `recording` in one line: `0: create thread 1 | 1: lock a, unlock a | 0: join thread 1`.
pub fn compact(recording: &Recording) -> String {
    let names = Names::of(recording);
    let mut text = String::new();
    let mut before = None;
    for (index, event) in recording.events.iter().enumerate() {
        // The operations of a thread show that it started, and the caller prints how the execution ended.
        if matches!(event.operation.code, thread::START | process::END) {
            continue;
        }
        let result =
            steps::result(event, recording.written.get(index).copied().flatten()).map_or(String::new(), |result| {
                let values = values::of(result, &event.operation, recording);
                words::result(result, &words::Functions::new(), &values)
            });
        let object = steps::object(&event.operation, &names).short;
        let words = words::parts([words::operation(&event.operation), object, result]);
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
