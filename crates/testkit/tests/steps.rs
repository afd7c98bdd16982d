//! A bound on operations stops a thread, not the search: every algorithm against brute force within the same bound, on programs
//! that need not end and whose number of threads depends on the schedule.

use heddle_search::{Algorithm, Options, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::oracle::{self, Promise};
use heddle_testkit::{Instruction, Program, endless, environment};

/// The most prefixes of traces of a program that is looked at.
const LIMIT: usize = 1500;

fn has_sections(program: &Program) -> bool {
    program.threads.iter().flatten().any(|i| *i == Instruction::AtomicBegin)
}

/// Holds every algorithm against all traces, computed without any of them.
fn hold(programs: u64, kinds: impl Fn(&mut Random) -> u32) {
    let (mut looked_at, mut cut, mut ended) = (0, 0, 0);
    for seed in environment::seed(0).. {
        let mut random = Random::new(seed);
        let kinds = kinds(&mut random);
        let program = endless::program(&mut random, Shape { threads: 2, operations: 3, kinds });
        let max_steps = 1 + random.below(6) as u32;
        let Some((traces, states)) = oracle::all_traces_within(&program, max_steps, LIMIT) else { continue };
        // Without sleep sets traces are run many times.
        if traces.len() > 40 && has_sections(&program) {
            continue;
        }
        let slow = |options: &Options| traces.len() > 40 && !options.sleep_sets;
        for (name, options, depth) in oracle::configurations().into_iter().filter(|(_, options, _)| !slow(options)) {
            let options = Options { max_steps: Some(max_steps), ..options };
            let found = oracle::explore(&program, &options, depth);
            let promise = if has_sections(&program) { Promise::Everything } else { Promise::of(&options) };
            if let Some(what) = oracle::disagreement((&traces, &states), &found, promise) {
                panic!("seed {seed}, at most {max_steps} operations, {name}: {what}\n{program}");
            }
            cut += u64::from(found.summary.counts.cut > 0);
            ended += u64::from(found.summary.counts.cut == 0);
        }
        looked_at += 1;
        if looked_at >= programs {
            break;
        }
    }
    eprintln!("{looked_at} programs: {cut} searches had executions that were cut off, {ended} had none");
    assert!(cut > programs && ended > programs / 10, "{cut}, {ended}");
}

#[test]
fn every_algorithm_finds_what_is_within_the_bound() {
    hold(500, |random| generate::some_of(generate::MIXED, random));
    hold(200, |_| generate::ATOMICS | generate::ENDS | generate::THREADS);
}

#[test]
fn locks_and_conditions_of_stopped_threads() {
    hold(300, |_| generate::LOCKS | generate::TRYLOCKS);
    hold(300, |_| generate::CONDITIONS | generate::LOCKS);
    hold(200, |_| generate::TIMED | generate::LOCKS | generate::SEMAPHORES);
    hold(200, |_| generate::RWLOCKS | generate::BARRIERS);
    hold(200, |_| generate::QUEUES | generate::LOCKS | generate::SEMAPHORES);
}

#[test]
fn stopped_inside_an_atomic_section() {
    hold(300, |_| generate::SECTIONS | generate::ATOMICS);
    hold(150, |_| generate::SECTIONS | generate::LOCKS | generate::ENDS);
}

#[test]
fn loops_that_wait() {
    hold(300, |_| generate::AWAITS | generate::ATOMICS);
    hold(150, |_| generate::AWAITS | generate::TRYLOCKS | generate::LOCKS);
}

/// Brute force over interleavings, which assumes nothing, agrees with [`oracle::all_traces_within`].
#[test]
fn brute_force_agrees() {
    let (mut looked_at, mut cut) = (0, 0);
    for seed in environment::seed(0).. {
        let mut random = Random::new(seed);
        let kinds = generate::some_of(generate::MIXED, &mut random);
        let program = endless::program(&mut random, Shape { threads: 2, operations: 2, kinds });
        let max_steps = 1 + random.below(5) as u32;
        let Some((_, states)) = oracle::all_traces_within(&program, max_steps, LIMIT) else { continue };
        let dfs = Options {
            algorithm: Algorithm::Dfs,
            max_steps: Some(max_steps),
            max_executions: Some(3000),
            ..Options::default()
        };
        let found = oracle::explore_with(&program, &dfs, 1, false);
        if found.summary.stop != Stop::Exhausted {
            continue;
        }
        assert!(found.states == states, "seed {seed}, at most {max_steps} operations\n{program}");
        cut += u64::from(found.summary.counts.cut > 0);
        looked_at += 1;
        if looked_at == 400 {
            break;
        }
    }
    assert!(cut > 100, "{cut}");
}
