//! Formulas of linear temporal logic, against their meaning on words that repeat.

use heddle_model::{OpCode, ThreadId};
use heddle_search::liveness::ltl::{Automaton, Formula};
use heddle_search::liveness::{Fairness, Lasso, StateEdge, StateGraph, StateNode};
use heddle_testkit::environment;
use heddle_testkit::generate::Random;

use crate::liveness::{check, is_fair, random_graph};

/// A random formula over two propositions.
fn random_formula(random: &mut Random, depth: u64) -> Formula {
    use Formula::*;
    let next = |random: &mut Random| Box::new(random_formula(random, depth - 1));
    match if depth == 0 { random.below(4) } else { random.below(12) } {
        0 if random.one_in(4) => True,
        1 if random.one_in(4) => False,
        0..4 => Is(random.below(2) as u8, random.one_in(2)),
        4 | 5 => And(next(random), next(random)),
        6 | 7 => Or(next(random), next(random)),
        8 => Next(next(random)),
        9 | 10 => Until(next(random), next(random)),
        _ => Release(next(random), next(random)),
    }
}

/// Where a formula holds in the word that goes on at `again` after its last letter.
fn holds(formula: &Formula, word: &[u64], again: usize) -> Vec<bool> {
    use Formula::*;
    let after = |at: usize| if at + 1 == word.len() { again } else { at + 1 };
    let places = 0..word.len();
    // The smallest or the largest solution of what a `U` or an `R` says about neighbouring places.
    let solve = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
        let mut now = vec![start; word.len()];
        loop {
            let next: Vec<bool> = places.clone().map(|at| step(at, now[after(at)])).collect();
            if next == now {
                return now;
            }
            now = next;
        }
    };
    match formula {
        True => vec![true; word.len()],
        False => vec![false; word.len()],
        Is(name, truth) => word.iter().map(|letter| (letter >> name & 1 != 0) == *truth).collect(),
        And(a, b) => holds(a, word, again).iter().zip(holds(b, word, again)).map(|(a, b)| *a && b).collect(),
        Or(a, b) => holds(a, word, again).iter().zip(holds(b, word, again)).map(|(a, b)| *a || b).collect(),
        Next(a) => {
            let inner = holds(a, word, again);
            places.map(|at| inner[after(at)]).collect()
        }
        Until(a, b) => {
            let (a, b) = (holds(a, word, again), holds(b, word, again));
            solve(false, &|at, next| b[at] || a[at] && next)
        }
        Release(a, b) => {
            let (a, b) = (holds(a, word, again), holds(b, word, again));
            solve(true, &|at, next| b[at] && (a[at] || next))
        }
    }
}

fn edge(thread: u16, to: u32) -> StateEdge {
    StateEdge { thread: ThreadId(thread), code: OpCode::ANY, way: 0, to: Some(to), marks: 0, tail: u32::MAX }
}

/// A program with one execution.
fn chain(length: usize, again: usize) -> StateGraph {
    let node = |at: usize| {
        let to = if at + 1 == length { again } else { at + 1 };
        StateNode { ready: vec![ThreadId::MAIN], edges: vec![edge(0, to as u32)], ..StateNode::default() }
    };
    StateGraph { nodes: (0..length).map(node).collect(), ..StateGraph::default() }
}

#[test]
fn automata_accept_what_the_formula_says() {
    let first = environment::seed(0);
    let (mut hold, mut states) = (0, 0);
    for seed in first..first + 100_000 {
        let mut random = Random::new(seed);
        let depth = 1 + random.below(3);
        let formula = random_formula(&mut random, depth);
        let word: Vec<u64> = (0..1 + random.below(6)).map(|_| random.below(4)).collect();
        let again = random.below(word.len() as u64) as usize;
        let truth = holds(&formula, &word, again)[0];
        let graph = chain(word.len(), again);
        for fairness in [Fairness::None, Fairness::Strong] {
            let found = graph.violation(&formula, fairness, |node| word[node as usize]);
            assert_eq!(found.is_none(), truth, "seed {seed}: {formula}, {word:?}, again from {again}");
        }
        assert_eq!(holds(&formula.negated(), &word, again)[0], !truth, "seed {seed}: {formula}");
        hold += u32::from(truth);
        states += Automaton::of(&formula).map_or(0, |automaton| automaton.states.len());
    }
    eprintln!("{hold} of 100000 hold; {states} states of automata");
    assert!((15_000..85_000).contains(&hold));
}

/// The letters of an execution, and where they repeat.
fn word_of(lasso: &Lasso, letters: &[u64]) -> (Vec<u64>, usize) {
    let mut at = 0;
    let mut word = vec![letters[0]];
    for edge in lasso.stem.iter().chain(&lasso.cycle) {
        at = edge.to.unwrap_or(at);
        word.push(letters[at as usize]);
    }
    if lasso.cycle.is_empty() {
        // It stays where it ended.
        let last = word.len() - 1;
        return (word, last);
    }
    word.pop();
    (word, lasso.stem.len())
}

#[test]
fn violations_in_graphs_are_executions_that_violate() {
    let first = environment::seed(0);
    let (mut found, mut tried) = (0, 0u64);
    for seed in first..first + 8_000 {
        let mut random = Random::new(seed ^ 0x1717);
        let graph = random_graph(&mut random);
        let formula = random_formula(&mut random, 2);
        let letters: Vec<u64> = graph.nodes.iter().map(|_| random.below(4)).collect();
        for fairness in [Fairness::Strong, Fairness::Weak, Fairness::None] {
            let violation = graph.violation(&formula, fairness, |node| letters[node as usize]);
            if let Some(lasso) = &violation {
                found += 1;
                let (word, again) = word_of(lasso, &letters);
                assert!(!holds(&formula, &word, again)[0], "seed {seed}: {formula}, {lasso:?}\n{graph:?}");
                if !lasso.cycle.is_empty() {
                    check(&graph, lasso, fairness);
                }
            }
            // Random executions: each that is fair and violates it means that there is a violation.
            for _ in 0..4 {
                let (mut at, mut places, mut acts) = (0, vec![0], Vec::new());
                let mut over = false;
                for _ in 0..12 {
                    let edges = &graph.nodes[at as usize].edges;
                    let next = (!edges.is_empty()).then(|| edges[random.below(edges.len() as u64) as usize]);
                    let Some((by, to)) = next.and_then(|edge| Some((edge.thread, edge.to?))) else {
                        over = true;
                        break;
                    };
                    at = to;
                    acts.push(by);
                    places.push(to as usize);
                }
                let word: Vec<u64> = places.iter().map(|&place| letters[place]).collect();
                if over {
                    let truth = holds(&formula, &word, word.len() - 1)[0];
                    assert!(truth || violation.is_some(), "seed {seed}: {formula}, {places:?}\n{graph:?}");
                    continue;
                }
                for (again, end) in (0..12).flat_map(|again| (again + 1..=12).map(move |end| (again, end))) {
                    let threads = acts[again..end].iter().copied().collect();
                    if places[again] != places[end] || !is_fair(&graph, &places[again..end], &threads, fairness) {
                        continue;
                    }
                    tried += 1;
                    let truth = holds(&formula, &word[..end], again)[0];
                    assert!(
                        truth || violation.is_some(),
                        "seed {seed}, {fairness:?}: {formula}, {places:?}\n{graph:?}"
                    );
                }
            }
        }
    }
    eprintln!("{found} violations; {tried} fair executions");
    assert!(found > 3000);
}

#[test]
fn formulas_about_a_program() {
    // 0: asks, 1: waits, 2: is answered. In 1 another thread may go round for ever.
    let graph = StateGraph {
        nodes: vec![
            StateNode { ready: vec![ThreadId(1)], edges: vec![edge(1, 1)], ..StateNode::default() },
            StateNode {
                ready: vec![ThreadId(1), ThreadId(2)],
                edges: vec![edge(2, 1), edge(1, 2)],
                ..StateNode::default()
            },
            StateNode { ready: vec![ThreadId(1)], edges: vec![edge(1, 0)], ..StateNode::default() },
        ],
        ..StateGraph::default()
    };
    let mut names = Vec::new();
    let formula = Formula::parse("G (request -> F answer)", &mut names).unwrap();
    assert_eq!(names, ["request", "answer"]);
    let letter = |node: u32| [1, 0, 2][node as usize];
    assert_eq!(graph.violation(&formula, Fairness::Weak, letter), None);
    let lasso = graph.violation(&formula, Fairness::None, letter).expect("thread 2 goes round for ever");
    assert_eq!((lasso.stem, lasso.cycle), (vec![edge(1, 1)], vec![edge(2, 1)]));
    let never = Formula::parse("G !answer", &mut names).unwrap();
    assert!(graph.violation(&never, Fairness::Strong, letter).is_some());
}
