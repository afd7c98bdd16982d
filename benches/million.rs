//! A million executions in one run: does the rate hold, does memory grow?

use std::time::Instant;

use heddle_model::Execution;
use heddle_model::wire::Restart;
use heddle_search::{Flow, Info, Observer, Options, Search};

use crate::{build, launch};

const EXECUTIONS: u64 = 1_000_000;
const EVERY: u64 = 100_000;

/// Prints a line every so many executions.
struct Watch {
    last: Instant,
}

impl Observer for Watch {
    fn execution(&mut self, _: &Execution<'_>, info: &Info<'_>) -> Flow {
        if info.number.is_multiple_of(EVERY) {
            let rate = EVERY as f64 / self.last.elapsed().as_secs_f64();
            println!("| {} | {rate:.0} | {:.1} |", info.number, resident() as f64 / (1 << 20) as f64);
            self.last = Instant::now();
        }
        Flow::Continue
    }
}

/// Bytes of memory that this process has in use.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

/// Four threads with ten critical sections each have far more traces than this runs.
pub fn table() {
    println!("\nOne million executions in one run (`tests/programs/long-search.c`)\n");
    println!("| executions | executions a second since the last line | memory of the search, MiB |");
    println!("|---|---|---|");
    let program = build("tests/programs/long-search.c", &[]);
    let mut executor = launch(&program, Restart::Snapshot);
    let options = Options { max_executions: Some(EXECUTIONS), ..Options::default() };
    let summary = Search::new(options).run(&mut executor, &mut Watch { last: Instant::now() }).expect("it runs");
    assert_eq!((summary.counts.executions, summary.counts.blocked), (EXECUTIONS, 0));
}
