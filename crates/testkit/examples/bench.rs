//! How fast the analysis is, apart from the program: executions a second over scripted programs, and the memory of a
//! long run.
//!
//! `cargo run --release -p heddle-testkit --example bench -- [executions of the long run]`

use std::time::{Duration, Instant};

use heddle_model::{Execution, Executor, ExecutorError, Plan};
use heddle_search::{Flow, Info, Observer, Options, Progress, Search};
use heddle_testkit::{Program, Scripted, known};

/// Measures the time that the program itself takes.
struct Timed<'p> {
    inner: Scripted<'p>,
    spent: Duration,
}

impl Executor for Timed<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.inner.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let begin = Instant::now();
        let execution = self.inner.receive();
        self.spent += begin.elapsed();
        execution
    }
}

struct Quiet {
    talks: bool,
    last: Progress,
}

impl Observer for Quiet {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }

    fn progress(&mut self, now: &Progress) -> Flow {
        if self.talks && now.elapsed - self.last.elapsed >= Duration::from_secs(1) {
            let rate = (now.executions - self.last.executions) as f64 / (now.elapsed - self.last.elapsed).as_secs_f64();
            println!(
                "  {:>9} executions, {:>7.0} a second, {:>7} pending, about {:?} in all, {} MiB",
                now.executions,
                rate,
                now.pending,
                now.estimate.map(|e| e.1),
                resident() >> 20
            );
            self.last = *now;
        }
        Flow::Continue
    }
}

/// Bytes of memory in use, as Linux tells.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn measure(name: &str, program: &Program, options: Options, talks: bool) {
    let mut executor = Timed { inner: Scripted::new(program), spent: Duration::ZERO };
    let mut quiet = Quiet { talks, last: Progress::default() };
    let Ok(summary) = Search::new(options).run(&mut executor, &mut quiet) else { return };
    let each = |time: Duration| time.as_secs_f64() * 1e6 / (summary.executions + summary.blocked) as f64;
    println!(
        "{name}: {} executions of {} events, {:.0} a second; one takes {:.2} us to analyse, {:.2} us to run (scripted)",
        summary.executions,
        summary.events / summary.executions.max(1),
        summary.executions as f64 / summary.elapsed.as_secs_f64(),
        each(summary.elapsed - executor.spent),
        each(executor.spent),
    );
}

fn main() {
    let long = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let depth_first = Options { memory: 0, ..Options::default() };
    measure("counter(8)", &known::counter(8), Options::default(), false);
    measure("counter(8), depth first", &known::counter(8), depth_first.clone(), false);
    measure("indexer(15)", &known::indexer(15), Options::default(), false);
    measure("indexer(15), depth first", &known::indexer(15), depth_first.clone(), false);
    measure("fib_bench(5)", &known::fib_bench(5), Options::default(), false);
    let limited = Options { max_executions: Some(long), memory: 64 << 20, ..Options::default() };
    measure("counter(10), a long run", &known::counter(10), limited, true);
}
