//! Rounds that lock, try and give back mutexes, against all states of the same loops, which really go round there.

use std::collections::HashSet;

use heddle_model::follow::{Policy, Step};
use heddle_model::primitive::mutex;
use heddle_model::{Execution, Executor, OpCode, Outcome, Plan};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::Random;
use heddle_testkit::{Instruction, Program, Scripted, Value, environment};

/// The most operations of a thread: more than any that waits needs.
const STEPS: u32 = 80;
/// The most executions of a program that is compared.
const LARGEST: u64 = 3_000;

/// What can come of a program: the variables where it has ended. What threads have seen is in them.
type Ends = HashSet<Vec<u64>>;

/// What executions end in.
#[derive(Default)]
struct Stuck {
    schedules: Vec<Vec<Step>>,
    /// The schedules of executions that were abandoned because somebody waits without need.
    abandoned: Vec<Vec<Step>>,
    cut: bool,
}

impl Observer for Stuck {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        let schedule = || {
            let events = execution.events.iter().filter(|event| event.operation.code != mutex::POLL);
            events.map(|e| Step::of(e).expecting(OpCode::ANY)).collect()
        };
        match execution.outcome {
            Outcome::Deadlock => self.schedules.push(schedule()),
            Outcome::Blocked => self.abandoned.push(schedule()),
            Outcome::StepLimit { .. } => {
                self.cut = true;
                return Flow::Stop;
            }
            _ => {}
        }
        Flow::Continue
    }
}

/// What `algorithm` shows of `program`. `None` if it does not come to an end.
fn shown(mut executor: Scripted<'_>, algorithm: Algorithm) -> Option<(Ends, Stuck, u64)> {
    executor.remember_states();
    let options = Options { algorithm, max_steps: Some(STEPS), max_executions: Some(LARGEST), ..Options::default() };
    let mut stuck = Stuck::default();
    let summary = Search::new(options).run(&mut executor, &mut stuck).unwrap_or_else(|error| panic!("{error}"));
    let states = executor.take_states();
    let ended = states.into_iter().filter(|state| state.outcome == "ended");
    let ends = ended.map(|state| state.variables).collect();
    (summary.stop == Stop::Exhausted && !stuck.cut).then_some((ends, stuck, summary.counts.executions))
}

/// Adds what a thread does until it holds both mutexes.
fn lock_both(random: &mut Random, code: &mut Vec<Instruction>, one: u8, other: u8, register: u8) {
    use Instruction::{BranchIf, Jump, Lock, TryLock, Unlock};
    let start = code.len() as u16;
    if random.one_in(8) {
        // Politely: it gives the first back and begins again.
        code.extend([Lock(one), TryLock(other, register), BranchIf(register, 0, start + 5), Unlock(one), Jump(start)]);
    } else {
        // In turn, as `std::lock`: it begins again with what it could not get. Some know later which was the first.
        let marks = random.one_in(2);
        let done = start + 9 + 2 * u16::from(marks);
        for (first, second) in [(one, other), (other, one)] {
            code.extend(marks.then_some(Instruction::Set(7, Value::Constant(u64::from(first) + 1))));
            code.extend([Lock(first), TryLock(second, register), BranchIf(register, 0, done), Unlock(first)]);
        }
        code.push(Jump(start));
    }
}

/// Adds what a thread does until it holds all of mutexes 0, 1 and 2, in this order.
fn lock_three(code: &mut Vec<Instruction>, order: [u8; 3], register: u8) {
    use Instruction::{BranchIf, Jump, Lock, TryLock, Unlock};
    let start = code.len() as u16;
    let [a, b, c] = order;
    code.extend([
        Lock(a),
        TryLock(b, register),
        BranchIf(register, 0, start + 5),
        Unlock(a),
        Jump(start),
        TryLock(c, register),
        BranchIf(register, 0, start + 10),
        Unlock(b),
        Unlock(a),
        Jump(start),
    ]);
}

/// Adds one to a variable, or notes it.
fn effect(random: &mut Random, code: &mut Vec<Instruction>) {
    let variable = random.below(2) as u8;
    match random.below(4) {
        0 => code.push(Instruction::Load(variable, 2 + random.below(2) as u8)),
        1 => code.push(Instruction::Store(variable, Value::Constant(1 + random.below(2)))),
        2 => code.push(Instruction::FetchAdd(variable, Value::Constant(1), 4)),
        _ => {}
    }
}

fn thread(random: &mut Random, mutexes: u64) -> Vec<Instruction> {
    use Instruction::{BranchIf, BranchUnless, Jump, Load, Lock, TryLock, Unlock};
    let mut code = Vec::new();
    for part in 0..1 + random.below(2) {
        let register = part as u8;
        let one = random.below(mutexes) as u8;
        let other = (u64::from(one) + 1 + random.below(mutexes - 1)) as u8 % mutexes as u8;
        match random.below(10) {
            9 => {
                // Polls, and tries what it holds itself.
                let start = code.len() as u16;
                code.extend([Lock(one), TryLock(one, 5), Load(random.below(2) as u8, register), Unlock(one)]);
                code.push(BranchUnless(register, random.below(2), start));
            }
            0..=2 => {
                lock_both(random, &mut code, one, other, register);
                effect(random, &mut code);
                code.extend([Unlock(other), Unlock(one)]);
            }
            3 if mutexes == 3 => {
                let order =
                    if random.one_in(2) { [one, other, 3 - one - other] } else { [3 - one - other, other, one] };
                lock_three(&mut code, order, register);
                effect(random, &mut code);
                code.extend([Unlock(0), Unlock(1), Unlock(2)]);
            }
            3 => {
                code.push(Lock(one));
                effect(random, &mut code);
                code.push(Unlock(one));
            }
            4 => {
                // Two in order.
                let (first, second) = (one.min(other), one.max(other));
                code.extend([Lock(first), Lock(second)]);
                effect(random, &mut code);
                code.extend([Unlock(second), Unlock(first)]);
            }
            5 => {
                // Polls.
                let start = code.len() as u16;
                code.extend([Lock(one), Load(random.below(2) as u8, register), Unlock(one)]);
                code.push(BranchUnless(register, random.below(2), start));
            }
            _ => {
                // Tells by attempts what others hold, time after time. Most lock then what they could not get.
                for _ in 0..1 + random.below(4) {
                    let (at, mutex) = (code.len() as u16, random.below(mutexes) as u8);
                    let (tries, counts) = (TryLock(mutex, 5), Instruction::Add(6, Value::Constant(1)));
                    match random.below(8) {
                        0 => code.extend([tries, BranchUnless(5, 0, at + 4), Unlock(mutex), Jump(at + 5), counts]),
                        1 | 2 => code.extend([Lock(mutex), Unlock(mutex)]),
                        _ => code.extend([tries, BranchIf(5, 0, at + 4), counts, Lock(mutex), Unlock(mutex)]),
                    }
                }
                if random.one_in(2) {
                    code.push(Instruction::Store(0, Value::Register(6)));
                }
            }
        }
    }
    code
}

fn draw(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x70c4);
    let mutexes = if random.one_in(3) { 3 } else { 2 };
    let threads = if random.one_in(3) { 3 } else { 2 };
    let mut workers: Vec<_> = (0..threads).map(|_| thread(&mut random, mutexes)).collect();
    for (id, code) in workers.iter_mut().enumerate() {
        // What it knows in the end.
        let sets = |register: u8| {
            let is_set = |instruction: &Instruction| match instruction {
                Instruction::Load(_, to) | Instruction::Set(to, _) | Instruction::Add(to, _) => *to == register,
                _ => false,
            };
            code.iter().any(is_set)
        };
        let known = [2, 3, 6, 7].into_iter().filter(|register| sets(*register)).enumerate();
        let tell = |(at, register)| Instruction::Store(2 + 4 * id as u8 + at as u8, Value::Register(register));
        let tells: Vec<_> = known.map(tell).collect();
        code.extend(tells);
    }
    Program::fork_join(workers)
}

/// Whether whoever waits for ever in `schedule` goes round for ever, whatever the others do.
fn is_really_stuck(program: &Program, schedule: &[Step]) -> bool {
    let mut executor = Scripted::new(program).without_awaits();
    (0..3).all(|seed| {
        let plan = Plan { schedule: schedule.to_vec(), policy: Policy::Random, seed, max_steps: 90, ..Plan::default() };
        let outcome = executor.run(&plan).map(|execution| execution.outcome);
        matches!(outcome, Ok(Outcome::StepLimit { .. } | Outcome::Deadlock))
    })
}

/// Holds `algorithm` to all states. `None` if the program is too large.
fn compare(
    program: &Program,
    executor: Scripted<'_>,
    algorithm: Algorithm,
    states: &Ends,
) -> Option<Result<(usize, u64), String>> {
    let (ends, stuck, executions) = shown(executor, algorithm)?;
    if ends != *states {
        let missing = states.difference(&ends).count();
        let more = ends.difference(states).count();
        return Some(Err(format!("{algorithm:?}: {missing} ends are missing, {more} are more than there are")));
    }
    let wrong = stuck.schedules.iter().take(20).find(|schedule| !is_really_stuck(program, schedule));
    if let Some(schedule) = wrong {
        return Some(Err(format!("{algorithm:?}: waits where it could go on: {schedule:?}")));
    }
    if stuck.schedules.is_empty() && stuck.abandoned.iter().take(20).any(|schedule| is_really_stuck(program, schedule))
    {
        return Some(Err(format!("{algorithm:?}: nobody is told that a thread waits for ever")));
    }
    Some(Ok((stuck.schedules.len(), executions)))
}

/// What can come of `program`, by all its states. `None` if there are too many.
fn by_states(program: &Program) -> Option<Ends> {
    let executor = Scripted::new(program).without_awaits();
    shown(executor, Algorithm::States).map(|(ends, ..)| ends)
}

/// Every algorithm shows what can come of programs whose threads lock, try and give back mutexes.
#[test]
fn nothing_is_lost() {
    let first = environment::seed(0);
    let (mut held, mut stuck, mut drawn) = (0, 0, 0);
    for seed in first.. {
        let program = draw(seed);
        drawn += 1;
        let Some(states) = by_states(&program) else { continue };
        let Some(result) = compare(&program, Scripted::new(&program), Algorithm::Optimal, &states) else { continue };
        let (waiting, executions) = result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{program}"));
        stuck += usize::from(waiting > 0);
        for algorithm in [Algorithm::Source, Algorithm::Dpor] {
            if let Some(result) = compare(&program, Scripted::new(&program), algorithm, &states) {
                let (_, others) = result.unwrap_or_else(|what| panic!("seed {seed}: {what}\n{program}"));
                assert_eq!(executions, others, "seed {seed}, {algorithm:?}\n{program}");
            }
        }
        held += 1;
        if held == environment::number("HEDDLE_PROGRAMS", 150) {
            break;
        }
    }
    // Programs in which a thread probes or is polite are dropped if their loops do not end.
    eprintln!("{held} programs of {drawn}, {stuck} with threads that wait for ever");
    assert!(held * 4 > drawn, "{held} of {drawn}");
}

/// Two threads that pass both mutexes again and again, politely, do not wait for each other, and nobody is stuck.
#[test]
fn who_passes_does_not_wait() {
    use Instruction::{BranchUnless, Jump, Lock, TryLock, Unlock};
    let worker =
        |one, other| vec![Lock(one), TryLock(other, 0), BranchUnless(0, 0, 4), Unlock(other), Unlock(one), Jump(0)];
    let program = Program::fork_join(vec![worker(0, 1), worker(1, 0)]);
    let options = Options { max_steps: Some(30), max_executions: Some(300), ..Options::default() };
    let mut stuck = Stuck::default();
    _ = Search::new(options).run(&mut Scripted::new(&program), &mut stuck).expect("it runs");
    assert!(stuck.schedules.is_empty() && stuck.cut, "{:?}", stuck.schedules);
}
