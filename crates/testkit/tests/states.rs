//! Searches over states, against all states by brute force.

use heddle_search::{Algorithm, Options, Rules, Stop};
use heddle_testkit::all_states::{Whole, all_states};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::state_search::{disagreement, explore_states};
use heddle_testkit::{Instruction, Program, Value};

/// States that a program may have to be looked at.
const LIMIT: usize = 1200;

fn with(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

/// Random programs of these kinds, with all their states, until there are so many.
fn programs(count: u64, kinds: u32, operations: u64) -> impl Iterator<Item = (u64, Program, Whole)> {
    let first = environment::seed(0);
    (first..)
        .map(move |seed| (seed, seed.wrapping_mul(7919) ^ (kinds as u64) << 32))
        .filter_map(move |(seed, mixed)| {
            let program = generate::program(&mut Random::new(mixed), Shape { threads: 3, operations, kinds });
            let whole = all_states(&program, LIMIT)?;
            Some((seed, program, whole))
        })
        .take(count as usize)
}

/// Holds searches to brute force. Returns in how many programs threads can wait in vain.
fn agree(count: u64, kinds: u32, operations: u64) -> u64 {
    let (mut all, mut reduced, mut full_edges, mut edges, mut vain) = (0, 0, 0, 0, 0);
    for (seed, program, whole) in programs(count, kinds, operations) {
        let mut in_vain = Vec::new();
        for (name, algorithm, depth) in [
            ("stateful", Algorithm::Stateful, 1),
            ("states", Algorithm::States, 1),
            ("stateful, three", Algorithm::Stateful, 3),
        ] {
            let found = explore_states(&program, &with(algorithm), depth);
            if let Some(what) = disagreement(&whole, &found) {
                panic!("seed {seed}, kinds {kinds}, {name}: {what}\n{program}");
            }
            let counts = found.summary.states.unwrap_or_default();
            in_vain.push(counts.in_vain > 0);
            if name == "states" {
                assert_eq!(counts.states, whole.nodes.len() as u64, "seed {seed}, kinds {kinds}\n{program}");
                assert_eq!(counts.edges, whole.nodes.iter().map(|n| n.edges.len() as u64).sum::<u64>());
                all += counts.states;
                full_edges += counts.edges;
            } else if depth == 1 {
                reduced += counts.states;
                edges += counts.edges;
            }
        }
        assert!(in_vain.iter().all(|one| *one == in_vain[0]), "seed {seed}, kinds {kinds}: {in_vain:?}\n{program}");
        vain += u64::from(in_vain[0]);
    }
    eprintln!("kinds {kinds:x}: {count} programs, {all} states, {full_edges} edges; stateful {reduced}, {edges}");
    assert!(reduced <= all && edges <= full_edges);
    vain
}

#[test]
fn locks_and_atomics() {
    agree(600, generate::LOCKS | generate::ATOMICS, 4);
    let vain = agree(600, generate::LOCKS | generate::ATOMICS | LOOPS, 4);
    assert!(vain > 0, "threads that wait in vain are among them");
}

#[test]
fn trylocks_and_compare_exchange() {
    agree(300, generate::LOCKS | generate::TRYLOCKS | generate::ATOMICS | LOOPS, 4);
    agree(300, generate::COMPARE | generate::ATOMICS | LOOPS, 4);
    agree(200, generate::KINDS | generate::LOCKS | generate::TRYLOCKS | LOOPS, 4);
}

#[test]
fn conditions_and_semaphores() {
    agree(300, generate::CONDITIONS | generate::LOCKS, 4);
    agree(300, generate::CONDITIONS | generate::LOCKS | LOOPS, 3);
    agree(300, generate::SEMAPHORES | generate::ATOMICS, 4);
    agree(200, generate::SEMAPHORES | LOOPS, 3);
}

#[test]
fn other_locks() {
    agree(200, generate::RWLOCKS | LOOPS, 4);
    agree(200, generate::RWLOCKS | generate::PREFERS | generate::ATOMICS | LOOPS, 4);
    agree(200, generate::SPIN_LOCKS | generate::ATOMICS | LOOPS, 4);
    agree(200, generate::ROBUST | generate::KINDS | generate::LOCKS | generate::TRYLOCKS | LOOPS, 4);
}

#[test]
fn barriers_and_once() {
    agree(200, generate::BARRIERS | generate::ATOMICS, 3);
    agree(200, generate::BARRIERS | generate::LOCKS | LOOPS, 3);
    agree(200, generate::ONCE | generate::ATOMICS | LOOPS, 4);
}

#[test]
fn timed_operations_and_futexes() {
    agree(200, generate::TIMED | generate::LOCKS | LOOPS, 3);
    agree(200, generate::TIMED | generate::SEMAPHORES | generate::RWLOCKS, 3);
    agree(200, generate::TIMED | generate::CONDITIONS | generate::LOCKS | LOOPS, 3);
    agree(300, generate::FUTEXES | generate::ATOMICS, 3);
    agree(200, generate::FUTEXES | LOOPS, 3);
}

#[test]
fn threads_that_end_and_are_ended() {
    agree(200, generate::THREADS | generate::JOINS | generate::TRYJOINS | generate::ATOMICS, 4);
    agree(200, generate::CANCELS | generate::SEMAPHORES | generate::ATOMICS | LOOPS, 3);
    agree(200, generate::CANCELS | generate::CONDITIONS | generate::LOCKS, 3);
    agree(300, generate::ENDS | generate::ATOMICS | LOOPS, 3);
}

#[test]
fn queues_choices_and_assumptions() {
    agree(200, generate::QUEUES | generate::LOCKS | generate::SEMAPHORES | LOOPS, 3);
    agree(200, generate::QUEUES | generate::CONDITIONS | generate::LOCKS, 3);
    agree(200, generate::CHOICES | generate::ATOMICS | LOOPS, 4);
    agree(200, generate::ASSUMES | generate::ATOMICS | LOOPS, 4);
    agree(200, generate::FAILURES | generate::TRYLOCKS | generate::COMPARE | LOOPS, 3);
    agree(100, generate::SECTIONS | generate::ATOMICS, 3);
    agree(100, generate::AWAITS | generate::ATOMICS | generate::LOCKS, 3);
}

#[test]
fn mixtures() {
    let mut random = Random::new(78);
    for _ in 0..150 {
        let kinds = generate::some_of(generate::MIXED, &mut random) | if random.one_in(2) { LOOPS } else { 0 };
        agree(5, kinds, 3 + random.below(2));
    }
}

/// How many of so many random programs the search misses something of, with a rule left out.
fn misses(rules: Rules, kinds: u32, count: u64) -> u64 {
    let options = Options { rules, ..with(Algorithm::Stateful) };
    let missed = programs(count, kinds, 4)
        .filter(|(_, program, whole)| disagreement(whole, &explore_states(program, &options, 1)).is_some());
    missed.count() as u64
}

#[test]
fn every_rule_is_needed() {
    let all = Rules::default();
    let kinds = generate::LOCKS | generate::ATOMICS;
    for (name, rules, kinds) in [
        ("waiting threads have items", Rules { waiting: false, ..all }, kinds),
        ("a fixpoint", Rules { fixpoint: false, ..all }, kinds | LOOPS),
        ("nobody is ignored", Rules { nobody_ignored: false, ..all }, kinds | LOOPS),
        ("ends are seen", Rules { ends: false, ..all }, generate::JOINS | generate::TRYJOINS | generate::ATOMICS),
    ] {
        let missed = misses(rules, kinds, 400);
        eprintln!("without '{name}': {missed} of 400 programs");
        assert!(missed > 0, "{name}");
    }
    // These only save work: nothing is missed without them, and more is run.
    for rules in [Rules { covering: false, ..all }, Rules { enabling: false, ..all }, Rules { lives: false, ..all }] {
        assert_eq!(misses(rules, kinds | LOOPS, 200), 0, "{rules:?}");
    }
}

/// Threads that add under one lock. With `n` of them there are `n!` traces, and three states for each thread: before its
/// section, in it, and after it. The numbers are what creating and joining adds to that.
#[test]
fn adders_have_few_states() {
    use Instruction::*;
    for (count, most) in [(2, 60), (3, 200), (4, 600), (5, 2000), (6, 6000), (8, 20_000)] {
        let adder = vec![Lock(0), FetchAdd(0, Value::Constant(1), 0), Set(0, Value::Constant(0)), Unlock(0)];
        let program = Program::fork_join(vec![adder; count]);
        let found = explore_states(&program, &with(Algorithm::Stateful), 1);
        let counts = found.summary.states.unwrap_or_default();
        eprintln!("{count} adders: {counts:?}, {:?}", found.summary.counts);
        assert_eq!(found.summary.stop, Stop::Exhausted);
        assert!(counts.states < most);
        // The graph takes at most 450 bytes for each state, when it is large enough for its tables not to matter. More threads take more:
        // 500 with twelve of them.
        assert!(count < 8 || counts.bytes < 450 * counts.states, "{} bytes a state", counts.bytes / counts.states);
    }
}

/// Equal states have equal fingerprints, whatever led to them: the executor compares both at every state, and the number of
/// different fingerprints is the number of different structures.
#[test]
fn fingerprints_stand_for_states() {
    for (_, program, whole) in programs(100, generate::MIXED & !generate::ENDS, 3) {
        let found = explore_states(&program, &with(Algorithm::States), 1);
        assert_eq!(found.summary.states.unwrap_or_default().states, whole.nodes.len() as u64, "{program}");
    }
}
