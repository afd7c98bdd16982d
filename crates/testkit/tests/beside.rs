//! Samples beside an exhaustive search change neither what it explores nor what it counts.

use heddle_model::{Execution, Outcome};
use heddle_search::canonical::{Label, canonical};
use heddle_search::{Algorithm, Counts, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Program, Scripted, environment, known};

/// Executions in their order, by their traces and how they ended; and samples, by what drew them.
#[derive(Default)]
struct Seen {
    executions: Vec<(Vec<Label>, Outcome)>,
    samples: Vec<(&'static str, Vec<Label>)>,
}

impl Observer for Seen {
    fn execution(&mut self, execution: &Execution<'_>, info: &Info<'_>) -> Flow {
        if matches!(execution.outcome, Outcome::Learnt { .. }) {
            // It is run again.
            return Flow::Continue;
        }
        let trace = canonical(execution.events);
        match info.sampler {
            Some(sampler) => {
                let schedule = &info.plan.schedule;
                let followed = schedule.iter().zip(execution.events).all(|(step, event)| {
                    step.thread == event.thread && step.code == event.operation.code && step.choice() == event.choice()
                });
                assert!(followed && schedule.len() <= execution.events.len(), "a schedule is followed to its end");
                self.samples.push((sampler, trace));
            }
            None => self.executions.push((trace, execution.outcome)),
        }
        assert_eq!(info.sample, info.sampler.is_some());
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        self.executions.clear();
    }
}

fn explore(program: &Program, options: Options, depth: usize) -> (Seen, Counts, Counts, Stop) {
    let mut seen = Seen::default();
    let summary =
        Search::new(options).run(&mut Scripted::with_depth(program, depth), &mut seen).expect("it can be run");
    (seen, summary.counts, summary.samples, summary.stop)
}

/// Compares a search with samples with one without. Returns how many samples there were, and how many that returned to rare events.
fn agree(program: &Program, seed: u64, depth: usize) -> (usize, usize) {
    let with = |algorithm| Options { algorithm, seed, max_executions: Some(6000), ..Options::default() };
    let (alone, alone_counts, none, alone_stop) = explore(program, with(Algorithm::Optimal), depth);
    let (mut beside, counts, samples, stop) = explore(program, with(Algorithm::Portfolio), depth);
    let context = || format!("seed {seed}, {depth} under way\n{program:?}");
    assert_eq!(none.ran(), 0, "{}", context());
    assert_eq!(samples.ran(), beside.samples.len() as u64, "{}", context());
    assert_eq!(stop, alone_stop, "{}", context());
    if stop == Stop::Exhausted || depth == 1 {
        assert_eq!(counts, alone_counts, "{}", context());
    }
    let mut expected = alone.executions;
    if depth != 1 {
        // Which of several plans under way is learnt from first decides about the order of equally good ones.
        if stop != Stop::Exhausted {
            return (0, 0);
        }
        for list in [&mut expected, &mut beside.executions] {
            list.sort_by_cached_key(|execution| format!("{execution:?}"));
        }
    }
    assert!(expected == beside.executions, "other executions: {}", context());
    (beside.samples.len(), beside.samples.iter().filter(|(sampler, _)| *sampler == "rare").count())
}

#[test]
fn of_random_programs() {
    let first = environment::seed(0xbe51de);
    let (mut random, mut samples) = (Random::new(first), 0);
    for round in 0..environment::number("HEDDLE_PROGRAMS", 300) {
        let kinds = generate::some_of(generate::ALL, &mut random);
        let shape = Shape { threads: 3 + round % 2, operations: 3 + round % 3, kinds };
        let program = generate::program(&mut random, shape);
        samples += agree(&program, first ^ round, if round % 3 == 0 { 5 } else { 1 }).0;
    }
    assert!(samples > 1000, "there were {samples} samples");
}

#[test]
fn of_known_programs() {
    for depth in [1, 2, 33] {
        for seed in 0..3 {
            agree(&known::last_zero(7), seed, depth);
            agree(&known::counter(5), seed, depth);
            agree(&known::compare_exchange_loop(3, true), seed, depth);
        }
    }
    // Samples return to rare events only after some hundreds.
    let (_, rare) = agree(&known::counter(7), 1, 1);
    assert!(rare > 0);
}

/// Samples that return to rare events are the same again, however many are under way at once.
#[test]
fn rare_events_do_not_depend_on_how_many_are_under_way() {
    let options =
        |depth| (Options { algorithm: Algorithm::Rare, max_executions: Some(400), ..Options::default() }, depth);
    let run = |(options, depth)| {
        let (seen, ..) = explore(&known::last_zero(5), options, depth);
        seen.executions
    };
    let one = run(options(1));
    assert_eq!(one.len(), 400);
    for depth in [2, 7, 33] {
        assert!(run(options(depth)) == one, "{depth} under way");
    }
}
