//! The formula against all interleavings and inputs, on random scripts.

mod brute;
mod generate;
mod replay;

use std::collections::BTreeSet;

use brute::Finding;
use generate::{FEATURES, Feature, Random};

use super::{Encoding, Family, Formula, Options, Outcome, Query};
use crate::script::{self, Script};
use crate::solve::Budget;
use crate::term::Terms;

/// What the formula finds. Every counterexample is followed in the machine, unless a family of clauses is left out.
fn found(script: &Script, options: &Options) -> BTreeSet<Finding> {
    let mut terms = Terms::new();
    let events = script::events(script, &mut terms);
    let mut formula = Formula::new(&events.program, &mut terms, options, Budget::unlimited()).expect("it is small");
    let mut queries: Vec<(Query, Finding)> =
        formula.properties().map(|p| (Query::Property(p), Finding::Property(p))).collect();
    if options.deadlocks {
        queries.push((Query::Deadlock, Finding::Deadlock));
    }
    for pair in 0..formula.pairs().count() {
        queries.push((Query::Race(pair), replay::name(&formula, &events.program, pair)));
    }
    let mut findings = BTreeSet::new();
    for (query, finding) in queries {
        match formula.solve(&mut terms, query, Budget::unlimited()) {
            Outcome::Impossible => {
                if let Some(result) = formula.certify() {
                    result.expect("the proof holds");
                }
            }
            Outcome::Possible(counterexample) => {
                if options.without.is_none_or(|family| family == Family::RaceBetween) {
                    replay::replay(script, &events, &counterexample, finding);
                }
                findings.insert(finding);
            }
            Outcome::Unknown => panic!("there was no limit"),
        }
    }
    findings
}

/// All ways to make the formula.
fn variants() -> Vec<Options> {
    let all = Options { deadlocks: true, races: true, certify: true, ..Options::default() };
    vec![
        all.clone(),
        Options { sections: false, ..all.clone() },
        Options { substitute: false, certify: false, ..all.clone() },
        Options { deadlocks: false, propagate: false, ..all.clone() },
        Options { lazy_data: true, certify: false, ..all.clone() },
        Options { encoding: Encoding::UwOrder, ..all },
    ]
}

/// How many of the scripts of a feature differ, and how many findings there were.
fn compare(feature: Feature, seed: u64, count: usize, options: &[Options], mutant: bool) -> (usize, usize) {
    let mut random = Random(seed);
    let (mut differences, mut findings) = (0, 0);
    for _ in 0..count {
        let script = generate::script(&mut random, feature);
        let Some(expected) = brute::explore(&script, 100_000) else { continue };
        findings += expected.len();
        for options in options {
            let mut expected = expected.clone();
            if !options.deadlocks {
                expected.remove(&Finding::Deadlock);
            }
            if !options.races {
                expected.retain(|finding| !matches!(finding, Finding::Race(..)));
            }
            let found = found(&script, options);
            if found != expected {
                differences += 1;
                assert!(mutant, "{feature:?} {options:?}\n{script:?}\nformula {found:?}\nbrute force {expected:?}");
                return (differences, findings);
            }
        }
    }
    (differences, findings)
}

/// How many random scripts a test makes; a long run asks for more.
fn scripts(usual: usize) -> usize {
    std::env::var("HEDDLE_SYMBOLIC_SCRIPTS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn formulas_against_brute_force() {
    let count = scripts(80);
    for (n, feature) in FEATURES.into_iter().enumerate() {
        let (_, findings) = compare(feature, 0x1234_5678 + n as u64, count, &variants(), false);
        assert!(findings > count / 8, "{feature:?}: scripts in which nothing happens test nothing");
    }
}

/// Every family of clauses, and the feature whose scripts need it.
const NEEDED: [(Family, Feature); 35] = [
    (Family::Program, Feature::Memory),
    (Family::Assume, Feature::Assumes),
    (Family::WriteHappens, Feature::Branches),
    (Family::Cells, Feature::Arrays),
    (Family::WriteFirst, Feature::Memory),
    (Family::Values, Feature::Memory),
    (Family::NothingBetween, Feature::Memory),
    (Family::ReadsSomething, Feature::Memory),
    (Family::Join, Feature::Deadlocks),
    (Family::JoinOrder, Feature::Joins),
    (Family::SectionOrder, Feature::Locks),
    (Family::SectionLeft, Feature::Deadlocks),
    (Family::WordFree, Feature::TryLocks),
    (Family::TryLock, Feature::TryLocks),
    (Family::DeadlockMain, Feature::Deadlocks),
    (Family::DeadlockLock, Feature::Deadlocks),
    (Family::DeadlockJoin, Feature::Deadlocks),
    (Family::DeadlockTake, Feature::Semaphores),
    (Family::DeadlockWake, Feature::Conditions),
    (Family::DeadlockDepart, Feature::Barriers),
    (Family::TokenFirst, Feature::Semaphores),
    (Family::TokenOnce, Feature::Semaphores),
    (Family::TokenNeeded, Feature::Semaphores),
    (Family::WordTake, Feature::TryTakes),
    (Family::WakeNeedsSignal, Feature::Conditions),
    (Family::SignalAfterSleep, Feature::Conditions),
    (Family::SignalOnce, Feature::Conditions),
    (Family::SleepOnce, Feature::Conditions),
    (Family::SignalNotWasted, Feature::Conditions),
    (Family::BarrierCount, Feature::Barriers),
    (Family::BarrierLast, Feature::Barriers),
    (Family::RaceHappens, Feature::Branches),
    (Family::RaceAdjacent, Feature::Branches),
    (Family::RaceWrites, Feature::Updates),
    (Family::RaceCells, Feature::Arrays),
];

/// Recorded schedules are long formulas, so the scripts are few and short.
#[test]
fn recorded_schedules_against_brute_force() {
    let variants =
        [Encoding::Schedule, Encoding::Uw].map(|encoding| Options { deadlocks: true, encoding, ..Options::default() });
    let mut random = Random(0x8765_4321);
    let mut counts = [0, 0];
    for n in 0..scripts(48) {
        let feature = FEATURES[n % FEATURES.len()];
        let script = generate::script(&mut random, feature);
        let statements: usize = script.threads.iter().map(Vec::len).sum();
        if statements > 11 || script.threads.len() > 3 {
            continue;
        }
        let Some(mut expected) = brute::explore(&script, 100_000) else { continue };
        expected.retain(|finding| !matches!(finding, Finding::Race(..)));
        counts[usize::from(!expected.is_empty())] += 1;
        for options in &variants {
            let found = found(&script, options);
            assert_eq!(found, expected, "{feature:?} {options:?}\n{script:?}");
        }
    }
    assert!(counts.iter().all(|count| *count > 1), "one-sided: {counts:?}");
}

#[test]
fn missing_clauses_are_noticed() {
    let all = Options { deadlocks: true, races: true, ..Options::default() };
    let mut unnoticed = Vec::new();
    for (family, feature) in NEEDED {
        let mutant = Options { without: Some(family), ..all.clone() };
        let (differences, _) = compare(feature, 0xabcd_ef01, 3000, &[mutant], true);
        if differences == 0 {
            unnoticed.push(family);
        }
    }
    assert!(unnoticed.is_empty(), "nothing notices that these are missing: {unnoticed:?}");
}

/// Without these clauses the verdicts are the same, but some executions do not show the race.
#[test]
fn a_race_that_does_not_happen_is_noticed() {
    let options = Options { deadlocks: true, races: true, without: Some(Family::RaceBetween), ..Options::default() };
    let shown = std::panic::catch_unwind(|| compare(Feature::Updates, 0x1234_567b, 3000, &[options], false));
    assert!(shown.is_err(), "every execution shows its race");
}
