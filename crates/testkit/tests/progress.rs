//! What a search says about how much there is to come.

use std::time::Duration;

use heddle_model::Execution;
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Progress, Search};
use heddle_testkit::{Program, Scripted, known};

#[derive(Default)]
struct Watch(Vec<Progress>);

impl Observer for Watch {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }

    fn progress(&mut self, progress: &Progress) -> Flow {
        self.0.push(*progress);
        Flow::Continue
    }
}

/// Asks after every execution: how many are run between two moments depends on the machine, what is said does not.
fn watch(program: &Program, algorithm: Algorithm) -> (u64, Vec<Progress>) {
    let mut watch = Watch::default();
    let options = Options { algorithm, progress: Duration::ZERO, ..Options::default() };
    let summary = Search::new(options).run(&mut Scripted::new(program), &mut watch);
    (summary.map_or(0, |summary| summary.counts.executions), watch.0)
}

/// The number that is promised at least is never more than what there is, and says more than what was run.
#[test]
fn at_least_is_at_least() {
    for (program, count) in [(known::counter(8), 40_320), (known::fib_bench_watched(4), 19_605)] {
        let (executions, said) = watch(&program, Algorithm::Optimal);
        assert_eq!(executions, count);
        let said: Vec<_> = said.iter().map(|p| (p.executions, p.at_least.unwrap_or(0))).collect();
        assert!(said.iter().all(|&(run, all)| run <= all && all <= count), "{said:?}");
        assert!(said.windows(2).all(|w| w[0].1 <= w[1].1), "what was certain stays certain: {said:?}");
    }
}

/// An algorithm that may abandon what is pending promises nothing.
#[test]
fn nothing_is_said_where_nothing_is_certain() {
    let (_, said) = watch(&known::counter(7), Algorithm::Source);
    assert!(said.iter().all(|p| p.at_least.is_none()));
}

/// A guess is a guess, but not a wild one: there are as many executions as it says, or up to twice as many or as few, nearly always.
#[test]
fn guesses_come_near() {
    for (program, count) in [
        (known::counter(8), 40_320),
        (known::fib_bench_watched(4), 19_605),
        (known::indexer(15), 4_096),
        (known::readers(14), 16_384),
    ] {
        let (executions, said) = watch(&program, Algorithm::Optimal);
        assert_eq!(executions, count);
        let said: Vec<_> = said.iter().filter_map(|p| Some((p.executions, p.at_least?, p.estimate?))).collect();
        assert!(said.iter().all(|&(_, least, (low, high))| least <= low && high.is_none_or(|high| low <= high)));
        let near = |&&(_, _, (low, high)): &&(u64, u64, (u64, Option<u64>))| {
            low <= 2 * count && high.is_none_or(|high| high >= count / 2)
        };
        let near = said.iter().filter(near).count();
        assert!(near * 10 >= said.len() * 8, "{count}: {near} of {} guesses come near", said.len());
    }
}
