//! Loops that only look, against the same loops that really go round.

use heddle_model::follow::{Policy, Step};
use heddle_model::primitive::mutex;
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
            // Loops that go round do not wait before they lock.
            let events = execution.events.iter().filter(|event| event.operation.code != mutex::POLL);
            self.0.push(events.map(|e| Step::of(e).expecting(OpCode::ANY)).collect());
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
fn brute_force(program: &Program, mut executor: Scripted<'_>, steps: u32, executions: u64) -> Option<Shown> {
    executor.remember_states();
    let mut stuck = Stuck::default();
    let options = Options {
        algorithm: Algorithm::Dfs,
        max_steps: Some(steps),
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
    let (threads, operations) = if seed.is_multiple_of(7) { (3, 1) } else { (2, 3) };
    generate::program(&mut Random::new(seed), Shape { threads, operations, kinds })
}

/// Compares `executor` with loops that really go round. None if the program is too large. Otherwise how many executions wait for ever, or what
/// is wrong.
fn compare(program: &Program, executor: Scripted<'_>) -> Option<Result<usize, String>> {
    compare_within(program, executor, STEPS, 2000)
}

/// Like [`compare`], with at most `steps` operations of a thread and `most` executions; two and a half times as many if loops really go round.
fn compare_within(program: &Program, executor: Scripted<'_>, steps: u32, most: u64) -> Option<Result<usize, String>> {
    let with = brute_force(program, executor, steps, most)?;
    for schedule in &with.stuck {
        if !is_really_stuck(program, schedule) {
            return Some(Err(format!("waits where it could go on: {schedule:?}")));
        }
    }
    let without = brute_force(program, Scripted::new(program).without_awaits(), STEPS.min(steps), most * 5 / 2)?;
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
        if looked_at == environment::number("HEDDLE_PROGRAMS", 400) {
            break;
        }
    }
    eprintln!("{looked_at} programs, {stuck} executions in which somebody waits for ever");
    assert!(stuck > 100, "{stuck}");
}

/// The most executions of a program in which it shows that a condition is left out.
const LARGEST: u64 = 400_000;

/// A program in which it shows that `condition` is left out.
fn needs(condition: Condition) -> Program {
    use Instruction::{BranchIf, BranchUnless, CompareExchange, Jump, Load, Lock, Store, TryLock, Unlock};
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
        // Fails, succeeds and fails again to lock a mutex under which another thread polls.
        Condition::Noticed => vec![
            vec![Lock(0), Load(0, 0), Unlock(0), BranchUnless(0, 1, 0)],
            vec![
                TryLock(0, 0),
                BranchUnless(0, 0, 13),
                Unlock(0),
                TryLock(0, 0),
                BranchIf(0, 0, 12),
                TryLock(0, 0),
                BranchUnless(0, 0, 13),
                Unlock(0),
                TryLock(0, 1),
                BranchIf(1, 0, 12),
                Store(1, one),
                Jump(13),
                Unlock(0),
                Store(0, one),
            ],
        ],
        // A thread gives a mutex back because another one is locked. That is unlocked later, and nothing was written meanwhile.
        Condition::Needless => vec![
            vec![Lock(0), TryLock(1, 0), BranchIf(0, 0, 5), Unlock(0), Jump(0), Unlock(1), Unlock(0)],
            vec![Lock(1), Unlock(1), Lock(1), Unlock(1)],
        ],
        Condition::Value => vec![vec![Load(0, 0), BranchUnless(0, 1, 0)], vec![Store(0, one)]],
    })
}

/// Each condition of the rule of looks in vain is needed: without it, a program shows something else than with loops that really go round.
#[test]
fn no_condition_can_be_left_out() {
    for condition in Condition::ALL {
        let program = needs(condition);
        let holds = compare_within(&program, Scripted::new(&program), STEPS + 4, LARGEST).expect("it is small");
        assert!(holds.is_ok(), "{condition:?}: {holds:?}\n{program}");
        let executor = Scripted::new(&program).without_condition(condition);
        let without = compare_within(&program, executor, STEPS + 4, LARGEST).expect("it is small");
        assert!(without.is_err(), "{condition:?} makes no difference\n{program}");
    }
}

/// Two threads that lock two mutexes in opposite orders, as `std::lock` does: every algorithm ends, with equally many executions.
#[test]
fn locking_in_opposite_orders_ends() {
    use Instruction::{BranchIf, Jump, Lock, TryLock, Unlock};
    let worker = |a, b| {
        let half = |a, b| [Lock(a), TryLock(b, 0), BranchIf(0, 0, 9), Unlock(a)];
        [&half(a, b)[..], &half(b, a), &[Jump(0), Unlock(b), Unlock(a)]].concat()
    };
    let program = Program::fork_join(vec![worker(0, 1), worker(1, 0)]);
    let counts = [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor].map(|algorithm| {
        let options = Options { algorithm, max_executions: Some(20_000), ..Options::default() };
        let mut stuck = Stuck::default();
        let summary = Search::new(options).run(&mut Scripted::new(&program), &mut stuck).expect("it runs");
        assert_eq!(summary.stop, Stop::Exhausted, "{algorithm:?}");
        assert!(stuck.0.is_empty(), "{algorithm:?}");
        summary.counts.executions
    });
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

/// Threads that lock, try and give back two mutexes, beside others that try and lock them: the same final states as with loops that really go
/// round.
#[test]
fn attempts_under_locks_are_noticed() {
    let (mut looked_at, mut stuck) = (0, 0);
    let first = environment::seed(0);
    for seed in first.. {
        let kinds = generate::TRYLOCKS | generate::LOCKS | generate::AWAITS;
        let (threads, operations) = if seed.is_multiple_of(4) { (3, 1) } else { (2, 2) };
        let program = generate::program(&mut Random::new(seed ^ 0x5eed), Shape { threads, operations, kinds });
        let Some(result) = compare(&program, Scripted::new(&program)) else { continue };
        stuck += result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{program}"));
        looked_at += 1;
        if looked_at == environment::number("HEDDLE_PROGRAMS", 300) {
            break;
        }
    }
    eprintln!("{looked_at} programs, {stuck} executions in which somebody waits for ever");
}
