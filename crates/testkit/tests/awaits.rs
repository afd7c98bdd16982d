//! Loops that only look, against the same loops that really go round.

use heddle_model::follow::{Policy, Step};
use heddle_model::{Execution, Executor, OpCode, Outcome, Plan};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{FinalState, Program, Scripted, environment};

use std::collections::HashSet;

/// The most operations of a thread: enough for every value that a loop can see, and a few rounds.
const STEPS: u32 = 12;

/// The schedules of executions in which nobody could go on.
#[derive(Default)]
struct Stuck(Vec<Vec<Step>>);

impl Observer for Stuck {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if execution.outcome == Outcome::Deadlock {
            self.0.push(execution.events.iter().map(|e| Step::of(e).expecting(OpCode::ANY)).collect());
        }
        Flow::Continue
    }
}

/// A final state without the positions and registers of threads that the end of the process has cut off: nobody could see them. Within a
/// round of a loop that waits in vain, a thread is in positions that no execution needs to visit.
fn observable(program: &Program, mut state: FinalState) -> FinalState {
    for (thread, code) in program.threads.iter().enumerate() {
        if (state.positions[thread] as usize) < code.len() {
            state.positions[thread] = 0;
            state.registers[thread] = Default::default();
        }
    }
    state
}

/// The final states of all executions that came to their end, and the schedules of those that got stuck. None if there are
/// too many.
fn brute_force(
    program: &Program,
    mut executor: Scripted<'_>,
    executions: u64,
) -> Option<(HashSet<FinalState>, Vec<Vec<Step>>)> {
    executor.remember_states();
    let mut stuck = Stuck::default();
    let options = Options {
        algorithm: Algorithm::Dfs,
        max_steps: Some(STEPS),
        max_executions: Some(executions),
        ..Options::default()
    };
    let summary = Search::new(options).run(&mut executor, &mut stuck).unwrap_or_else(|error| panic!("{error}"));
    let ended = |state: &FinalState| state.outcome == "ended";
    let states = executor.take_states().into_iter().filter(ended).map(|state| observable(program, state));
    (summary.stop == Stop::Exhausted).then(|| (states.collect(), stuck.0))
}

/// Whoever waits for ever in `schedule` goes round for ever in `program`, whatever the others do.
fn is_really_stuck(program: &Program, schedule: &[Step]) -> bool {
    let mut executor = Scripted::new(program).without_awaits();
    (0..4).all(|seed| {
        let plan = Plan { schedule: schedule.to_vec(), policy: Policy::Random, seed, max_steps: 60, ..Plan::default() };
        let outcome = executor.run(&plan).map(|execution| execution.outcome);
        matches!(outcome, Ok(Outcome::StepLimit { .. } | Outcome::Deadlock))
    })
}

#[test]
fn nothing_is_lost_and_nobody_waits_in_vain() {
    hold(0);
}

/// A loop goes round once more if an attempt fails for no reason; that it has failed says nothing about the next.
#[test]
fn nobody_waits_because_an_attempt_failed() {
    hold(generate::FAILURES);
}

fn hold(more: u32) {
    let (mut looked_at, mut stuck) = (0, 0);
    let first = environment::seed(0);
    for seed in first.. {
        let kinds =
            [generate::ATOMICS, generate::TRYLOCKS, generate::LOCKS][seed as usize % 3] | generate::AWAITS | more;
        let program = generate::program(&mut Random::new(seed), Shape { threads: 2, operations: 3, kinds });
        let Some((with, schedules)) = brute_force(&program, Scripted::new(&program), 2000) else { continue };
        for schedule in &schedules {
            stuck += 1;
            assert!(is_really_stuck(&program, schedule), "seed {seed}: {schedule:?}\n{program}");
        }
        let Some((without, _)) = brute_force(&program, Scripted::new(&program).without_awaits(), 5000) else {
            continue;
        };
        assert_eq!(with, without, "seed {seed}\n{program}");
        looked_at += 1;
        if looked_at == 400 {
            break;
        }
    }
    eprintln!("{looked_at} programs, {stuck} executions in which somebody waits for ever");
    assert!(stuck > 100, "{stuck}");
}
