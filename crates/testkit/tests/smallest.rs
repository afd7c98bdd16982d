//! The smallest execution that shows something, against brute force.
//!
//! The goal is how threads end up waiting for each other: every way in which an execution of a random program can
//! deadlock. Among all interleavings, those that end so have a cheapest one; that is what has to come out, from
//! whichever of them it began.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use heddle_model::follow::Step;
use heddle_model::{Execution, Outcome, Plan, ThreadId};
use heddle_search::minimise::{Cost, Goal, cost_of, minimise};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Scripted, environment};

type Waiting = Vec<(u16, u64, u16)>;

fn waiting(execution: &Execution<'_>) -> Waiting {
    let places = execution.pending.iter().map(|p| (p.thread.0, p.operation.object.0, p.operation.code.0));
    let mut places: Waiting = places.collect();
    places.sort_unstable();
    places
}

/// Of each deadlock what its cheapest execution costs, and the dearest one.
#[derive(Default)]
struct Deadlocks(HashMap<Waiting, (Cost, Cost, Vec<Step>)>);

impl Observer for Deadlocks {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if execution.outcome == Outcome::Deadlock {
            let cost = cost_of(execution);
            let schedule = || execution.events.iter().map(Step::of).collect();
            let known = self.0.entry(waiting(execution)).or_insert_with(|| (cost, cost, schedule()));
            known.0 = known.0.min(cost);
            if cost > known.1 {
                (known.1, known.2) = (cost, schedule());
            }
        }
        Flow::Continue
    }
}

struct This(Waiting);

impl Goal for This {
    fn shown_by(&self, execution: &Execution<'_>) -> bool {
        execution.outcome == Outcome::Deadlock && waiting(execution) == self.0
    }

    fn actors(&self, _: &Execution<'_>) -> Option<Vec<ThreadId>> {
        None
    }

    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn nothing_smaller_shows_it() {
    let mut deadlocks = 0;
    let mut smaller = 0;
    for seed in environment::seed(0).. {
        let shape = Shape { threads: 3, operations: 3, kinds: generate::ALL };
        let program = generate::program(&mut Random::new(seed), shape);
        let mut executor = Scripted::new(&program);
        let mut brute = Deadlocks::default();
        let options = Options { algorithm: Algorithm::Dfs, max_executions: Some(2000), ..Options::default() };
        let summary = Search::new(options).run(&mut executor, &mut brute).unwrap();
        if summary.stop != Stop::Exhausted {
            continue;
        }
        for (waiting, (cheapest, dearest, schedule)) in brute.0 {
            deadlocks += 1;
            smaller += u32::from(cheapest < dearest);
            let known = Plan { schedule, ..Plan::default() };
            let deadline = Instant::now() + Duration::from_secs(3600);
            let smallest = minimise(&mut executor, &known, &This(waiting), &[], deadline).unwrap();
            let smallest = smallest.expect("what was known shows it");
            assert_eq!(smallest.cost, cheapest, "seed {seed}\n{program}");
            assert!(smallest.proven, "seed {seed}\n{program}");
        }
        if deadlocks >= 200 {
            break;
        }
    }
    assert!(smaller > 50, "only {smaller} of {deadlocks} could have been made smaller");
}
