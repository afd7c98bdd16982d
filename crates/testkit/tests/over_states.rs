//! A search over executions that turns to states by itself: against all states by brute force.

use std::collections::BTreeSet;

use heddle_model::{Capacity, Execution, Executor, ExecutorError, Fingerprint, Outcome, Plan, States, ThreadId};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, OverStates, Search, Stop, Summary, Why};
use heddle_testkit::all_states::{Whole, all_states};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::{Instruction, Program, Scripted, Value};

/// An executor with room for this many events, that does not know the states of the program if `blind`.
struct Narrow<'p> {
    inner: Scripted<'p>,
    room: usize,
    blind: bool,
    is_refused: bool,
}

impl Executor for Narrow<'_> {
    fn submit(&mut self, plan: &Plan) -> Result<(), ExecutorError> {
        self.is_refused = self.blind && plan.states != States::Off;
        // An execution beyond the room need not be run to its end. One over states ends where it comes back to one.
        let most = if plan.states == States::Off { self.room as u32 + 1 } else { 0 };
        let max_steps = if plan.max_steps == 0 { most } else { plan.max_steps.min(most) };
        self.inner.submit(&Plan { max_steps, ..plan.clone() })
    }

    fn receive(&mut self) -> Result<Execution<'_>, ExecutorError> {
        let (room, is_refused) = (self.room, self.is_refused);
        let execution = self.inner.receive()?;
        if is_refused {
            return Ok(Execution { outcome: Outcome::NeedsFork, ..execution });
        }
        Ok(match execution.events.get(..room) {
            Some(events) => {
                Execution { events, pending: &[], outcome: Outcome::Capacity(Capacity::Events), ..execution }
            }
            None => execution,
        })
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }

    fn remember(&mut self, states: &[Fingerprint]) {
        self.inner.remember(states);
    }

    fn forget_states(&mut self) {
        self.inner.forget_states();
    }

    fn reveal(&mut self, places: &[u64]) -> Result<(), ExecutorError> {
        self.inner.reveal(places)
    }
}

/// How executions end: by whom, and in which words. Deadlocks are those of nobody.
type Ends = BTreeSet<(Option<ThreadId>, String)>;

#[derive(Default)]
struct Seen {
    ends: Ends,
    aside: Option<Ends>,
    trials: u32,
}

impl Observer for Seen {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        match execution.outcome {
            Outcome::Deadlock => drop(self.ends.insert((None, "deadlock".into()))),
            Outcome::Ended { ending, .. } => {
                let by = execution.events.last().map(|event| event.thread);
                self.ends.insert((by, format!("{ending:?}")));
            }
            _ => {}
        }
        Flow::Continue
    }

    fn restart(&mut self, _: &[u64]) {
        self.ends.clear();
    }

    fn set_aside(&mut self) {
        self.trials += 1;
        self.aside = Some(std::mem::take(&mut self.ends));
    }

    fn take_back(&mut self) {
        self.ends = self.aside.take().unwrap_or_default();
    }
}

fn search(program: &Program, blind: bool) -> (Summary, Seen) {
    let options = Options { algorithm: Algorithm::Portfolio, turns_to_states: true, ..Options::default() };
    let mut executor = Narrow { inner: Scripted::new(program), room: 400, blind, is_refused: false };
    let mut seen = Seen::default();
    let summary = Search::new(options).run(&mut executor, &mut seen).unwrap_or_else(|error| panic!("{error}"));
    (summary, seen)
}

fn ends(whole: &Whole) -> Ends {
    let mut ends: Ends = whole.seen.endings.iter().map(|(end, by, _)| (Some(*by), format!("{end:?}"))).collect();
    if !whole.seen.stuck.is_empty() {
        ends.insert((None, "deadlock".into()));
    }
    ends
}

/// What is found is what is there, whichever search has found it; and a verdict about what goes round is that of the graph.
#[test]
fn nothing_is_missed_and_nothing_invented() {
    let (mut turned, mut whole_graphs) = (0, 0);
    for kinds in [
        generate::LOCKS | generate::ATOMICS,
        generate::CONDITIONS | generate::LOCKS,
        generate::ENDS | generate::ATOMICS,
    ] {
        for seed in 0..90 {
            let shape = Shape { threads: 3, operations: 3, kinds: kinds | LOOPS };
            let program = generate::program(&mut Random::new(environment::seed(seed)), shape);
            let Some(whole) = all_states(&program, 800) else { continue };
            let (summary, seen) = search(&program, false);
            match summary.over_states {
                OverStates::No => continue,
                OverStates::Back(why) => panic!("back: {why:?}, seed {seed}\n{program}"),
                OverStates::Whole => whole_graphs += 1,
                OverStates::GoesRound | OverStates::MeetsAgain => turned += 1,
            }
            assert_eq!(summary.stop, Stop::Exhausted, "seed {seed}\n{program}");
            assert_eq!(seen.ends, ends(&whole), "seed {seed}, {:?}\n{program}", summary.over_states);
            // What may be a livelock is asked of every step of every state, unless somebody looks for ever, which is a finding.
            let open = summary.states.is_some_and(|states| states.may_go_round_in_vain() && states.in_vain == 0);
            assert!(!open || summary.over_states == OverStates::Whole, "seed {seed}\n{program}");
        }
    }
    eprintln!("{turned} by states, {whole_graphs} by all steps of all states");
    assert!(turned > 10 && whole_graphs > 10);
}

/// Where the states are not known, the search goes on within a bound.
#[test]
fn what_is_not_known_is_bounded() {
    let main = vec![Instruction::Create(1), Instruction::Load(0, 1), Instruction::Yield, Instruction::Jump(1)];
    let other = vec![Instruction::Store(0, Value::Constant(1)), Instruction::Jump(0)];
    let program = Program { threads: vec![main, other], ..Program::default() };
    let (summary, _) = search(&program, false);
    assert_eq!((summary.over_states, summary.stop, summary.own_bound), (OverStates::GoesRound, Stop::Exhausted, None));
    let (summary, _) = search(&program, true);
    assert_eq!(summary.over_states, OverStates::Back(Why::Unknown), "{summary:?}");
    assert!(summary.own_bound.is_some() && summary.states.is_none(), "{summary:?}");
}

/// Threads that write the same to one variable, so many times each.
fn writers(threads: u8, times: usize) -> Program {
    use Instruction::{Create, Join, Store};
    let writer = vec![Store(0, Value::Constant(1)); times];
    let main: Vec<_> = (1..=threads).map(Create).chain((1..=threads).map(Join)).collect();
    let mut all = vec![main];
    all.extend((0..threads).map(|_| writer.clone()));
    Program { threads: all, ..Program::default() }
}

/// Many executions, few states: the states are searched, unless they are more than that.
#[test]
fn executions_that_meet_again_are_not_run_one_by_one() {
    let (summary, seen) = search(&writers(4, 1), false);
    assert_eq!((summary.over_states, seen.trials), (OverStates::No, 0), "few executions are run one by one");
    let (summary, seen) = search(&writers(4, 3), false);
    assert_eq!((summary.over_states, summary.stop, seen.trials), (OverStates::MeetsAgain, Stop::Exhausted, 1));
    let states = summary.states.map_or(0, |counts| counts.states);
    assert!(states < 10_000 && summary.earlier >= 10_000, "{summary:?}");
}
