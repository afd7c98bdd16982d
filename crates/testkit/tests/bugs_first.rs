//! A bug that one preemption shows is found early, however large the program is.

use heddle_model::primitive::process;
use heddle_model::{Ending, Execution};
use heddle_search::{Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::Instruction::*;
use heddle_testkit::{Program, Scripted, Value};

struct UntilAssertion;

impl Observer for UntilAssertion {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        let failed = execution.events.last().is_some_and(|e| process::ending(&e.operation) == Some(Ending::Assertion));
        if failed { Flow::Stop } else { Flow::Continue }
    }
}

/// `k` threads that each write two variables, and one that finds them different if it comes in between.
fn pairs(k: u8) -> Program {
    let writer = |id: u8| {
        let value = Value::Constant(id as u64 + 1);
        vec![Store(0, value), Store(1, value)]
    };
    let mut threads: Vec<_> = (0..k).map(writer).collect();
    let mut check = vec![Load(0, 0), Load(1, 1)];
    for id in 0..=k as u64 {
        // Equal to this one in the first variable, so it must be in the second.
        let at = check.len() as u16;
        check.extend([BranchUnless(0, id, at + 2), Assert(1, id)]);
    }
    threads.push(check);
    Program::fork_join(threads)
}

#[test]
fn one_preemption_is_soon_tried() {
    for k in [2, 5, 10, 30, 100] {
        let program = pairs(k);
        let options = Options { max_executions: Some(100_000), ..Options::default() };
        let summary = Search::new(options).run(&mut Scripted::new(&program), &mut UntilAssertion);
        let summary = summary.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(summary.stop, Stop::Observer, "{k}: {summary:?}");
        eprintln!("{k} writers: found after {} executions", summary.counts.executions);
        assert!(summary.counts.executions <= 4 * k as u64 + 4, "{k}: {summary:?}");
    }
}
