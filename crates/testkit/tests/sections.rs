//! Critical sections as one step, against all states by brute force.

use heddle_search::{Algorithm, Options, Rules, Stop};
use heddle_testkit::all_states::{Whole, all_states};
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::state_search::{disagreement, explore_states};
use heddle_testkit::{Instruction, Program, Value, environment, sections};

/// States that a program may have to be looked at.
const LIMIT: usize = 700;

fn with(sections: bool, rules: Rules) -> Options {
    Options { algorithm: Algorithm::Stateful, sections, rules, ..Options::default() }
}

/// Random programs with critical sections, with all their states.
fn programs(count: u64, wild: bool, loops: bool) -> impl Iterator<Item = (u64, Program, Whole)> {
    let first = environment::seed(0);
    (first..)
        .filter_map(move |seed| {
            let mixed = seed.wrapping_mul(7919) ^ u64::from(wild) << 40 ^ u64::from(loops) << 41;
            let program = sections::program(&mut Random::new(mixed), wild, loops);
            let whole = all_states(&program, LIMIT)?;
            Some((seed, program, whole))
        })
        .take(count as usize)
}

fn agree(count: u64, wild: bool, loops: bool) -> (u64, u64) {
    let (mut states, mut ordinary) = (0, 0);
    for (seed, program, whole) in programs(count, wild, loops) {
        for depth in [1, 3] {
            let found = explore_states(&program, &with(true, Rules::default()), depth);
            if let Some(what) = disagreement(&whole, &found) {
                panic!("seed {seed}, wild {wild}, loops {loops}, {depth} at a time: {what}\n{program}");
            }
            states += found.summary.states.unwrap_or_default().states;
        }
        let found = explore_states(&program, &with(false, Rules::default()), 1);
        ordinary += 2 * found.summary.states.unwrap_or_default().states;
    }
    eprintln!("wild {wild}, loops {loops}: {count} programs, {states} states with sections, {ordinary} without");
    (states, ordinary)
}

#[test]
fn mutexes_that_only_exclude() {
    for loops in [false, true] {
        let (states, ordinary) = agree(400, false, loops);
        assert!(states * 2 < ordinary, "sections are steps");
    }
}

#[test]
fn mutexes_that_do_more() {
    agree(500, true, false);
    agree(400, true, true);
}

/// Programs of all kinds, which know nothing of sections.
#[test]
fn mixtures() {
    let mut random = Random::new(environment::seed(91));
    for _ in 0..300 {
        let kinds = generate::LOCKS | generate::some_of(generate::MIXED, &mut random);
        let kinds = kinds | if random.one_in(2) { LOOPS } else { 0 };
        let operations = 3 + random.below(2);
        let program = generate::program(&mut random, Shape { threads: 3, operations, kinds });
        let Some(whole) = all_states(&program, LIMIT) else { continue };
        let found = explore_states(&program, &with(true, Rules::default()), 1);
        if let Some(what) = disagreement(&whole, &found) {
            panic!("kinds {kinds:x}: {what}\n{program}");
        }
    }
}

#[test]
fn every_rule_is_needed() {
    let all = Rules::default();
    for (name, rules) in [
        ("sections end with their unlock", Rules { closed: false, ..all }),
        ("what is touched is compared", Rules { compared: false, ..all }),
        ("mutexes are not tried", Rules { tried: false, ..all }),
        ("sections have items", Rules { section_items: false, ..all }),
    ] {
        let misses = |(_, program, whole): &(u64, Program, Whole)| {
            disagreement(whole, &explore_states(program, &with(true, rules), 1)).is_some()
        };
        let missed = programs(300, true, false).filter(misses).count();
        eprintln!("without '{name}': {missed} of 300 programs");
        assert!(missed > 0, "{name}");
    }
}

/// Threads that add under one lock: each set of those that have added is a state.
#[test]
fn adders_are_sets() {
    use Instruction::*;
    for count in 2..=8 {
        let adder = vec![Lock(0), PlainLoad(0, 0), Add(0, Value::Constant(1)), PlainStore(0, Value::Register(0))];
        let adder = [adder, vec![Unlock(0), Set(0, Value::Constant(0))]].concat();
        let program = Program::fork_join(vec![adder; count]);
        let found = explore_states(&program, &with(true, Rules::default()), 1);
        assert_eq!(found.summary.stop, Stop::Exhausted);
        let counts = found.summary.states.unwrap_or_default();
        eprintln!("{count} adders: {} states, {} edges, {:?}", counts.states, counts.edges, found.summary.counts);
        assert!(counts.states < 3 << count, "{count} adders: {} states", counts.states);
    }
}

/// Threads with data of their own under one lock: one execution, whatever their number.
#[test]
fn own_data_is_one_execution() {
    use Instruction::*;
    for count in [2, 4, 8, 12] {
        let own = |x: u8| {
            let section = [Lock(0), PlainLoad(x, 0), PlainStore(x, Value::Constant(1)), Unlock(0)];
            [section, section].concat()
        };
        let program = Program::fork_join((0..count).map(own).collect());
        let found = explore_states(&program, &with(true, Rules::default()), 1);
        assert_eq!(found.summary.stop, Stop::Exhausted);
        assert_eq!(found.summary.counts.ran(), 1, "{count} threads: {:?}", found.summary.counts);
    }
}
