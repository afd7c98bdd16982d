//! How many bytes of a program's stack frames are dead at its calls, and what finding them costs.
//!
//! `dead_bytes PROGRAM…` prints a line for each program: functions, those that are understood, bytes of their frames at all their
//! calls, dead bytes, size of the table, and time. With `--calls` a line for each call follows.

use std::process::ExitCode;
use std::time::Instant;

use heddle_model::wire::FrameTable;
use heddle_native::liveness::DeadBytes;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let lists_calls = words.iter().any(|word| word == "--calls");
    for path in words.iter().filter(|word| *word != "--calls") {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let started = Instant::now();
        let DeadBytes { table, summary } = DeadBytes::of(&bytes);
        let time = started.elapsed();
        println!(
            "{path}: {} of {} functions understood (not: {:?}), {} calls, {} bytes, {} dead, table of {} bytes, {time:?}",
            summary.understood,
            summary.functions,
            summary.reasons,
            summary.calls,
            summary.bytes,
            summary.dead,
            table.len(),
        );
        let Some(table) = FrameTable::read(&table).filter(|_| lists_calls) else { continue };
        for call in (0..table.calls()).filter_map(|number| table.call(number)) {
            let dead: Vec<String> = table.dead(&call).map(|range| format!("{}..{}", range.begin, range.end)).collect();
            let counters = match (call.counters, call.counts) {
                (0, None) => String::new(),
                (registers, range) => format!(" counters {registers:#b} {range:?}"),
            };
            println!("  {:#x} {:?}+{}: {}{counters}", call.return_address, call.base, call.distance, dead.join(" "));
        }
    }
    ExitCode::SUCCESS
}
