//! Random programs that exit, send signals, change state of the process, look at clocks, retry and wait: every algorithm against
//! the truth, and each rule of the model left out in turn.

use std::collections::HashSet;

use heddle_model::Execution;
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::Random;
use heddle_testkit::groups::{self, Group};
use heddle_testkit::oracle::{self, Comparison, Findings};
use heddle_testkit::outside::Rule;
use heddle_testkit::{FinalState, Program, Scripted, environment};

/// Prefixes of traces that a program may have to be looked at.
const LIMIT: usize = 150;

/// Looks at nothing.
struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

fn draw(group: Group, seed: u64) -> Program {
    groups::program(&mut Random::new(seed.wrapping_mul(7919) ^ (group as u64) << 40), group, 3)
}

/// How many programs of each group are looked at.
const PROGRAMS: [(Group, u64); Group::ALL.len()] = [
    (Group::Exits, 2000),
    (Group::Signals, 1500),
    (Group::States, 1200),
    (Group::Clocks, 600),
    (Group::Retries, 1400),
    (Group::Awaits, 1200),
    (Group::Areas, 700),
    (Group::Mappings, 500),
    (Group::Hangs, 1000),
    (Group::Mixed, 1300),
];

#[test]
fn every_group_is_looked_at_and_ten_thousand_programs_in_sum() {
    let all = |group: &Group| PROGRAMS.iter().any(|(listed, _)| listed == group);
    assert!(Group::ALL.iter().all(all), "a group without programs");
    assert!(PROGRAMS.iter().map(|(_, programs)| programs).sum::<u64>() >= 10_000);
}

/// Holds every algorithm against the truth on the programs of a group.
fn agree(group: Group) {
    let programs = PROGRAMS.iter().find(|(listed, _)| *listed == group).expect("every group is listed").1;
    let mut looked_at = 0;
    let mut sums = [0; 3];
    let mut seed = environment::seed(0);
    while looked_at < programs {
        seed += 1;
        let program = draw(group, seed);
        match oracle::compare(&program, LIMIT) {
            Comparison::TooLarge => {}
            Comparison::Agree(counts) => {
                looked_at += 1;
                (0..3).for_each(|i| sums[i] += counts[i]);
            }
            Comparison::Disagree(what) => panic!("seed {seed}, {group:?}, {what}\n{program}"),
        }
    }
    eprintln!("{group:?}: {programs} of {seed} programs, executions of optimal, source, dpor: {sums:?}");
    assert!(sums[0] <= sums[1] && sums[1] <= sums[2]);
}

#[test]
fn exits() {
    agree(Group::Exits);
}

#[test]
fn signals() {
    agree(Group::Signals);
}

#[test]
fn states() {
    agree(Group::States);
}

#[test]
fn clocks() {
    agree(Group::Clocks);
}

#[test]
fn retries() {
    agree(Group::Retries);
}

#[test]
fn awaits_and_ends() {
    agree(Group::Awaits);
}

#[test]
fn areas() {
    agree(Group::Areas);
    agree(Group::Mappings);
}

#[test]
fn hangs() {
    agree(Group::Hangs);
}

#[test]
fn mixed() {
    agree(Group::Mixed);
}

/// All final states, by brute force. `None` if there are more than `most` executions.
fn brute_force(program: &Program, rule: Option<Rule>, most: u64) -> Option<HashSet<FinalState>> {
    let options = Options { algorithm: Algorithm::Dfs, max_executions: Some(most), ..Options::default() };
    let mut executor = Scripted::new(program).without(rule);
    executor.remember_states();
    let summary = Search::new(options).run(&mut executor, &mut Nobody).unwrap_or_else(|error| panic!("{error}"));
    (summary.stop == Stop::Exhausted).then(|| executor.take_states())
}

/// Whether brute force finds a final state that `optimal` misses if it does without `rule`.
fn is_needed(rule: Rule, group: Group) -> bool {
    (0..3000).any(|seed| {
        let program = draw(group, seed);
        let Some(brute) = brute_force(&program, Some(rule), 500) else { return false };
        let mut executor = Scripted::new(&program).without(Some(rule));
        executor.remember_states();
        // Without the rule an execution may not even do what the search expects.
        let ran =
            Search::new(Options { max_executions: Some(500), ..Options::default() }).run(&mut executor, &mut Nobody);
        ran.is_err() || executor.take_states() != brute
    })
}

/// Every rule matters: without it, something that can happen is not found.
#[test]
fn no_rule_can_be_left_out() {
    for (rule, group) in [
        (Rule::ExitHandlers, Group::Exits),
        (Rule::SignalLooks, Group::Signals),
        (Rule::SignalChanges, Group::Signals),
        (Rule::HandlerRemoved, Group::Signals),
        (Rule::NamedLooks, Group::States),
        (Rule::NamedChanges, Group::States),
        (Rule::Clocks, Group::Clocks),
        (Rule::Areas, Group::Areas),
    ] {
        assert!(is_needed(rule, group), "{rule:?}");
    }
}

/// Whether what a search found is among `states`, which are all that there are. A search that has not seen every look in vain can end while a
/// thread is in a round that would be none if it had: it is held against all that there is with what it knew.
fn is_among(program: &Program, found: &Findings, states: &HashSet<FinalState>) -> bool {
    found.states.is_subset(states)
        || oracle::all_traces_knowing(program, &found.places, 20_000)
            .is_some_and(|(_, all)| found.states.is_subset(&all))
}

/// What samplers and bounded searches find is among what there is.
#[test]
fn samples_and_bounds_find_nothing_else() {
    for group in Group::ALL {
        let mut looked_at = 0;
        for seed in environment::seed(0).. {
            let program = draw(group, seed);
            let Some((_, states)) = oracle::all_traces(&program, 150) else { continue };
            looked_at += 1;
            for algorithm in [Algorithm::Random, Algorithm::Pct, Algorithm::Pos] {
                let options = Options { algorithm, max_executions: Some(15), seed, ..Options::default() };
                let found = oracle::explore_with(&program, &options, 1, false);
                assert!(is_among(&program, &found, &states), "{group:?}, seed {seed}, {}\n{program}", algorithm.name());
            }
            for most in [0, 1] {
                let bounded = |algorithm, max_executions| {
                    let options =
                        Options { algorithm, max_preemptions: Some(most), max_executions, ..Options::default() };
                    oracle::explore_with(&program, &options, 1, false)
                };
                let found = bounded(Algorithm::Optimal, None);
                assert!(is_among(&program, &found, &states), "{group:?}, seed {seed}, preemptions {most}\n{program}");
                let brute = bounded(Algorithm::Dfs, Some(500));
                if brute.summary.stop == Stop::Exhausted {
                    assert!(
                        brute.states.is_subset(&found.states),
                        "{group:?}, seed {seed}, preemptions {most}\n{program}"
                    );
                }
            }
            if looked_at == 150 {
                break;
            }
        }
    }
}
