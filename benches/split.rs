//! Where the time goes: what the search costs, against what the program costs.
//!
//! Both are times of the processor, not of the clock on the wall, so that other work on the machine shows little in them. The
//! search is run once natively, and every plan and execution is kept. Then the program runs the same plans with nobody
//! looking at the results, and the search looks at the same executions with nobody running the program.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use heddle_model::wire::Restart;
use heddle_model::{Event, Execution, Executor, ExecutorError, Outcome, Pending, Plan, ThreadId};
use heddle_native::NativeExecutor;
use heddle_search::{Flow, Info, Observer, Options, Search};

use crate::{build, launch};

struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

/// An execution that was kept.
struct Kept {
    events: Vec<Event>,
    pending: Vec<Pending>,
    outcome: Outcome,
    circle: bool,
    thread: ThreadId,
}

/// Runs plans natively and keeps everything.
struct Keeping<'e> {
    inner: &'e mut NativeExecutor,
    plans: Vec<Plan>,
    kept: Vec<Kept>,
}

impl Executor for Keeping<'_> {
    fn depth(&self) -> usize {
        self.inner.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.plans.push(plan.clone());
        self.inner.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let execution = self.inner.receive()?;
        let Execution { events, pending, outcome, circle, thread, .. } = execution;
        self.kept.push(Kept { events: events.to_vec(), pending: pending.to_vec(), outcome, circle, thread });
        Ok(execution)
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}

/// Gives back what was kept, in the same order.
struct Played<'k> {
    kept: &'k [Kept],
    depth: usize,
    under_way: VecDeque<usize>,
    next: usize,
}

impl Executor for Played<'_> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn submit(&mut self, _: &Plan) -> Result<(), ExecutorError> {
        self.under_way.push_back(self.next);
        self.next += 1;
        Ok(())
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let at = self.under_way.pop_front().ok_or_else(|| ExecutorError::CannotRun("no plan".into()))?;
        let Kept { events, pending, outcome, circle, thread } = &self.kept[at];
        Ok(Execution {
            events,
            pending,
            outcome: *outcome,
            circle: *circle,
            left: 0,
            thread: *thread,
            message: "",
            races: &[],
            states: &[],
            touches: &[],
            contents: &[],
            output: &[],
        })
    }

    fn abandon(&mut self) {
        self.under_way.clear();
    }
}

/// The time that a thread has had a processor.
pub fn used(who: &str) -> Duration {
    let text = std::fs::read_to_string(format!("/proc/{who}/schedstat")).unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// What one execution takes to analyse, to run, and to hand over and back, in microseconds; executions a second end to end.
struct Split {
    executions: usize,
    analysis: f64,
    running: f64,
    exchange: f64,
    rate: f64,
}

fn split(file: &str, flags: &[&str], rounds: usize) -> Split {
    let program = build(file, flags);
    let mut executor = launch(&program, Restart::Snapshot);
    let options = Options::default();
    let mut keeping = Keeping { inner: &mut executor, plans: Vec::new(), kept: Vec::new() };
    let summary = Search::new(options.clone()).run(&mut keeping, &mut Nobody).expect("it runs");
    let Keeping { plans, kept, .. } = keeping;
    let mut best = Split {
        executions: summary.counts.executions as usize,
        analysis: f64::MAX,
        running: f64::MAX,
        exchange: f64::MAX,
        rate: 0.0,
    };
    let each = |time: Duration| time.as_secs_f64() * 1e6 / kept.len() as f64;
    for _ in 0..rounds {
        let process = executor.process_id().expect("a process").to_string();
        let (mine, theirs) = (used("thread-self"), used(&process));
        let mut next = plans.iter();
        let mut under_way = 0;
        for _ in 0..plans.len() {
            while under_way < executor.depth() {
                let Some(plan) = next.next() else { break };
                executor.submit(plan).expect("a plan is taken");
                under_way += 1;
            }
            executor.receive().expect("an execution comes back");
            under_way -= 1;
        }
        best.running = best.running.min(each(used(&process) - theirs));
        best.exchange = best.exchange.min(each(used("thread-self") - mine));
        let mut played = Played { kept: &kept, depth: executor.depth(), under_way: VecDeque::new(), next: 0 };
        let begin = used("thread-self");
        Search::new(options.clone()).run(&mut played, &mut Nobody).expect("it runs");
        best.analysis = best.analysis.min(each(used("thread-self") - begin));
        assert_eq!(played.next, kept.len(), "the search is the same each time");
        let begin = Instant::now();
        Search::new(options.clone()).run(&mut executor, &mut Nobody).expect("it runs");
        best.rate = best.rate.max(kept.len() as f64 / begin.elapsed().as_secs_f64());
    }
    best
}

/// The search costs less than the program, on the programs that the papers measure.
pub fn table() {
    println!("\nWhere the time goes (microseconds of a processor for one execution; best of 5 rounds)\n");
    println!(
        "| program | executions | analysing | running | analysing / running | handing over | executions a second |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (file, flags) in [("counter", "-DN=8"), ("indexer", "-DN=15"), ("lastzero", "-DN=12"), ("fib_bench", "-DN=4")] {
        let words: Vec<&str> = flags.split_whitespace().collect();
        let Split { executions, analysis, running, exchange, rate } =
            split(&format!("tests/counts/{file}.c"), &words, 5);
        println!(
            "| {file} {flags} | {executions} | {analysis:.2} | {running:.2} | {:.2} | {exchange:.2} | {rate:.0} |",
            analysis / running
        );
    }
}
