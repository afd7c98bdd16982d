//! Random programs over every primitive, as scripts and as C: the engine that runs traces symbolically has as many executions as brute force
//! has traces, and finds what brute force finds.

use std::collections::HashSet;

use heddle_model::Ending;
use heddle_symbolic::machine::Kind;
use heddle_symbolic::prove::{Question, Verdict, Wrong, with_stack};
use heddle_symbolic::trace::{self, Way};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{FinalState, Program, oracle, print_c};

use crate::common::read;

/// What the C library's own words are called here.
const WORDS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void __VERIFIER_assume(int);\n\
    extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n\
    static inline unsigned heddle_choose(unsigned n) { unsigned x = __VERIFIER_nondet_uint(); __VERIFIER_assume(x < n); return x; }\n\
    static inline void heddle_assume(int c) { __VERIFIER_assume(c); }\n\
    static inline void heddle_atomic_begin(void) { __VERIFIER_atomic_begin(); }\n\
    static inline void heddle_atomic_end(void) { __VERIFIER_atomic_end(); }\n";

/// The program as C; with plain variables it asserts that it does not end with this status.
fn source(program: &Program, never: Option<u32>) -> String {
    let text = print_c::print_all(std::slice::from_ref(program));
    let text = text
        .replace("#include <heddle.h>", WORDS)
        .replace("atoi(arguments[1])", "0")
        .replace("count == 2", "count >= 0");
    match never {
        Some(status) => text.replace(
            "return program0_thread0();",
            &format!("{{ int ended = program0_thread0(); assert(ended != {status}); return ended; }}"),
        ),
        None => text,
    }
}

/// What brute force finds: one word for each kind.
fn faults(states: &HashSet<FinalState>) -> HashSet<&'static str> {
    let words = states.iter().filter_map(|state| match (state.outcome, state.ending) {
        ("deadlock", _) => Some("deadlock"),
        (_, Some(Ending::Assertion)) => Some("assertion"),
        (_, Some(Ending::Misuse { .. })) => Some("misuse"),
        _ => None,
    });
    words.collect()
}

fn word(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Deadlock => "deadlock",
        Wrong::Condition(Kind::Assertion, _) => "assertion",
        Wrong::Condition(Kind::Misuse, _) => "misuse",
        _ => "something else",
    }
}

fn check(seed: u64, kinds: u32, exact: bool) -> Option<bool> {
    let mut random = Random::new(seed);
    let kinds = generate::some_of(kinds, &mut random);
    let program = print_c::printable(&generate::program(&mut random, Shape { threads: 2, operations: 4, kinds }));
    let program = Program { timeouts: 0, spurious: 0, failures: 0, ..program };
    let Some((traces, states)) = oracle::all_traces(&program, 2_000) else { return Some(false) };
    let status = |state: &FinalState| match state.ending {
        Some(Ending::Exit { .. }) if state.outcome == "ended" && print_c::uses_plain(&program) => {
            Some(print_c::status(state))
        }
        _ => None,
    };
    let ends: Vec<u32> = states.iter().filter_map(status).collect();
    // A status that some end has, or one that none has.
    let never = ends.first().map(|some| if random.one_in(2) { *some } else { 100 });
    let text = source(&program, never);
    let module = read(&text)?.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    let mut expected = faults(&states);
    if never.is_some_and(|status| ends.contains(&status)) {
        expected.insert("assertion");
    }
    for merges in [true, false] {
        let way = Way { merges, ..Way::default() };
        let answer = with_stack(|| trace::ask(&module, &Question { unwind: 64, ..Question::default() }, &way));
        let answer = answer.unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}\n{program}"));
        match &answer.verdict {
            Verdict::Safe => assert!(expected.is_empty(), "seed {seed}: safe, not {expected:?}\n{program}\n{text}"),
            Verdict::Possible(found) => {
                let found = word(found.wrong);
                assert!(expected.contains(found), "seed {seed}: {found}, not {expected:?}\n{program}\n{text}");
            }
            other => panic!("seed {seed}: {other:?}\n{program}"),
        }
        if exact && expected.is_empty() {
            let count = traces.len() as u64;
            assert_eq!(answer.executions, count, "seed {seed}: executions\n{program}\n{text}");
        }
    }
    Some(true)
}

fn group(kinds: u32, exact: bool) {
    let (first, count) = match std::env::var("HEDDLE_SEEDS") {
        Ok(range) => {
            let (first, count) = range.split_once('+').expect("FIRST+COUNT");
            (first.parse().expect("a number"), count.parse().expect("a number"))
        }
        Err(_) => (0, 12),
    };
    let mut checked = 0;
    for seed in first..first + count {
        match check(seed, kinds, exact) {
            Some(done) => checked += u64::from(done),
            None => return,
        }
    }
    assert!(checked * 2 > count, "most programs are small enough: {checked} of {count}");
}

#[test]
fn primitives_have_the_traces_of_brute_force() {
    let kinds = generate::LOCKS
        | generate::TRYLOCKS
        | generate::ATOMICS
        | generate::CONDITIONS
        | generate::SEMAPHORES
        | generate::ENDS
        | generate::THREADS
        | generate::JOINS
        | generate::KINDS
        | generate::RWLOCKS
        | generate::SPIN_LOCKS
        | generate::BARRIERS
        | generate::ONCE;
    group(kinds, true);
}

#[test]
fn data_has_the_ends_of_brute_force() {
    let kinds = generate::LOCKS
        | generate::ATOMICS
        | generate::COMPARE
        | generate::CHOICES
        | generate::ASSUMES
        | generate::SECTIONS
        | generate::PLAIN;
    group(kinds, false);
}
