//! How fast the analysis is, apart from the program: executions a second over scripted programs, and the memory of a
//! long run.
//!
//! `cargo run --release -p heddle-testkit --example bench -- [executions of the long run] [only these]`
//!
//! Times are of the processor, not of the clock on the wall: other work on the machine shows less in them.

use std::time::Duration;

use heddle_model::{Execution, Executor, ExecutorError, Plan};
use heddle_search::{Flow, Info, Observer, Options, Progress, Search};
use heddle_testkit::{Program, Scripted, known};

/// Keeps the plans that it hands on, to run them again without a search.
struct Keeping<'p> {
    inner: Scripted<'p>,
    plans: Vec<Plan>,
}

impl Executor for Keeping<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        if self.plans.len() < 50_000 {
            self.plans.push(plan.clone());
        }
        self.inner.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        self.inner.receive()
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.inner.reveal(places)
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
                "  {:>9} executions, {:>7.0} a second, {:>7} pending, at least {} in all, {} MiB",
                now.executions,
                rate,
                now.pending,
                now.at_least.unwrap_or(0),
                resident() >> 20
            );
            self.last = *now;
        }
        Flow::Continue
    }
}

/// The time that this thread has had a processor, as Linux tells.
fn used() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// Bytes of memory in use, as Linux tells.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn measure(name: &str, program: &Program, options: Options, talks: bool) {
    if std::env::args().nth(2).is_some_and(|only| !name.contains(&only)) {
        return;
    }
    let mut keeping = Keeping { inner: Scripted::new(program), plans: Vec::new() };
    if !talks
        && Search::new(options.clone()).run(&mut keeping, &mut Quiet { talks, last: Progress::default() }).is_err()
    {
        return;
    }
    let mut executor = Scripted::new(program);
    let begin = used();
    for plan in &keeping.plans {
        let _ = executor.run(plan);
    }
    let run = (used() - begin).as_secs_f64() * 1e6 / keeping.plans.len().max(1) as f64;
    let mut quiet = Quiet { talks, last: Progress::default() };
    let begin = used();
    let Ok(summary) = Search::new(options).run(&mut executor, &mut quiet) else { return };
    let all = used() - begin;
    let count = (summary.counts.executions + summary.counts.blocked) as f64;
    println!(
        "{name}: {} executions of {} events, {:.0} a second; one takes {:.2} us to analyse, {run:.2} us to run (scripted)",
        summary.counts.executions,
        summary.counts.events / summary.counts.executions.max(1),
        count / all.as_secs_f64(),
        all.as_secs_f64() * 1e6 / count - run,
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
