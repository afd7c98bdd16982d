//! Loops that only look, against the same loops that really go round.

use heddle_model::follow::{Policy, Step};
use heddle_model::{Execution, Executor, OpCode, Outcome, Plan};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Condition, FinalState, Instruction, Program, Scripted, Value, environment};

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

/// What an executor shows by brute force.
struct Shown {
    /// The final states of executions that came to their end.
    ended: HashSet<FinalState>,
    /// The final states of executions in which nobody could go on.
    blocked: HashSet<FinalState>,
    /// The schedules of executions in which nobody could go on.
    stuck: Vec<Vec<Step>>,
}

/// Everything that `executor` shows of `program`. None if there is too much.
fn brute_force(program: &Program, mut executor: Scripted<'_>, executions: u64) -> Option<Shown> {
    executor.remember_states();
    let mut stuck = Stuck::default();
    let options = Options {
        algorithm: Algorithm::Dfs,
        max_steps: Some(STEPS),
        max_executions: Some(executions),
        ..Options::default()
    };
    let summary = Search::new(options).run(&mut executor, &mut stuck).unwrap_or_else(|error| panic!("{error}"));
    let states: Vec<FinalState> = executor.take_states().into_iter().map(|state| observable(program, state)).collect();
    let with = |outcome: &str| states.iter().filter(|state| state.outcome == outcome).cloned().collect();
    (summary.stop == Stop::Exhausted).then(|| Shown { ended: with("ended"), blocked: with("deadlock"), stuck: stuck.0 })
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

/// Program `seed` of those with loops that wait, and `more`.
fn draw(seed: u64, more: u32) -> Program {
    let kinds = [generate::ATOMICS, generate::TRYLOCKS, generate::LOCKS][seed as usize % 3] | generate::AWAITS | more;
    generate::program(&mut Random::new(seed), Shape { threads: 2, operations: 3, kinds })
}

/// Compares `executor` with loops that really go round. None if the program is too large. Otherwise how many executions wait for ever, or what
/// is wrong.
fn compare(program: &Program, executor: Scripted<'_>) -> Option<Result<usize, String>> {
    let with = brute_force(program, executor, 2000)?;
    for schedule in &with.stuck {
        if !is_really_stuck(program, schedule) {
            return Some(Err(format!("waits where it could go on: {schedule:?}")));
        }
    }
    let without = brute_force(program, Scripted::new(program).without_awaits(), 5000)?;
    if with.ended != without.ended {
        return Some(Err(format!("ends: {:?}", with.ended.symmetric_difference(&without.ended).collect::<Vec<_>>())));
    }
    // Whoever goes round for ever is blocked, too, if it is taken for one that waits.
    if !without.blocked.is_subset(&with.blocked) {
        let lost: Vec<_> = without.blocked.difference(&with.blocked).collect();
        return Some(Err(format!("deadlocks: {lost:?}")));
    }
    Some(Ok(with.stuck.len()))
}

fn hold(more: u32) {
    let (mut looked_at, mut stuck) = (0, 0);
    let first = environment::seed(0);
    for seed in first.. {
        let program = draw(seed, more);
        let Some(result) = compare(&program, Scripted::new(&program)) else { continue };
        stuck += result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{program}"));
        looked_at += 1;
        if looked_at == 400 {
            break;
        }
    }
    eprintln!("{looked_at} programs, {stuck} executions in which somebody waits for ever");
    assert!(stuck > 100, "{stuck}");
}

/// A program in which it shows that `condition` is left out.
fn needs(condition: Condition) -> Program {
    use Instruction::{BranchIf, BranchUnless, CompareExchange, Load, Store};
    let (zero, one) = (Value::Constant(0), Value::Constant(1));
    let take = CompareExchange(0, zero, one, 0);
    Program::fork_join(match condition {
        // A thread sees the lock free, fails to take it, and sees it free again. It is where it was, but it need not wait there.
        Condition::Stuck => vec![
            vec![Load(0, 0), BranchUnless(0, 0, 0), take, BranchUnless(0, 0, 0), Store(0, zero)],
            vec![take, Store(0, zero)],
        ],
        // Only a thread that has seen nothing before waits, for ever.
        Condition::Registers => {
            vec![vec![Load(1, 1), Load(0, 0), BranchIf(1, 1, 4), BranchUnless(0, 1, 1)], vec![Store(1, one)]]
        }
        Condition::Value => vec![vec![Load(0, 0), BranchUnless(0, 1, 0)], vec![Store(0, one)]],
    })
}

/// Each condition of the rule of looks in vain is needed: without it, a program shows something else than with loops that really go round.
#[test]
fn no_condition_can_be_left_out() {
    for condition in Condition::ALL {
        let program = needs(condition);
        let holds = compare(&program, Scripted::new(&program)).expect("it is small");
        assert!(holds.is_ok(), "{condition:?}: {holds:?}\n{program}");
        let without = compare(&program, Scripted::new(&program).without_condition(condition)).expect("it is small");
        assert!(without.is_err(), "{condition:?} makes no difference\n{program}");
    }
}
