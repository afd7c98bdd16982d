//! Executions that are run twice: the search does not see it, unless they differ.

use heddle_model::{Event, Execution, Executor, ExecutorError, Outcome, Plan};
use heddle_search::repeat::Repeated;
use heddle_search::{Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::{Instruction, Program, Scripted, Value};

struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

fn program() -> Program {
    let thread = |n| vec![Instruction::Store(0, Value::Constant(n)), Instruction::Load(0, 0)];
    Program::fork_join((1..4).map(thread).collect())
}

/// Executes a script, but for one of the executions, in which a value is another one.
struct Flaky<'p> {
    script: Scripted<'p>,
    received: u64,
    wrong: Option<u64>,
    events: Vec<Event>,
}

impl Executor for Flaky<'_> {
    fn depth(&self) -> usize {
        self.script.depth()
    }

    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.script.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        self.received += 1;
        let execution = self.script.receive()?;
        self.events = execution.events.to_vec();
        if Some(self.received) == self.wrong {
            self.events[5].result += 1;
        }
        Ok(Execution { events: &self.events, ..execution })
    }

    fn abandon(&mut self) {
        self.script.abandon();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.script.reveal(places)
    }
}

fn run(depth: usize, wrong: Option<u64>) -> (u64, Stop, Option<(u64, usize)>, u64) {
    let program = program();
    let script = Scripted::with_depth(&program, depth);
    let mut flaky = Flaky { script, received: 0, wrong, events: Vec::new() };
    let mut repeated = Repeated::new(&mut flaky);
    let summary = Search::new(Options::default()).run(&mut repeated, &mut Nobody).expect("it runs");
    let divergence = repeated.finish().expect("it runs");
    (summary.counts.executions, summary.stop, divergence.map(|d| (d.execution, d.at)), flaky.received)
}

#[test]
fn nobody_sees_it() {
    let program = program();
    let alone = Search::new(Options::default()).run(&mut Scripted::new(&program), &mut Nobody).expect("it runs");
    for depth in [1, 2, 3, 8] {
        let (executions, stop, divergence, received) = run(depth, None);
        assert_eq!((executions, stop, divergence), (alone.counts.executions, Stop::Exhausted, None), "depth {depth}");
        // The first, second, fourth, ... are run twice; where several would be at once, some wait.
        assert!(received > executions + 3 && received < executions + 12, "{received} for {executions}, depth {depth}");
    }
}

#[test]
fn a_difference_ends_the_search() {
    for depth in [1, 2, 3, 8] {
        // The second result is that of the second run, at depth 1; else it is another execution.
        let seen = (1..20).filter_map(|wrong| {
            let (executions, stop, divergence, _) = run(depth, Some(wrong));
            divergence.map(|(execution, at)| {
                assert_eq!(at, 5, "depth {depth}, result {wrong}");
                assert!(execution.is_power_of_two() || depth > 1, "depth {depth}, result {wrong}: {execution}");
                assert_eq!(
                    stop,
                    Stop::Outcome(Outcome::Diverged { step: 5 }),
                    "depth {depth}, result {wrong}: {executions}"
                );
            })
        });
        assert!(seen.count() >= 4, "depth {depth}");
    }
}
