//! Probes of states: whoever takes two states for one is found out.

use heddle_model::{Execution, Executor, ExecutorError, Fingerprint, Plan};
use heddle_search::probe::Probed;
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, Random, Shape};
use heddle_testkit::{Instruction, Program, Scripted, Value};

struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

fn with(algorithm: Algorithm) -> Options {
    Options { algorithm, ..Options::default() }
}

/// Executes a script, and tells fewer states apart than there are.
struct Blind<'p> {
    script: Scripted<'p>,
    states: Vec<Fingerprint>,
}

impl Executor for Blind<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.script.submit(plan)
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let execution = self.script.receive()?;
        self.states = execution.states.iter().map(|state| Fingerprint((state.0 % 11) << 32)).collect();
        Ok(Execution { states: &self.states, ..execution })
    }

    fn abandon(&mut self) {
        self.script.abandon();
    }
}

#[test]
fn two_states_that_are_taken_for_one_are_noticed() {
    let thread = |n| vec![Instruction::Store(0, Value::Constant(n)), Instruction::Load(0, 0)];
    let program = Program::fork_join((1..4).map(thread).collect());
    let mut blind = Blind { script: Scripted::new(&program), states: Vec::new() };
    let mut probed = Probed::new(&mut blind);
    Search::new(with(Algorithm::States)).run(&mut probed, &mut Nobody).expect("it runs");
    let mismatch = probed.finish().expect("it runs").expect("they go on differently");
    assert_ne!(mismatch.events[0], mismatch.events[1], "{mismatch:?}");
}

/// States of scripts are structures that are compared: nothing is left out.
#[test]
fn equal_states_go_on_in_the_same_way() {
    let (mut matches, mut programs) = (0, 0);
    for seed in environment::seed(0)..environment::seed(0) + 150 {
        for kinds in [generate::ALL, generate::ATOMICS | generate::LOCKS | generate::LOOPS] {
            let program =
                generate::program(&mut Random::new(seed * 7919 + 1), Shape { threads: 3, operations: 4, kinds });
            let mut script = Scripted::new(&program);
            let mut probed = Probed::new(&mut script);
            let options = Options { max_executions: Some(400), ..with(Algorithm::Stateful) };
            let summary = Search::new(options).run(&mut probed, &mut Nobody).expect("it runs");
            if summary.stop != Stop::Exhausted {
                continue;
            }
            programs += 1;
            matches += probed.matches();
            assert_eq!(probed.finish().expect("it runs"), None, "seed {seed}, kinds {kinds:x}\n{program}");
        }
    }
    assert!(matches > 20 * programs / 10 && programs > 100, "{matches} matches in {programs} programs");
}
