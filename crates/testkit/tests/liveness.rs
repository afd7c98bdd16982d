//! What can go on for ever: fair cycles against their definition, and lassos that are run.

use std::collections::BTreeSet;

use heddle_model::{OpCode, States, ThreadId};
use heddle_search::liveness::{Fairness, LOOKS, Lasso, PAUSES, PROGRESS, StateEdge, StateGraph, StateNode};
use heddle_search::{Algorithm, Flow, Info, Observer, Options, Search, Stop};
use heddle_testkit::all_states::{Whole, all_states};
use heddle_testkit::environment;
use heddle_testkit::generate::{self, LOOPS, Random, Shape};
use heddle_testkit::{Instruction, Program, Scripted, Value};

const ALL: [Fairness; 3] = [Fairness::Strong, Fairness::Weak, Fairness::None];

struct Nobody;

impl Observer for Nobody {
    fn execution(&mut self, _: &heddle_model::Execution<'_>, _: &Info<'_>) -> Flow {
        Flow::Continue
    }
}

/// The graph that a search leaves behind.
fn graph_of(program: &Program) -> StateGraph {
    let mut search = Search::new(Options { algorithm: Algorithm::States, liveness: true, ..Options::default() });
    let summary = search.run(&mut Scripted::new(program), &mut Nobody).unwrap();
    assert_eq!(summary.stop, Stop::Exhausted);
    search.graph().cloned().expect("the search has come to its end")
}

/// All states by brute force, as a graph.
fn as_graph(whole: &Whole) -> StateGraph {
    let node = |node: &heddle_testkit::all_states::Node| StateNode {
        ready: node.ready().collect(),
        waiting: node.waiting.clone(),
        edges: node
            .edges
            .iter()
            .map(|e| StateEdge {
                thread: e.thread,
                code: OpCode::ANY,
                way: e.way,
                to: e.to.map(|to| to as u32),
                marks: e.looks.map_or(0, |reads| if reads { LOOKS } else { PAUSES }),
                tail: u32::MAX,
            })
            .collect(),
        holds: Vec::new(),
    };
    StateGraph { nodes: whole.nodes.iter().map(node).collect(), ..StateGraph::default() }
}

/// Whether executions that pass exactly `nodes` again and again, and all edges between them that `follows`, are fair.
pub fn is_fair(graph: &StateGraph, nodes: &[usize], acts: &BTreeSet<ThreadId>, fairness: Fairness) -> bool {
    let threads: BTreeSet<_> = nodes.iter().flat_map(|&n| graph.nodes[n].ready.clone()).collect();
    threads.iter().all(|thread| {
        let ready = |n: &&usize| graph.nodes[**n].ready.contains(thread);
        acts.contains(thread)
            || match fairness {
                Fairness::Strong => false,
                Fairness::Weak => nodes.iter().filter(ready).count() < nodes.len(),
                Fairness::None => true,
            }
    })
}

/// Whether there is a fair cycle through some set of the allowed states, and through `also` if it is given: every set is tried.
fn by_definition(
    graph: &StateGraph,
    fairness: Fairness,
    allowed: &dyn Fn(usize) -> bool,
    follows: &dyn Fn(&StateEdge) -> bool,
    also: &dyn Fn(&[usize]) -> bool,
) -> bool {
    let count = graph.nodes.len();
    (1u32..1 << count).any(|set| {
        let nodes: Vec<usize> = (0..count).filter(|n| set >> n & 1 != 0).collect();
        if !nodes.iter().all(|&n| allowed(n)) || !also(&nodes) {
            return false;
        }
        let inside = |n: usize| {
            let edges = graph.nodes[n].edges.iter().filter(|e| follows(e));
            edges.filter(|e| e.to.is_some_and(|to| set >> to & 1 != 0)).copied().collect::<Vec<_>>()
        };
        let acts: BTreeSet<_> = nodes.iter().flat_map(|&n| inside(n)).map(|e| e.thread).collect();
        let reach = |from: usize| {
            let (mut seen, mut todo) = (0u32, vec![from]);
            while let Some(n) = todo.pop() {
                for to in inside(n).iter().filter_map(|e| e.to) {
                    if seen >> to & 1 == 0 {
                        seen |= 1 << to;
                        todo.push(to as usize);
                    }
                }
            }
            seen
        };
        nodes.iter().all(|&n| reach(n) == set) && is_fair(graph, &nodes, &acts, fairness)
    })
}

/// Goes along a lasso in the graph, and returns the numbers of the states of its cycle.
fn follow(graph: &StateGraph, lasso: &Lasso) -> Vec<usize> {
    let mut at = 0;
    let mut go = |edge: &StateEdge| {
        // What steps are is not part of an answer.
        let same = |other: &StateEdge| StateEdge { marks: edge.marks, ..*other } == *edge;
        assert!(graph.nodes[at].edges.iter().any(same), "no such edge");
        at = edge.to.expect("it goes on") as usize;
        at
    };
    let start = lasso.stem.iter().map(&mut go).last().unwrap_or(0);
    let cycle: Vec<usize> = lasso.cycle.iter().map(&mut go).collect();
    assert_eq!(cycle.last(), Some(&start), "it does not come back");
    cycle
}

pub fn check(graph: &StateGraph, lasso: &Lasso, fairness: Fairness) -> Vec<usize> {
    let nodes = follow(graph, lasso);
    let acts = lasso.cycle.iter().map(|edge| edge.thread).collect();
    assert!(is_fair(graph, &nodes, &acts, fairness), "{fairness:?} {lasso:?}");
    nodes
}

pub fn random_graph(random: &mut Random) -> StateGraph {
    let count = 1 + random.below(6) as usize;
    let mut graph = StateGraph::default();
    for _ in 0..count {
        let mut node = StateNode::default();
        for thread in (0..3).map(ThreadId) {
            match random.below(3) {
                0 => node.waiting.push(thread),
                1 => node.ready.push(thread),
                _ => {}
            }
        }
        for &thread in &node.ready {
            let to = if random.one_in(6) { None } else { Some(random.below(count as u64) as u32) };
            let marks = match random.below(8) {
                0..3 => LOOKS,
                3 => PAUSES,
                4 if random.one_in(3) => PROGRESS,
                _ => 0,
            };
            node.edges.push(StateEdge { thread, code: OpCode::ANY, way: 0, to, marks, tail: u32::MAX });
        }
        graph.nodes.push(node);
    }
    // Only what can be reached is part of a graph of states.
    let (mut seen, mut todo) = (BTreeSet::from([0]), vec![0]);
    while let Some(node) = todo.pop() {
        let edges = graph.nodes[node as usize].edges.iter();
        todo.extend(edges.filter_map(|edge| edge.to).filter(|&to| seen.insert(to)));
    }
    for number in (0..count as u32).filter(|number| !seen.contains(number)) {
        graph.nodes[number as usize] = StateNode::default();
    }
    graph
}

#[test]
fn fair_cycles_are_those_of_the_definition() {
    let first = environment::seed(0);
    let mut found = [0; 3];
    for seed in first..first + 6000 {
        let graph = random_graph(&mut Random::new(seed));
        let count = graph.nodes.len();
        for (at, fairness) in ALL.into_iter().enumerate() {
            let truth = by_definition(&graph, fairness, &|_| true, &|_| true, &|_| true);
            let lasso = graph.endless(fairness);
            assert_eq!(lasso.is_some(), truth, "seed {seed}, {fairness:?}\n{graph:?}");
            found[at] += u32::from(truth);
            lasso.iter().for_each(|lasso| drop(check(&graph, lasso, fairness)));
            // From where the process could still end.
            let mut could = vec![false; count];
            for _ in 0..count {
                for (n, node) in graph.nodes.iter().enumerate() {
                    let over = node.ready.is_empty() && node.waiting.is_empty();
                    could[n] |= over || node.edges.iter().any(|e| e.to.is_none_or(|to| could[to as usize]));
                }
            }
            let idle = |edge: &StateEdge| edge.marks & PROGRESS == 0;
            let no_progress = by_definition(&graph, fairness, &|_| true, &idle, &|_| true);
            let lasso = graph.idle(fairness);
            assert_eq!(lasso.is_some(), no_progress, "progress, seed {seed}, {fairness:?}\n{graph:?}");
            if let Some(lasso) = &lasso {
                check(&graph, lasso, fairness);
                assert!(lasso.cycle.iter().all(idle));
            }
            let says = !graph.nodes.iter().flat_map(|node| &node.edges).all(idle);
            let truth =
                if says { no_progress } else { by_definition(&graph, fairness, &|n| could[n], &|_| true, &|_| true) };
            let lasso = graph.livelock(fairness);
            assert_eq!(lasso.is_some(), truth, "livelock, seed {seed}, {fairness:?}\n{graph:?}");
            if let Some(lasso) = &lasso {
                assert!(check(&graph, lasso, fairness).iter().all(|&n| says || could[n]));
            }
            for thread in (0..3).map(ThreadId) {
                let waits = |n: usize| graph.nodes[n].waiting.contains(&thread);
                let gets_on = |edge: &StateEdge| edge.thread == thread && edge.marks & (LOOKS | PAUSES) == 0;
                let mut could = vec![false; count];
                for _ in 0..count {
                    for (n, node) in graph.nodes.iter().enumerate() {
                        could[n] |= node.edges.iter().any(|e| gets_on(e) || e.to.is_some_and(|to| could[to as usize]));
                    }
                }
                let alive = |n: usize| could[n] && (waits(n) || graph.nodes[n].ready.contains(&thread));
                let others = |edge: &StateEdge| !gets_on(edge);
                let looks = fairness != Fairness::None;
                let truth =
                    by_definition(&graph, fairness, &alive, &others, &|nodes| looks || nodes.iter().any(|&n| waits(n)));
                let lasso = graph.starvation(thread, fairness);
                assert_eq!(lasso.is_some(), truth, "starvation, seed {seed}, {fairness:?}\n{graph:?}");
                if let Some(lasso) = &lasso {
                    let nodes = check(&graph, lasso, fairness);
                    let acts = lasso.cycle.iter().any(|edge| edge.thread == thread);
                    assert!(acts || nodes.iter().any(|&n| waits(n)), "seed {seed}, {fairness:?}");
                    assert!(lasso.cycle.iter().all(others) && nodes.iter().all(|&n| could[n]));
                }
            }
        }
    }
    eprintln!("of 6000 graphs have a cycle that is strongly fair, weakly fair, any: {found:?}");
    assert!(found[0] > 100 && found[0] < found[1] && found[1] < found[2]);
}

/// Who waits for ever, and who looks for ever for what nobody does.
#[test]
fn waiting_for_ever_is_what_the_definition_says() {
    let first = environment::seed(0);
    let mut found = [0; 2];
    for seed in first..first + 6000 {
        let graph = random_graph(&mut Random::new(seed ^ 0x7777));
        let reached = |from: usize| {
            let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
            while let Some(n) = todo.pop() {
                todo.extend(
                    graph.nodes[n]
                        .edges
                        .iter()
                        .filter_map(|e| e.to)
                        .map(|to| to as usize)
                        .filter(|&to| seen.insert(to)),
                );
            }
            seen
        };
        let ends = |n: usize| graph.nodes[n].edges.iter().any(|e| e.to.is_none());
        for thread in (0..3).map(ThreadId) {
            let lost = |n: usize| reached(n).iter().all(|&n| graph.nodes[n].waiting.contains(&thread) && !ends(n));
            let truth = by_definition(&graph, Fairness::Strong, &lost, &|_| true, &|_| true);
            let lasso = graph.stuck_for_ever(thread);
            assert_eq!(lasso.is_some(), truth, "{thread}, seed {seed}\n{graph:?}");
            if let Some(lasso) = &lasso {
                assert!(check(&graph, lasso, Fairness::Strong).iter().all(|&n| lost(n)));
            }
            found[0] += u32::from(truth);
        }
        let idle = |n: &usize| {
            let edges = &graph.nodes[*n].edges;
            !edges.is_empty() && edges.iter().all(|e| e.to.is_some() && e.marks & (LOOKS | PAUSES) != 0)
        };
        let hopeless = |n: usize| reached(n).iter().all(idle);
        let looks = |nodes: &[usize]| {
            let inside = |e: &StateEdge| e.marks & LOOKS != 0 && e.to.is_some_and(|to| nodes.contains(&(to as usize)));
            nodes.iter().any(|&n| graph.nodes[n].edges.iter().any(inside))
        };
        let truth = by_definition(&graph, Fairness::Strong, &hopeless, &|_| true, &looks);
        let lasso = graph.vain();
        assert_eq!(lasso.is_some(), truth, "seed {seed}\n{graph:?}");
        if let Some(lasso) = &lasso {
            check(&graph, lasso, Fairness::Strong);
        }
        found[1] += u32::from(truth);
    }
    eprintln!("of 6000 graphs: {found:?} have a thread that waits for ever, or threads that look for ever");
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

/// The state after a schedule, by its fingerprint.
fn after(executor: &mut Scripted<'_>, steps: &[heddle_model::follow::Step]) -> heddle_model::Fingerprint {
    executor.prefix_with(steps, States::Record);
    *executor.passed().last().expect("the process goes on")
}

#[test]
fn cycles_of_programs_repeat_when_they_are_run() {
    let first = environment::seed(0);
    let mut found = [0; 4];
    for seed in first..first + 500 {
        let kinds = [
            generate::LOCKS | generate::ATOMICS,
            generate::LOCKS | generate::TRYLOCKS,
            generate::CONDITIONS | generate::LOCKS,
            generate::SEMAPHORES | generate::ENDS | generate::ATOMICS,
        ][seed as usize % 4];
        let shape = Shape { threads: 3, operations: 4, kinds: kinds | LOOPS };
        let program = generate::program(&mut Random::new(seed.wrapping_mul(31)), shape);
        let Some(whole) = all_states(&program, 400) else { continue };
        let (graph, truth) = (graph_of(&program), as_graph(&whole));
        let mut executor = Scripted::new(&program);
        let mut run = |lasso: Option<Lasso>| {
            let Some(lasso) = lasso else { return false };
            let stem = after(&mut executor, &graph.schedule(&lasso, 0));
            assert_eq!(after(&mut executor, &graph.schedule(&lasso, 1)), stem, "seed {seed}\n{program}");
            assert_eq!(after(&mut executor, &graph.schedule(&lasso, 3)), stem, "seed {seed}\n{program}");
            true
        };
        for fairness in ALL {
            let what = format!("seed {seed}, {fairness:?}\n{program}");
            assert_eq!(graph.endless(fairness).is_some(), truth.endless(fairness).is_some(), "{what}");
            assert_eq!(graph.livelock(fairness).is_some(), truth.livelock(fairness).is_some(), "{what}");
            found[0] += u32::from(run(graph.endless(fairness)));
            found[1] += u32::from(run(graph.livelock(fairness)));
            for thread in (0..4).map(ThreadId) {
                let starves = graph.starvation(thread, fairness);
                assert_eq!(starves.is_some(), truth.starvation(thread, fairness).is_some(), "{what}");
                found[2] += u32::from(run(starves));
            }
        }
        for thread in (0..4).map(ThreadId) {
            let stuck = graph.stuck(thread);
            assert_eq!(stuck.is_some(), truth.stuck(thread).is_some(), "seed {seed}\n{program}");
            let Some(stem) = stuck else { continue };
            found[3] += 1;
            // It waits there, somebody else can go on, and it waits in whatever follows.
            let steps: Vec<_> = stem.iter().map(StateEdge::step).collect();
            let state = after(&mut executor, &steps);
            let start = whole.nodes.iter().position(|n| executor.exact().get(state) == Some(&n.state)).unwrap();
            assert!(!whole.nodes[start].edges.is_empty());
            let (mut seen, mut todo) = (BTreeSet::from([start]), vec![start]);
            while let Some(n) = todo.pop() {
                assert!(whole.nodes[n].waiting.contains(&thread), "seed {seed}\n{program}");
                let edges = whole.nodes[n].edges.iter();
                todo.extend(edges.map(|edge| edge.to.unwrap()).filter(|&to| seen.insert(to)));
            }
        }
    }
    eprintln!("endless, livelocks, starvation, partial deadlocks: {found:?}");
    assert!(found.iter().all(|&count| count > 20), "{found:?}");
}

/// Peterson's lock, taken for ever by two threads: nobody starves, nothing is stuck, and it is no livelock that it never ends.
#[test]
fn endless_programs_are_no_livelocks() {
    use Instruction::*;
    let taker = |me: u8| {
        let other = 1 - me;
        let one = Value::Constant(1);
        vec![
            Store(me, one),
            Store(2, Value::Constant(other as u64)),
            Load(other, 0),
            BranchIf(0, 0, 6),
            Load(2, 0),
            BranchIf(0, other as u64, 2),
            // Alone.
            CompareExchange(3, Value::Constant(0), one, 1),
            Assert(1, 0),
            Store(3, Value::Constant(0)),
            Set(0, Value::Constant(0)),
            Store(me, Value::Constant(0)),
            Jump(0),
        ]
    };
    let peterson = Program::fork_join(vec![taker(0), taker(1)]);
    let graph = graph_of(&peterson);
    assert!(graph.endless(Fairness::Strong).is_some());
    assert_eq!(graph.livelock(Fairness::Strong), None);
    for thread in [1, 2].map(ThreadId) {
        assert_eq!((graph.starvation(thread, Fairness::Weak), graph.stuck(thread)), (None, None));
    }
    // `main` waits for threads that never end.
    assert!(graph.stuck(ThreadId::MAIN).is_some());

    // Somebody polls a flag that is set in the end.
    let mut polling = Program::fork_join(vec![vec![Load(0, 0), BranchUnless(0, 1, 0)]]);
    polling.threads[0].insert(1, Store(0, Value::Constant(1)));
    let graph = graph_of(&polling);
    assert_eq!((graph.endless(Fairness::Weak), graph.livelock(Fairness::Strong)), (None, None));
    assert!(graph.endless(Fairness::None).is_some());
}

#[test]
fn polite_threads_are_a_livelock() {
    use Instruction::*;
    let polite = |first: u8, second: u8| {
        vec![Lock(first), TryLock(second, 0), BranchIf(0, 0, 5), Unlock(first), Jump(0), Unlock(second), Unlock(first)]
    };
    let graph = graph_of(&Program::fork_join(vec![polite(0, 1), polite(1, 0)]));
    let lasso = graph.livelock(Fairness::Strong).expect("both go round for ever");
    let acts: BTreeSet<_> = lasso.cycle.iter().map(|edge| edge.thread).collect();
    assert_eq!(acts, BTreeSet::from([ThreadId(1), ThreadId(2)]));
    let graph = graph_of(&Program::fork_join(vec![polite(0, 1), vec![Lock(0), Lock(1), Unlock(1), Unlock(0)]]));
    assert_eq!(graph.livelock(Fairness::Strong), None);
}

#[test]
fn lockers_in_a_circle_beside_an_endless_thread() {
    use Instruction::*;
    let locker = |a: u8, b: u8| vec![Lock(a), Lock(b), Unlock(b), Unlock(a), Jump(0)];
    let counter = vec![Load(0, 0), Jump(0)];
    let circle = Program::fork_join(vec![locker(0, 1), locker(1, 2), locker(2, 0), counter.clone()]);
    let graph = graph_of(&circle);
    for thread in (1..4).map(ThreadId) {
        assert!(graph.stuck(thread).is_some(), "{thread}");
    }
    assert_eq!(graph.stuck(ThreadId(4)), None);
    let ordered = Program::fork_join(vec![locker(0, 1), locker(1, 2), locker(0, 2), counter]);
    let graph = graph_of(&ordered);
    assert!((1..5).all(|thread| graph.stuck(ThreadId(thread)).is_none()));
}
