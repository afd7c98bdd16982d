//! Executions that are too large never end a search: main threads that never end, with every algorithm.

use heddle_model::follow::Step;
use heddle_model::{Capacity, Ending, Execution, Executor, ExecutorError, Outcome, Plan, ThreadId};
use heddle_search::minimise::{Goal, minimise};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop, Summary};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Instruction, Program, Scripted, Value, endless};

use std::time::{Duration, Instant};

/// An executor with room for this many events. The scripted program itself has to end.
struct Narrow<'p> {
    inner: Scripted<'p>,
    room: usize,
}

impl Executor for Narrow<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        // An execution beyond the room need not be run to its end.
        let most = self.room as u32 + 1;
        let max_steps = if plan.max_steps == 0 { most } else { plan.max_steps.min(most) };
        self.inner.submit(&Plan { max_steps, ..plan.clone() })
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let execution = self.inner.receive()?;
        Ok(match execution.events.get(..self.room) {
            Some(events) => {
                Execution { events, pending: &[], outcome: Outcome::Capacity(Capacity::Events), ..execution }
            }
            None => execution,
        })
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.inner.reveal(places)
    }
}

/// Whether the assertion fails somewhere.
#[derive(Default)]
struct Fails(bool);

impl Observer for Fails {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        self.0 |= execution.outcome.ending() == Some(Ending::Assertion);
        if self.0 { Flow::Stop } else { Flow::Continue }
    }
}

/// A main thread that never ends, and a thread that reads `x`, which main counts up.
fn endless_main(expected: u64) -> Program {
    use Instruction::{Assert, BranchIf, Create, FetchAdd, Jump, Load, Set};
    let main = vec![Create(1), FetchAdd(0, Value::Constant(1), 0), Jump(1)];
    // Fails if it reads `expected`.
    let worker = vec![Load(0, 1), BranchIf(1, expected, 3), Set(1, Value::Constant(77)), Assert(1, 77)];
    Program { threads: vec![main, worker], ..Program::default() }
}

fn search(program: &Program, options: Options, room: usize) -> (Summary, bool) {
    let mut executor = Narrow { inner: Scripted::new(program), room };
    let mut fails = Fails::default();
    let summary = Search::new(options).run(&mut executor, &mut fails).unwrap_or_else(|error| panic!("{error}"));
    (summary, fails.0)
}

#[test]
fn every_algorithm_finds_a_bug_beside_a_thread_that_never_ends() {
    for (name, algorithm) in Algorithm::NAMES {
        let options = Options { algorithm: *algorithm, max_executions: Some(3000), ..Options::default() };
        // Brute force begins at the end of the first execution, where main has counted as far as it may.
        let expected = if *algorithm == Algorithm::Dfs { 61 } else { 2 };
        let (summary, fails) = search(&endless_main(expected), options.clone(), 1000);
        assert!(fails, "{name}: {summary:?}");
        let (summary, fails) = search(&endless_main(expected), Options { max_preemptions: Some(1), ..options }, 1000);
        assert!(fails, "{name} within a bound: {summary:?}");
    }
}

#[test]
fn the_bound_is_raised_as_long_as_there_is_room() {
    // Main takes 1 + n operations; what it does before the worker's load and after it are n + 1 traces.
    let (summary, fails) = search(&endless_main(100_000), Options::default(), 1000);
    assert!(!fails && summary.stop == Stop::Exhausted, "{summary:?}");
    assert_eq!(summary.own_bound, Some(256), "{summary:?}");
    assert!(summary.counts.cut > 200 && summary.counts.executions == 0 && !summary.complete(), "{summary:?}");
    // Who asks for less gets it.
    let (summary, _) = search(&endless_main(100_000), Options { max_steps: Some(9), ..Options::default() }, 1000);
    assert_eq!((summary.own_bound, summary.stop), (None, Stop::Exhausted));
    // Where nothing fits, the search says so.
    let (summary, _) = search(&endless_main(100_000), Options::default(), 5);
    assert_eq!(summary.stop, Stop::Outcome(Outcome::Capacity(Capacity::Events)));
}

/// Samplers of programs that never end, and whose threads depend on the schedule: nothing panics, and whatever fails is made small.
#[test]
fn samples_and_small_executions() {
    let samplers = [Algorithm::Random, Algorithm::Pct, Algorithm::Pos, Algorithm::Few, Algorithm::Portfolio];
    let (mut failing, mut large) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let kinds = generate::some_of(generate::MIXED, &mut random) | generate::ATOMICS;
        let mut program = endless::program(&mut random, Shape { threads: 3, operations: 3, kinds });
        if let Some(last) = program.threads.last_mut() {
            generate::insert(last, 0, Instruction::Assert(6, 1));
        }
        for algorithm in samplers {
            let options = Options { algorithm, max_executions: Some(30), seed, ..Options::default() };
            let mut executor = Narrow { inner: Scripted::new(&program), room: 400 };
            let mut kept = Kept::default();
            let summary = Search::new(options).run(&mut executor, &mut kept).unwrap_or_else(|error| panic!("{error}"));
            large += u64::from(summary.own_bound.is_some());
            assert!(!matches!(summary.stop, Stop::Outcome(_)), "seed {seed}, {algorithm:?}: {summary:?}\n{program}");
            let Some(plan) = kept.plan else { continue };
            failing += 1;
            let deadline = Instant::now() + Duration::from_millis(5);
            let small = minimise(&mut executor, &plan, &Failure, &kept.places, deadline);
            let small = small.unwrap_or_else(|error| panic!("{error}")).expect("it fails again");
            let again = Plan { schedule: small.schedule, max_steps: plan.max_steps, ..Plan::default() };
            let again = executor.run(&again).unwrap_or_else(|error| panic!("{error}"));
            assert!(Failure.shown_by(&again), "seed {seed}, {algorithm:?}\n{program}");
        }
    }
    assert!(failing > 300 && large > 300, "{failing}, {large}");
}

/// The first plan that fails, and what was visible to it.
#[derive(Default)]
struct Kept {
    plan: Option<Plan>,
    places: Vec<u64>,
}

impl Observer for Kept {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        if !Failure.shown_by(execution) {
            return Flow::Continue;
        }
        let schedule = execution.events.iter().map(Step::of).collect();
        self.plan = Some(Plan { schedule, max_steps: info.plan.max_steps, ..Plan::default() });
        Flow::Stop
    }

    fn restart(&mut self, places: &[u64]) {
        self.revealed(places);
    }

    fn revealed(&mut self, places: &[u64]) {
        self.places = places.to_vec();
    }
}

struct Failure;

impl Goal for Failure {
    fn shown_by(&self, execution: &Execution<'_>) -> bool {
        execution.outcome.ending() == Some(Ending::Assertion)
    }

    fn actors(&self, execution: &Execution<'_>) -> Option<Vec<ThreadId>> {
        execution.events.last().map(|event| vec![event.thread])
    }

    fn interrupted(&self) -> bool {
        false
    }
}
