//! Searches by switches, preemptions and delays over states, against the shortest ways by brute force.

use std::collections::HashMap;

use heddle_model::{Execution, Outcome, ThreadId};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::all_states::{Node, Seen, Whole, all_states};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::state_search::explore_states;
use heddle_testkit::{Instruction, Program, Scripted, Value};

const LIMIT: usize = 600;

type Price = fn(&Node, ThreadId, ThreadId) -> u32;

fn switches(_: &Node, last: ThreadId, next: ThreadId) -> u32 {
    u32::from(last != next)
}

fn preemptions(node: &Node, last: ThreadId, next: ThreadId) -> u32 {
    u32::from(last != next && node.ready().any(|thread| thread == last))
}

fn delays(node: &Node, last: ThreadId, next: ThreadId) -> u32 {
    let place = |thread: ThreadId| (thread < last, thread);
    node.ready().filter(|&thread| place(thread) < place(next)).count() as u32
}

/// What it costs to be in each state with each thread as the last one: every edge is looked at until nothing changes.
fn shortest(whole: &Whole, price: Price) -> HashMap<(usize, ThreadId), u32> {
    let mut costs = HashMap::from([((0, ThreadId::MAIN), 0)]);
    loop {
        let mut changed = false;
        for ((at, last), cost) in costs.clone() {
            for edge in &whole.nodes[at].edges {
                let Some(to) = edge.to else { continue };
                let cost = cost + price(&whole.nodes[at], last, edge.thread);
                let known = costs.entry((to, edge.thread)).or_insert(u32::MAX);
                changed |= cost < *known;
                *known = cost.min(*known);
            }
        }
        if !changed {
            return costs;
        }
    }
}

/// What can be seen within `most`, and whether there is more.
fn within(whole: &Whole, price: Price, most: u32) -> (Seen, bool) {
    let costs = shortest(whole, price);
    let (mut seen, mut more) = (Seen::default(), false);
    for (&(at, last), &cost) in costs.iter().filter(|(_, cost)| **cost <= most) {
        let node = &whole.nodes[at];
        if node.stuck {
            seen.stuck.insert(node.state.clone());
        }
        seen.locals.extend(node.state.locals());
        for edge in &node.edges {
            let fits = cost + price(node, last, edge.thread) <= most;
            more |= !fits;
            if let Some(ending) = edge.ending.filter(|_| fits) {
                let local = node.state.locals().find(|(id, _)| *id == edge.thread);
                seen.endings.extend(local.map(|(_, local)| (ending, edge.thread, local)));
            }
        }
    }
    (seen, more)
}

/// The fewest switches to a state in which nobody can go on.
fn fewest(whole: &Whole, price: Price) -> Option<u32> {
    let stuck = shortest(whole, price).into_iter().filter(|((at, _), _)| whole.nodes[*at].stuck);
    stuck.map(|(_, cost)| cost).min()
}

/// Stops at the first execution in which nobody can go on, and counts its switches.
#[derive(Default)]
struct First(Option<u32>);

impl Observer for First {
    fn execution(&mut self, execution: &Execution<'_>, _: &Info<'_>) -> Flow {
        if !matches!(execution.outcome, Outcome::Deadlock | Outcome::Assumed) {
            return Flow::Continue;
        }
        let threads: Vec<_> = execution.events.iter().map(|event| event.thread).collect();
        self.0 = Some(threads.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32);
        Flow::Stop
    }
}

fn first_found(program: &Program, algorithm: Algorithm) -> Option<u32> {
    let mut first = First::default();
    let mut executor = Scripted::new(program);
    Search::new(Options { algorithm, ..Options::default() }).run(&mut executor, &mut first).unwrap();
    first.0
}

fn programs(count: usize, kinds: u32) -> impl Iterator<Item = (u64, Program, Whole)> {
    let first = environment::seed(0);
    let drawn = (first..).filter_map(move |seed| {
        let mixed = seed.wrapping_mul(104_729) ^ (kinds as u64) << 32;
        let program = generate::program(&mut Random::new(mixed), Shape { threads: 3, operations: 4, kinds });
        let whole = all_states(&program, LIMIT)?;
        Some((seed, program, whole))
    });
    drawn.take(count)
}

#[test]
fn the_first_counterexample_has_the_fewest_switches() {
    let (mut found, mut worse) = (0, 0);
    for kinds in [
        generate::LOCKS | generate::ATOMICS,
        generate::LOCKS | generate::ATOMICS | LOOPS,
        generate::CONDITIONS | generate::LOCKS | LOOPS,
        generate::SEMAPHORES | generate::TIMED | generate::LOCKS,
    ] {
        for (seed, program, whole) in programs(200, kinds) {
            let truth = fewest(&whole, switches);
            assert_eq!(first_found(&program, Algorithm::Switches), truth, "seed {seed}, kinds {kinds}\n{program}");
            let published = first_found(&program, Algorithm::Csdr);
            assert!(
                published >= truth && published.is_some() == truth.is_some(),
                "seed {seed}, kinds {kinds}\n{program}"
            );
            found += u32::from(truth.is_some());
            worse += u32::from(published > truth);
        }
    }
    eprintln!(
        "{found} programs of 800 can get stuck; with one thread for each state, {worse} have more switches than needed"
    );
    assert!(found > 200);
}

#[test]
fn bounds_are_exact() {
    let bounded = |by: usize, most: u32| {
        let mut options = Options { algorithm: Algorithm::Switches, ..Options::default() };
        *[&mut options.max_switches, &mut options.max_preemptions, &mut options.max_delays][by] = Some(most);
        options
    };
    for kinds in [generate::LOCKS | generate::ATOMICS | LOOPS, generate::CONDITIONS | generate::LOCKS | generate::ENDS]
    {
        for (seed, program, whole) in programs(120, kinds) {
            for (by, price) in [switches as Price, preemptions, delays].into_iter().enumerate() {
                for most in [0, 1, 3, 6] {
                    let (seen, more) = within(&whole, price, most);
                    for depth in [1, 3] {
                        let found = explore_states(&program, &bounded(by, most), depth);
                        assert_eq!(found.summary.stop, Stop::Exhausted);
                        let what = format!("seed {seed}, kinds {kinds}, measure {by}, at most {most}\n{program}");
                        assert_eq!(found.seen.stuck, seen.stuck, "{what}");
                        assert_eq!(found.seen.endings, seen.endings, "{what}");
                        assert_eq!(found.seen.locals, seen.locals, "{what}");
                        assert_eq!(found.summary.bounded, more, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn without_a_bound_every_state_is_met() {
    for (seed, program, whole) in programs(150, generate::LOCKS | generate::ATOMICS | generate::SECTIONS | LOOPS) {
        for algorithm in [Algorithm::Switches, Algorithm::Csdr] {
            let found = explore_states(&program, &Options { algorithm, ..Options::default() }, 2);
            assert_eq!(found.summary.stop, Stop::Exhausted, "seed {seed}\n{program}");
            assert_eq!(found.seen, whole.seen, "seed {seed}, {algorithm:?}\n{program}");
            assert_eq!(found.summary.states.unwrap().states, whole.nodes.len() as u64, "seed {seed}\n{program}");
        }
    }
}

/// Two ways with one switch after another lead to one state, by two threads. Only one of them goes on there for nothing,
/// and the published search keeps the one that came first.
#[test]
fn one_thread_for_each_state_is_not_enough() {
    use Instruction::*;
    let mut program = Program::fork_join(vec![
        vec![Store(1, Value::Constant(1))],
        vec![Store(0, Value::Constant(1)), Load(1, 0), BranchIf(0, 0, 5), Lock(0), Lock(0)],
    ]);
    program.threads[0] = vec![Create(1), Create(2), Join(2)];
    let whole = all_states(&program, 1000).unwrap();
    assert_eq!(first_found(&program, Algorithm::Switches), Some(2));
    assert_eq!(fewest(&whole, switches), Some(2));
    assert_eq!(first_found(&program, Algorithm::Csdr), Some(3));
}

#[test]
fn a_known_number() {
    use Instruction::*;
    // Each takes one lock and wants the other's. Main creates both, then each must have its turn.
    let program = Program::fork_join(vec![
        vec![Lock(0), Lock(1), Unlock(1), Unlock(0)],
        vec![Lock(1), Lock(0), Unlock(0), Unlock(1)],
    ]);
    assert_eq!(first_found(&program, Algorithm::Switches), Some(2));
    let count = vec![FetchAdd(0, Value::Constant(1), 0), Set(0, Value::Constant(0))];
    assert_eq!(first_found(&Program::fork_join(vec![count.clone(), count]), Algorithm::Switches), None);
}
